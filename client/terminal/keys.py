"""Single key presses from the terminal, without Enter."""

import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform == "win32":
    import msvcrt
else:
    import termios
    import tty

ESCAPE = "\x1b"


class Keys:
    """Gives the key that was pressed, if any; without a terminal, never one."""

    def get(self, timeout_s: float) -> str | None:
        """The next key within ``timeout_s``, or ``None``."""
        time.sleep(timeout_s)
        return None


class _PosixKeys(Keys):
    def get(self, timeout_s: float) -> str | None:
        ready, _, _ = select.select([sys.stdin], [], [], timeout_s)
        if not ready:
            return None
        # An arrow key arrives as several bytes that begin with Escape: read them all, so that it
        # is not taken for Escape.
        try:
            pressed = os.read(sys.stdin.fileno(), 64).decode(errors="replace")
        except OSError:
            pressed = ""
        if not pressed:
            raise KeyboardInterrupt  # the terminal is gone
        return pressed if len(pressed) == 1 else None


class _WindowsKeys(Keys):
    def get(self, timeout_s: float) -> str | None:
        if sys.platform == "win32":
            ends_s = time.monotonic() + timeout_s
            while time.monotonic() < ends_s:
                if msvcrt.kbhit():
                    return msvcrt.getwch()
                time.sleep(0.02)
        return None


def one_of(keys: Keys, choices: str, enter: str | None = None) -> str:
    """Wait for one of these keys; Enter is ``enter``."""
    while True:
        key = keys.get(0.5)
        if key is not None and key in choices:
            return key
        if enter is not None and key in ("\r", "\n"):
            return enter


@contextmanager
def key_reader() -> Iterator[Keys]:
    """Key presses one by one while the context is open; the terminal is put back afterwards."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield _WindowsKeys() if sys.stdin.isatty() else Keys()
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield _PosixKeys()
    finally:
        with suppress(termios.error):  # it may be gone
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
