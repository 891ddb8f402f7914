"""What coaches wrote about one's answers: on a shared server, or merged in from their files."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from client.backend.remote import RemoteBackend
from client.core.settings import ClientSettings
from server.contract import MergedReview, NewComment, ReviewDocument

__all__ = ["RemoteReviews", "Reviews", "add_reply", "open_reviews", "read_review"]


class Reviews(Protocol):
    """The comments on one's own answers, wherever they are kept."""

    def document(self, attempt_id: int) -> ReviewDocument:
        """Comments, scores and corrected verdicts of one attempt."""

    def merge(self, document: ReviewDocument) -> MergedReview:
        """Adds what came back in a file, each part once."""


class RemoteReviews(RemoteBackend):
    """The comments of a shared server, over HTTP."""

    def document(self, attempt_id: int) -> ReviewDocument:
        """Comments, scores and corrected verdicts of one attempt."""
        return self._get(f"attempts/{attempt_id}/review", ReviewDocument)

    def merge(self, document: ReviewDocument) -> MergedReview:
        """Adds what came back in a file, each part once."""
        return self._post("reviews", document, MergedReview)

    def comment(self, attempt_id: int, wanted: NewComment) -> ReviewDocument:
        """Keeps a comment, once, and gives them all."""
        return self._post(f"attempts/{attempt_id}/comments", wanted, ReviewDocument)


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
    from client.backend import embedded

    with embedded.open_reviews(settings) as merged:
        yield merged


def read_review(settings: ClientSettings, attempt_id: int) -> ReviewDocument:
    """What was written about an attempt.

    Raises:
        BackendError: there is no such attempt, or the server or database cannot be used.
    """
    with open_reviews(settings) as reviews:
        return reviews.document(attempt_id)


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
