"""``aloud models``, ``doctor``, ``serve``, ``backup``, ``login``: this machine and the server."""

import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.table import Table
from rich.text import Text

from client.backend.remote import RemoteBackend
from client.backend.shared_server import back_up
from client.backend.shared_server import restore as fill
from client.backend.shared_server import serve as run
from client.cli.commands import command_group, commands
from client.cli.common import command, errors, fail, out, print_json
from client.cli.options import JsonOption
from client.cli.progress_bars import download_bar
from client.core.settings import ClientSettings, load_settings
from client.core.tokens import forget_token, is_token, keep_token
from client.core.wording import count_of
from client.doctor import run_checks
from client.engines.weights import DEFAULT_MODEL
from client.engines.weights import list_models as known
from client.engines.weights import pull as fetch
from server.contract import HistoryQuery

app = commands()
models = command_group(app, "models")


@command(models, "list")
def list_models(settings: ClientSettings, as_json: JsonOption = False) -> None:
    """List the available Whisper weights, and which are installed."""
    models = known()
    if as_json:
        print_json(
            [
                {
                    "name": each.weights.name,
                    "size_mb": each.weights.size_mb,
                    "installed": each.folder is not None and not each.is_cut_short,
                    "cut_short": each.is_cut_short,
                    "folder": str(each.folder) if each.folder else None,
                }
                for each in models
            ]
        )
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("", "name", "size", ""):
        table.add_column(column)
    table.columns[2].justify = "right"
    for each in models:
        sign = Text("✓ installed", "green") if each.folder else Text("–", "dim")
        note = "the default" if each.weights.name == DEFAULT_MODEL else ""
        if each.is_cut_short:
            sign = Text("✗ cut short", "red")
        table.add_row(sign, Text(each.weights.name, "bold"), f"{each.weights.size_mb} MB", note)
    out().print(table)
    for each in models:
        if each.is_cut_short:
            line = f"{each.weights.name} is cut short: {each.remedy}"
            out().print(line, markup=False, soft_wrap=True)


@command(models, "pull")
def pull(
    settings: ClientSettings,
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of `aloud models list`.")],
) -> None:
    """Download Whisper weights, with a progress bar."""
    with download_bar(f"fetching {name}") as report:
        folder = fetch(name, report)
    out().print(f"{name} is installed in {folder}", markup=False, soft_wrap=True)


@command(app, "doctor")
def doctor(settings: ClientSettings, as_json: JsonOption = False) -> None:
    """Check microphone, voice, engine, weights, data folder and server; name each remedy."""
    checks = run_checks(settings)
    failing = [check for check in checks if not check.ok]
    if as_json:
        print_json([vars(check) for check in checks])
    else:
        for check in checks:
            sign, style = ("✓", "green") if check.ok else ("✗", "red")
            line = Text.assemble((f"{sign} ", style), (f"{check.name}: ", "bold"), check.detail)
            out().print(line)
            if not check.ok:
                out().print(Text(f"  → {check.remedy}", style="yellow"))
    if failing:
        if not as_json:
            names = ", ".join(check.name for check in failing)
            raise fail(f"{len(failing)} of {len(checks)} checks failed: {names}")
        raise typer.Exit(1)


@command(app, "serve")
def serve(
    settings: ClientSettings,
    host: Annotated[
        str, typer.Option(help="The address to listen on; beyond loopback only with accounts.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on.")] = 8017,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name", help="A host name of the server, e.g. behind a proxy. May be repeated."
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Number of server processes on one database.")
    ] = 1,
) -> None:
    """Run the shared server. `aloud user` manages its accounts."""
    # not to standard error: there every line is a JSON object of the log
    run(settings, host=host, port=port, names=name or (), workers=workers, tell=out().print)


@command(app, "backup")
def backup(
    settings: ClientSettings,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write.", dir_okay=False)
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
) -> None:
    """Write the whole database into one file; a running server can keep working."""
    rows = back_up(settings, file, replace=replace)
    out().print(f"{_count(rows)} in {file}", markup=False, soft_wrap=True)


@command(app, "restore")
def restore(
    settings: ClientSettings,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `aloud backup` wrote.", dir_okay=False)
    ],
) -> None:
    """Fill an empty database, SQLite or PostgreSQL, from a backup."""
    out().print(f"{_count(fill(settings, file))} restored", markup=False)


def _count(rows: dict[str, int]) -> str:
    return "{} and {}".format(
        count_of(rows.get("attempts", 0), "answer"), count_of(rows.get("accounts", 0), "account")
    )


_LOOPBACK = ("127.0.0.1", "localhost", "::1")

AddressArgument = Annotated[
    str | None,
    typer.Argument(metavar="SERVER", help="The server; default: --server or ALOUD_SERVER."),
]


@command(app, "login")
def login(settings: ClientSettings, address: AddressArgument = None) -> None:
    """Store a token for a shared server, from its account page. Asks, or reads standard input."""
    server = _server(settings, address)
    parts = urlsplit(server)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        errors().print(
            "The address has no https: others on the network can read the token and your answers.",
            style="yellow",
        )
    if sys.stdin.isatty():
        errors().print(f"Create a token on {server}/account and paste it here.", markup=False)
        token = typer.prompt("Token", hide_input=True, err=True).strip()
    else:
        token = sys.stdin.readline().strip()
    if not is_token(token):
        raise fail("that is not a token; copy the whole line that begins with aloud_")
    with RemoteBackend(server, token=token) as backend:
        backend.history(HistoryQuery(limit=1))  # fails if the server does not accept the token
    keep_token(settings.home, server, token)
    out().print(f"signed in to {server}", markup=False, soft_wrap=True)
    errors().print(f"Use it with `--server {server}`, or set ALOUD_SERVER.", markup=False)


@command(app, "logout")
def logout(settings: ClientSettings, address: AddressArgument = None) -> None:
    """Forget the token for a shared server; revoke it on its account page."""
    server = _server(settings, address)
    if not forget_token(settings.home, server):
        raise fail(f"there is no token for {server} here")
    out().print(f"deleted the token for {server}", markup=False, soft_wrap=True)
    errors().print(f"It is valid until it is revoked on {server}/account.", markup=False)


def _server(settings: ClientSettings, address: str | None) -> str:
    server = load_settings(server=address).server if address else settings.server
    if server is None:
        raise typer.BadParameter("name the server, as in: aloud login https://aloud.example.org")
    return server
