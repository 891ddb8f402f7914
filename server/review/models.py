"""The server's internal models of coaching; the wire models are in ``server.contract``."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from server.contract import Comment, Correction, Criterion, ReviewDocument, RubricScore, Wire

_HALF: Final = 16
"""Hexadecimal digits: 64 bits to be unique, and 64 bits that nobody can guess over a network."""


@dataclass(frozen=True, repr=False)
class GuestKey:
    """Recognizes what a guest wrote, without accounts and without storing a list.

    A guest's browser keeps a key in its signed session. The ids of what is written with it are half
    random, half an HMAC of the random half with the key. So only the holder of the key can have
    written it, and nobody can derive the key from the ids, which everybody sees.
    """

    secret: str

    @classmethod
    def new(cls) -> Self:
        return cls(secrets.token_urlsafe(16))

    def new_id(self) -> str:
        """An ``external_id`` for something written with this key."""
        first = secrets.token_hex(_HALF // 2)
        return first + self._code(first)

    def made(self, external_id: str) -> bool:
        """Whether this id was made with this key."""
        first, code = external_id[:_HALF], external_id[_HALF:]
        return hmac.compare_digest(code.encode(), self._code(first).encode())

    def _code(self, first: str) -> str:
        return hmac.new(self.secret.encode(), first.encode(), sha256).hexdigest()[:_HALF]


MAX_CRITERIA: Final = 20

ReviewState = Literal["open", "done"]


class Rubric(Wire):
    """What a cohort's coaches score; stored as JSON with the cohort."""

    criteria: Annotated[tuple[Criterion, ...], Field(max_length=MAX_CRITERIA)] = ()

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [each.name.casefold() for each in self.criteria]
        if len(set(names)) < len(names):
            raise ValueError("two criteria have the same name")
        return self


@dataclass(frozen=True)
class Author:
    """An author: an account, or (with a share link or a bundle) somebody with only a name.

    Attributes:
        account_id: the account.
        guest_name: how people without an account sign.
        link_id: the link that a guest used.
        key: what a guest is recognized by.
    """

    account_id: int | None = None
    guest_name: str | None = None
    link_id: int | None = None
    key: GuestKey | None = None

    def wrote(self, account_id: int | None, external_id: str) -> bool:
        """Whether this author wrote what has this account (``None``: none) and this id."""
        if self.account_id is not None or account_id is not None:
            return self.account_id == account_id
        return self.key is not None and self.key.made(external_id)

    def new_id(self) -> str:
        """An ``external_id`` for what they write next."""
        return secrets.token_hex(16) if self.key is None else self.key.new_id()


@dataclass(frozen=True)
class Review:
    """Everything that was written about one attempt, oldest first.

    Attributes:
        submission_id: identifies the attempt across all databases.
        comments: wire models, like the scores and corrections.
        accounts: the account that wrote each of these, by ``external_id``, if there is one.
    """

    submission_id: str
    comments: tuple[Comment, ...]
    scores: tuple[RubricScore, ...]
    corrections: tuple[Correction, ...]
    accounts: Mapping[str, int | None]

    def by(self, author: Author) -> frozenset[str]:
        """The ids of what this author wrote."""
        return frozenset(each for each, of in self.accounts.items() if author.wrote(of, each))

    def document(self, criteria: tuple[Criterion, ...] = ()) -> ReviewDocument:
        return ReviewDocument(
            submission_id=self.submission_id,
            comments=self.comments,
            scores=self.scores,
            corrections=self.corrections,
            criteria=criteria,
        )

    @property
    def without_account(self) -> frozenset[str]:
        """The ids of what people without an account wrote."""
        return frozenset(each for each, of in self.accounts.items() if of is None)


@dataclass(frozen=True)
class QueueEntry:
    """One attempt of the review queue.

    ``done_by``: the coaches of its cohort who are done with it. ``graded_score``: the grader's own,
        if a reviewer corrected a verdict.
    """

    attempt_id: int
    candidate: str
    prompt: str
    topic: str
    created_at: datetime
    score: float
    graded_score: float | None
    comments: int
    done_by: str | None
