import re
from datetime import date, timedelta

from client.studio.views.progress import DAYS_SHOWN, Points, day_chart
from server.ui.charts import Chart

MONDAY = date(2026, 3, 2)


def drawn(*scores: float | None, again: float | None = None) -> Chart:
    firsts = tuple(
        (MONDAY + timedelta(days=number), score)
        for number, score in enumerate(scores)
        if score is not None
    )
    repeats = () if again is None else ((MONDAY, again),)
    lines = [Points("First answers", firsts), Points("Repeats", repeats, "chart-again")]
    chart = day_chart(lines, "Score by day", "{:.0%}".format, "days", top=1.0, spread=(0.4, 0.6))
    assert chart is not None
    return chart


def places(svg: str) -> list[tuple[float, float]]:
    found = re.findall(r'<circle[^>]* cx="([\d.]+)" cy="([\d.]+)"', svg)
    return [(float(across), float(down)) for across, down in found]


def test_scores_lie_on_their_levels_and_days_keep_their_distance() -> None:
    svg = drawn(0.0, 0.5, None, 1.0).svg
    (x0, y0), (x1, y1), (x3, y3) = places(svg)
    levels = [float(y) for y in re.findall(r'class="chart-grid"[^>]* y1="([\d.]+)"', svg)]
    assert [y0, y1, y3] == levels
    assert abs((x3 - x1) - 2 * (x1 - x0)) < 0.1


def test_the_first_day_is_drawn_with_repeats_apart_and_the_band_behind() -> None:
    chart = drawn(0.25, again=0.75)
    assert len(places(chart.svg)) == 2
    assert 'class="chart-again"' in chart.svg and 'class="chart-band"' in chart.svg
    assert "<polyline" not in chart.svg
    assert chart.text == "First answers: 25% on 2 Mar 2026; Repeats: 75% on 2 Mar 2026."


def test_it_says_in_words_what_it_shows() -> None:
    chart = drawn(0.25, 0.9, 0.75)
    assert chart.text == (
        "First answers: 25% on 2 Mar 2026, 75% on 4 Mar 2026, highest 90% on 3 Mar 2026."
    )
    assert chart.text in chart.svg


def test_only_the_latest_six_weeks_are_drawn() -> None:
    assert len(places(drawn(*([0.5] * 60)).svg)) == DAYS_SHOWN
    assert day_chart([Points("Nothing", ())], "Nothing", str, "none") is None
