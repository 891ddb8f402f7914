"""The application: the program's own options, and the studio that it opens without a command."""

import errno
import io
import os
import sys
from importlib import import_module
from typing import Annotated, Final, NoReturn

import typer

from client.cli.commands import Program
from client.cli.options import BankOption, EngineOption, LexiconOption, ModelOption, ServerOption

_OF_SIGPIPE: Final = 128 + 13
"""The exit status that a shell gives a program that wrote into a closed pipe."""

app = typer.Typer(
    name="aloud",
    cls=Program,
    context_settings={"max_content_width": 100},
    help="Mock-interview voice practice: asks aloud, listens, and shows the evidence for every "
    "judgment. Without a command it opens the studio in the browser.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
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
        # loaded like a command: `aloud --help` needs nothing of it
        import_module("client.cli.studio").open_studio(
            bank, lexicon, server, engine=engine, model=model, port=port, browser=not no_browser
        )
    elif _given(context):
        raise typer.BadParameter(
            f"{', '.join(_given(context))}: only without a command; "
            f"put it after {context.invoked_subcommand}"
        )


def _given(context: typer.Context) -> list[str]:
    """The studio's options that were given, as people wrote them."""
    given = []
    for name in context.params:
        source = context.get_parameter_source(name)  # typer carries a click of its own: by name
        if source is not None and source.name == "COMMANDLINE":
            given.append("--" + name.replace("_", "-"))
    return given


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
    # Aloud uses no plugin of pydantic's; looking for some reads the metadata of every package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    _write_every_letter()
    try:
        app(prog_name="aloud")
    except SystemExit as end:
        # rich and typer make exit status 1 of it
        if isinstance(end.__context__, BrokenPipeError):
            _nobody_reads_on()
        _flush()
        raise
    except BrokenPipeError:
        _nobody_reads_on()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
            raise
        _cannot_be_written(error)


def _flush() -> None:
    """Flush standard output now, while a failure can still be reported."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _nobody_reads_on()
    except OSError as error:
        _cannot_be_written(error)


def _nobody_reads_on() -> NoReturn:
    """End quietly where the output is cut off, as in ``aloud bank list | head -1``.

    Other programs die of SIGPIPE there, and the shell says so. Here that would also end a program
    that merely lost a server or an engine.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):  # typer wraps the others
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    sys.exit(_OF_SIGPIPE)


def _cannot_be_written(error: OSError) -> NoReturn:
    sys.stderr.write(f"aloud: the output cannot be written: {error.strerror}\n")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more to fail at
    sys.exit(1)
