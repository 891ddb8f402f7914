"""The command line: parse, call, print. Each command imports what it needs when it runs."""

import os
import signal

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    # Until a command runs there is nothing to clean up: Ctrl-C just ends the process, without the
    # traceback of whatever was being imported. `expected_failures` takes over from there.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Before NumPy comes: the products that hearing takes are small, and OpenBLAS's second thread
    # waits busily for the next one. That was 0.3 of 1.1 s of processor time for 48 s of sound.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from client.cli.app import main as run

    run()
