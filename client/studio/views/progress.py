"""Today's part of the plan, and progress: scores by heading, terms to work on, charts by day."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from statistics import fmean
from typing import Final

from client.backend.protocol import Backend
from client.practice.drills.items import ItemSets
from client.practice.drills.phrases import PHRASE_SETS
from client.practice.planning.my_plan import Step, countdown, steps_of, still_missing
from client.practice.planning.plan import Plan
from client.practice.progress import ScoreLine, TermLine, score_lines, term_lines
from client.practice.progress_over_time import DayDelivery, DayScore, TermTake, term_takes
from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question, Role, RoundGuide, Signal
from server.contract import AttemptSummary, DrillCard, Report, comfortable_wpm
from server.ui.charts import Chart, element, picture


@dataclass(frozen=True)
class Today:
    """What to do today.

    Attributes:
        minutes: of the whole day.
        steps: with what is done ticked.
        missing: question id → key phrases that its latest answer did not say.
        left: how many steps are to do.
        ahead: the next one of the days to come, when all are done.
        countdown: how long until the interview.
        role: the id of the plan's role.
    """

    minutes: int
    steps: tuple[Step, ...]
    missing: dict[str, tuple[str, ...]]
    left: int
    ahead: Step | None
    countdown: str
    role: str


def today_of(
    plan: Plan | None, backend: Backend, attempts: Sequence[AttemptSummary], bank: Bank, now: date
) -> Today | None:
    """What a plan has for a day; ``None``: there is none, or it has not begun or is over."""
    day = plan.today if plan else None
    if plan is None or day is None or day.date != now:
        return None
    role = plan.goal.role
    ahead = steps_of([plan.ahead], bank, role)[0] if plan.ahead and not day.left else None
    return Today(
        minutes=day.minutes,
        steps=tuple(steps_of(day.items, bank, role)),
        missing={
            each.name: still_missing(backend, attempts, each.name)
            for each in day.left
            if each.kind == "retry"
        },
        left=len(day.left),
        ahead=ahead,
        countdown=countdown(plan, now),
        role=role,
    )


TERMS_SHOWN: Final = 20
TAKES_SHOWN: Final = 8
"""A row of signs that still fits beside a term on a telephone."""
DAYS_SHOWN: Final = 42
"""Six weeks: more points than that run into each other on a telephone."""

_WIDTH, _HEIGHT = 400, 180
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 372, 20, 148
"""The labels on the left are larger on a telephone."""
_LEVELS: Final = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Choice:
    """What is looked at: answers of one role, round, topic or signal; empty means all."""

    role: str = ""
    round: str = ""
    topic: str = ""
    signal: str = ""

    @property
    def any(self) -> bool:
        """Whether not all answers are looked at."""
        return bool(self.role or self.round or self.topic or self.signal)

    def fits(self, each: AttemptSummary | Question, signals: Iterable[str]) -> bool:
        """Whether an answer or a question, which looks for these signals, was chosen."""
        return (
            self.role in ("", each.role)
            and self.round in ("", each.round)
            and self.topic in ("", each.topic)
            and (not self.signal or self.signal in signals)
        )


_Titled = Sequence[Role] | Sequence[RoundGuide] | Sequence[Signal]


@dataclass(frozen=True)
class Dimension:
    """The scores under the headings of one kind, and how the headings are written for people."""

    name: str
    title: str
    lines: tuple[ScoreLine, ...]
    titles: dict[str, str]


@dataclass(frozen=True)
class SpokenTerm:
    """A term that was said wrong.

    Attributes:
        line: how often.
        say: its respelling; empty if the lexicon lacks it.
        takes: the latest places in answers where it was said, the oldest first.
    """

    line: TermLine
    say: str
    takes: tuple[TermTake, ...]


def dimensions_of(attempts: Sequence[AttemptSummary], bank: Bank) -> list[Dimension]:
    """The scores of these answers by role, round, topic and signal."""
    signals = {each.id: each.signals for each in bank.questions}
    by: tuple[tuple[str, str, Callable[[AttemptSummary], Iterable[str | None]], _Titled], ...] = (
        ("role", "Roles", lambda each: [each.role], bank.roles),
        ("round", "Rounds", lambda each: [each.round], bank.rounds),
        ("topic", "Topics", lambda each: [each.topic], ()),
        ("signal", "Signals", lambda each: signals.get(each.question_id, ()), bank.signals),
    )
    return [
        Dimension(
            name, title, tuple(score_lines(attempts, headings)), {t.id: t.title for t in titled}
        )
        for name, title, headings, titled in by
    ]


def spoken_terms(
    lexicon: Lexicon, reports: Sequence[Report], cards: Iterable[DrillCard], sets: ItemSets
) -> list[SpokenTerm]:
    """The terms said wrong most often, in answers and (where all is looked at) in drills."""
    items = {item.id: item for item in sets.of(None)}
    drilled = [
        (items[card.item_id].term if card.item_id in items else card.item_id, card)
        for card in cards
        if card.drill_set not in PHRASE_SETS
    ]
    takes = term_takes(reports)
    shown = []
    for line in term_lines(reports, drilled)[:TERMS_SHOWN]:
        entry = lexicon.get(line.term)
        shown.append(
            SpokenTerm(
                line=line,
                say=entry.say if entry else "",
                takes=takes.get(line.term, ())[-TAKES_SHOWN:],
            )
        )
    return shown


@dataclass(frozen=True)
class Points:
    """One line of a chart: a value a day, and its class (``chart-point``, ``chart-again``)."""

    name: str
    values: tuple[tuple[date, float], ...]
    shape: str = "chart-point"


def day_chart(
    lines: Sequence[Points],
    title: str,
    shown: Callable[[float], str],
    id_prefix: str,
    *,
    top: float | None = None,
    spread: tuple[float, float] | None = None,
) -> Chart | None:
    """Values by day, from the first day on, the latest ``DAYS_SHOWN``; ``None``: there are none.

    Args:
        lines: each with the oldest day first.
        title: what it shows.
        shown: writes a value.
        id_prefix: unique on the page.
        top: of the axis; ``None``: above the highest value.
        spread: the band in which nothing has changed.
    """
    days = [day for line in lines for day, _ in line.values]
    if not days:
        return None
    last = max(days)
    first = max(min(days), last - timedelta(days=DAYS_SHOWN - 1))
    drawn = [
        replace(line, values=tuple(each for each in line.values if each[0] >= first))
        for line in lines
    ]
    highest = top or max(value for line in drawn for _, value in line.values) * 1.2 or 1.0
    span = max(1, (last - first).days)

    def x(day: date) -> float:
        if first == last:
            return (_LEFT + _RIGHT) / 2
        return _LEFT + 8 + (day - first).days / span * (_RIGHT - _LEFT - 16)

    def y(value: float) -> float:
        return _BOTTOM - value / highest * (_BOTTOM - _TOP)

    parts = []
    if spread is not None:
        low, high = spread
        band = {"y": y(high), "height": max(1.0, y(low) - y(high))}
        parts.append(element("rect", class_="chart-band", x=_LEFT, width=_RIGHT - _LEFT, **band))
    for level in _LEVELS:
        at = y(level * highest)
        parts += [
            element("line", class_="chart-grid", x1=_LEFT, x2=_RIGHT, y1=at, y2=at),
            element(
                "text",
                shown(level * highest),
                class_="chart-text",
                x=_LEFT - 6,
                y=at + 4,
                text_anchor="end",
            ),
        ]
    for line in drawn:
        if line.shape == "chart-point" and len(line.values) > 1:
            path = " ".join(f"{x(day):.1f},{y(value):.1f}" for day, value in line.values)
            parts.append(element("polyline", class_="chart-line", points=path))
        for day, value in line.values:
            about = element("title", f"{line.name}, {_day(day)}: {shown(value)}")
            place = {"cx": x(day), "cy": y(value), "r": 3.5}
            parts.append(element("circle", about, class_=line.shape, **place))
    ends = ((first, _LEFT, "start"), (last, _RIGHT, "end"))
    if first == last:
        ends = ((first, round((_LEFT + _RIGHT) / 2), "middle"),)  # type: ignore[assignment]
    parts += [
        element("text", _day(day), class_="chart-text", x=at, y=_HEIGHT - 8, text_anchor=anchor)
        for day, at, anchor in ends
    ]
    said = [_in_words(line, shown) for line in drawn if line.values]
    text = f"{'; '.join(said)}."
    svg = picture(parts, width=_WIDTH, height=_HEIGHT, title=title, text=text, id_prefix=id_prefix)
    return Chart(svg, text)


def score_points(days: Sequence[DayScore]) -> list[Points]:
    """First answers and repeats, each with the mean of every day."""
    return [
        Points("First answers", tuple((d.day, fmean(d.firsts)) for d in days if d.firsts)),
        Points(
            "Repeats", tuple((d.day, fmean(d.repeats)) for d in days if d.repeats), "chart-again"
        ),
    ]


def delivery_charts(days: Sequence[DayDelivery]) -> list[tuple[str, Chart]]:
    """Pace, fillers and language by day, with their titles; what was never measured is left out."""
    kinds: tuple[tuple[str, str, Callable[[DayDelivery], float | None]], ...] = (
        ("Words per minute", "pace", lambda day: day.words_per_minute),
        ("Fillers per minute", "fillers", lambda day: day.fillers),
        ("Language notes per 100 words", "language", lambda day: day.notes),
    )
    charts = []
    for title, name, value in kinds:
        values = tuple((day.day, found) for day in days if (found := value(day)) is not None)
        shown = "{:.0f}".format if name == "pace" else "{:.1f}".format
        spread = comfortable_wpm() if name == "pace" else None
        top = 1.15 * max(spread[1], *(v for _, v in values)) if spread and values else None
        chart = day_chart([Points(title, values)], title, shown, name, top=top, spread=spread)
        if chart is not None:
            charts.append((title, chart))
    return charts


def _in_words(line: Points, shown: Callable[[float], str]) -> str:
    (day, value), (last, now) = line.values[0], line.values[-1]
    if len(line.values) == 1:
        return f"{line.name}: {shown(value)} on {_day(day)}"
    best = max(line.values, key=lambda each: each[1])
    return (
        f"{line.name}: {shown(value)} on {_day(day)}, {shown(now)} on {_day(last)}, "
        f"highest {shown(best[1])} on {_day(best[0])}"
    )


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
