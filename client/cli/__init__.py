"""The command line: parse, call, print. Each command imports what it needs when it runs."""

from client.cli.app import main

__all__ = ["main"]
