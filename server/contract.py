"""The wire models: what client and server tell each other, and the Report.

Pydantic only, no web framework. Times are seconds from the start of the recording; they are
``None`` where an answer was typed or imported without audio.
"""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from question_bank.models import Question, RoundName, Slug
from server.drill_contract import DrillImport, DrillReview
from server.review_contract import MAX_OF_ONE_ATTEMPT, MAX_WORDS, AttemptId, Correction

__all__ = [
    "SCHEMA_VERSION",
    "Archive",
    "ArchivedAttempt",
    "ArchivedReport",
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
    "ImportResult",
    "Language",
    "LanguageNote",
    "Pause",
    "PhraseChange",
    "PhraseCoverage",
    "Problem",
    "Pronunciation",
    "PurgeRequest",
    "PurgeResult",
    "RegradeChange",
    "RegradeFailure",
    "RegradeRequest",
    "RegradeResult",
    "RepeatedStart",
    "Report",
    "Submission",
    "Summary",
    "SummaryPoint",
    "TermVerdict",
    "Transcript",
    "Word",
]

SCHEMA_VERSION = 1
MAX_TEXT_CHARS = 200_000

Seconds = Annotated[float, Field(ge=0, le=24 * 3600)]
Share = Annotated[float, Field(ge=0, le=1)]
Short = Annotated[str, StringConstraints(max_length=500)]


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Word(_Wire):
    """One transcribed word, as the engine wrote it (with its punctuation), and when it was said."""

    text: Short
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    confidence: Share | None = None


class Transcript(_Wire):
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


class Pause(_Wire):
    """A silence within the answer, measured from the audio by voice activity detection."""

    start_s: Seconds
    end_s: Seconds


class HeardTerm(_Wire):
    """What the hearing found for one place where a term was said, on the candidate's machine."""

    term: Short
    word_index: int = Field(ge=0, description="index of the first of the term's words")
    word_count: int = Field(default=1, ge=1, le=20)
    verdict: Literal["correct", "mispronounced", "unclear"]
    phones: Short
    confidence: Share
    start_s: Seconds
    end_s: Seconds


class Evidence(_Wire):
    """What only the client can know because only it has the audio.

    ``pauses`` is ``None`` where there was no audio to measure, and empty where nobody paused.
    """

    answer_start_s: Seconds | None = None
    answer_end_s: Seconds | None = None
    pauses: tuple[Pause, ...] | None = None
    heard: tuple[HeardTerm, ...] = ()
    hearing_version: Short | None = None
    hearing_problem: Short | None = Field(
        default=None, description="why the hearing gave no verdicts, where it was asked"
    )


class CoverageEvidence(_Wire):
    """The words of the answer that carry a phrase: ``word_indices`` point into the words."""

    text: str
    start_s: float | None = None
    end_s: float | None = None
    word_indices: tuple[int, ...] = ()


class CorrectedVerdict(_Wire):
    """Stands beside a verdict that a reviewer gave, and keeps the grader's own (``was``).

    ``was_negated``: the grader took the phrase for denied.
    """

    by: str
    at: AwareDatetime
    note: str = ""
    was: Literal["correct", "mispronounced", "unclear", "covered", "partial", "missing"]
    was_negated: bool = False


class PhraseCoverage(_Wire):
    """Whether one key phrase was said, how, and where."""

    phrase: str
    status: Literal["covered", "partial", "missing"]
    how: Literal["exact", "inflected", "alias", "acronym", "fuzzy"] | None = None
    evidence: CoverageEvidence | None = None
    negated: bool = False
    weight: float = 1.0
    why: str = ""
    follow_up: str = ""
    corrected: CorrectedVerdict | None = None


class Coverage(_Wire):
    """``score``: the weighted share of phrases covered; a partial one counts half.

    A phrase that was only denied (``negated``) counts nothing. ``graded_score``: the grader's own,
    where a reviewer corrected a verdict.
    """

    score: Share
    phrases: tuple[PhraseCoverage, ...]
    graded_score: Share | None = None


class TermVerdict(_Wire):
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


class Pronunciation(_Wire):
    """One entry for each place a lexicon term was said, worst first."""

    terms: tuple[TermVerdict, ...] = ()


class Filler(_Wire):
    """A filler word. Engines drop many: the count is a lower bound."""

    text: str
    start_s: float | None = None
    end_s: float | None = None
    word_index: int


class RepeatedStart(_Wire):
    """A start said again ("we we", "the model the model")."""

    text: str
    start_s: float | None = None
    word_index: int


class Delivery(_Wire):
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


class LanguageNote(_Wire):
    """A remark on the English: what was said and what would be better."""

    kind: Literal["collocation", "hedging", "register", "tense", "false_friend"]
    said: str
    better: str
    why: str
    start_s: float | None = None


class Language(_Wire):
    """Remarks on the English of the answer."""

    notes: tuple[LanguageNote, ...] = ()


class SummaryPoint(_Wire):
    """One sentence, with a pointer to the entry it rests on, e.g. ``coverage.phrases[2]``."""

    text: str
    evidence: str


class Summary(_Wire):
    """Up to three things that went well and three to work on, derived by rule."""

    went_well: tuple[SummaryPoint, ...] = ()
    work_on: tuple[SummaryPoint, ...] = ()


class Report(_Wire):
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
    coverage: Coverage
    pronunciation: Pronunciation
    delivery: Delivery
    language: Language = Language()
    summary: Summary = Summary()


class Submission(_Wire):
    """An answer on its way to the server. The same ``submission_id`` is stored only once."""

    submission_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    question_id: Short
    created_at: datetime
    transcript: Transcript
    evidence: Evidence = Evidence()


class Attempt(_Wire):
    """A stored answer with its latest report, as its reviewers corrected it."""

    id: int
    submission: Submission
    report: Report
    role: str | None = None
    round: str | None = None
    topic: str | None = None


class AttemptSummary(_Wire):
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


class HistoryQuery(_Wire):
    """Which attempts to list, newest first; ``since`` is included, ``until`` is not."""

    role: Slug | None = None
    round: RoundName | None = None
    question_id: Slug | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    limit: int = Field(default=50, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=1_000_000_000)


class HistoryPage(_Wire):
    """A page of the history; ``total`` counts what matches on all pages."""

    total: int
    attempts: tuple[AttemptSummary, ...]


class PurgeRequest(_Wire):
    """What to delete for good: these attempts, those made before a time, or everything."""

    attempt_ids: tuple[AttemptId, ...] = ()
    before: AwareDatetime | None = None
    everything: bool = False

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if [bool(self.attempt_ids), self.before is not None, self.everything].count(True) != 1:
            raise ValueError("name exactly one of attempt_ids, before and everything")
        return self


class PurgeResult(_Wire):
    """How many attempts were deleted, and with everything how many takes of drills."""

    deleted: int
    drill_reviews: int = 0


class RegradeRequest(_Wire):
    """``dry_run``: only tell what would change; ``question_id``: only answers to this question."""

    dry_run: bool = False
    question_id: Slug | None = None


class PhraseChange(_Wire):
    """A phrase whose status changed; ``None``: the question did not have the phrase."""

    phrase: str
    before: Literal["covered", "partial", "missing"] | None
    after: Literal["covered", "partial", "missing"] | None


class RegradeChange(_Wire):
    """What grading anew changed for one attempt."""

    attempt_id: int
    question_id: str
    score_before: Share
    score_after: Share
    grader_version_before: str
    grader_version_after: str
    bank_version_before: str
    bank_version_after: str
    phrases: tuple[PhraseChange, ...]


class RegradeFailure(_Wire):
    """An attempt that could not be graded anew; its report stays as it was."""

    attempt_id: int
    question_id: str
    reason: str


class RegradeResult(_Wire):
    """The outcome of a regrade: only attempts that changed or failed are listed."""

    dry_run: bool
    graded: int
    changes: tuple[RegradeChange, ...] = ()
    failures: tuple[RegradeFailure, ...] = ()


class ArchivedReport(_Wire):
    """A report with the time it was graded at."""

    graded_at: AwareDatetime
    report: Report


class ArchivedAttempt(_Wire):
    """Everything kept of one attempt.

    ``reports``: the grader's own, oldest first; the last one is the current. ``corrections``: what
    reviewers corrected in it. ``corrected``: the current one as they corrected it, for readers; it
    follows from the other two, so an import makes it anew.
    """

    submission: Submission
    question: Question
    received_at: AwareDatetime
    reports: tuple[ArchivedReport, ...] = Field(min_length=1)
    corrections: Annotated[tuple[Correction, ...], Field(max_length=MAX_OF_ONE_ATTEMPT)] = ()
    corrected: Report | None = None

    @property
    def report(self) -> Report:
        """The current report as it is read: corrected where it was corrected."""
        return self.corrected or self.reports[-1].report

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if self.question.id != self.submission.question_id:
            raise ValueError(
                f"the submission answers {self.submission.question_id!r}, "
                f"the question is {self.question.id!r}"
            )
        return self


class Archive(_Wire):
    """An export that imports again. ``next_after_id`` asks for the next page, ``None``: the end.

    ``drill_reviews`` is filled in an export of everything; a page of attempts leaves it empty.
    """

    format: Literal["aloud-archive"] = "aloud-archive"
    schema_version: Literal[1] = 1
    exported_at: AwareDatetime
    attempts: tuple[ArchivedAttempt, ...]
    drill_reviews: tuple[DrillReview, ...] = ()
    next_after_id: int | None = None


class ImportResult(_Wire):
    """``skipped`` were there before; ``conflicts``: ids that are there with another content.

    ``drills``: the same about the archive's drill reviews, where it was given a whole archive.
    """

    imported: int
    skipped: int
    conflicts: tuple[str, ...] = ()
    drills: DrillImport | None = None


class Problem(_Wire):
    """An error as the API tells it (after RFC 9457); ``detail`` is one line for a person."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: tuple[str, ...] = Field(default=(), description="one line for each invalid field")
