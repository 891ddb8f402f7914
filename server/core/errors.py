"""Every error this package raises.

Each class carries a stable ``code`` (what a client may branch on) and the HTTP ``status`` it
becomes; the text is one clear line for a person. Where that line names files of the machine or
quotes the database's driver, ``public`` is what other machines get instead.
"""

from typing import ClassVar


class ServerError(Exception):
    """Base of this package's errors."""

    code: ClassVar[str] = "server-error"
    status: ClassVar[int] = 500
    public: ClassVar[str] = ""

    @property
    def public_text(self) -> str:
        """The text for people on other machines: no path, no address, no driver's text."""
        return self.public or str(self)


class NotFoundError(ServerError):
    """What was requested does not exist."""

    code = "not-found"
    status = 404


class ConflictError(ServerError):
    """The request conflicts with stored data, such as a submission id used with other content."""

    code = "conflict"
    status = 409


class NotSignedInError(ServerError):
    """Nobody is signed in, or the token is not valid."""

    code = "not-signed-in"
    status = 401


class WrongSignInError(ServerError):
    """Name or password is wrong; the error does not say which."""

    code = "wrong-sign-in"
    status = 401


class NotAllowedError(ServerError):
    """The actor is known, and may not do this."""

    code = "not-allowed"
    status = 403


class SecondFactorNeededError(NotAllowedError):
    """An admin of a reachable server has only a password."""

    code = "second-factor-needed"


class TooManyTriesError(ServerError):
    """Too many wrong passwords recently.

    Attributes:
        wait_s: how long until another try is allowed.
    """

    code = "too-many-tries"
    status = 429

    def __init__(self, wait_s: int) -> None:
        minutes = -(-wait_s // 60)
        super().__init__(
            f"too many wrong passwords or codes; try again in {minutes} "
            f"minute{'s' if minutes != 1 else ''}, or ask an admin for a new invitation"
        )
        self.wait_s = wait_s


class InvalidInputError(ServerError):
    """The input is well-formed but cannot be used."""

    code = "invalid-input"
    status = 422


class AnswerTooLongError(InvalidInputError):
    """The answer is longer than anybody speaks, and grading it would make others wait."""

    code = "answer-too-long"


class GraderFailedError(ServerError):
    """The grader failed on this answer: a bug that affects this answer only."""

    code = "grader-failed"
    status = 500


class GradingError(InvalidInputError):
    """There is nothing to grade: no speech, or an answer to another question."""

    code = "nothing-to-grade"


class StoreError(ServerError):
    """The database cannot be used: corrupt, not writable, from a newer version."""

    code = "store-unusable"
    status = 503
    public = "the server cannot use its database now; the server's log says why"


class UnreadableError(StoreError):
    """One stored attempt is damaged; the rest of the database is not."""

    code = "attempt-damaged"
    status = 500
    public = ""  # its own text names no file


class StoreBusyError(StoreError):
    """Another program has locked the database for too long."""

    code = "store-busy"
    public = "the server's database is busy; try again in a moment"
