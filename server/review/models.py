"""What coaching works with inside the server; the wire's models are in ``review_contract``."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from server.review_contract import Comment, Correction, RubricScore

__all__ = [
    "MAX_CRITERIA",
    "Author",
    "Criterion",
    "QueueEntry",
    "Review",
    "ReviewState",
    "Rubric",
    "Written",
]

MAX_CRITERIA: Final = 20

ReviewState = Literal["open", "done"]


class Criterion(BaseModel):
    """One criterion of a programme's rubric; scores go from 0 to ``scale``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[
        str,
        StringConstraints(
            strip_whitespace=True, min_length=1, max_length=80, pattern=r"^[^\x00-\x1f|]*$"
        ),
    ]
    description: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=300, pattern=r"^[^\x00-\x1f|]*$")
    ] = ""
    scale: int = Field(default=5, ge=1, le=100)


class Rubric(BaseModel):
    """What a cohort's coaches score; kept as JSON with the cohort."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    criteria: Annotated[tuple[Criterion, ...], Field(max_length=MAX_CRITERIA)] = ()

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [each.name.casefold() for each in self.criteria]
        if len(set(names)) < len(names):
            raise ValueError("two criteria have the same name")
        return self


@dataclass(frozen=True)
class Author:
    """Who writes: an account, or (a share link, a bundle) somebody with a name only."""

    account_id: int | None = None
    guest_name: str | None = None


@dataclass(frozen=True)
class Written:
    """A comment with what the page needs beyond the wire: whose account wrote it, if any."""

    comment: Comment
    author_id: int | None


@dataclass(frozen=True)
class Review:
    """Everything that was written about one attempt, oldest first."""

    submission_id: str
    written: tuple[Written, ...]
    scores: tuple[RubricScore, ...]
    corrections: tuple[Correction, ...]

    @property
    def comments(self) -> tuple[Comment, ...]:
        """The comments as the wire has them."""
        return tuple(each.comment for each in self.written)


@dataclass(frozen=True)
class QueueEntry:
    """One attempt of the review queue; ``done_by``: who of its cohort's coaches is done with it."""

    attempt_id: int
    candidate: str
    prompt: str
    topic: str
    created_at: datetime
    score: float
    comments: int
    done_by: str | None
