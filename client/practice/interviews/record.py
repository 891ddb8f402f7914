"""The record of a mock interview: its questions, its clock, and the state of each question.

The record never changes; each step gives a new one. The clock runs only while the candidate thinks
and speaks: not while a question is asked, an answer is transcribed or nobody is there.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from client.core.errors import ClientError
from question_bank.models import RoundName, Slug
from server.contract import AttemptId

MAX_MINUTES: Final = 180
"""Longer than any single round; a number beyond is a slip of the finger."""

AWAY_AFTER_S: Final = 20.0
"""The page says every 5 s that the candidate is at it. After a longer gap (the page was left, the
machine slept, something crashed) the time since it last said so does not count."""

LAST_QUESTION_S: Final = 30.0
"""With less time than this left no question comes up: 10 s of thinking leave hardly a sentence.
In an interview sat through, a question 22 s before the end was cut off before its answer began."""

InterviewId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
SubmissionId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
QuestionState = Literal["waiting", "open", "given", "answered", "skipped", "unanswered"]
"""``given``: its answer is recorded and has no report yet. ``unanswered``: it was open when the
interview ended."""

_ASKED: Final = frozenset({"open", "given", "answered", "skipped", "unanswered"})


class InterviewError(ClientError):
    """An interview cannot be started, kept or continued; the text says why."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AskedQuestion(_Frozen):
    """One question of an interview, with its outcome.

    Attributes:
        role: whose question it is; another one than the interview's where that had too few.
        topic: as the bank had it when the interview began, like what follows.
        state: see ``QuestionState``.
        asked_at: when it came up.
        closed_at: when its answer ended, or it was skipped or cut off by the end.
        take: the name of the recording that its report will be made of; of an open question, the
            latest that was begun.
        problem: why no report could be made of it; the recording is kept.
        submission_id: the answer.
        attempt_id: the answer's number in the history; ``None`` while it waits for the server.
    """

    question_id: Slug
    role: Slug | None
    topic: str
    prompt: str
    answer_seconds: int = Field(ge=1)
    signals: tuple[str, ...] = ()
    state: QuestionState = "waiting"
    asked_at: AwareDatetime | None = None
    closed_at: AwareDatetime | None = None
    take: Annotated[str, Field(max_length=200)] | None = None
    problem: str = ""
    submission_id: SubmissionId | None = None
    attempt_id: AttemptId | None = None

    @model_validator(mode="after")
    def _answer_belongs(self) -> Self:
        if (self.state == "answered") != (self.submission_id is not None):
            raise ValueError("an answered question names its answer, and no other does")
        if self.state == "given" and self.take is None:
            raise ValueError("a question whose answer is being transcribed names its recording")
        if (self.state in _ASKED) != (self.asked_at is not None):
            raise ValueError("a question that was asked says when, and no other does")
        return self


class InterviewRecord(_Frozen):
    """One mock interview.

    Attributes:
        planned: how many questions fill the time if every answer takes as long as it should; the
            rest of ``questions`` is asked when answers are shorter.
        planned_s: how long those take; less than the interview where the bank has too few.
        spent_s: what the clock showed when it last stopped, or when the page last spoke.
        seen_at: when the candidate was last known to think or speak; ``None``: the clock stands.
        follow_ups: whether more is asked after each answer.
        short: whether the bank has fewer questions than a real round.
        closing: what the candidate asked at the end; ``None``: nobody has come that far.
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
    spent_s: float = Field(default=0.0, ge=0)
    seen_at: AwareDatetime | None = None
    follow_ups: bool = False
    short: bool = False
    closing: Annotated[str, Field(max_length=20_000)] | None = None
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
    def current(self) -> AskedQuestion | None:
        """The question to be answered; ``None``: the interview has ended."""
        return next((each for each in self.questions if each.state == "open"), None)

    @property
    def asked(self) -> tuple[AskedQuestion, ...]:
        """Every question that came up, in order."""
        return tuple(each for each in self.questions if each.state in _ASKED)

    @property
    def transcribing(self) -> tuple[AskedQuestion, ...]:
        """The questions whose answer still gets its report."""
        return tuple(each for each in self.questions if each.state == "given" and not each.problem)

    def time_left_s(self, now: datetime) -> float:
        """Seconds until the time is over; 0 from then on."""
        return max(self.minutes * 60 - self._spent_s(now), 0.0)

    def timed(
        self, question_id: str, now: datetime, *, runs: bool, ran_s: float | None = None
    ) -> Self:
        """The candidate thinks or speaks (``runs``), or the clock stands from now.

        Nothing changes where the question is no longer open: another tab has moved on.

        ``runs``: whether the clock runs from now. ``ran_s``: for how long it has run on the page
        since it last said so. No more than that counts: a page that was just opened has not seen
        the gap before it.
        """
        if self.current is None or self.current.question_id != question_id:
            return self
        update = {"spent_s": self._spent_s(now, ran_s), "seen_at": now if runs else None}
        return self.model_copy(update=update)

    def left_behind(self) -> Self:
        """The page or the Aloud that last let the clock run is gone: nothing since then counts."""
        return self.model_copy(update={"seen_at": None})

    def recorded(self, question_id: str, take: str) -> Self:
        """The answer to the open question is being recorded.

        Raises:
            InterviewError: this question is not open; another tab may have moved on.
        """
        question = self._asked(question_id)
        if question.state != "open":
            raise InterviewError("this question was answered or skipped in another tab")
        return self._with(self._replaced(question, {"take": take}), ended_at=None)

    def given(self, question_id: str, take: str, now: datetime) -> Self:
        """An answer was spoken: the next question is asked while this one is transcribed.

        Raises:
            InterviewError: the question was not asked, or has another answer.
        """
        question = self._asked(question_id)
        if question.state == "answered" or (question.state == "given" and question.take != take):
            raise InterviewError("this question of the interview has an answer already")
        update: dict[str, object] = {"state": "given", "take": take, "problem": ""}
        return self._closed(question, update | {"closed_at": question.closed_at or now}, now)

    def failed(self, take: str, problem: str) -> Self:
        """No report could be made of a recording; it is kept."""
        return self._of_take(take, {"given": {"problem": problem}})

    def dropped(self, take: str) -> Self:
        """A recording was deleted; an answer that had only this one is none."""
        gone: dict[str, object] = {"take": None, "problem": ""}
        return self._of_take(take, {"given": gone | {"state": "unanswered"}, "open": gone})

    def answered(
        self, question_id: str, submission_id: str, attempt_id: int | None, now: datetime
    ) -> Self:
        """An answer has its report. One that was started in time counts even if the time is over.

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
            "take": None,
            "problem": "",
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

    def ended(self, now: datetime, *, shown: bool = True) -> Self:
        """The end, by the candidate or because the time is over; doing it twice changes nothing.

        Args:
            now: the time.
            shown: whether the candidate has seen the open question; otherwise it was never asked.
        """
        question = self.current
        if question is None:
            return self
        cut_off: dict[str, object] = {"state": "unanswered", "closed_at": now}
        if not shown and len(self.asked) > 1:
            cut_off = {"state": "waiting", "asked_at": None}
        return self._stopped(now)._with(self._replaced(question, cut_off), ended_at=now)

    def _spent_s(self, now: datetime, ran_s: float | None = None) -> float:
        """What the clock shows now."""
        gone_s = 0.0 if self.seen_at is None else (now - self.seen_at).total_seconds()
        if not 0.0 <= gone_s <= AWAY_AFTER_S:
            return self.spent_s
        return self.spent_s + (gone_s if ran_s is None else min(gone_s, ran_s))

    def _stopped(self, now: datetime) -> Self:
        return self.model_copy(update={"spent_s": self._spent_s(now), "seen_at": None})

    def _of_take(self, take: str, updates: Mapping[str, dict[str, object]]) -> Self:
        """With the question of a recording changed, by the state it is in."""
        for each in self.questions:
            if each.take == take and each.state in updates:
                changed = self._replaced(each, updates[each.state])
                return self._with(changed, ended_at=self.ended_at)
        return self

    def _asked(self, question_id: str) -> AskedQuestion:
        for each in self.asked:
            if each.question_id == question_id:
                return each
        raise InterviewError("this interview has not asked that question")

    def _closed(self, question: AskedQuestion, update: dict[str, object], now: datetime) -> Self:
        questions = self._replaced(question, update)
        if question.state != "open":
            return self._with(questions, ended_at=self.ended_at)
        stopped = self._stopped(now)
        following = next((each for each in questions if each.state == "waiting"), None)
        if following is None or stopped.time_left_s(now) < LAST_QUESTION_S:
            return stopped._with(questions, ended_at=now)
        opened = following.model_copy(update={"state": "open", "asked_at": now})
        return stopped._with(
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
