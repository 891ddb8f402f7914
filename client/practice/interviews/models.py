"""The models of an interview's report, as shown, exported and imported."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from client.practice.interviews.record import QuestionState
from server.contract import Language, SummaryPoint


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AnswerLine(_Frozen):
    """One question of the interview. Numbers are ``None`` if there is no report.

    Attributes:
        number: counted from 1.
        problem: why an answer has no report here; empty while it is being transcribed.
        graded_score: the grader's own, where a coach corrected a verdict.
        missing: key phrases not said, the weightiest first; ``missing_parts``: of the structure.
        when_asked: key phrases said only to a follow-up.
    """

    number: int
    question_id: str
    prompt: str
    topic: str
    role: str | None
    state: QuestionState
    attempt_id: int | None = None
    problem: str = ""
    score: float | None = None
    graded_score: float | None = None
    covered: int | None = None
    phrases: int | None = None
    answer_s: float | None = None
    target_s: float
    words: int | None = None
    words_per_minute: float | None = None
    pauses: int | None = None
    longest_pause_s: float | None = None
    fillers: int | None = None
    missing: tuple[str, ...] = ()
    mispronounced: tuple[str, ...] = ()
    missing_parts: tuple[str, ...] = ()
    follow_ups: int = 0
    when_asked: int = 0


class SignalLine(_Frozen):
    """How the questions that look for one signal went."""

    signal: str
    score: float
    numbers: tuple[int, ...]


class FirstImpression(_Frozen):
    """The first half minute of the first answer."""

    number: int
    attempt_id: int
    text: str
    begins_s: float
    words: int
    fillers: int
    phrases: tuple[str, ...]


class Moment(_Frozen):
    """A moment to hear again, and why."""

    number: int
    attempt_id: int
    start_s: float | None
    text: str
    why: str


class ToPractice(_Frozen):
    """What to practice next: the aim of an answer."""

    number: int
    question_id: str
    attempt_id: int
    kind: str
    text: str


class Debrief(_Frozen):
    """What an interviewer would write down afterwards.

    Attributes:
        verdict: in the round's own scale; empty where nothing has a report.
        signals: the weakest first.
        first: ``None`` where no words have times.
        closing: the candidate's own questions; ``None``: nobody asked for them.
        closing_remark: what to say of them; empty if all is well.
    """

    verdict: str = ""
    verdict_evidence: str = ""
    signals: tuple[SignalLine, ...] = ()
    first: FirstImpression | None = None
    moments: tuple[Moment, ...] = ()
    tomorrow: tuple[ToPractice, ...] = ()
    closing: str | None = None
    closing_remark: str = ""


class Place(_Frozen):
    """One place where something went wrong: in which answer, and how a term was heard.

    ``evidence`` points into the answer's report, e.g. ``pronunciation.terms[2]``.
    """

    number: int
    attempt_id: int
    evidence: str
    heard: str = ""
    start_s: float | None = None


class TermOverAll(_Frozen):
    """A term that was said wrong at least once; ``said``: how often with a clear verdict."""

    term: str
    expected: str
    tip: str
    mispronounced: int
    said: int
    places: tuple[Place, ...]


class InterviewReport(_Frozen):
    """Everything about one interview, as shown and exported.

    Attributes:
        answered: how many were answered, ``transcribing`` of them without a report yet.
        coverage: mean score of the answers with a report; ``None``: there is none.
        coverage_of_asked: the same with questions skipped or cut off counted as 0.
        words_per_minute: over all answers together, where they have a length.
        notices: what a reader must know first, e.g. that the transcripts are rough.
        strongest: what went best, by rule; ``evidence`` points into this report, e.g.
            ``answers[2].score``.
        weakest: what to work on, in the same way.
        language: the remarks on all answers; ``note_places``: where each was said.
    """

    schema_version: Literal[1] = 1
    id: str
    role: str
    role_title: str
    round: str
    round_title: str
    minutes: int
    started_at: datetime
    ended_at: datetime | None
    asked: int
    answered: int
    transcribing: int = 0
    coverage: float | None
    coverage_of_asked: float | None
    answer_s: float
    words: int
    words_per_minute: float | None
    pauses: int | None
    longest_pause_s: float | None
    fillers: int
    notices: tuple[str, ...]
    strongest: tuple[SummaryPoint, ...]
    weakest: tuple[SummaryPoint, ...]
    terms: tuple[TermOverAll, ...]
    language: Language = Language()
    note_places: tuple[Place, ...] = ()
    answers: tuple[AnswerLine, ...]
    debrief: Debrief = Debrief()

    @property
    def note_questions(self) -> tuple[int, ...]:
        """The number of each remark's question."""
        return tuple(each.number for each in self.note_places)

    @property
    def without_answer(self) -> tuple[AnswerLine, ...]:
        """The questions that were asked and got no answer."""
        return tuple(each for each in self.answers if each.state not in ("given", "answered"))
