"""What every part of the server builds on: errors, settings, who may do what."""

from server.core.errors import ServerError as ServerError
from server.core.settings import ServerSettings as ServerSettings
from server.core.settings import sqlite_url as sqlite_url
