"""The command line: parse, call, print. Each command imports what it needs when it runs."""

import signal

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    # Until a command runs there is nothing to clean up: Ctrl-C just ends the process, without the
    # traceback of whatever was being imported. `expected_failures` takes over from there.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from client.cli.app import main as run

    run()
