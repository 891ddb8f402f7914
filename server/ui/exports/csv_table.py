"""Attempts as CSV, one line each, safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from question_bank.models import Question
from server.contract import ArchivedAttempt, Coverage, Report, Structure
from server.ui.verdict_words import composition_text, correction_lines

COLUMNS: Final = (
    "created_at", "question_id", "role", "round", "topic", "score", "phrases_covered",
    "phrases_partial", "phrases_missing", "terms_mispronounced", "words", "words_per_minute",
    "answer_s", "target_s", "fillers_at_least", "engine", "model", "grader_version",
    "bank_version", "submission_id", "prompt", "transcript", "graded_score",
    "corrected_verdicts", "phrases_denied", "phrases_possible", "score_parts", "structure_said",
    "structure_missing", "corrected_words", "language_notes", "language_kinds",
    "language_found_by", "first_word_s", "first_point_s", "pauses_between_clauses",
    "pauses_inside_clauses", "syllables_in_a_run", "taken_back_at_least",
)  # fmt: skip
NUMBERS: Final = frozenset((
    "score", "graded_score", "words", "words_per_minute", "answer_s", "target_s",
    "fillers_at_least", "language_notes", "first_word_s", "first_point_s",
    "pauses_between_clauses", "pauses_inside_clauses", "syllables_in_a_run", "taken_back_at_least",
))  # fmt: skip
"""The columns of numbers; the others are texts."""


def to_csv(attempts: Sequence[ArchivedAttempt]) -> str:
    """The attempts with their latest reports, times in UTC."""
    return csv_text(COLUMNS, map(_row, attempts))


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[str | float | None]]) -> str:
    """A line of names and one for each row, safe to open in a spreadsheet."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows(
        [to_cell(value) if isinstance(value, str) else value for value in row] for row in rows
    )
    return file.getvalue()


def _row(attempt: ArchivedAttempt) -> tuple[str | float | None, ...]:
    submission = attempt.submission
    return row_of(submission.submission_id, submission.created_at, attempt.question, attempt.report)


def row_of(
    submission_id: str, created_at: datetime, question: Question, report: Report
) -> tuple[str | float | None, ...]:
    """The values of an attempt, one for each of ``COLUMNS``."""
    transcript, delivery = report.transcript, report.delivery
    graded = report.overall_graded
    english = report.language if report.is_english_judged else None
    mispronounced = [
        each.term for each in report.pronunciation.terms if each.verdict == "mispronounced"
    ]
    return (
        created_at.astimezone(UTC).isoformat(timespec="seconds"),
        question.id, question.role, question.round, question.topic, round(report.overall, 4),
        *(_phrases(report.coverage, status) for status in ("covered", "partial", "missing")),
        "; ".join(dict.fromkeys(mispronounced)),
        delivery.words, _rounded(delivery.words_per_minute), _rounded(delivery.answer_s),
        delivery.target_s, len(delivery.fillers), transcript.engine, transcript.model,
        report.grader_version, report.bank_version, submission_id, question.prompt, transcript.text,
        None if graded is None else round(graded, 4),
        "; ".join(f"{name}: {text}" for name, text in correction_lines(report)),
        "; ".join(each.phrase for each in report.coverage.phrases if each.negated),
        _phrases(report.coverage, "possible"), composition_text(report),
        _parts(report.structure, "said"), _parts(report.structure, "missing"),
        "; ".join(f"{now} (was: {was})" for now, was in transcript.corrected_texts),
        len(english.notes) if english else None,
        "; ".join(f"{each.name} {each.count}" for each in english.groups()) if english else "",
        english.by if english else None,
        _rounded(delivery.first_word_s), _rounded(delivery.first_point_s), delivery.pauses_between,
        delivery.pauses_inside, _rounded(delivery.mean_run), delivery.self_corrections,
    )  # fmt: skip


def _phrases(coverage: Coverage, status: str) -> str:
    """Those that count; phrases that were only denied have a separate column."""
    return "; ".join(
        each.phrase for each in coverage.phrases if each.status == status and not each.negated
    )


def _parts(structure: Structure | None, status: str) -> str:
    parts = structure.parts if structure else ()
    return "; ".join(each.name for each in parts if each.status == status)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Characters with which a spreadsheet formula begins (OWASP, "CSV Injection"), including full-width
ones."""
_GUARD: Final = "'"


def to_cell(text: str) -> str:
    """The text, with a mark in front if a spreadsheet would run it."""
    return _GUARD + text if text.lstrip(" ").startswith(_FORMULA_STARTS) else text


def from_cell(text: str) -> str:
    """The text before ``to_cell``."""
    if text.startswith(_GUARD) and text[1:].lstrip(" ").startswith(_FORMULA_STARTS):
        return text[1:]
    return text
