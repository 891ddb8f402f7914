"""Every error this package raises.

Each class carries a stable ``code`` (what a client may branch on) and the HTTP ``status`` it
becomes; the text is one clear line for a person.
"""

from typing import ClassVar

__all__ = [
    "ConflictError",
    "GraderFailedError",
    "GradingError",
    "InvalidInputError",
    "NotFoundError",
    "ServerError",
    "StoreBusyError",
    "StoreError",
    "UnreadableError",
]


class ServerError(Exception):
    """Base of this package's errors."""

    code: ClassVar[str] = "server-error"
    status: ClassVar[int] = 500


class NotFoundError(ServerError):
    """What was asked for does not exist."""

    code = "not-found"
    status = 404


class ConflictError(ServerError):
    """A submission id was used before with another content."""

    code = "conflict"
    status = 409


class InvalidInputError(ServerError):
    """The input is well-formed but cannot be worked with."""

    code = "invalid-input"
    status = 422


class GraderFailedError(ServerError):
    """The grader broke on this answer: a bug, and of this answer only."""

    code = "grader-failed"
    status = 500


class GradingError(InvalidInputError):
    """There is nothing to grade: no speech, or an answer to another question."""

    code = "nothing-to-grade"


class StoreError(ServerError):
    """The database cannot be used: corrupt, not writable, from a newer version."""

    code = "store-unusable"
    status = 503


class UnreadableError(StoreError):
    """One stored attempt is damaged; the rest of the database is not."""

    code = "attempt-damaged"
    status = 500


class StoreBusyError(StoreError):
    """The database is locked by another program for too long."""

    code = "store-busy"
