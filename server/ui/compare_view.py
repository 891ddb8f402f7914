"""Two reports on the same question side by side: what changed, as frozen view models."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from server.contract import PARTIAL_CREDIT, Delivery, Report, are_like, duration
from server.ui.content_view import PhraseRow, StructureRow
from server.ui.delivery_view import ARTICULATION, FIRST_POINT, LONGEST_PAUSE, PACE, RUN, Metric
from server.ui.rendering import percent
from server.ui.report_view import ReportView, TermRow, view_report

Direction = Literal["up", "down", "same"]
Effect = Literal["better", "worse", ""]

_NOT_MEASURED: Final = "–"


@dataclass(frozen=True)
class NumberChange:
    """One number before and after.

    Attributes:
        label: what it is, with its unit.
        before: as shown; a dash if it was not measured.
        after: likewise.
        change: the amount, without a sign; empty if unchanged or unknown.
        direction: whether it rose or fell.
        effect: empty if neither more nor less of it is better.
    """

    label: str
    before: str
    after: str
    change: str
    direction: Direction
    effect: Effect = ""


@dataclass(frozen=True)
class PhraseChangeRow:
    """One key phrase in both answers; ``None``: the question did not have it then."""

    phrase: str
    before: PhraseRow | None
    after: PhraseRow | None
    direction: Direction


@dataclass(frozen=True)
class PartChangeRow:
    """One part of the structure in both answers; ``None``: it was not judged then."""

    name: str
    before: StructureRow | None
    after: StructureRow | None
    direction: Direction


@dataclass(frozen=True)
class TermChangeRow:
    """A term in both answers, with each time it was said."""

    term: str
    before: tuple[TermRow, ...]
    after: tuple[TermRow, ...]


@dataclass(frozen=True)
class ComparisonView:
    """The earlier report and the later one, and what changed between them.

    ``like``: both were graded the same way, so that their scores can be compared.
    """

    before: ReportView
    after: ReportView
    like: bool
    numbers: tuple[NumberChange, ...]
    phrases: tuple[PhraseChangeRow, ...]
    structure: tuple[PartChangeRow, ...]
    terms: tuple[TermChangeRow, ...]


def view_comparison(before: Report, after: Report, *, to_owner: bool = False) -> ComparisonView:
    """What the templates show of two reports.

    Args:
        before: the earlier answer's; its ids begin with ``before-``.
        after: the later answer's; its ids begin with ``after-``.
        to_owner: whether the one who gave the answers reads it.
    """
    one = view_report(before, prefix="before-", to_owner=to_owner)
    two = view_report(after, prefix="after-", to_owner=to_owner)
    return ComparisonView(
        before=one,
        after=two,
        like=are_like(before, after),
        numbers=_numbers(one, two),
        phrases=_phrases(one, two),
        structure=_structure(one, two),
        terms=_terms(one, two),
    )


def _numbers(one: ReportView, two: ReportView) -> tuple[NumberChange, ...]:
    first, second = one.report.delivery, two.report.delivery
    return (
        _score(one, two),
        _count("Key phrases said", one.said_count, two.said_count, better=1),
        *(
            [_count("Parts of the structure", _parts(one), _parts(two), better=1)]
            if one.structure or two.structure
            else []
        ),
        _count("Terms mispronounced", len(one.wrong_terms), len(two.wrong_terms), better=-1),
        _measure(PACE, first.words_per_minute, second.words_per_minute),
        _length(first, second),
        _measure(
            ARTICULATION,
            first.articulation_rate,
            second.articulation_rate,
        ),
        _count("Pauses", _pauses(first), _pauses(second), better=0),
        _measure(LONGEST_PAUSE, first.longest_pause_s, second.longest_pause_s),
        _measure(FIRST_POINT, first.first_point_s, second.first_point_s),
        _measure(RUN, first.mean_run, second.mean_run),
        _count("Fillers, at least", len(first.fillers), len(second.fillers), better=-1),
        _count(
            "Said twice", len(first.repeated_starts), len(second.repeated_starts), better=-1
        ),
        _count("Language remarks", _remarks(one.report), _remarks(two.report), better=-1),
    )  # fmt: skip


def _score(one: ReportView, two: ReportView) -> NumberChange:
    """No change is given between scores that were not graded the same way."""
    change = 0
    if are_like(one.report, two.report):
        change = round(two.score * 100) - round(one.score * 100)
    return NumberChange(
        "Score",
        percent(one.score),
        percent(two.score),
        f"{abs(change)} points" if change else "",
        _direction(change),
        _effect(change),
    )


def _parts(view: ReportView) -> int | None:
    return sum(row.said for row in view.structure) if view.structure else None


def _remarks(report: Report) -> int | None:
    return len(report.language.notes) if report.is_english_judged else None


def _pauses(delivery: Delivery) -> int | None:
    return None if delivery.longest_pause_s is None else len(delivery.pauses)


def _count(label: str, before: int | None, after: int | None, *, better: int) -> NumberChange:
    """A count; ``better``: 1 if more is better, -1 if less is, 0 if neither."""
    if before is None or after is None:
        texts = [_NOT_MEASURED if value is None else str(value) for value in (before, after)]
        return NumberChange(label, texts[0], texts[1], "", "same")
    change = after - before
    return NumberChange(
        label,
        str(before),
        str(after),
        str(abs(change)) if change else "",
        _direction(change),
        _effect(change * better),
    )


def _measure(metric: Metric, before: float | None, after: float | None) -> NumberChange:
    """A measure for which neither more nor less is better."""
    texts = [_NOT_MEASURED if each is None else metric.number(each) for each in (before, after)]
    change = 0.0
    if before is not None and after is not None:
        change = round(after, metric.digits) - round(before, metric.digits)
    change = round(change, metric.digits)
    written = metric.number(abs(change)) if change else ""
    return NumberChange(metric.title, texts[0], texts[1], written, _direction(change))


def _length(before: Delivery, after: Delivery) -> NumberChange:
    change = 0
    if before.answer_s is not None and after.answer_s is not None:
        change = round(after.answer_s) - round(before.answer_s)
    return NumberChange(
        "Length",
        duration(before.answer_s),
        duration(after.answer_s),
        f"{abs(change)} s" if change else "",
        _direction(change),
    )


def _effect(change: float) -> Effect:
    return "better" if change > 0 else "worse" if change < 0 else ""


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
    if row is None or row.status in ("missing", "denied"):
        return 0.0
    return PARTIAL_CREDIT if row.open else 1.0


def _structure(one: ReportView, two: ReportView) -> tuple[PartChangeRow, ...]:
    before = {row.name: row for row in one.structure}
    after = {row.name: row for row in two.structure}
    rows = []
    for name in dict.fromkeys([*after, *before]):
        first, second = before.get(name), after.get(name)
        change = second.said - first.said if first and second else 0
        rows.append(PartChangeRow(name, first, second, _direction(change)))
    return tuple(rows)


def _terms(one: ReportView, two: ReportView) -> tuple[TermChangeRow, ...]:
    """The terms said in either answer, those said wrong in the later one first."""
    before, after = _all_terms(one), _all_terms(two)
    names = sorted(
        {row.term for row in (*before, *after)},
        key=lambda name: (-_wrong(after, name), -_wrong(before, name), name.casefold()),
    )
    return tuple(TermChangeRow(name, _of(before, name), _of(after, name)) for name in names)


def _all_terms(view: ReportView) -> Sequence[TermRow]:
    rows = (*view.wrong_terms, *view.right_terms, *view.unclear_terms)
    return [place for row in rows for place in (row, *row.more)]


def _of(rows: Iterable[TermRow], name: str) -> tuple[TermRow, ...]:
    """Each time it was said, in the order of the answer."""
    said = [row for row in rows if row.term == name]
    return tuple(sorted(said, key=lambda row: row.start_s or 0.0))


def _wrong(rows: Iterable[TermRow], name: str) -> int:
    return sum(row.term == name and row.status == "mispronounced" for row in rows)
