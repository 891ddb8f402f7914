"""Charts as SVG: pace over time, scores over time, bars by topic. Pure functions.

Colors come from the stylesheet's classes, so that a chart follows the theme. Each chart says in
words what it shows (``Chart.text``), for screen readers and as its caption.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from markupsafe import Markup, escape

from server.contract import Pause, Report, Word, clock, comfortable_wpm, is_like
from server.ui import show_controls


def element(tag: str, content: str = "", /, **attributes: str | float | None) -> Markup:
    """An element; ``_`` in an attribute's name becomes ``-``, ``class_`` is ``class``.

    Args:
        tag: the element's name.
        content: escaped unless it is markup already.
        **attributes: numbers are written with two digits at most; ``None`` is left out.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    shown = content if isinstance(content, Markup) else show_controls(content)
    return Markup(f"<{tag}{written}>{escape(shown)}</{tag}>")


def picture(
    parts: Iterable[Markup], *, width: int, height: int, title: str, text: str, id_prefix: str
) -> Markup:
    """A whole drawing, with a text alternative for screen readers.

    Args:
        parts: what is drawn.
        width: in the drawing's own units; the page scales it.
        height: likewise.
        title: what it is.
        text: what it shows, in words.
        id_prefix: unique on the page.
    """
    body = (
        element("title", title, id=f"{id_prefix}-title")
        + element("desc", text, id=f"{id_prefix}-desc")
        + Markup("").join(parts)
    )
    return element(
        "svg",
        body,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_labelledby=f"{id_prefix}-title",
        aria_describedby=f"{id_prefix}-desc",
        xmlns="http://www.w3.org/2000/svg",
    )


def _plain(value: str | float) -> str:
    if isinstance(value, str):
        return show_controls(value)
    return f"{value:.2f}".rstrip("0").rstrip(".")


PACE_WINDOW_S: Final = 10.0
"""Long enough for about 25 words, so that one long word does not distort the line."""
PACE_STEP_S: Final = 1.0
NAMED_PAUSE_S: Final = 1.0
"""The most pauses named in the text beside the chart; the chart shows all."""
NAMED_IN_WORDS: Final = 5

_WIDTH: Final = 480
_LEFT: Final = 40
_RIGHT: Final = 12
_TOP: Final = 14


@dataclass(frozen=True)
class Chart:
    """A drawing and the same information in words."""

    svg: Markup
    text: str


@dataclass(frozen=True)
class PacePoint:
    """How fast was spoken in the window around a moment."""

    at_s: float
    words_per_minute: float


@dataclass(frozen=True)
class ScorePoint:
    """The score (0 to 1) of one attempt, and the version of the grader that gave it."""

    at: datetime
    score: float
    grader: str = ""


@dataclass(frozen=True)
class Bar:
    """A named share (0 to 1); ``note`` says what it is based on, e.g. ``3 questions``."""

    name: str
    share: float
    note: str = ""


def pace_points(
    words: Sequence[Word],
    begin_s: float,
    end_s: float,
) -> tuple[PacePoint, ...]:
    """Words per minute in a window that slides over the answer.

    The window stays within the answer, so that the first and the last point are based on as much
    speech as the others. An answer shorter than the window has no points.

    Args:
        words: a word belongs to the windows that contain its middle; words without times are left
            out.
        begin_s: where the answer begins, in seconds.
        end_s: where it ends.
    """
    middles = sorted(
        (word.start_s + word.end_s) / 2
        for word in words
        if word.start_s is not None and word.end_s is not None
    )
    if not middles or end_s - begin_s < PACE_WINDOW_S:
        return ()
    steps = int((end_s - begin_s - PACE_WINDOW_S) / PACE_STEP_S + 1e-9)
    points: list[PacePoint] = []
    for step in range(steps + 1):
        start_s = begin_s + step * PACE_STEP_S
        inside = sum(start_s <= middle < start_s + PACE_WINDOW_S for middle in middles)
        points.append(PacePoint(start_s + PACE_WINDOW_S / 2, inside * 60.0 / PACE_WINDOW_S))
    return tuple(points)


def pace_chart(report: Report, *, id_prefix: str = "pace") -> Chart | None:
    """Pace over time with pauses and fillers marked; ``None`` if there is too little sound."""
    words = report.transcript.words
    times = [s for word in words for s in (word.start_s, word.end_s) if s is not None]
    if not times:
        return None
    begin_s, end_s = min(times), max(times)
    points = pace_points(words, begin_s, end_s)
    if len(points) < 2:
        return None
    fillers = [(each.text, each.start_s) for each in report.delivery.fillers]
    timed_fillers = [(text, start_s) for text, start_s in fillers if start_s is not None]
    pauses = [pause for pause in report.delivery.pauses if begin_s <= pause.start_s <= end_s]
    text = _pace_text(points, pauses, timed_fillers)
    height, bottom = 184, 138
    fastest_wpm = max(point.words_per_minute for point in points)
    top_wpm = max(200.0, 50.0 * math.ceil(fastest_wpm / 50.0))

    def x(at_s: float) -> float:
        return _LEFT + (at_s - begin_s) / (end_s - begin_s) * (_WIDTH - _LEFT - _RIGHT)

    def y(wpm: float) -> float:
        return bottom - wpm / top_wpm * (bottom - _TOP)

    low, high = comfortable_wpm()
    parts = [
        element(
            "rect",
            class_="chart-band",
            x=_LEFT,
            y=y(high),
            width=_WIDTH - _LEFT - _RIGHT,
            height=y(low) - y(high),
        )
    ]
    parts += [_level(y(value), f"{value:.0f}") for value in (0.0, 100.0, top_wpm)]
    parts.append(
        element(
            "polyline",
            class_="chart-line",
            points=_path((x(p.at_s), y(p.words_per_minute)) for p in points),
        )
    )
    for pause in pauses:
        width = max(1.5, x(pause.end_s) - x(pause.start_s))
        parts.append(
            element(
                "rect",
                element("title", f"pause of {_seconds(pause)} at {clock(pause.start_s)}"),
                class_="chart-pause",
                x=x(pause.start_s),
                y=bottom,
                width=width,
                height=8,
            )
        )
    for filler, start_s in timed_fillers:
        parts.append(
            element(
                "circle",
                element("title", f"“{filler}” at {clock(start_s)}"),
                class_="chart-filler",
                cx=x(start_s),
                cy=bottom + 15,
                r=3.5,
            )
        )
    parts += [
        element(
            "text", clock(at_s), class_="chart-text", x=x(at_s), y=height - 6, text_anchor=anchor
        )
        for at_s, anchor in ((begin_s, "start"), ((begin_s + end_s) / 2, "middle"), (end_s, "end"))
    ]
    svg = picture(
        parts, width=_WIDTH, height=height, title="Pace over time", text=text, id_prefix=id_prefix
    )
    return Chart(svg, text)


def score_chart(points: Iterable[ScorePoint], *, title: str, id_prefix: str) -> Chart | None:
    """Scores over time, oldest first; ``None`` if there are fewer than two.

    A line joins scores that can be compared; a mark shows where the way of grading changes.
    """
    ordered = sorted(points, key=lambda point: point.at)
    if len(ordered) < 2:
        return None
    changes = [
        index
        for index, (one, next_one) in enumerate(pairwise(ordered), start=1)
        if not is_like(one.grader, next_one.grader)
    ]
    latest = ordered[changes[-1] :] if changes else ordered
    height, bottom = 172, 140
    first, last = ordered[0], ordered[-1]
    span_s = (last.at - first.at).total_seconds()

    def x(index: int) -> float:
        # attempts from one session would coincide on a time axis, so they are spread evenly
        share = (
            (ordered[index].at - first.at).total_seconds() / span_s
            if span_s > 0
            else index / (len(ordered) - 1)
        )
        return _LEFT + 6 + share * (_WIDTH - _LEFT - _RIGHT - 12)

    def y(score: float) -> float:
        return bottom - score * (bottom - _TOP)

    best = max(point.score for point in latest)
    text = f"{len(ordered)} answers from {_day(first.at)} to {_day(last.at)}: "
    if changes:
        text += f"grading changed before {_day(latest[0].at)}, and scores before and after it "
        text += "cannot be compared. Since then "
    text += f"first {latest[0].score:.0%}, latest {last.score:.0%}, best {best:.0%}."
    parts = [_level(y(value), f"{value:.0%}") for value in (0.0, 0.5, 1.0)]
    places = [(x(index), y(point.score)) for index, point in enumerate(ordered)]
    for begin, end in pairwise((0, *changes, len(places))):
        parts.append(element("polyline", class_="chart-line", points=_path(places[begin:end])))
    for index in changes:
        between = (places[index - 1][0] + places[index][0]) / 2
        parts.append(
            element(
                "line",
                element("title", "grading changed"),
                class_="chart-change",
                x1=between,
                x2=between,
                y1=_TOP,
                y2=bottom,
            )
        )
    parts += [
        element(
            "circle",
            element("title", f"{point.score:.0%} on {_day(point.at)}"),
            class_="chart-point",
            cx=across,
            cy=down,
            r=3.5,
        )
        for point, (across, down) in zip(ordered, places, strict=True)
    ]
    ends: list[tuple[datetime, float, str]] = [(first.at, _LEFT, "start")]
    if _day(first.at) != _day(last.at):
        ends.append((last.at, _WIDTH - _RIGHT, "end"))
    parts += [
        element("text", _day(at), class_="chart-text", x=across, y=height - 6, text_anchor=anchor)
        for at, across, anchor in ends
    ]
    svg = picture(parts, width=_WIDTH, height=height, title=title, text=text, id_prefix=id_prefix)
    return Chart(svg, text)


def bar_chart(bars: Sequence[Bar], *, title: str, id_prefix: str) -> Chart | None:
    """Shares as bars under their names, in the order given; ``None`` if there are none."""
    if not bars:
        return None
    row_height = 44
    parts: list[Markup] = []
    for index, bar in enumerate(bars):
        top = index * row_height
        value = f"{bar.share:.0%}" + (f" · {bar.note}" if bar.note else "")
        parts += [
            element("text", bar.name, class_="chart-text chart-name", x=0, y=top + 16),
            element("text", value, class_="chart-value", x=_WIDTH, y=top + 16, text_anchor="end"),
            element(
                "rect", class_="chart-bar-ground", x=0, y=top + 24, width=_WIDTH, height=8, rx=4
            ),
        ]
        if bar.share > 0:
            width = max(4.0, min(1.0, bar.share) * _WIDTH)
            parts.append(
                element("rect", class_="chart-bar", x=0, y=top + 24, width=width, height=8, rx=4)
            )
    text = "; ".join(
        f"{bar.name} {bar.share:.0%}" + (f" ({bar.note})" if bar.note else "") for bar in bars
    )
    svg = picture(
        parts,
        width=_WIDTH,
        height=row_height * len(bars),
        title=title,
        text=f"{text}.",
        id_prefix=id_prefix,
    )
    return Chart(svg, f"{text}.")


def _pace_text(
    points: Sequence[PacePoint], pauses: Sequence[Pause], fillers: Sequence[tuple[str, float]]
) -> str:
    slowest = min(points, key=lambda point: point.words_per_minute)
    fastest = max(points, key=lambda point: point.words_per_minute)
    sentences = [
        f"Between {slowest.words_per_minute:.0f} words per minute around {clock(slowest.at_s)} "
        f"and {fastest.words_per_minute:.0f} around {clock(fastest.at_s)}, "
        f"counted over {PACE_WINDOW_S:.0f} s."
    ]
    long = sorted(
        (pause for pause in pauses if pause.end_s - pause.start_s >= NAMED_PAUSE_S),
        key=lambda pause: pause.start_s - pause.end_s,
    )
    if long:
        named = sorted(long[:NAMED_IN_WORDS], key=lambda pause: pause.start_s)
        places = ", ".join(f"{clock(pause.start_s)} ({_seconds(pause)})" for pause in named)
        more = len(long) - len(named)
        sentences.append(
            f"Pauses of {NAMED_PAUSE_S:.0f} s or more: {places}"
            + (f" and {more} more." if more else ".")
        )
    elif pauses:
        sentences.append(f"No pause of {NAMED_PAUSE_S:.0f} s or more.")
    if fillers:
        named_fillers = fillers[:NAMED_IN_WORDS]
        more = len(fillers) - len(named_fillers)
        places = ", ".join(f"“{text}” at {clock(start_s)}" for text, start_s in named_fillers)
        sentences.append(f"Fillers: {places}" + (f" and {more} more." if more else "."))
    return " ".join(sentences)


def _level(y: float, label: str) -> Markup:
    line = element("line", class_="chart-grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y)
    text = element("text", label, class_="chart-text", x=_LEFT - 6, y=y + 4, text_anchor="end")
    return line + text


def _path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{across:.1f},{down:.1f}" for across, down in points)


def _seconds(pause: Pause) -> str:
    return f"{pause.end_s - pause.start_s:.1f} s"


def _day(moment: datetime) -> str:
    local = moment.astimezone()
    return f"{local.day} {local:%b %Y}"
