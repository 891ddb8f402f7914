"""The wire models of follow-ups: what is asked aloud after an answer, and what is said to it."""

from collections.abc import Iterable
from itertools import accumulate
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from server.contract.transcript import Evidence, Short, Transcript, Wire

FOLLOW_UP_S: Final = 45.0
"""How long the answer to a follow-up may be."""
MOST_FOLLOW_UPS: Final = 2
"""How many are asked after one answer."""
MOST_PROBES: Final = 5
"""How many follow a design in an interview: requirements, capacity, design, failure, cost."""
MOST_KEPT: Final = 10
BETWEEN_S: Final = 1.0
"""Silence between an answer and its follow-ups, where one recording has all of them."""
CHALLENGED: Final = "what was challenged"
"""What a follow-up added that answered a challenge well."""

FollowUpKind = Literal["phrase", "part", "challenge", "own_part", "number", "example", "probe"]
"""What it is about: a key phrase or a part of the structure that is missing or vague, something
said wrong, what the candidate did ("we"), a number, an example, what an expert asks besides."""


class FollowUp(Wire):
    """One question that follows an answer.

    ``about``: the key phrase, the part, or what a good reply has. ``quote``: the candidate's words
        that it takes up. ``by_model``: a language model put it into words.
    """

    kind: FollowUpKind
    about: Short = ""
    ask: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    quote: Short = ""
    by_model: bool = False


class FollowUpAnswer(Wire):
    """What was said to a follow-up. The same ``submission_id`` is stored only once."""

    submission_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    asked: FollowUp
    created_at: AwareDatetime
    transcript: Transcript
    evidence: Evidence = Evidence()


class FollowUpReport(Wire):
    """A follow-up in a report. ``added``: the key phrases and parts that only it brought."""

    submission_id: str
    asked: FollowUp
    transcript: Transcript
    added: tuple[str, ...] = Field(default=(), description="said when asked")


def follow_up_starts(answer: Transcript, said: Iterable[Transcript]) -> list[float]:
    """Where each follow-up begins in a recording of an answer and, after it, its follow-ups.

    Those after one of unknown length are left out.
    """
    lengths = [each.duration_s for each in (answer, *said)][:-1]
    known = lengths[: lengths.index(None)] if None in lengths else lengths
    return list(accumulate(float(each or 0.0) + BETWEEN_S for each in known))
