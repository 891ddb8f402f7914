"""A report as its reviewers corrected it. What is stored stays as the grader wrote it."""

from collections.abc import Sequence
from typing import Any

from server.contract import Coverage, PhraseCoverage, Report
from server.grading.coverage import PARTIAL_CREDIT
from server.review_contract import Correction, NewCorrection

__all__ = ["corrected", "places_of"]


def places_of(report: Report, correction: NewCorrection) -> tuple[int, ...]:
    """Which entries of the report's list of terms or phrases a correction is about."""
    if correction.target == "term":
        return tuple(
            index
            for index, term in enumerate(report.pronunciation.terms)
            if term.term == correction.name
            and (correction.word_index is None or correction.word_index in term.word_indices)
        )
    return tuple(
        index
        for index, phrase in enumerate(report.coverage.phrases)
        if phrase.phrase == correction.name
    )


def corrected(report: Report, corrections: Sequence[Correction]) -> Report:
    """The report with the verdicts that reviewers gave, and the score that follows from them.

    Args:
        report: as it was graded.
        corrections: oldest first; of two about one place the later one counts. One that fits
            nothing (the answer was graded anew since) changes nothing.
    """
    terms, phrases = list(report.pronunciation.terms), list(report.coverage.phrases)
    phrases_changed = False
    for each in corrections:
        for index in places_of(report, each):
            change: dict[str, Any] = {}
            if each.target == "term":
                change["verdict"] = each.verdict
                terms[index] = terms[index].model_copy(update=change)
            else:
                change |= {"status": each.verdict, "negated": False}
                phrases[index] = phrases[index].model_copy(update=change)
                phrases_changed = True
    coverage = report.coverage
    if phrases_changed:
        coverage = Coverage(score=_score(phrases), phrases=tuple(phrases))
    pronunciation = report.pronunciation.model_copy(update={"terms": tuple(terms)})
    return report.model_copy(update={"coverage": coverage, "pronunciation": pronunciation})


def _score(phrases: Sequence[PhraseCoverage]) -> float:
    """As the contract's ``Coverage`` says."""
    counts = {"covered": 1.0, "partial": PARTIAL_CREDIT, "missing": 0.0}
    total = sum(each.weight for each in phrases)
    gained = sum(each.weight * counts[each.status] for each in phrases if not each.negated)
    return min(1.0, gained / total) if total else 0.0
