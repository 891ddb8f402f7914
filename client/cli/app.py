"""The application: which commands there are, in the order that help shows them."""

from typing import Annotated

import typer

from client.cli import (
    audio,
    bank,
    drill,
    lexicon,
    own_data,
    practice,
    progress_plan,
    pronounce,
    system,
)

__all__ = ["app", "main"]

app = typer.Typer(
    name="aloud",
    help="Mock-interview voice practice: asks aloud, listens, and shows the evidence for every "
    "judgement.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"aloud {version('aloud')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Options of the program as a whole."""


for _group in (
    *(practice, drill, audio, pronounce),
    *(bank, lexicon, own_data, progress_plan, system),
):
    _group.register(app)


def main() -> None:
    """Run the command line."""
    app(prog_name="aloud")
