"""The command line: parse, call, print. Each command imports what it needs when it runs."""

import os
import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    # Until a command runs there is nothing to clean up: Ctrl-C just ends the process, without the
    # traceback of whatever was being imported. `expected_failures` takes over from there.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _name_files_in_utf8()
    # Before NumPy comes: the products that hearing takes are small, and OpenBLAS's second thread
    # waits busily for the next one. That was 0.3 of 1.1 s of processor time for 48 s of sound.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from client.cli.app import main as run

    run()


def _name_files_in_utf8() -> None:
    """Start again in Python's UTF-8 mode where the locale is plain ASCII.

    There, Python takes a folder's name with other letters apart into halves of characters, which
    no database, JSON file or child process takes. A terminal still gets ASCII.
    """
    if os.name != "posix" or sys.getfilesystemencoding() not in ("ascii", "ansi_x3.4-1968"):
        return
    os.environ["PYTHONUTF8"] = "1"
    if sys.stdout is not None and sys.stdout.isatty():
        os.environ.setdefault("PYTHONIOENCODING", "ascii:replace")
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
