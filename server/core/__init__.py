"""What every part of the server builds on: errors, settings, who may do what."""

from server.core.errors import ServerError
from server.core.settings import ServerSettings, sqlite_url

__all__ = ["ServerError", "ServerSettings", "sqlite_url"]
