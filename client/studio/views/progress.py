"""Progress as its page shows it: scores by heading, terms to work on, and the week chart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Final

from client.practice.drills.items import ItemSets
from client.practice.progress import (
    ScoreLine,
    TermLine,
    score_lines,
    score_lines_by,
    term_lines,
)
from client.practice.progress_over_time import TermTake, WeekScore, term_takes
from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question
from server.contract import AttemptSummary, DrillCard, Report, is_like
from server.ui.charts import Chart
from server.ui.svg import element, picture

TERMS_SHOWN: Final = 20
TAKES_SHOWN: Final = 8
"""A row of signs that still fits beside a term on a telephone."""
WEEKS_SHOWN: Final = 26
"""Half a year: more points than that run into each other on a telephone."""

_WIDTH, _HEIGHT = 400, 180
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 372, 20, 148
"""The labels on the left are larger on a telephone."""
_LEVELS: Final = (0.0, 0.5, 1.0)
_DAYS_A_WEEK: Final = 7


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
    headings: list[tuple[str, str, list[ScoreLine], dict[str, str]]] = [
        (
            "role",
            "Roles",
            score_lines(attempts, lambda each: each.role),
            {each.id: each.title for each in bank.roles},
        ),
        (
            "round",
            "Rounds",
            score_lines(attempts, lambda each: each.round),
            {each.id: each.title for each in bank.rounds},
        ),
        ("topic", "Topics", score_lines(attempts, lambda each: each.topic), {}),
        (
            "signal",
            "Signals",
            score_lines_by(attempts, lambda each: signals.get(each.question_id, ())),
            {each.id: each.title for each in bank.signals},
        ),
    ]
    return [Dimension(name, title, tuple(lines), titles) for name, title, lines, titles in headings]


def spoken_terms(
    lexicon: Lexicon,
    reports: Sequence[Report],
    cards: Iterable[DrillCard],
    sets: ItemSets,
) -> list[SpokenTerm]:
    """The terms said wrong most often, in answers and (where all is looked at) in drills."""
    items = {item.id: item for item in sets.of(None)}
    drilled = [
        (items[card.item_id].term if card.item_id in items else card.item_id, card)
        for card in cards
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


def week_chart(weeks: Sequence[WeekScore]) -> Chart | None:
    """The mean score of each week, the latest half year; ``None`` for fewer than two weeks.

    A week without an answer takes its place on the axis and has no point.

    Args:
        weeks: the oldest first.
    """
    if len(weeks) < 2:
        return None
    last = weeks[-1]
    shown = [week for week in weeks if _between(week.monday, last.monday) < WEEKS_SHOWN]
    if len(shown) < 2:  # the one before is more than half a year ago
        shown = list(weeks[-2:])
    first = shown[0]
    span = _between(first.monday, last.monday)

    def x(week: WeekScore) -> float:
        return _LEFT + 8 + _between(first.monday, week.monday) / span * (_RIGHT - _LEFT - 16)

    def y(score: float) -> float:
        return _BOTTOM - score * (_BOTTOM - _TOP)

    parts = []
    for level in _LEVELS:
        parts += [
            element("line", class_="chart-grid", x1=_LEFT, x2=_RIGHT, y1=y(level), y2=y(level)),
            element(
                "text",
                f"{level:.0%}",
                class_="chart-text",
                x=_LEFT - 6,
                y=y(level) + 4,
                text_anchor="end",
            ),
        ]
    changes = [
        index
        for index, (week, following) in enumerate(pairwise(shown), start=1)
        if not is_like(week.grader, following.grader)
    ]
    for begin, end in pairwise((0, *changes, len(shown))):
        path = " ".join(f"{x(week):.1f},{y(week.score):.1f}" for week in shown[begin:end])
        parts.append(element("polyline", class_="chart-line", points=path))
    for index in changes:
        between = (x(shown[index - 1]) + x(shown[index])) / 2
        parts.append(
            element(
                "line",
                element("title", "grading changed"),
                class_="chart-change",
                x1=between,
                x2=between,
                y1=_TOP,
                y2=_BOTTOM,
            )
        )
    parts += [
        element(
            "circle",
            element("title", f"{week.score:.0%} in the week of {_day(week.monday)}"),
            class_="chart-point",
            cx=x(week),
            cy=y(week.score),
            r=3.5,
        )
        for week in shown
    ]
    # within the drawing, on the side of the point that the line does not come from
    falls = shown[-2].score > last.score
    label_y = min(_BOTTOM - 4, y(last.score) + 22) if falls else max(_TOP - 8, y(last.score) - 10)
    parts.append(
        element(
            "text",
            f"{last.score:.0%}",
            class_="chart-value",
            x=x(last) + 8,
            y=label_y,
            text_anchor="end",
        )
    )
    parts += [
        element(
            "text",
            _day(week.monday),
            class_="chart-text",
            x=place,
            y=_HEIGHT - 8,
            text_anchor=anchor,
        )
        for week, place, anchor in ((first, _LEFT, "start"), (last, _RIGHT, "end"))
    ]
    alike = shown[changes[-1] :] if changes else shown
    best = max(alike, key=lambda week: week.score)
    text = ""
    if changes:
        first = alike[0]
        text = f"Grading changed in the week of {_day(first.monday)}, and scores before and after "
        text += "it cannot be compared. "
    text += (
        f"Mean score by week, from {first.score:.0%} in the week of {_day(first.monday)} to "
        f"{last.score:.0%} in the week of {_day(last.monday)}"
    )
    better = best.score > max(first.score, last.score)
    text += f"; best {best.score:.0%} in the week of {_day(best.monday)}." if better else "."
    svg = picture(
        parts,
        width=_WIDTH,
        height=_HEIGHT,
        title="Score by week",
        text=text,
        id_prefix="weeks",
    )
    return Chart(svg, text)


def _between(early: date, late: date) -> int:
    return (late - early).days // _DAYS_A_WEEK


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
