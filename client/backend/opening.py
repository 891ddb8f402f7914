"""Opening the backend that the settings name, with its outbox."""

from collections.abc import Callable

from client.backend.outbox import AnswerOutbox
from client.backend.protocol import Backend
from client.backend.sending import OutboxBackend, with_outbox
from client.core.settings import ClientSettings


def open_backend(
    settings: ClientSettings, *, tell: Callable[[str], None] | None = None
) -> OutboxBackend:
    """The backend that the settings name, with an outbox before it.

    What waits in the outbox is sent first; while the server is away it goes on waiting.

    Args:
        settings: name the data folder and the server.
        tell: receives one line for a person when answers that waited went out or were refused.

    Raises:
        UnavailableError: the embedded server's database cannot be used.
    """
    backend = open_direct(settings)
    outbox = AnswerOutbox.for_server(settings.outbox, settings.server or "embedded")
    sending = with_outbox(backend, outbox, direct=settings.server is None, tell=tell)
    sending.flush()
    return sending


def open_direct(settings: ClientSettings) -> Backend:
    """The backend that the settings name, without an outbox: for what is not stored.

    Raises:
        UnavailableError: the embedded server's database cannot be used.
    """
    if settings.server is None:
        from client.backend.embedded import open_embedded

        return open_embedded(settings)
    from client.backend.remote import RemoteBackend

    return RemoteBackend(settings.server, token=settings.token)
