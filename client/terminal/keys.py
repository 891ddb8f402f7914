"""Single key presses from the terminal, and a screen without messages of sound libraries."""

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


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Send what C libraries write to standard error nowhere; Python's own text still comes out.

    ALSA and PortAudio write lines of their own when a microphone is pulled out: over the level
    meter, and nothing that the recorder does not say itself.
    """
    try:
        kept = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    python_errors = sys.stderr
    with open(kept, "w", encoding="utf-8", errors="replace", buffering=1) as ours:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        if python_errors is not None and _is_descriptor_2(python_errors):
            sys.stderr = ours
        try:
            yield
        finally:
            sys.stderr = python_errors
            os.dup2(kept, 2)


def _is_descriptor_2(stream: object) -> bool:
    try:
        return bool(stream.fileno() == 2)  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return False
