"""The wire models of an answer: what was said, the Report on it, and the history of both.

Pydantic only, no web framework. Times are seconds from the start of the recording; they are
``None`` where an answer was typed or imported without audio.
"""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import (
    AwareDatetime,
    Field,
    StringConstraints,
    model_validator,
)

from question_bank.models import Kind, RoundName, Slug
from server.contract.wire import Share, Wire

__all__ = [
    "MAX_TEXT_CHARS",
    "MAX_WORDS",
    "Attempt",
    "AttemptId",
    "AttemptSummary",
    "CorrectedVerdict",
    "Coverage",
    "CoverageEvidence",
    "Delivery",
    "Evidence",
    "Filler",
    "HeardTerm",
    "HistoryPage",
    "HistoryQuery",
    "How",
    "Language",
    "LanguageNote",
    "Pause",
    "PhraseCoverage",
    "PhraseStatus",
    "Problem",
    "Pronunciation",
    "RepeatedStart",
    "Report",
    "ScorePart",
    "Stretch",
    "Structure",
    "StructurePart",
    "Submission",
    "Summary",
    "SummaryPoint",
    "TermVerdict",
    "Transcript",
    "Word",
]

MAX_TEXT_CHARS = 200_000
MAX_WORDS = 40_000

AttemptId = Annotated[int, Field(ge=1, le=2**63 - 1)]
Seconds = Annotated[float, Field(ge=0, le=24 * 3600)]
Short = Annotated[str, StringConstraints(max_length=500)]


class Word(Wire):
    """One transcribed word, as the engine wrote it (with its punctuation), and when it was said."""

    text: Short
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    confidence: Share | None = None


class Transcript(Wire):
    """What the engine wrote. ``engine`` is ``text`` for a typed or imported answer."""

    text: Annotated[str, StringConstraints(max_length=MAX_TEXT_CHARS)]
    language: Short = "en"
    engine: Short = "text"
    model: Short = ""
    duration_s: Seconds | None = None
    words: Annotated[tuple[Word, ...], Field(max_length=MAX_WORDS)] = ()

    @model_validator(mode="after")
    def _times_run_forward(self) -> Self:
        for word in self.words:
            if word.start_s is not None and word.end_s is not None and word.end_s < word.start_s:
                raise ValueError(f"the word {word.text!r} ends before it starts")
        return self


class Pause(Wire):
    """A silence within the answer, measured from the audio by voice activity detection."""

    start_s: Seconds
    end_s: Seconds


class Stretch(Wire):
    """A part of the answer, by its times."""

    start_s: Seconds
    end_s: Seconds


class HeardTerm(Wire):
    """What the hearing found for one place where a term was said, on the candidate's machine."""

    term: Short
    word_index: int = Field(ge=0, description="index of the first of the term's words")
    word_count: int = Field(default=1, ge=1, le=20)
    verdict: Literal["correct", "mispronounced", "unclear"]
    phones: Short
    confidence: Share
    start_s: Seconds
    end_s: Seconds


class Evidence(Wire):
    """What only the client can know because only it has the audio.

    ``pauses`` is ``None`` where there was no audio to measure, and empty where nobody paused.
    ``unintelligible``: where somebody speaks and the engine could make out no words.
    """

    answer_start_s: Seconds | None = None
    answer_end_s: Seconds | None = None
    pauses: tuple[Pause, ...] | None = None
    heard: tuple[HeardTerm, ...] = ()
    unintelligible: Annotated[tuple[Stretch, ...], Field(max_length=MAX_WORDS)] = ()
    hearing_version: Short | None = None
    hearing_problem: Short | None = Field(
        default=None, description="why the hearing gave no verdicts, where it was asked"
    )


class CoverageEvidence(Wire):
    """The words of the answer that carry a phrase: ``word_indices`` point into the words."""

    text: str
    start_s: float | None = None
    end_s: float | None = None
    word_indices: tuple[int, ...] = ()


class CorrectedVerdict(Wire):
    """Stands beside a verdict that a reviewer gave, and keeps the grader's own (``was``).

    ``was_negated``: the grader took the phrase for denied.
    """

    by: str
    at: AwareDatetime
    note: str = ""
    was: Literal["correct", "mispronounced", "unclear", "covered", "partial", "possible", "missing"]
    was_negated: bool = False


PhraseStatus = Literal["covered", "partial", "possible", "missing"]
How = Literal[
    "exact", "inflected", "alias", "acronym", "fuzzy", "sound", "heard", "own_words", "judge"
]


class PhraseCoverage(Wire):
    """Whether one key phrase was said, how, and where.

    ``possible``: the evidence may say it in other words; the candidate is asked. ``confidence`` is
    the grader's probability that it does, given where the words alone do not settle it.
    """

    phrase: str
    status: PhraseStatus
    how: How | None = None
    evidence: CoverageEvidence | None = None
    confidence: Share | None = None
    negated: bool = False
    weight: float = 1.0
    why: str = ""
    follow_up: str = ""
    corrected: CorrectedVerdict | None = None


class Coverage(Wire):
    """``score``: the weighted share of phrases covered; a partial one counts half.

    A phrase that was only denied (``negated``) counts nothing. ``graded_score``: the grader's own,
    where a reviewer corrected a verdict.
    """

    score: Share
    phrases: tuple[PhraseCoverage, ...]
    graded_score: Share | None = None


class StructurePart(Wire):
    """One part that an answer of its kind needs; ``ask`` is the interviewer's question for it."""

    name: str
    status: Literal["said", "missing"]
    evidence: CoverageEvidence | None = None
    ask: str = ""


class Structure(Wire):
    """How the answer is built, by the rubric of the question's kind.

    ``score``: the weighted share of the parts that were said.
    """

    kind: Kind
    parts: tuple[StructurePart, ...]
    score: Share


class ScorePart(Wire):
    """One part of the score: its name, its share of the whole, and its own value."""

    name: str
    share: Share
    value: Share


class TermVerdict(Wire):
    """How one term was said at one place. ``heard`` and ``expected`` are respellings.

    Confidence and source are of the grader's verdict, also where a reviewer corrected it.
    """

    term: str
    verdict: Literal["correct", "mispronounced", "unclear"]
    heard: str | None = None
    phones: str | None = None
    expected: str = ""
    confidence: Share = 0.0
    source: Literal["acoustic", "transcript"] = "transcript"
    start_s: float | None = None
    end_s: float | None = None
    tip: str = ""
    word_indices: tuple[int, ...] = ()
    corrected: CorrectedVerdict | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the sound, or a reviewer, said clearly how it was said."""
        heard = self.source == "acoustic" or self.corrected is not None
        return heard and self.verdict != "unclear"


class Pronunciation(Wire):
    """One entry for each place a lexicon term was said, worst first."""

    terms: tuple[TermVerdict, ...] = ()


class Filler(Wire):
    """A filler word. Engines drop many: the count is a lower bound."""

    text: str
    start_s: float | None = None
    end_s: float | None = None
    word_index: int


class RepeatedStart(Wire):
    """A start said again ("we we", "the model the model")."""

    text: str
    start_s: float | None = None
    word_index: int


class Delivery(Wire):
    """How the delivery came across. ``None``: could not be measured (no audio or no word times)."""

    words: int
    words_per_minute: float | None = None
    articulation_rate: float | None = Field(
        default=None, description="syllables per second of speech, pauses left out"
    )
    pauses: tuple[Pause, ...] = ()
    fillers: tuple[Filler, ...] = ()
    fillers_are_lower_bound: bool = True
    longest_pause_s: float | None = None
    repeated_starts: tuple[RepeatedStart, ...] = ()
    answer_s: float | None = None
    target_s: float


class LanguageNote(Wire):
    """A remark on the English: what was said and what would be better."""

    kind: Literal["collocation", "hedging", "register", "tense", "false_friend"]
    said: str
    better: str
    why: str
    start_s: float | None = None


class Language(Wire):
    """Remarks on the English of the answer."""

    notes: tuple[LanguageNote, ...] = ()


class SummaryPoint(Wire):
    """One sentence, with a pointer to the entry it rests on, e.g. ``coverage.phrases[2]``."""

    text: str
    evidence: str


class Summary(Wire):
    """Up to three things that went well and three to work on, derived by rule."""

    went_well: tuple[SummaryPoint, ...] = ()
    work_on: tuple[SummaryPoint, ...] = ()


class Report(Wire):
    """Everything Aloud says about one answer, each judgement with its evidence.

    What is read of a stored answer has the verdicts that its reviewers corrected; each of them
    says so (``corrected``) and keeps what the grader had found.
    """

    question_id: str
    created_at: datetime
    schema_version: Literal[1] = 1
    grader_version: str
    bank_version: str
    notices: tuple[str, ...] = Field(
        default=(), description="what a reader must know first, e.g. that the transcript is rough"
    )
    transcript: Transcript
    score: Share | None = Field(
        default=None, description="content only; None in reports of earlier graders"
    )
    score_parts: tuple[ScorePart, ...] = ()
    coverage: Coverage
    structure: Structure | None = None
    pronunciation: Pronunciation
    delivery: Delivery
    language: Language = Language()
    summary: Summary = Summary()


class Submission(Wire):
    """An answer on its way to the server. The same ``submission_id`` is stored only once."""

    submission_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    question_id: Short
    created_at: datetime
    transcript: Transcript
    evidence: Evidence = Evidence()


class Attempt(Wire):
    """A stored answer with its latest report, as its reviewers corrected it."""

    id: int
    submission: Submission
    report: Report
    role: str | None = None
    round: str | None = None
    topic: str | None = None


class AttemptSummary(Wire):
    """One line of the history.

    ``graded_score``: the grader's own, where a reviewer corrected a verdict and so the ``score``.
    ``report_tag`` differs as soon as the report that is read of the attempt differs.
    """

    id: int
    question_id: str
    created_at: datetime
    role: str | None
    round: str | None
    topic: str | None
    score: Share
    words: int
    answer_s: float | None
    engine: str
    graded_score: Share | None = None
    report_tag: str = ""


class HistoryQuery(Wire):
    """Which attempts to list, newest first; ``since`` is included, ``until`` is not."""

    role: Slug | None = None
    round: RoundName | None = None
    question_id: Slug | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    limit: int = Field(default=50, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=1_000_000_000)


class HistoryPage(Wire):
    """A page of the history; ``total`` counts what matches on all pages."""

    total: int
    attempts: tuple[AttemptSummary, ...]


class Problem(Wire):
    """An error as the API tells it (after RFC 9457); ``detail`` is one line for a person."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: tuple[str, ...] = Field(default=(), description="one line for each invalid field")
