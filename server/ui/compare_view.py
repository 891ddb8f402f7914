"""Two reports on the same question side by side: what changed, as frozen view models."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from server.contract import NOT_KNOWN, PARTIAL_CREDIT, Delivery, Report, are_like, duration
from server.ui.content_view import PhraseRow, StructureRow
from server.ui.delivery_view import FILLERS, METRICS
from server.ui.report_view import ReportView, TermRow, view_report

Direction = Literal["up", "down", "same"]
Effect = Literal["better", "worse", ""]

T = TypeVar("T")


@dataclass(frozen=True)
class NumberChange:
    """One number before and after, as shown; a dash if it was not measured.

    ``change`` has no sign; ``effect`` is empty if neither more nor less of it is better.
    """

    label: str
    before: str
    after: str
    change: str = ""
    direction: Direction = "same"
    effect: Effect = ""


@dataclass(frozen=True)
class ChangeRow(Generic[T]):
    """A key phrase, a part, a term or a kind of error in both answers; ``None``: not looked for.

    ``direction``: up is better.
    """

    name: str
    before: T | None
    after: T | None
    direction: Direction = "same"


@dataclass(frozen=True)
class ComparisonView:
    """The earlier report and the later one, and what changed between them.

    ``like``: both were graded the same way, so that their scores can be compared. ``kinds``: of
        remarks on the English, with their numbers; none where it was not judged in both.
    """

    before: ReportView
    after: ReportView
    like: bool
    numbers: tuple[NumberChange, ...]
    phrases: tuple[ChangeRow[PhraseRow], ...]
    structure: tuple[ChangeRow[StructureRow], ...]
    terms: tuple[ChangeRow[tuple[TermRow, ...]], ...]
    kinds: tuple[ChangeRow[int], ...]


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
        numbers=tuple(_numbers(one, two)),
        phrases=_changes(one.phrases, two.phrases, lambda row: row.phrase, _credit),
        structure=_changes(
            one.structure, two.structure, lambda row: row.name, lambda row: row.said
        ),
        terms=_terms(one, two),
        kinds=_kinds(before, after),
    )


def _numbers(one: ReportView, two: ReportView) -> Iterator[NumberChange]:
    before, after = one.report, two.report
    first, second = before.delivery, after.delivery
    both = one.score * 100, two.score * 100
    score = _number("Score", *both, better=1, show="{:.0f}%".format, unit=" points")
    yield score if are_like(before, after) else NumberChange("Score", score.before, score.after)
    yield _number("Key phrases said", one.said_count, two.said_count, better=1)
    if one.structure or two.structure:
        yield _number("Parts of the structure", _parts(one), _parts(two), better=1)
    yield _number("Terms mispronounced", len(one.wrong_terms), len(two.wrong_terms), better=-1)
    yield _number("Length", first.answer_s, second.answer_s, show=duration, unit=" s")
    yield _number("Pauses", _pauses(first), _pauses(second))
    for metric in METRICS:
        values = metric.of(first), metric.of(second)
        if metric is not FILLERS and values != (None, None):  # the number of fillers says more
            yield _number(metric.title, *values, digits=metric.digits)
    yield _number("Fillers, at least", len(first.fillers), len(second.fillers), better=-1)
    twice = len(first.repeated_starts), len(second.repeated_starts)
    yield _number("Said twice", *twice, better=-1)
    yield _number("Language remarks", _remarks(before), _remarks(after), better=-1)


def _number(
    label: str,
    before: float | None,
    after: float | None,
    *,
    better: int = 0,
    digits: int = 0,
    show: Callable[[float], str] | None = None,
    unit: str = "",
) -> NumberChange:
    """``better``: 1 if more is better, -1 if less is, 0 if neither."""
    write = show or f"{{:.{digits}f}}".format
    was, now = (NOT_KNOWN if each is None else write(each) for each in (before, after))
    change = 0.0
    if before is not None and after is not None:
        change = round(round(after, digits) - round(before, digits), digits)
    written = f"{abs(change):.{digits}f}{unit}" if change else ""
    return NumberChange(label, was, now, written, _direction(change), _effect(change * better))


def _parts(view: ReportView) -> int | None:
    return sum(row.said for row in view.structure) if view.structure else None


def _remarks(report: Report) -> int | None:
    return len(report.language.notes) if report.is_english_judged else None


def _pauses(delivery: Delivery) -> int | None:
    return None if delivery.longest_pause_s is None else len(delivery.pauses)


def _effect(change: float) -> Effect:
    return "better" if change > 0 else "worse" if change < 0 else ""


def _direction(change: float) -> Direction:
    return "up" if change > 0 else "down" if change < 0 else "same"


def _changes(
    before: Sequence[T], after: Sequence[T], name: Callable[[T], str], credit: Callable[[T], float]
) -> tuple[ChangeRow[T], ...]:
    earlier, later = ({name(row): row for row in rows} for rows in (before, after))
    rows = []
    for each in dict.fromkeys([*later, *earlier]):
        first, second = earlier.get(each), later.get(each)
        change = credit(second) - credit(first) if first and second else 0.0
        rows.append(ChangeRow(each, first, second, _direction(change)))
    return tuple(rows)


def _credit(row: PhraseRow) -> float:
    if row.status in ("missing", "denied"):
        return 0.0
    return PARTIAL_CREDIT if row.open else 1.0


def _kinds(before: Report, after: Report) -> tuple[ChangeRow[int], ...]:
    """Those that are new first, then those that stayed, then those that went."""
    if not (before.is_english_judged and after.is_english_judged):
        return ()
    earlier, later = (
        Counter(each.kind.replace("_", " ") for each in report.language.notes)
        for report in (before, after)
    )
    rows = [
        ChangeRow(name, earlier[name], later[name], _direction(earlier[name] - later[name]))
        for name in earlier | later
    ]
    return tuple(sorted(rows, key=lambda row: (bool(row.before), not row.after)))


def _terms(one: ReportView, two: ReportView) -> tuple[ChangeRow[tuple[TermRow, ...]], ...]:
    """The terms said in either answer, those said wrong in the later one first."""
    before, after = _all_terms(one), _all_terms(two)
    names = sorted(
        {row.term for row in (*before, *after)},
        key=lambda name: (-_wrong(after, name), -_wrong(before, name), name.casefold()),
    )
    return tuple(ChangeRow(name, _of(before, name), _of(after, name)) for name in names)


def _all_terms(view: ReportView) -> Sequence[TermRow]:
    rows = (*view.wrong_terms, *view.right_terms, *view.unclear_terms)
    return [place for row in rows for place in (row, *row.more)]


def _of(rows: Iterable[TermRow], name: str) -> tuple[TermRow, ...]:
    """Each time it was said, in the order of the answer."""
    said = [row for row in rows if row.term == name]
    return tuple(sorted(said, key=lambda row: row.start_s or 0.0))


def _wrong(rows: Iterable[TermRow], name: str) -> int:
    return sum(row.term == name and row.status == "mispronounced" for row in rows)
