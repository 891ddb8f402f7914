"""The forms of a review as models; invalid input gives a one-line error."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Form
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from server.contract import (
    CommentText,
    Criterion,
    NewComment,
    NewCorrection,
    NewRubricScore,
    PersonName,
)
from server.core.errors import InvalidInputError
from server.review.models import Rubric

LongField = Annotated[str, Form(max_length=20_000)]

_Short = Annotated[str, Field(max_length=300)]
_Long = Annotated[str, Field(max_length=20_000)]
_NAME: TypeAdapter[str] = TypeAdapter(PersonName)
_RUBRIC_PARTS = ("name", "what it means", "highest score")
_NO_TEXT = "write a comment of 1 to 5,000 characters"


def signature(name: str) -> str:
    """The name that somebody without an account signs with.

    Raises:
        InvalidInputError: it is not a valid one.
    """
    try:
        return _NAME.validate_python(name)
    except ValidationError:
        raise InvalidInputError("write your name, in one line of up to 80 characters") from None


class _Signed(BaseModel):
    """A form; people without an account sign it."""

    signed: _Short = ""


class TextForm(BaseModel):
    """A new text for a comment."""

    text: _Long = ""

    def edited(self) -> str:
        """The text.

        Raises:
            InvalidInputError: there is none, or it is too long.
        """
        try:
            return CommentText(text=_lines(self.text)).text
        except ValidationError:
            raise InvalidInputError(_NO_TEXT) from None


class CommentForm(_Signed):
    """A comment with its place, or (with ``parent``) a reply to one."""

    text: _Long = ""
    kind: _Short = ""
    word_from: _Short = ""
    word_to: _Short = ""
    at_s: _Short = ""
    parent: _Short = ""
    external_id: _Short = ""

    def comment(self, new_id: Callable[[], str]) -> NewComment:
        """The comment.

        Raises:
            InvalidInputError: says in one line what is wrong.
        """
        given = self.model_dump(include={"word_from", "word_to", "at_s", "parent"})
        values = {name: value for name, value in given.items() if value}
        values |= {"kind": self.kind or "answer", "text": _lines(self.text)}
        values["external_id"] = self.external_id or new_id()
        try:
            return NewComment.model_validate(values)
        except ValidationError as error:
            if any(each["loc"] == ("text",) for each in error.errors()):
                raise InvalidInputError(_NO_TEXT) from None
            raise InvalidInputError(
                "the place of the comment is not valid; select it again"
            ) from None


class CorrectionForm(_Signed):
    """A corrected verdict on a term or phrase."""

    target: _Short = ""
    name: _Short = ""
    word_index: _Short = ""
    verdict: _Short = ""
    note: _Long = ""
    external_id: _Short = ""

    def correction(self, new_id: Callable[[], str]) -> NewCorrection:
        """The correction.

        Raises:
            InvalidInputError: it is not a valid one.
        """
        values = {
            "target": self.target,
            "name": self.name,
            "word_index": self.word_index or None,
            "verdict": self.verdict,
            "note": _lines(self.note).strip(),
            "external_id": self.external_id or new_id(),
        }
        try:
            return NewCorrection.model_validate(values)
        except ValidationError:
            raise InvalidInputError(
                "this is not a verdict on a term or phrase of the report"
            ) from None


class ScoresForm(_Signed):
    """Scores by the rubric, criterion by criterion; without a score a criterion stays open."""

    criterion: list[_Short] = Field(default=[], max_length=200)
    score: list[_Short] = Field(default=[], max_length=200)
    note: list[_Long] = Field(default=[], max_length=200)

    def typed(self) -> dict[str, tuple[str, str]]:
        """Score and note by criterion, as they were typed."""
        return {
            criterion: (score, note)
            for criterion, score, note in zip(self.criterion, self.score, self.note, strict=False)
        }

    def scores(self, new_id: Callable[[], str]) -> list[NewRubricScore]:
        """The scores that are given.

        Raises:
            InvalidInputError: a score is not a number, or a note is too long.
        """
        if not len(self.criterion) == len(self.score) == len(self.note):
            raise InvalidInputError("the form is incomplete; reload the page")
        given = []
        for criterion, (score, note) in self.typed().items():
            if not score.strip():
                continue
            values = {"criterion": criterion, "score": score, "note": _lines(note).strip()}
            try:
                given.append(NewRubricScore.model_validate(values | {"external_id": new_id()}))
            except ValidationError:
                raise InvalidInputError(
                    f"{criterion[:80]!r} needs a whole number as score"
                ) from None
        return given


def rubric_from(text: str) -> Rubric:
    """A rubric from lines of ``name | what it means | highest score``.

    Raises:
        InvalidInputError: names the invalid line.
    """
    criteria = []
    for number, line in enumerate(_lines(text).split("\n"), start=1):
        if not line.strip():
            continue
        parts = [each.strip() for each in line.split("|")]
        if len(parts) != len(_RUBRIC_PARTS):
            raise InvalidInputError(f"line {number} needs three parts: {' | '.join(_RUBRIC_PARTS)}")
        values = dict(zip(("name", "description", "scale"), parts, strict=True))
        try:
            criteria.append(Criterion.model_validate(values))
        except ValidationError as error:
            field = str(error.errors()[0]["loc"][0])
            means = {
                "name": "a name of 1 to 80 characters",
                "description": "an explanation of up to 300 characters",
                "scale": "a whole number from 1 to 100 as highest score",
            }[field]
            raise InvalidInputError(f"line {number} needs {means}") from None
    try:
        return Rubric(criteria=tuple(criteria))
    except ValidationError:
        raise InvalidInputError(
            "a rubric has up to 20 criteria, and no two of the same name"
        ) from None


def _lines(text: str) -> str:
    """Normalizes line ends, because browsers send CR and LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
