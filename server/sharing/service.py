"""Sharing in one place: shares, their links, the recordings they ask for."""

from collections.abc import Callable
from datetime import datetime

from server.core.clock import utc_now
from server.db.database import Database
from server.sharing.links import LinkService
from server.sharing.recordings import RecordingService
from server.sharing.shares import ShareService


class SharingService:
    """The use cases of sharing. Safe to use from several threads and processes.

    Attributes:
        shares: what owners share.
        links: access without an account.
        recordings: the recordings that shares ask for.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self.shares = ShareService(database, clock)
        self.links = LinkService(database, clock)
        self.recordings = RecordingService(database, clock)
