import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from server.contract import Filler, Pause, Report, Word
from server.ui.charts import Bar, Chart, ScorePoint, bar_chart, pace_chart, pace_points, score_chart
from tests.server.ui.conftest import make_words

MakeReport = Callable[..., Report]
SVG = "{http://www.w3.org/2000/svg}"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def drawing(chart: Chart | None) -> ET.Element:
    assert chart is not None
    root = ET.fromstring(str(chart.svg))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    ids = {each.get("id"): each.text for each in root}
    assert ids[root.get("aria-labelledby")]
    assert ids[root.get("aria-describedby")] == chart.text
    return root


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [each for each in root.iter() if name in (each.get("class") or "").split()]


def polyline(root: ET.Element) -> list[tuple[float, float]]:
    (line,) = of_class(root, "chart-line")
    pairs = (pair.split(",") for pair in str(line.get("points")).split())
    return [(float(x), float(y)) for x, y in pairs]


def test_a_steady_pace_is_a_level_line() -> None:
    words = make_words(" ".join(["w"] * 80))  # one each half second: 120 a minute
    points = pace_points(words, 0.0, 40.0)
    assert [point.at_s for point in points] == [5.0 + n for n in range(31)]
    assert {point.words_per_minute for point in points} == {120.0}


def test_a_slow_half_shows_where_it_was() -> None:
    words = (
        *make_words(" ".join(["fast"] * 60), each_s=1 / 3),  # 180 a minute until 20 s
        *make_words(" ".join(["slow"] * 20), start_s=20.0, each_s=1.0),  # 60 a minute
    )
    points = pace_points(words, 0.0, 40.0)
    assert points[0].words_per_minute == 180.0
    assert points[-1].words_per_minute == 60.0
    middle = next(point for point in points if point.at_s == 20.0)
    assert middle.words_per_minute == pytest.approx(120.0)


def test_words_without_times_are_left_out() -> None:
    words = (*make_words(" ".join(["w"] * 40)), Word(text="lost"))
    assert {point.words_per_minute for point in pace_points(words, 0.0, 20.0)} == {120.0}


def test_the_pace_chart_marks_pauses_and_fillers_in_their_places(make_report: MakeReport) -> None:
    report = make_report(
        make_words(" ".join(["w"] * 80)),
        delivery={
            "pauses": (Pause(start_s=10.0, end_s=12.0), Pause(start_s=30.0, end_s=30.3)),
            "fillers": (
                Filler(text="um", start_s=20.0, end_s=20.3, word_index=40),
                Filler(text="uh", word_index=41),
            ),
        },
    )
    chart = pace_chart(report)
    root = drawing(chart)
    left = min(x for x, _ in polyline(root))
    pauses = of_class(root, "chart-pause")
    assert [each[0].text for each in pauses] == ["pause of 2.0 s at 0:10", "pause of 0.3 s at 0:30"]
    assert float(str(pauses[0].get("x"))) > left
    assert float(str(pauses[0].get("width"))) == pytest.approx(
        (float(str(pauses[1].get("x"))) - float(str(pauses[0].get("x")))) * 2 / 20, rel=0.01
    )
    assert [each[0].text for each in of_class(root, "chart-filler")] == ["“um” at 0:20"]
    assert chart is not None
    assert "120 words per minute" in chart.text
    assert "Pauses of 1 s or more: 0:10 (2.0 s)." in chart.text
    assert "Fillers: “um” at 0:20." in chart.text


def test_scores_run_from_the_oldest_to_the_newest() -> None:
    days = [(2, 0.5), (0, 0.2), (8, 0.9)]
    chart = score_chart(
        [ScorePoint(NOON + timedelta(days=day), score) for day, score in days],
        title="Scores",
        id_prefix="s",
    )
    (x1, y1), (x2, y2), (x3, y3) = polyline(drawing(chart))
    assert x1 < x2 < x3 and y1 > y2 > y3
    assert (x2 - x1) / (x3 - x1) == pytest.approx(0.25, abs=0.01)
    assert (y1 - y2) / (y1 - y3) == pytest.approx(3 / 7, abs=0.01)
    assert chart is not None
    assert "first 20%, latest 90%, best 90%" in chart.text


def test_scores_graded_in_different_ways_are_not_drawn_as_one_line() -> None:
    graders = ("1.2.0", "1.2.1", "2.0.0", "2.0.1")
    chart = score_chart(
        [
            ScorePoint(NOON + timedelta(days=day), day / 10, grader)
            for day, grader in enumerate(graders)
        ],
        title="Scores",
        id_prefix="s",
    )
    root = drawing(chart)
    lines = [str(each.get("points")).split() for each in of_class(root, "chart-line")]
    assert [len(line) for line in lines] == [2, 2]
    (change,) = of_class(root, "chart-change")
    last_before, first_after = (float(line.split(",")[0]) for line in (lines[0][1], lines[1][0]))
    assert last_before < float(str(change.get("x1"))) < first_after
    assert chart is not None
    assert "cannot be compared. Since then first 20%, latest 30%, best 30%." in chart.text


def test_bars_are_as_long_as_their_shares() -> None:
    bars = [Bar("A & <B>", 0.5, "2 questions"), Bar("C", 0.0), Bar("D", 1.0)]
    chart = bar_chart(bars, title="Topics", id_prefix="t")
    root = drawing(chart)
    widths = [float(str(each.get("width"))) for each in of_class(root, "chart-bar")]
    grounds = [float(str(each.get("width"))) for each in of_class(root, "chart-bar-ground")]
    assert widths == [grounds[0] / 2, grounds[0]]
    assert len(grounds) == 3
    assert of_class(root, "chart-name")[0].text == "A & <B>"
    assert chart is not None
    assert chart.text == "A & <B> 50% (2 questions); C 0%; D 100%."
    assert bar_chart([], title="t", id_prefix="t") is None
