"""What is read of stored reports: the newest of each attempt, as its reviewers corrected it.

The one place where a stored report becomes what people see; candidates, coaches, exports, lists
and progress all read through it. Corrections are applied when reading and their outcome is never
stored: whatever takes one away or adds one (taking back, merging, an import, a backup restored,
the account of a coach deleted or renamed, grading anew) leaves no score behind that holds no more.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import ScalarSelect, func, select
from sqlalchemy.orm import Session, aliased

from server.contract import Coverage, Report
from server.review.corrected import corrected, corrected_coverage
from server.review_contract import Correction
from server.store.models import AttemptRow, ReportRow
from server.store.review_store import corrections_of

__all__ = [
    "ReadReport",
    "ReadScore",
    "StoredScore",
    "newest_report_id",
    "read_reports",
    "read_scores",
]


@dataclass(frozen=True)
class ReadReport:
    """A report as it is read, with what it was made from.

    Attributes:
        graded: the grader's own.
        corrections: of its verdicts, oldest first.
        report: as people see it.
    """

    graded: Report
    corrections: tuple[Correction, ...]
    report: Report


@dataclass(frozen=True)
class StoredScore:
    """The row of an attempt's newest report, and the score in it."""

    report_id: int
    score: float


@dataclass(frozen=True)
class ReadScore:
    """A score as it is read.

    Attributes:
        score: as people see it.
        graded: the grader's own, where it was corrected.
        tag: differs as soon as the report that is read differs.
    """

    score: float
    graded: float | None
    tag: str


def newest_report_id() -> ScalarSelect[int | None]:
    """The id of an attempt's newest report, for a statement about ``AttemptRow``."""
    inner = aliased(ReportRow)
    return (
        select(func.max(inner.id))
        .where(inner.attempt_id == AttemptRow.id)
        .correlate(AttemptRow)
        .scalar_subquery()
    )


def read_reports(session: Session, graded: Mapping[int, Report]) -> dict[int, ReadReport]:
    """Newest reports as they are read.

    Args:
        session: reads.
        graded: as they are stored, by attempt.
    """
    given = corrections_of(session, list(graded))
    return {
        attempt_id: _read(report, given.get(attempt_id, ()))
        for attempt_id, report in graded.items()
    }


def read_scores(session: Session, stored: Mapping[int, StoredScore]) -> dict[int, ReadScore]:
    """The scores of newest reports as they are read, for lists: a report is not read for it.

    Args:
        session: reads.
        stored: by attempt.
    """
    given = corrections_of(session, list(stored))
    touched = {
        attempt_id
        for attempt_id, corrections in given.items()
        if any(each.target == "phrase" for each in corrections)
    }
    coverages = _coverages(session, [stored[each].report_id for each in touched])
    return {
        attempt_id: _score(each, given.get(attempt_id, ()), coverages.get(each.report_id))
        for attempt_id, each in stored.items()
    }


def _read(graded: Report, corrections: Sequence[Correction]) -> ReadReport:
    report = corrected(graded, corrections) if corrections else graded
    return ReadReport(graded, tuple(corrections), report)


def _score(
    stored: StoredScore, corrections: Sequence[Correction], coverage: Coverage | None
) -> ReadScore:
    if not corrections:
        return ReadScore(stored.score, None, str(stored.report_id))
    marks = "".join(each.model_dump_json() for each in corrections)
    tag = f"{stored.report_id}-{sha256(marks.encode()).hexdigest()[:16]}"
    if coverage is None:
        return ReadScore(stored.score, None, tag)
    found = corrected_coverage(coverage, corrections)
    return ReadScore(found.score, found.graded_score, tag)


def _coverages(session: Session, report_ids: Collection[int]) -> dict[int, Coverage]:
    """The coverage of these reports; one that is damaged is left out and keeps its score."""
    if not report_ids:
        return {}
    wanted = select(ReportRow.id, ReportRow.report["coverage"]).where(ReportRow.id.in_(report_ids))
    if session.get_bind().dialect.name == "sqlite":  # PostgreSQL keeps nothing else
        wanted = wanted.where(func.json_valid(ReportRow.report) == 1)
    found: dict[int, Coverage] = {}
    for report_id, coverage in session.execute(wanted):
        try:
            found[report_id] = Coverage.model_validate(coverage)
        except ValueError:  # told by the attempt itself; the others can be listed
            continue
    return found
