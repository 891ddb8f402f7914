import re
from dataclasses import replace
from datetime import date, timedelta

from client.practice.progress_over_time import WeekScore
from client.studio.views.progress import WEEKS_SHOWN, week_chart

MONDAY = date(2026, 3, 2)


def weeks(*scores: float | None) -> list[WeekScore]:
    return [
        WeekScore(MONDAY + timedelta(weeks=number), answers=2, questions=2, score=score)
        for number, score in enumerate(scores)
        if score is not None
    ]


def places(svg: str) -> list[tuple[float, float]]:
    found = re.findall(r'<circle[^>]* cx="([\d.]+)" cy="([\d.]+)"', svg)
    return [(float(across), float(down)) for across, down in found]


def test_scores_lie_on_their_levels_and_weeks_keep_their_distance() -> None:
    chart = week_chart(weeks(0.0, 0.5, None, 1.0))
    assert chart is not None
    (x0, y0), (x1, y1), (x3, y3) = places(chart.svg)
    levels = [float(y) for y in re.findall(r'class="chart-grid"[^>]* y1="([\d.]+)"', chart.svg)]
    assert [y0, y1, y3] == levels
    assert abs((x3 - x1) - 2 * (x1 - x0)) < 0.1


def test_it_says_in_words_what_it_shows() -> None:
    chart = week_chart(weeks(0.25, 0.9, 0.75))
    assert chart is not None
    assert chart.text == (
        "Mean score by week, from 25% in the week of 2 Mar 2026 to 75% in the week of 16 Mar 2026; "
        "best 90% in the week of 9 Mar 2026."
    )
    assert chart.text in chart.svg
    rising = week_chart(weeks(0.25, 0.75))
    assert rising is not None
    assert rising.text.endswith("to 75% in the week of 9 Mar 2026.")


def test_one_week_is_no_line() -> None:
    assert week_chart([]) is None
    assert week_chart(weeks(0.5)) is None


def test_only_the_latest_half_year_is_drawn() -> None:
    chart = week_chart(weeks(*([0.5] * 40)))
    assert chart is not None
    assert len(places(chart.svg)) == WEEKS_SHOWN


def test_after_a_long_break_the_week_before_it_is_still_there() -> None:
    chart = week_chart(weeks(0.5, *([None] * 60), 0.75))
    assert chart is not None
    assert len(places(chart.svg)) == 2


def test_weeks_graded_in_different_ways_are_not_drawn_as_one_line() -> None:
    graders = ("1.3.0", "1.3.0", "2.0.0", "2.0.1")
    chart = week_chart(
        [
            replace(week, grader=grader)
            for week, grader in zip(weeks(0.9, 0.8, 0.2, 0.4), graders, strict=True)
        ]
    )
    assert chart is not None
    lines = re.findall(r'class="chart-line"[^>]* points="([^"]+)"', chart.svg)
    assert [len(line.split()) for line in lines] == [2, 2]
    assert chart.svg.count('class="chart-change"') == 1
    assert chart.text == (
        "Grading changed in the week of 16 Mar 2026, and scores before and after it cannot be "
        "compared. Mean score by week, from 20% in the week of 16 Mar 2026 to 40% in the week of "
        "23 Mar 2026."
    )


def test_the_last_score_is_written_where_the_line_is_not() -> None:
    for scores, above in (((0.3, 0.6), True), ((0.6, 0.3), False), ((0.5, 0.0), False)):
        chart = week_chart(weeks(*scores))
        assert chart is not None
        label = re.search(r'class="chart-value"[^>]* y="([\d.]+)"', chart.svg)
        assert label is not None
        at, point = float(label[1]), places(chart.svg)[-1][1]
        assert (at < point) is above or scores[-1] == 0.0
        assert 0 < at < 160, "within the drawing"
