"""Verdicts, and corrections of them, in words: the same in pages, files and the terminal."""

from collections.abc import Iterator
from typing import Final

from server.contract import CorrectedVerdict, PhraseCoverage, Report

VERDICT_WORDS: Final = {
    "covered": "said",
    "partial": "partly said",
    "missing": "not said",
    "correct": "said right",
    "mispronounced": "mispronounced",
    "unclear": "not clearly heard",
}
DENIED: Final = "said, but denied"


def words_of_phrase(phrase: PhraseCoverage) -> str:
    """The verdict on a key phrase."""
    return DENIED if phrase.negated else VERDICT_WORDS[phrase.status]


def correction_text(corrected: CorrectedVerdict | None) -> str:
    """Who corrected the verdict, what the grader's was, and why; empty if nobody did."""
    if corrected is None:
        return ""
    was = DENIED if corrected.was_negated else VERDICT_WORDS[corrected.was]
    note = f": {' '.join(corrected.note.split())}" if corrected.note.strip() else ""
    return f"corrected by {corrected.by}, graded “{was}”{note}"


def graded_text(graded_score: float | None) -> str:
    """The grader's own score, to show beside a corrected one; empty if nobody corrected it."""
    return "" if graded_score is None else f"corrected, graded {graded_score:.0%}"


def correction_lines(report: Report) -> Iterator[tuple[str, str]]:
    """The corrected phrases, then terms: each with its ``correction_text``."""
    for phrase in report.coverage.phrases:
        if phrase.corrected is not None:
            yield phrase.phrase, correction_text(phrase.corrected)
    for term in report.pronunciation.terms:
        if term.corrected is not None:
            yield term.term, correction_text(term.corrected)
