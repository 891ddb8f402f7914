"""What coaches wrote about your answers: on a shared server, or merged in from their files."""

from collections.abc import Iterator
from contextlib import contextmanager

from client.backend import embedded
from client.backend.protocol import BackendError, Reviews
from client.backend.remote import RemoteReviews
from client.core.settings import ClientSettings
from server.contract import NewComment, ReviewDocument


def open_remote(server: str, settings: ClientSettings) -> RemoteReviews:
    """The comments on this server."""
    return RemoteReviews(server, token=settings.token)


@contextmanager
def open_reviews(settings: ClientSettings) -> Iterator[Reviews]:
    """The comments that the settings name: on a shared server, else on this machine.

    Raises:
        BackendError: whatever is refused, and a server or database that cannot be used.
    """
    if settings.server is not None:
        with open_remote(settings.server, settings) as remote:
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


def add_reply(settings: ClientSettings, attempt_id: int, wanted: NewComment) -> None:
    """Answers a comment on the shared server.

    Raises:
        BackendError: the server does not take it, or cannot be reached.
        ValueError: there is no shared server.
    """
    if settings.server is None:
        raise ValueError("only comments on a shared server can be answered")
    with open_remote(settings.server, settings) as remote:
        remote.comment(attempt_id, wanted)


def delete_comment(settings: ClientSettings, attempt_id: int, external_id: str) -> None:
    """Deletes a comment that somebody without an account wrote about your answer.

    Raises:
        BackendError: there is none, somebody with an account wrote it, or the server is away.
    """
    with open_reviews(settings) as reviews:
        reviews.delete_comment(attempt_id, external_id)
