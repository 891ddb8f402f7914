"""The labeled judgments: the goals of the issue are held."""

from pathlib import Path

import pytest
import yaml

from question_bank.loader import load_bank

FOLDER = Path(__file__).parent / "judgments"


def test_the_goals_are_reached_over_all_judgments(benchmark, lexicon):
    tally = benchmark.Tally()
    for name in benchmark.SETS:
        entries = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
        benchmark.tally(entries, lexicon, tally)

    assert tally.judgments >= 300
    said = {found: count for (label, found), count in tally.pairs.items() if label == "covered"}
    assert tally.precision >= benchmark.MIN_PRECISION
    # words that stand apart are asked about: without a question, nothing tells what they mean
    assert said["covered"] + said["possible"] >= benchmark.MIN_NOTICED * sum(said.values())


def test_few_traps_are_taken_and_every_statement_counts(benchmark, lexicon):
    taken, missed, count = benchmark.traps(load_bank(), lexicon)

    assert count >= 60
    assert len(taken) <= benchmark.MAX_TRAPS_TAKEN * count, taken
    assert missed == []


def test_most_misspelled_phrases_are_found(benchmark, lexicon):
    missed, count = benchmark.mistranscribed(lexicon)

    assert count >= 60
    assert len(missed) <= (1 - benchmark.MIN_MISTRANSCRIBED_FOUND) * count, missed


def test_the_tally_counts_what_it_is_given(benchmark):
    tally = benchmark.Tally()
    for expected, given in [("covered", "covered"), ("covered", "missing"), ("missing", "covered"),
                            ("covered", "covered"), ("covered", "possible")]:  # fmt: skip
        tally.add(expected, given)

    assert tally.precision == pytest.approx(2 / 3)
    assert tally.recall == pytest.approx(2 / 4)
    assert tally.noticed == pytest.approx(3 / 4)
