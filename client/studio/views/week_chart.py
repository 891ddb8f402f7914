"""The score from week to week as a line."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from client.practice.progress_over_time import WeekScore
from server.ui.charts import Chart
from server.ui.svg import element, picture

__all__ = ["WEEKS_SHOWN", "week_chart"]

WEEKS_SHOWN: Final = 26
"""Half a year: more points than that run into each other on a telephone."""

_WIDTH, _HEIGHT = 400, 180
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 372, 20, 148
_LEVELS: Final = (0.0, 0.5, 1.0)
_DAYS_A_WEEK: Final = 7


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
    path = " ".join(f"{x(week):.1f},{y(week.score):.1f}" for week in shown)
    parts.append(element("polyline", class_="chart-line", points=path))
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
    # above the point, but within the drawing
    label_y = max(_TOP - 8, y(last.score) - 10)
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
    best = max(shown, key=lambda week: week.score)
    text = (
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
