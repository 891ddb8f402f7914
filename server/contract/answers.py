"""The wire models of answers and drills: sent, stored, listed, exported, graded again."""

from collections.abc import Callable, Iterator
from datetime import datetime
from operator import not_
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from question_bank.models import Question, RoundName, Slug
from server.contract.coaching import MAX_OF_ONE_ATTEMPT, Correction
from server.contract.report import PartStatus, PhraseStatus, Report
from server.contract.transcript import (
    MOST_KEPT,
    AttemptId,
    Evidence,
    FollowUpAnswer,
    Revision,
    Share,
    Short,
    Transcript,
    Wire,
)

MAX_PAGE = 1000

ReviewId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
ItemId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=160)]
SetId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Phones = Annotated[str, StringConstraints(max_length=500)]

DrillVerdictName = Literal["correct", "mispronounced", "unclear", "something_else", "nothing"]
"""What the hearing found in one take; only the first two are about the speaker."""


class DrillReview(Wire):
    """One take of one item. The same ``review_id`` is stored only once.

    ``phones``: the reading that was heard, in ARPAbet; empty if none was.
    """

    review_id: ReviewId
    item_id: ItemId
    drill_set: SetId
    reviewed_at: AwareDatetime
    verdict: DrillVerdictName
    phones: Phones = ""
    confidence: Share = 0.0


class DrillCard(Wire):
    """What is known about an item that was said at least once, and when it is due again.

    Attributes:
        due: when to say it again.
        stability: in days: after this long it is still said right with 90 % probability (FSRS).
        difficulty: 1 to 10 (FSRS).
        reps: takes with a verdict, ``correct`` or ``mispronounced``.
        lapses: how often it was said wrong after being learned.
        misses: how often it was said wrong at all.
        last_verdict: the verdict that last changed the schedule.
    """

    item_id: ItemId
    drill_set: SetId
    due: AwareDatetime
    stability: float = Field(gt=0)
    difficulty: float = Field(ge=1, le=10)
    reps: int = Field(ge=1)
    lapses: int = Field(ge=0)
    misses: int = Field(ge=0)
    last_verdict: Literal["correct", "mispronounced"]
    first_reviewed_at: AwareDatetime
    last_reviewed_at: AwareDatetime


class ReviewedDrill(Wire):
    """What became of a review: ``card`` is ``None`` while no take of the item had a verdict."""

    review: DrillReview
    card: DrillCard | None


class DrillQuery(Wire):
    """What is due, in one set or all, at a given time (``None``: now, by the server's clock)."""

    drill_set: SetId | None = None
    now: AwareDatetime | None = None
    limit: int = Field(default=20, ge=1, le=MAX_PAGE)


class DrillQueue(Wire):
    """The cards due, the longest overdue first; ``total`` also counts those beyond the limit.

    ``known``: the ids of all items of the set that have a card. The other items of the set are new;
        the client knows the sets, including a person's own.
    """

    total: int
    due: tuple[DrillCard, ...]
    known: tuple[ItemId, ...]


class DrillArchive(Wire):
    """A page of reviews in the order they arrived; ``next_after_id`` asks for the next page."""

    reviews: Annotated[tuple[DrillReview, ...], Field(max_length=MAX_PAGE)]
    next_after_id: int | None = None


class DrillImport(Wire):
    """``skipped``: already stored; ``conflicts``: ids stored with different content."""

    imported: int
    skipped: int
    conflicts: tuple[str, ...] = ()


class Submission(Wire):
    """An answer on its way to the server. The same ``submission_id`` is stored only once.

    ``follow_ups``: what was asked after it, and what was said to that; they may come later.
    """

    submission_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    question_id: Short
    created_at: datetime
    transcript: Transcript
    evidence: Evidence = Evidence()
    follow_ups: Annotated[tuple[FollowUpAnswer, ...], Field(max_length=MOST_KEPT)] = Field(
        default=(), exclude_if=not_
    )

    @property
    def alone(self) -> Self:
        """The answer without its follow-ups."""
        return self.model_copy(update={"follow_ups": ()})


class SentAnswer(Submission):
    """A submission as any client sends it.

    ``sense``: vectors that clients of 0.2.0 computed. They are ignored: the server computes its
        own, because a client's could claim what its words do not say.
    """

    sense: Any = Field(default=None, exclude=True)

    @property
    def submission(self) -> Submission:
        """The answer itself, as it is stored and compared."""
        named = {name: getattr(self, name) for name in Submission.model_fields}
        return Submission.model_construct(**named)


class Attempt(Wire):
    """A stored answer with its latest report, as its reviewers corrected it.

    The report's transcript may be a newer one than the submission's (``Revision``). ``version``
    counts its reports from 1; the earlier ones are kept.
    """

    id: int
    submission: Submission
    report: Report
    role: str | None = None
    round: str | None = None
    topic: str | None = None
    version: int = 1


class MeantAnswer(Wire):
    """What the candidate says about a key phrase: answers "Did you mean …?", or "I did say it".

    ``meant``: yes or no; ``None`` withdraws an earlier answer. ``words``: those of the answer that
        say the phrase. If the grader does not ask, a yes needs them.
    """

    phrase: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
    meant: bool | None
    words: Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")] = ""


class SaidRight(Wire):
    """What the candidate says about a verdict on a term: "I said it right", at all its places.

    ``right``: ``False`` withdraws an earlier one.
    """

    term: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
    right: bool = True


class AttemptSummary(Wire):
    """One line of the history.

    ``graded_score``: the grader's own, if a reviewer corrected a verdict and so the ``score``.
        ``grader_version``: scores can be compared if only its last number differs; empty if the
        server does not send it. ``report_tag`` changes whenever the attempt's report does.
        ``engine`` wrote the transcript, and the candidate corrected it in ``corrections`` places.
        ``submission_id`` identifies the recording; empty if the server does not send it.
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
    grader_version: str = ""
    corrections: int = 0
    submission_id: str = ""


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


class ArchivedReport(Wire):
    """A report with the time of grading.

    ``evidence``: what the client found with the report's transcript, if that is not the
        submission's.
    """

    graded_at: AwareDatetime
    report: Report
    evidence: Evidence | None = None


class ArchivedAttempt(Wire):
    """Everything stored about one attempt.

    ``reports``: the grader's own, oldest first; the last one is current. ``corrections``: what
        reviewers corrected in it. ``corrected``: the current one with these corrections, for
        readers; an import computes it again from the other two.
    """

    submission: Submission
    question: Question
    received_at: AwareDatetime
    reports: tuple[ArchivedReport, ...] = Field(min_length=1)
    corrections: Annotated[tuple[Correction, ...], Field(max_length=MAX_OF_ONE_ATTEMPT)] = ()
    corrected: Report | None = None

    @property
    def report(self) -> Report:
        """The current report as readers see it, with its corrections."""
        return self.corrected or self.reports[-1].report

    @property
    def as_transcribed(self) -> Revision:
        """The newest transcript that an engine wrote, without the candidate's corrections."""
        for each in reversed(self.reports):
            if each.evidence is not None and not each.report.transcript.corrected:
                return Revision(transcript=each.report.transcript, evidence=each.evidence)
        submission = self.submission
        return Revision(transcript=submission.transcript, evidence=submission.evidence)

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if self.question.id != self.submission.question_id:
            raise ValueError(
                f"the submission answers {self.submission.question_id!r}, "
                f"the question is {self.question.id!r}"
            )
        return self


class Archive(Wire):
    """An export that imports again. ``next_after_id`` asks for the next page, ``None``: the end.

    ``drill_reviews`` is filled in an export of everything; a page of attempts leaves it empty.
    """

    format: Literal["aloud-archive"] = "aloud-archive"
    schema_version: Literal[1] = 1
    exported_at: AwareDatetime
    attempts: tuple[ArchivedAttempt, ...]
    drill_reviews: tuple[DrillReview, ...] = ()
    next_after_id: int | None = None


PageT = TypeVar("PageT", Archive, DrillArchive)


def all_pages(page_after: Callable[[int], PageT]) -> Iterator[PageT]:
    """Every page of an export; each is asked for by the id to continue after."""
    after_id: int | None = 0
    while after_id is not None:
        page = page_after(after_id)
        yield page
        after_id = page.next_after_id


class ImportResult(Wire):
    """``skipped``: already stored; ``conflicts``: ids stored with different content.

    ``drills``: the same for the archive's drill reviews, if a whole archive was imported.
    """

    imported: int
    skipped: int
    conflicts: tuple[str, ...] = ()
    drills: DrillImport | None = None


class PurgeRequest(Wire):
    """What to delete for good: these attempts, those made before a time, or everything."""

    attempt_ids: tuple[AttemptId, ...] = ()
    before: AwareDatetime | None = None
    everything: bool = False

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if [bool(self.attempt_ids), self.before is not None, self.everything].count(True) != 1:
            raise ValueError("name exactly one of attempt_ids, before and everything")
        return self


class PurgeResult(Wire):
    """How many attempts were deleted and, if everything was deleted, how many takes of drills."""

    deleted: int
    drill_reviews: int = 0


class RegradeRequest(Wire):
    """``dry_run``: change nothing, only report; ``question_id``: only answers to this question."""

    dry_run: bool = False
    question_id: Slug | None = None


class PhraseChange(Wire):
    """A phrase whose status changed; ``None``: the question did not have the phrase."""

    phrase: str
    before: PhraseStatus | None
    after: PhraseStatus | None


class PartChange(Wire):
    """A part of the structure whose status changed; ``None``: that report does not judge it."""

    name: str
    before: PartStatus | None
    after: PartStatus | None


class RegradeChange(Wire):
    """What a regrade changed for one attempt."""

    attempt_id: int
    question_id: str
    score_before: Share
    score_after: Share
    grader_version_before: str
    grader_version_after: str
    bank_version_before: str
    bank_version_after: str
    phrases: tuple[PhraseChange, ...]
    parts: tuple[PartChange, ...] = ()

    @classmethod
    def between(cls, attempt_id: int, before: Report, after: Report) -> "RegradeChange | None":
        """What differs between two reports of an attempt; ``None``: nothing that people see."""
        old = {phrase.phrase: phrase.status for phrase in before.coverage.phrases}
        new = {phrase.phrase: phrase.status for phrase in after.coverage.phrases}
        phrases = tuple(
            PhraseChange(phrase=phrase, before=old.get(phrase), after=new.get(phrase))
            for phrase in dict.fromkeys([*old, *new])
            if old.get(phrase) != new.get(phrase)
        )
        was = (
            {part.name: part.status for part in before.structure.parts} if before.structure else {}
        )
        now = {part.name: part.status for part in after.structure.parts} if after.structure else {}
        parts = tuple(
            PartChange(name=name, before=was.get(name), after=now.get(name))
            for name in dict.fromkeys([*was, *now])
            if was.get(name) != now.get(name)
        )
        if not phrases and not parts and before.overall == after.overall:
            return None
        return cls(
            attempt_id=attempt_id,
            question_id=after.question_id,
            score_before=before.overall,
            score_after=after.overall,
            grader_version_before=before.grader_version,
            grader_version_after=after.grader_version,
            bank_version_before=before.bank_version,
            bank_version_after=after.bank_version,
            phrases=phrases,
            parts=parts,
        )


class RegradeFailure(Wire):
    """An attempt that could not be regraded; its report stays as it was."""

    attempt_id: int
    question_id: str
    reason: str


class RegradeResult(Wire):
    """The outcome of a regrade: only attempts that changed or failed are listed."""

    dry_run: bool
    graded: int
    changes: tuple[RegradeChange, ...] = ()
    failures: tuple[RegradeFailure, ...] = ()
