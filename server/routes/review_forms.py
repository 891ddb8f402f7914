"""What a coach types into the forms of a review page, as models; with one clear line if wrong."""

import secrets
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Form
from pydantic import ValidationError

from server.errors import InvalidInputError
from server.review.models import Criterion, Rubric
from server.review_contract import NewComment, NewCorrection, NewRubricScore

__all__ = ["Field", "LongField", "comment_from", "correction_from", "rubric_from", "scores_from"]

Field = Annotated[str, Form(max_length=300)]
LongField = Annotated[str, Form(max_length=20_000)]


def comment_from(
    text: str, kind: str, word_from: str, word_to: str, at_s: str, parent: str, external_id: str
) -> NewComment:
    """A comment, or an answer to one.

    Raises:
        InvalidInputError: in one line what is wrong with it.
    """
    given = {"word_from": word_from, "word_to": word_to, "at_s": at_s, "parent": parent}
    values: dict[str, Any] = {name: value for name, value in given.items() if value}
    values |= {"kind": kind or "answer", "text": _lines(text)}
    values["external_id"] = external_id or secrets.token_hex(16)
    try:
        return NewComment.model_validate(values)
    except ValidationError as error:
        if any(each["loc"] == ("text",) for each in error.errors()):
            raise InvalidInputError("write a comment of 1 to 5,000 characters") from None
        raise InvalidInputError("the comment's place makes no sense; choose it again") from None


def correction_from(
    target: str, name: str, word_index: str, verdict: str, note: str, external_id: str
) -> NewCorrection:
    """A corrected verdict.

    Raises:
        InvalidInputError: it is none.
    """
    values = {
        "target": target,
        "name": name,
        "word_index": word_index or None,
        "verdict": verdict,
        "note": _lines(note).strip(),
        "external_id": external_id or secrets.token_hex(16),
    }
    try:
        return NewCorrection.model_validate(values)
    except ValidationError:
        raise InvalidInputError("this is no verdict on a term or phrase of the report") from None


def scores_from(
    criteria: Sequence[str], scores: Sequence[str], notes: Sequence[str]
) -> list[NewRubricScore]:
    """The scores of one form, one for each criterion that has one.

    Raises:
        InvalidInputError: a score is no number, or a note is too long.
    """
    if not len(criteria) == len(scores) == len(notes):
        raise InvalidInputError("the form came in incomplete; load the page again")
    given = []
    for criterion, score, note in zip(criteria, scores, notes, strict=True):
        if not score.strip():
            continue
        values = {"criterion": criterion, "score": score, "note": _lines(note).strip()}
        try:
            given.append(
                NewRubricScore.model_validate(values | {"external_id": secrets.token_hex(16)})
            )
        except ValidationError:
            raise InvalidInputError(f"{criterion[:80]!r} needs a whole number as score") from None
    return given


def rubric_from(text: str) -> Rubric:
    """A rubric from lines of ``name | what it means | highest score``.

    Raises:
        InvalidInputError: names the line that will not do.
    """
    criteria = []
    for number, line in enumerate(_lines(text).split("\n"), start=1):
        if not line.strip():
            continue
        name, description, scale, *more = [*(each.strip() for each in line.split("|")), "", ""]
        if any(more[:-1]) or len(line.split("|")) > 3:
            raise InvalidInputError(f"line {number} has more than three parts")
        try:
            criteria.append(
                Criterion.model_validate(
                    {"name": name, "description": description, "scale": scale or 5}
                )
            )
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
    """A browser sends every line with CR and LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
