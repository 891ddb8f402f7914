"""Two reports on the same question side by side: what changed, as frozen view models."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from server.contract import PARTIAL_CREDIT, Delivery, Report
from server.ui.rendering import clock, percent
from server.ui.report_view import PhraseRow, ReportView, TermRow, view_report
from server.ui.verdict_words import DENIED, VERDICT_WORDS

Direction = Literal["up", "down", "same"]

_NOT_MEASURED: Final = "–"


@dataclass(frozen=True)
class NumberChange:
    """One number before and after.

    Attributes:
        label: what it is, with its unit.
        before: as it is shown; a dash where it was not measured.
        after: likewise.
        change: with its sign; empty where it stayed or is not known.
        direction: for better or worse, where more or less of it is better at all; else ``same``.
    """

    label: str
    before: str
    after: str
    change: str
    direction: Direction


@dataclass(frozen=True)
class PhraseChangeRow:
    """One key phrase in both answers; ``None``: the question did not have it then."""

    phrase: str
    before: PhraseRow | None
    after: PhraseRow | None
    direction: Direction


@dataclass(frozen=True)
class TermChangeRow:
    """A term in both answers, each time it was said: those said wrong first."""

    term: str
    before: tuple[TermRow, ...]
    after: tuple[TermRow, ...]


@dataclass(frozen=True)
class ComparisonView:
    """The earlier report and the later one, and what changed between them."""

    before: ReportView
    after: ReportView
    numbers: tuple[NumberChange, ...]
    phrases: tuple[PhraseChangeRow, ...]
    terms: tuple[TermChangeRow, ...]


def view_comparison(before: Report, after: Report) -> ComparisonView:
    """What the templates show of two reports.

    Args:
        before: the earlier answer's; its ids begin with ``before-``.
        after: the later answer's; its ids begin with ``after-``.
    """
    one, two = view_report(before, prefix="before-"), view_report(after, prefix="after-")
    return ComparisonView(one, two, _numbers(one, two), _phrases(one, two), _terms(one, two))


def _numbers(one: ReportView, two: ReportView) -> tuple[NumberChange, ...]:
    first, second = one.report.delivery, two.report.delivery
    score = round(two.score * 100) - round(one.score * 100)
    return (
        NumberChange(
            "Score",
            percent(one.score),
            percent(two.score),
            f"{_signed(score)} points" if score else "",
            _direction(score),
        ),
        _count("Key phrases said", one.said_count, two.said_count, better=1),
        _count("Terms mispronounced", len(one.wrong_terms), len(two.wrong_terms), better=-1),
        _measure("Pace, words per minute", first.words_per_minute, second.words_per_minute),
        NumberChange(
            "Length", clock(first.answer_s), clock(second.answer_s), _seconds(first, second), "same"
        ),
        _measure(
            "Articulation, syllables per second",
            first.articulation_rate,
            second.articulation_rate,
            digits=1,
        ),
        _count("Pauses", _pauses(first), _pauses(second), better=0),
        _measure(
            "Longest pause, seconds", first.longest_pause_s, second.longest_pause_s, digits=1
        ),
        _count("Fillers, at least", len(first.fillers), len(second.fillers), better=-1),
        _count(
            "Started twice", len(first.repeated_starts), len(second.repeated_starts), better=-1
        ),
    )  # fmt: skip


def _pauses(delivery: Delivery) -> int | None:
    return None if delivery.longest_pause_s is None else len(delivery.pauses)


def _count(label: str, before: int | None, after: int | None, *, better: int) -> NumberChange:
    """A count; ``better``: 1 where more is better, -1 where less is, 0 where neither."""
    if before is None or after is None:
        texts = [_NOT_MEASURED if value is None else str(value) for value in (before, after)]
        return NumberChange(label, texts[0], texts[1], "", "same")
    change = after - before
    return NumberChange(
        label,
        str(before),
        str(after),
        _signed(change) if change else "",
        _direction(change * better),
    )


def _measure(
    label: str, before: float | None, after: float | None, *, digits: int = 0
) -> NumberChange:
    """A measure of which neither more nor less is better as such."""
    texts = [_NOT_MEASURED if value is None else f"{value:.{digits}f}" for value in (before, after)]
    change = 0.0
    if before is not None and after is not None:
        change = round(after, digits) - round(before, digits)
    written = _signed(change, digits) if round(change, digits) else ""
    return NumberChange(label, texts[0], texts[1], written, "same")


def _seconds(before: Delivery, after: Delivery) -> str:
    if before.answer_s is None or after.answer_s is None:
        return ""
    change = int(after.answer_s) - int(before.answer_s)
    return f"{_signed(change)} s" if change else ""


def _signed(change: float, digits: int = 0) -> str:
    return f"{change:+.{digits}f}".replace("-", "−")


def _direction(change: float) -> Direction:
    return "up" if change > 0 else "down" if change < 0 else "same"


def _phrases(one: ReportView, two: ReportView) -> tuple[PhraseChangeRow, ...]:
    before = {row.phrase: row for row in one.phrases}
    after = {row.phrase: row for row in two.phrases}
    rows = []
    for phrase in dict.fromkeys([*after, *before]):
        first, second = before.get(phrase), after.get(phrase)
        change = _credit(second) - _credit(first) if first and second else 0.0
        rows.append(PhraseChangeRow(phrase, first, second, _direction(change)))
    return tuple(rows)


def _credit(row: PhraseRow | None) -> float:
    if row is None or row.verdict in (VERDICT_WORDS["missing"], DENIED):
        return 0.0
    return PARTIAL_CREDIT if row.open else 1.0


def _terms(one: ReportView, two: ReportView) -> tuple[TermChangeRow, ...]:
    """The terms said in either answer, those said wrong in the later one first."""
    before, after = _all_terms(one), _all_terms(two)
    names = sorted(
        {row.term for row in (*before, *after)},
        key=lambda name: (-_wrong(after, name), -_wrong(before, name), name.casefold()),
    )
    return tuple(TermChangeRow(name, _of(before, name), _of(after, name)) for name in names)


def _all_terms(view: ReportView) -> Sequence[TermRow]:
    return [*view.wrong_terms, *view.right_terms, *view.unclear_terms]


def _of(rows: Iterable[TermRow], name: str) -> tuple[TermRow, ...]:
    """Each time it was said, in the order of the answer."""
    said = [row for row in rows if row.term == name]
    return tuple(sorted(said, key=lambda row: row.start_s or 0.0))


def _wrong(rows: Iterable[TermRow], name: str) -> int:
    return sum(row.term == name and row.status == "mispronounced" for row in rows)
