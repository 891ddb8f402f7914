"""A shared server on this machine: running it, its database, and the check of a bank for it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from client.backend.embedded import client_errors, open_accounts, server_settings
from client.backend.protocol import RejectedError
from client.core.settings import ClientSettings

if TYPE_CHECKING:
    from server.bank_versions.check import Checked


def serve(
    settings: ClientSettings,
    *,
    host: str,
    port: int,
    names: Sequence[str] = (),
    workers: int = 1,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve to others until interrupted.

    Args:
        settings: the client's, for bank, lexicon and the embedded database.
        host: the address to listen on.
        port: the port to listen on.
        names: the names that the server goes by, besides this machine's own.
        workers: how many processes answer.
        tell: receives a line for a person when it is about to listen.

    Raises:
        RejectedError: other machines can reach the address and there is no account, or no name.
    """
    from server.web.app import is_loopback, run

    reachable = not is_loopback(host)
    chosen = server_settings(settings, hosts=names, reachable=reachable)
    with client_errors(), open_accounts(settings) as accounts:
        count = accounts.count()
    if chosen.needs_accounts and not count:
        raise RejectedError(
            f"{host if reachable else ', '.join(chosen.hosts)} can be reached from other machines, "
            "and without accounts anyone who reaches it can read and delete everything on it: "
            "make the first one with `aloud user add NAME --role admin`",
            "no-accounts",
        )
    if reachable and not chosen.hosts:
        raise RejectedError(
            f"on {host} the server answers only to names that you give it: "
            "add `--name aloud.example.org`, or ALOUD_HOSTS",
            "no-names",
        )
    with client_errors():
        run(chosen, host=host, port=port, workers=workers, tell=tell)


def back_up(settings: ClientSettings, path: Path, *, replace: bool = False) -> dict[str, int]:
    """Write the whole database that ``aloud serve`` uses to a file: how many rows, by table.

    Raises:
        RejectedError: the file exists already or cannot be written.
        UnavailableError: the database cannot be used.
    """
    from server.operations.backup import back_up as write

    with client_errors():
        return dict(write(server_settings(settings).database_url, path, replace=replace).rows)


def restore(settings: ClientSettings, path: Path) -> dict[str, int]:
    """Fill the empty database that ``aloud serve`` uses: how many rows, by table.

    Raises:
        RejectedError: the file is not a backup, or not complete.
        UnavailableError: the database is not empty, or cannot be used.
    """
    from server.operations.backup import restore as fill

    with client_errors():
        return dict(fill(server_settings(settings).database_url, path).rows)


def check_bank(
    path: Path,
    lexicon: Sequence[Path] = (),
    *,
    ways: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> "Checked":
    """Check a bank's form and grade its texts: what is wrong, and what to look at.

    Args:
        path: a bank's folder or file.
        lexicon: files of terms on top of the built-in ones.
        ways: also grade every way and every near miss, not only the model answers.
        progress: called with how many questions' ways are graded, of how many.

    Raises:
        BankError, LexiconError: a file is not valid.
    """
    from server.bank_versions.check import check_bank_path

    return check_bank_path(path, lexicon, ways=ways, progress=progress)
