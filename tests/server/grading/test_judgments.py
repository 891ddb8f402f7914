"""The labeled judgments: the goals of the issue are held."""

from pathlib import Path

import pytest
import yaml

FILES = sorted((Path(__file__).parent / "judgments").glob("*.yaml"))


def test_the_goals_are_reached_over_all_judgments(benchmark, lexicon):
    tally = benchmark.Tally()
    for path in FILES:
        benchmark.tally(yaml.safe_load(path.read_text("utf-8")), lexicon, tally)

    assert tally.judgments >= 300
    assert tally.precision >= benchmark.MIN_PRECISION
    assert tally.f1 >= benchmark.MIN_F1


def test_the_tally_counts_what_it_is_given(benchmark):
    tally = benchmark.Tally()
    for expected, given in [("covered", "covered"), ("covered", "missing"), ("missing", "covered"),
                            ("covered", "covered"), ("partial", "partial")]:  # fmt: skip
        tally.add(expected, given)

    assert tally.precision == pytest.approx(2 / 3)
    assert tally.recall == pytest.approx(2 / 3)
    assert tally.f1 == pytest.approx(2 / 3)
    assert tally.accuracy == pytest.approx(3 / 5)
