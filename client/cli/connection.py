"""Opening the backend for a command, with its notices on standard error."""

from typing import TYPE_CHECKING, Any, TypeVar

import typer
from rich.text import Text

from client.cli.common import errors

if TYPE_CHECKING:
    from pydantic import BaseModel

    from client.backend.sending import OutboxBackend
    from client.core.settings import ClientSettings

__all__ = ["checked", "open_server"]

M = TypeVar("M", bound="BaseModel")


def open_server(settings: "ClientSettings") -> "OutboxBackend":
    """The backend that the settings name; what became of waiting answers goes to standard error.

    Raises:
        UnavailableError: the embedded server's database cannot be used.
    """
    from client.backend.opening import open_backend

    return open_backend(settings, tell=lambda line: errors().print(Text(line, "yellow")))


def checked(model: type[M], **values: Any) -> M:
    """A wire model made from options; a value it refuses is a usage error.

    Raises:
        BadParameter: names the option and what is wrong with it.
    """
    from pydantic import ValidationError

    try:
        return model(**values)
    except ValidationError as error:
        first = error.errors()[0]
        where = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else "options"
        raise typer.BadParameter(f"{where}: {first['msg']}") from error
