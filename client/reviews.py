"""What coaches wrote about one's answers: on a shared server, or merged in from their files."""

from client.remote import RemoteBackend
from client.settings import ClientSettings
from server.review_contract import NewComment, ReviewDocument

__all__ = ["RemoteReviews", "add_reply", "read_review"]


class RemoteReviews(RemoteBackend):
    """The comments of a shared server, over HTTP."""

    def review(self, attempt_id: int) -> ReviewDocument:
        """Comments, scores and corrected verdicts of one attempt."""
        return self._get(f"attempts/{attempt_id}/review", ReviewDocument)

    def comment(self, attempt_id: int, wanted: NewComment) -> ReviewDocument:
        """Keeps a comment, once, and gives them all."""
        return self._post(f"attempts/{attempt_id}/comments", wanted, ReviewDocument)


def open_remote(server: str, settings: ClientSettings) -> RemoteReviews:
    """The comments on this server."""
    return RemoteReviews(server, token=settings.token)


def read_review(settings: ClientSettings, attempt_id: int) -> ReviewDocument:
    """What was written about an attempt.

    Raises:
        BackendError: there is no such attempt, or the server or database cannot be used.
    """
    if settings.server is not None:
        with open_remote(settings.server, settings) as remote:
            return remote.review(attempt_id)
    from client.embedded import open_reviews

    with open_reviews(settings) as merged:
        return merged.document(attempt_id)


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
