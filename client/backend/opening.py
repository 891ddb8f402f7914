"""Opening the server that the settings name: its use cases, and what coaches wrote there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from client.backend import embedded
from client.backend.outbox import AnswerOutbox
from client.backend.protocol import Backend, BackendError, Reviews
from client.backend.remote import RemoteBackend, RemoteReviews
from client.backend.sending import OutboxBackend, with_outbox
from client.core.settings import ClientSettings
from server.contract import ReviewDocument

_HEAD_START_S: Final = 1.0
"""What waits gets a moment before the first question is asked, so that the reply knows of it."""


def open_backend(
    settings: ClientSettings, *, reading: bool = False, tell: Callable[[str], None] | None = None
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
        return embedded.open_at_first_use(settings)
    return _open(settings)


def _open(settings: ClientSettings) -> Backend:
    """The same, its database opened at once."""
    if settings.server is None:
        return embedded.open_embedded(settings)
    return _remote(settings.server, settings)


def _remote(server: str, settings: ClientSettings, *, patient: bool = False) -> RemoteBackend:
    """The shared server; ``patient``: nobody waits for its replies."""
    return RemoteBackend(server, token=settings.token, patient=patient)


def open_remote(settings: ClientSettings) -> RemoteReviews:
    """The comments on the shared server.

    Raises:
        ValueError: there is none.
    """
    if settings.server is None:
        raise ValueError("only comments on a shared server can be answered")
    return RemoteReviews(settings.server, token=settings.token)


@contextmanager
def open_reviews(settings: ClientSettings) -> Iterator[Reviews]:
    """The comments that the settings name: on a shared server, else on this machine.

    Raises:
        BackendError: whatever is refused, and a server or database that cannot be used.
    """
    if settings.server is not None:
        with open_remote(settings) as remote:
            yield remote
        return
    with embedded.open_reviews(settings) as merged:
        yield merged


def read_review(settings: ClientSettings, attempt_id: int) -> ReviewDocument:
    """What was written about an attempt.

    Raises:
        BackendError: there is no such attempt, or the server or database cannot be used.
    """
    with open_reviews(settings) as reviews:
        return reviews.document(attempt_id)


def count_written(settings: ClientSettings, attempt_id: int) -> int:
    """How many comments, scores and corrected verdicts others wrote; 0 if that is not known."""
    try:
        review = read_review(settings, attempt_id)
    except BackendError:  # the page of the comments says what is wrong
        return 0
    comments = sum(not each.by_owner for each in review.comments)
    corrections = sum(not each.by_owner for each in review.corrections)
    return comments + len(review.scores) + corrections
