"""The application: which commands there are, in the order that help shows them."""

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from client.cli import (
    audio,
    bank,
    bundle,
    drill,
    lexicon,
    own_data,
    practice,
    progress_plan,
    pronounce,
    repair,
    settings,
    share,
    sign_in,
    system,
    user,
)
from client.cli.audio import EngineOption, ModelOption
from client.cli.common import (
    BankOption,
    LexiconOption,
    ServerOption,
    errors,
    expected_failures,
    load_settings_of,
    out,
)

if TYPE_CHECKING:
    from client.studio.state.studio import Studio

app = typer.Typer(
    name="aloud",
    help="Mock-interview voice practice: asks aloud, listens, and shows the evidence for every "
    "judgment. Without a command it opens the studio in the browser.",
    invoke_without_command=True,
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
    context: typer.Context,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Studio: only print the address.")
    ] = False,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Studio: the port to serve on.")
    ] = None,
    engine: EngineOption = None,
    model: ModelOption = None,
    bank: BankOption = None,
    lexicon: LexiconOption = None,
    server: ServerOption = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Options of the program as a whole, and of the studio."""
    if context.invoked_subcommand is None:
        _open_studio(
            bank, lexicon, server, engine=engine, model=model, port=port, browser=not no_browser
        )
    elif _given(context):
        raise typer.BadParameter(
            f"{', '.join(_given(context))}: without a command only; "
            f"name it after {context.invoked_subcommand}"
        )


def _open_studio(
    bank: list[Path] | None,
    lexicon: list[Path] | None,
    server: str | None,
    *,
    engine: str | None,
    model: str | None,
    port: int | None,
    browser: bool,
) -> None:
    """Serve the studio until interrupted.

    Args:
        bank: files or folders added to the bank.
        lexicon: files or folders added to the lexicon.
        server: the address of a shared server.
        engine: the transcription engine's name; ``None``: as in the settings.
        model: its weights by name or path; ``None``: as in the settings.
        port: the port to serve on; ``None``: the usual one, or a free one.
        browser: open the page in the browser.
    """
    with expected_failures():
        from client.studio.launch import run

        chosen = load_settings_of(bank, lexicon, server)

        def make_studio() -> "Studio":
            from client.studio.state.engine_state import EngineState
            from client.studio.state.studio import Studio

            return Studio(
                chosen,
                EngineState(chosen, engine, model),
                tell=lambda line: errors().print(Text(line, "yellow")),
            )

        run(
            make_studio,
            port=port,
            open_browser=browser,
            tell=lambda line: out().print(line, markup=False, soft_wrap=True),
        )


def _given(context: typer.Context) -> list[str]:
    """The studio's options that were given, as people wrote them."""
    given = []
    for name in context.params:
        source = context.get_parameter_source(name)  # typer carries a click of its own: by name
        if source is not None and source.name == "COMMANDLINE":
            given.append("--" + name.replace("_", "-"))
    return given


for _group in (
    *(practice, drill, audio, pronounce),
    *(
        bank,
        lexicon,
        own_data,
        repair,
        progress_plan,
        system,
        settings,
        user,
        sign_in,
        share,
        bundle,
    ),
):
    _group.register(app)


def _write_every_letter() -> None:
    """Keep output from failing when the system's encoding lacks a character.

    Windows pipes in a code page that has no "✓", and a locale may be plain ASCII. A file or a pipe
    gets UTF-8 then; where a terminal or the user (``PYTHONIOENCODING``) is served, such letters
    become "?".
    """
    chosen = bool(os.environ.get("PYTHONIOENCODING"))
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper) or "utf" in stream.encoding.lower():
            continue
        if chosen or stream.isatty():
            stream.reconfigure(errors="replace")
        else:
            stream.reconfigure(encoding="utf-8")


def main() -> None:
    """Run the command line."""
    _write_every_letter()
    app(prog_name="aloud")
