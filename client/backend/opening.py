"""Opening the backend that the settings name, with its outbox."""

from collections.abc import Callable
from typing import Final

from client.backend.embedded import open_at_first_use, open_embedded
from client.backend.outbox import AnswerOutbox
from client.backend.protocol import Backend
from client.backend.remote import RemoteBackend
from client.backend.sending import OutboxBackend, with_outbox
from client.core.settings import ClientSettings

_HEAD_START_S: Final = 1.0
"""What waits gets a moment before the first question is asked, so that the reply knows of it."""


def open_backend(
    settings: ClientSettings,
    *,
    reading: bool = False,
    tell: Callable[[str], None] | None = None,
) -> OutboxBackend:
    """The backend that the settings name, with an outbox before it.

    What waits in the outbox is sent beside the rest; while the server is away it keeps waiting.

    Args:
        settings: name the data folder and the server.
        reading: for a look at bank or history; the embedded server's database is opened when
            something needs it, and errors come then.
        tell: receives one line for a person when answers that waited went out or were refused.

    Raises:
        UnavailableError: the embedded server's database cannot be used.
    """
    backend = open_direct(settings) if reading else _open(settings)
    outbox = AnswerOutbox.for_server(settings.outbox, settings.server or "embedded")
    if settings.server is None:
        sending = with_outbox(backend, outbox, direct=True, tell=tell)
    else:
        patient = _remote(settings.server, settings, patient=True)
        sending = with_outbox(backend, outbox, patient=patient, tell=tell)
    sending.send_waiting(within_s=_HEAD_START_S)
    return sending


def open_direct(settings: ClientSettings) -> Backend:
    """The backend that the settings name, without an outbox: for what is not stored.

    The embedded server's database is opened when something needs it.
    """
    if settings.server is None:
        return open_at_first_use(settings)
    return _open(settings)


def _open(settings: ClientSettings) -> Backend:
    """The same, its database opened at once."""
    if settings.server is None:
        return open_embedded(settings)
    return _remote(settings.server, settings)


def _remote(server: str, settings: ClientSettings, *, patient: bool = False) -> RemoteBackend:
    """The shared server; ``patient``: nobody waits for its replies."""
    return RemoteBackend(server, token=settings.token, patient=patient)
