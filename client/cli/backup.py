"""``aloud backup`` and ``aloud restore``: the whole database of this machine's server."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from client.cli.common import command, out

if TYPE_CHECKING:
    from client.core.settings import ClientSettings

__all__ = ["register"]

_PANEL = "Machine and server"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "backup", _PANEL)(backup)
    command(app, "restore", _PANEL)(restore)


def backup(
    settings: "ClientSettings",
    file: Annotated[Path, typer.Argument(help="The file to write.", dir_okay=False)],
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over a file that is there already.")
    ] = False,
) -> None:
    """Write the whole database into one file; a server may go on working meanwhile."""
    from client.backend.embedded import back_up

    rows = back_up(settings, file, replace=replace)
    out().print(f"{_told(rows)} in {file}", markup=False, soft_wrap=True)


def restore(
    settings: "ClientSettings",
    file: Annotated[Path, typer.Argument(help="What `aloud backup` wrote.", dir_okay=False)],
) -> None:
    """Fill an empty database, SQLite or PostgreSQL, from a backup."""
    from client.backend.embedded import restore as fill

    out().print(f"{_told(fill(settings, file))} restored", markup=False)


def _told(rows: dict[str, int]) -> str:
    return f"{rows.get('attempts', 0)} answers and {rows.get('accounts', 0)} accounts"
