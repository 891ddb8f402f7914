"""``aloud login`` and ``aloud logout``: this machine's token for a shared server."""

import sys
from typing import Annotated
from urllib.parse import urlsplit

import typer

from client.backend.remote import RemoteBackend
from client.cli.common import command, errors, fail, out
from client.core.settings import ClientSettings, load_settings
from client.core.tokens import forget_token, is_token, keep_token
from server.contract import HistoryQuery

_PANEL = "Machine and server"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

AddressArgument = Annotated[
    str | None,
    typer.Argument(metavar="SERVER", help="The server; default: --server or ALOUD_SERVER."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "login", _PANEL)(login)
    command(app, "logout", _PANEL)(logout)


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
