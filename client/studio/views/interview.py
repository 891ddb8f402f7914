"""A mock interview as its pages show it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from urllib.parse import quote

from client.practice.interviews import AnswerLine, InterviewRecord, InterviewReport, Place
from question_bank.models import Bank
from server.ui.report_view import PointRow, row_href

_EVIDENCE: Final = re.compile(
    r"(?P<list>answers|terms|language\.notes)\[(?P<at>\d+)\](?:\.(?P<field>\w+))?"
)


@dataclass(frozen=True)
class OpenQuestion:
    """The question to be answered.

    Attributes:
        number: counted from 1.
        other_role: whose question it is, where it is not the interview's role's.
        snippet: code that it is about, which is shown and not spoken.
        sound: where it is spoken.
    """

    question_id: str
    number: int
    prompt: str
    snippet: str
    topic: str
    other_role: str
    answer_seconds: int
    sound: str


@dataclass(frozen=True)
class InterruptedAnswer:
    """An answer that broke off: its recording's name, when it began, how long it is."""

    name: str
    started: str
    length: str


@dataclass(frozen=True)
class InterviewState:
    """Where an interview stands, for its page's script.

    Attributes:
        left_s: until time is up; 0 from then on.
        about: how many questions fill the time.
        question: ``None``: the interview has ended.
        recording: the question is being answered, in this tab or another.
        interrupted: an answer to it that broke off.
        transcribing: how many answers get their reports now.
        problems: what went wrong with answers given before, one sentence each.
        follow_ups: whether more is asked after each answer.
        closed: the candidate's own questions at the end were heard.
    """

    id: str
    minutes: int
    left_s: float
    about: int
    question: OpenQuestion | None
    recording: bool
    interrupted: InterruptedAnswer | None
    transcribing: int
    problems: tuple[str, ...]
    follow_ups: bool
    closed: bool


@dataclass(frozen=True)
class EarlierInterview:
    """One line of the list.

    Attributes:
        state: ``running``; ``over``: time is up, nobody ended it; ``ended``.
        score: mean coverage of its answers in the history; ``None``: there is none.
    """

    record: InterviewRecord
    state: Literal["running", "over", "ended"]
    left_s: float
    answered: int
    asked: int
    score: float | None


def state_of(
    record: InterviewRecord,
    bank: Bank | None,
    now: datetime,
    *,
    recording: bool = False,
    interrupted: InterruptedAnswer | None = None,
) -> InterviewState:
    """Where an interview stands.

    Args:
        record: the interview.
        bank: names the roles; ``None`` if the server is away.
        now: the time.
        recording: whether the open question is being answered.
        interrupted: an answer to it that broke off.
    """
    current = record.current
    question = None
    if current is not None:
        other = current.role if current.role not in (None, record.role) else None
        found = bank.role(other) if bank is not None and other is not None else None
        asked = bank.question(current.question_id) if bank is not None else None
        question = OpenQuestion(
            question_id=current.question_id,
            number=len(record.asked),
            prompt=current.prompt,
            snippet=asked.snippet if asked else "",
            topic=current.topic,
            other_role=found.title if found else other or "",
            answer_seconds=current.answer_seconds,
            sound=f"/sound/question/{quote(current.question_id, safe='')}",
        )
    return InterviewState(
        id=record.id,
        minutes=record.minutes,
        left_s=round(record.time_left_s(now), 1),
        about=record.planned,
        question=question,
        recording=recording,
        interrupted=interrupted,
        transcribing=len(record.transcribing),
        problems=tuple(
            f"Question {number} has no report: {each.problem}. Its recording is kept."
            for number, each in enumerate(record.asked, start=1)
            if each.state == "given" and each.problem
        ),
        follow_ups=record.follow_ups,
        closed=record.closing is not None,
    )


def earlier(
    record: InterviewRecord, scores: Mapping[int, float], now: datetime
) -> EarlierInterview:
    """An interview as the list shows it."""
    answered = [each.attempt_id for each in record.asked if each.attempt_id is not None]
    own = [scores[attempt_id] for attempt_id in answered if attempt_id in scores]
    left_s = record.time_left_s(now)
    running: Literal["running", "over"] = "running" if left_s > 0 else "over"
    return EarlierInterview(
        record=record,
        state=running if record.ended_at is None else "ended",
        left_s=left_s,
        answered=sum(each.state in ("given", "answered") for each in record.asked),
        asked=len(record.asked),
        score=sum(own) / len(own) if own else None,
    )


def point_links(report: InterviewReport) -> tuple[list[PointRow], list[PointRow]]:
    """The strongest and the weakest points with links to what they rest on."""
    return (
        [PointRow(each.text, evidence_href(report, each.evidence)) for each in report.strongest],
        [PointRow(each.text, evidence_href(report, each.evidence)) for each in report.weakest],
    )


def evidence_href(report: InterviewReport, evidence: str) -> str:
    """Where the evidence of a point is shown: in an answer's own report where there is one."""
    found = _EVIDENCE.fullmatch(evidence)
    if found is None:
        return "#language" if evidence == "language" else "#figures"
    at = int(found["at"])
    if found["list"] != "answers":
        return f"#term-{at + 1}" if found["list"] == "terms" else f"#note-{at + 1}"
    line: AnswerLine = report.answers[at]
    if line.attempt_id is None or found["field"] is None:
        return f"#question-{line.number}"
    return f"/attempts/{line.attempt_id}#{'phrases' if found['field'] == 'score' else 'delivery'}"


def place_href(place: Place) -> str:
    """Where an answer's own report shows what was said at this place."""
    return f"/attempts/{place.attempt_id}{row_href(place.evidence)}"
