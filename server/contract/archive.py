"""The wire models for stored answers: export, import, deletion, regrading."""

from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from question_bank.models import Question, Slug
from server.contract.answers import Submission
from server.contract.drills import DrillImport, DrillReview
from server.contract.report import PartStatus, PhraseStatus, Report
from server.contract.reviews import MAX_OF_ONE_ATTEMPT, Correction
from server.contract.revision import Revision
from server.contract.transcript import Evidence
from server.contract.wire import AttemptId, SeldomWire, Share


class ArchivedReport(SeldomWire):
    """A report with the time of grading.

    ``evidence``: what the client found with the report's transcript, if that is not the
        submission's.
    """

    graded_at: AwareDatetime
    report: Report
    evidence: Evidence | None = None


class ArchivedAttempt(SeldomWire):
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


class Archive(SeldomWire):
    """An export that imports again. ``next_after_id`` asks for the next page, ``None``: the end.

    ``drill_reviews`` is filled in an export of everything; a page of attempts leaves it empty.
    """

    format: Literal["aloud-archive"] = "aloud-archive"
    schema_version: Literal[1] = 1
    exported_at: AwareDatetime
    attempts: tuple[ArchivedAttempt, ...]
    drill_reviews: tuple[DrillReview, ...] = ()
    next_after_id: int | None = None


class ImportResult(SeldomWire):
    """``skipped``: already stored; ``conflicts``: ids stored with different content.

    ``drills``: the same for the archive's drill reviews, if a whole archive was imported.
    """

    imported: int
    skipped: int
    conflicts: tuple[str, ...] = ()
    drills: DrillImport | None = None


class PurgeRequest(SeldomWire):
    """What to delete for good: these attempts, those made before a time, or everything."""

    attempt_ids: tuple[AttemptId, ...] = ()
    before: AwareDatetime | None = None
    everything: bool = False

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if [bool(self.attempt_ids), self.before is not None, self.everything].count(True) != 1:
            raise ValueError("name exactly one of attempt_ids, before and everything")
        return self


class PurgeResult(SeldomWire):
    """How many attempts were deleted and, if everything was deleted, how many takes of drills."""

    deleted: int
    drill_reviews: int = 0


class RegradeRequest(SeldomWire):
    """``dry_run``: change nothing, only report; ``question_id``: only answers to this question."""

    dry_run: bool = False
    question_id: Slug | None = None


class PhraseChange(SeldomWire):
    """A phrase whose status changed; ``None``: the question did not have the phrase."""

    phrase: str
    before: PhraseStatus | None
    after: PhraseStatus | None


class PartChange(SeldomWire):
    """A part of the structure whose status changed; ``None``: that report does not judge it."""

    name: str
    before: PartStatus | None
    after: PartStatus | None


class RegradeChange(SeldomWire):
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


class RegradeFailure(SeldomWire):
    """An attempt that could not be regraded; its report stays as it was."""

    attempt_id: int
    question_id: str
    reason: str


class RegradeResult(SeldomWire):
    """The outcome of a regrade: only attempts that changed or failed are listed."""

    dry_run: bool
    graded: int
    changes: tuple[RegradeChange, ...] = ()
    failures: tuple[RegradeFailure, ...] = ()
