"""A mock interview as it is kept: its questions, its clock, and what became of each question.

The record never changes; each step gives a new one. The clock runs from the start whether anybody
is there or not, as in a real interview: a candidate who leaves and comes back has less time.
"""

from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from client.core.errors import ClientError
from question_bank.models import RoundName, Slug
from server.contract import AttemptId

MAX_MINUTES: Final = 180
"""Longer than any single round; a number beyond is a slip of the finger."""

InterviewId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
SubmissionId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
QuestionState = Literal["waiting", "open", "answered", "skipped", "unanswered"]
"""``unanswered``: it was open when the interview ended."""

_ASKED: Final = frozenset({"open", "answered", "skipped", "unanswered"})


class InterviewError(ClientError):
    """An interview cannot be started, kept or continued; the text says why."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AskedQuestion(_Frozen):
    """One question of an interview, with what became of it.

    Attributes:
        question_id: of the bank.
        role: whose question it is; another one than the interview's where that had too few.
        topic: as the bank had it when the interview began.
        prompt: the same.
        answer_seconds: the same.
        state: see ``QuestionState``.
        asked_at: when it came up.
        closed_at: when it was answered, skipped or cut off by the end.
        submission_id: the answer.
        attempt_id: the answer's number in the history; ``None`` while it waits for the server.
    """

    question_id: Slug
    role: Slug | None
    topic: str
    prompt: str
    answer_seconds: int = Field(ge=1)
    state: QuestionState = "waiting"
    asked_at: AwareDatetime | None = None
    closed_at: AwareDatetime | None = None
    submission_id: SubmissionId | None = None
    attempt_id: AttemptId | None = None

    @model_validator(mode="after")
    def _answer_belongs(self) -> Self:
        if (self.state == "answered") != (self.submission_id is not None):
            raise ValueError("an answered question names its answer, and no other does")
        if (self.state in _ASKED) != (self.asked_at is not None):
            raise ValueError("a question that was asked says when, and no other does")
        return self


class InterviewRecord(_Frozen):
    """One mock interview.

    Attributes:
        planned: how many questions fill the time if every answer takes as long as it should; the
            rest of ``questions`` is asked when answers are shorter.
        planned_s: how long those take; less than the interview where the bank has too few.
    """

    format: Literal["aloud-interview"] = "aloud-interview"
    schema_version: Literal[1] = 1
    id: InterviewId
    role: Slug
    role_title: str
    round: RoundName
    round_title: str
    minutes: int = Field(ge=1, le=MAX_MINUTES)
    planned: int = Field(ge=1)
    planned_s: float = Field(gt=0)
    started_at: AwareDatetime
    ended_at: AwareDatetime | None = None
    questions: Annotated[tuple[AskedQuestion, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _one_open_question(self) -> Self:
        ids = [each.question_id for each in self.questions]
        if len(set(ids)) < len(ids):
            raise ValueError("a question comes twice")
        opened = sum(each.state == "open" for each in self.questions)
        if opened != (0 if self.ended_at else 1):
            raise ValueError("one question is open until the interview has ended, then none")
        return self

    @property
    def ends_at(self) -> datetime:
        """When the time is over."""
        return self.started_at + timedelta(minutes=self.minutes)

    @property
    def current(self) -> AskedQuestion | None:
        """The question to be answered; ``None``: the interview has ended."""
        return next((each for each in self.questions if each.state == "open"), None)

    @property
    def asked(self) -> tuple[AskedQuestion, ...]:
        """Every question that came up, in order."""
        return tuple(each for each in self.questions if each.state in _ASKED)

    def time_left_s(self, now: datetime) -> float:
        """Seconds until the time is over; 0 from then on."""
        return max((self.ends_at - now).total_seconds(), 0.0)

    def answered(
        self, question_id: str, submission_id: str, attempt_id: int | None, now: datetime
    ) -> Self:
        """An answer came in. One that was started in time counts even if the time is over by now.

        An answer to a question that was skipped or cut off meanwhile (in another tab) counts too:
        nothing that was said is lost. The same answer again only adds its number in the history.

        Raises:
            InterviewError: the question was not asked, or has another answer.
        """
        question = self._asked(question_id)
        if question.state == "answered" and question.submission_id != submission_id:
            raise InterviewError("this question of the interview has an answer already")
        update: dict[str, object] = {
            "state": "answered",
            "submission_id": submission_id,
            "attempt_id": attempt_id or question.attempt_id,
            "closed_at": question.closed_at or now,
        }
        return self._closed(question, update, now)

    def skipped(self, question_id: str, now: datetime) -> Self:
        """The candidate passes; doing it twice changes nothing.

        Raises:
            InterviewError: the question was not asked.
        """
        question = self._asked(question_id)
        if question.state != "open":
            return self
        return self._closed(question, {"state": "skipped", "closed_at": now}, now)

    def ended(self, now: datetime) -> Self:
        """The end, by the candidate or because the time is over; doing it twice changes nothing."""
        question = self.current
        if question is None:
            return self
        cut_off = {"state": "unanswered", "closed_at": now}
        return self._with(self._replaced(question, cut_off), ended_at=now)

    def _asked(self, question_id: str) -> AskedQuestion:
        for each in self.asked:
            if each.question_id == question_id:
                return each
        raise InterviewError("this interview has not asked that question")

    def _closed(self, question: AskedQuestion, update: dict[str, object], now: datetime) -> Self:
        questions = self._replaced(question, update)
        if question.state != "open":
            return self._with(questions, ended_at=self.ended_at)
        following = next((each for each in questions if each.state == "waiting"), None)
        if following is None or now >= self.ends_at:
            return self._with(questions, ended_at=now)
        opened = following.model_copy(update={"state": "open", "asked_at": now})
        return self._with(
            tuple(opened if each is following else each for each in questions), ended_at=None
        )

    def _replaced(
        self, question: AskedQuestion, update: dict[str, object]
    ) -> tuple[AskedQuestion, ...]:
        changed = question.model_copy(update=update)
        return tuple(changed if each is question else each for each in self.questions)

    def _with(self, questions: tuple[AskedQuestion, ...], *, ended_at: datetime | None) -> Self:
        changed = self.model_copy(update={"questions": questions, "ended_at": ended_at})
        return self.model_validate(changed.model_dump())
