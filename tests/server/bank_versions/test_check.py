"""Whether the ways and near misses of a bank are judged as their authors mean them."""

from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from client.cli.app import app
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.bank_versions.check import (
    Checked,
    check_bank_path,
    check_ways,
    near_misses_like_ways,
    unlike_ways,
)
from server.grading import cover_question

BANK = """\
- id: planted
  round: domain-deep-dive
  topic: Serving
  prompt: How do you serve many requests at once?
  model_answer: With continuous batching and paged attention.
  key_phrases:
    - phrase: continuous batching
      ways:
        - a new request joins the running group as soon as another one is done
        - as soon as one sequence ends, the next one takes its place
      not:
        - we pack the boxes in batches of ten
    - phrase: paged attention
      ways:
        - the cache is cut into small blocks of a fixed size
        - we never ever do anything of that kind with paged attention
      not:
        - the attention of the operator is paged by the alarm
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "own.yaml"
    file.write_text(BANK, encoding="utf-8")
    return file


def test_a_question_with_the_id_of_a_built_in_one_is_noted(path: Path) -> None:
    built_in = load_bank().known_question("infiniband-or-roce")
    path.write_text(BANK.replace("id: planted", f"id: {built_in.id}"), encoding="utf-8")
    checked = check_bank_path(path, ways=False)
    assert checked.faults == []
    (note,) = checked.notes
    assert note.startswith(
        f"{path}:1: question '{built_in.id}': id: replaces the built-in question "
    )
    assert built_in.prompt[:40] in note


def test_ways_that_do_not_say_their_phrase_are_named_with_line_phrase_and_text(path: Path) -> None:
    calls: list[tuple[int, int]] = []
    checked = check_bank_path(path, progress=lambda *done: calls.append(done))

    assert (checked.questions, calls) == (1, [(1, 1)])
    assert [fault.removeprefix(str(path)) for fault in checked.faults] == [
        ":16: question 'planted': key_phrases[1].ways[1]: 'we never ever do anything of that kind "
        "with paged attention' does not count as 'paged attention'"
    ]
    assert check_bank_path(path, ways=False) == Checked(1, 0, [], [])


def test_a_way_that_is_also_a_near_miss_is_a_fault(path: Path) -> None:
    way = "the cache is cut into small blocks of a fixed size"
    path.write_text(BANK.replace("the attention of the operator is paged by the alarm", way))
    (question,) = (each for each in load_bank((path,)).questions if each.id == "planted")

    ((_, faults),) = check_ways(load_lexicon(), [question])
    assert faults["key_phrases", 1, "ways", 0] == f"{way!r} is also under 'not' of the same phrase"


def test_a_way_of_two_phrases_is_a_fault_that_names_the_other(path: Path) -> None:
    way = "the cache is cut into small blocks of a fixed size"
    path.write_text(BANK.replace("as soon as one sequence ends, the next one takes its place", way))
    faults = check_bank_path(path).faults

    assert any(
        f":15: question 'planted': key_phrases[1].ways[0]: {way!r} is also a way of "
        "'continuous batching'" in fault
        for fault in faults
    )


def test_a_way_that_resembles_nothing_else_about_its_phrase_is_noted(path: Path) -> None:
    way = "my grandmother likes green tea in the morning"
    path.write_text(BANK.replace("as soon as one sequence ends, the next one takes its place", way))
    checked = check_bank_path(path)

    (note,) = checked.notes
    assert note.startswith(f"{path}:10: question 'planted': key_phrases[0].ways[1]: {way!r} ")


def test_a_review_of_more_than_a_year_ago_is_noted(path: Path) -> None:
    path.write_text(BANK.replace("  prompt:", "  reviewed: 2024-02-01\n  prompt:", 1))
    (note,) = check_bank_path(path, ways=False).notes
    assert note.endswith("reviewed: was last reviewed on 2024-02-01; is it still true?")
    path.write_text(BANK.replace("  prompt:", f"  reviewed: {date.today()}\n  prompt:", 1))
    assert check_bank_path(path, ways=False).notes == []


def test_a_near_miss_that_nearly_repeats_a_way_is_noted(path: Path) -> None:
    way = "as soon as one sequence ends, the next one takes its place"
    path.write_text(BANK.replace("we pack the boxes in batches of ten", f"and {way}"))
    (question,) = (each for each in load_bank((path,)).questions if each.id == "planted")

    ((field, note),) = near_misses_like_ways(question).items()
    assert field == ("key_phrases", 0, "not", 0)
    assert f"is nearly the same as the way {way!r}" in note


def test_no_near_miss_of_the_built_in_bank_nearly_repeats_a_way() -> None:
    assert not any(near_misses_like_ways(each) for each in load_bank().questions)


def test_few_ways_of_the_built_in_bank_are_noted() -> None:
    questions = load_bank().questions
    ways = sum(len(phrase.ways) for each in questions for phrase in each.key_phrases)

    assert sum(len(unlike_ways(each)) for each in questions) < ways / 500


def test_a_near_miss_counts_as_nothing_though_its_words_are_the_phrase(path: Path) -> None:
    path.write_text(BANK.replace("we pack the boxes in batches of ten", "continuous batching"))
    (question,) = (each for each in load_bank((path,)).questions if each.id == "planted")

    ((_, faults),) = check_ways(load_lexicon(), [question])
    assert {field[1:] for field in faults} == {(1, "ways", 1)}


def test_every_way_and_near_miss_of_a_question_is_judged_as_meant() -> None:
    question = next(each for each in load_bank().questions if each.id == "infiniband-or-roce")
    lexicon = load_lexicon()
    assert list(check_ways(lexicon, [question])) == [(question, {})]
    for at, phrase in enumerate(question.key_phrases):  # also those that need no grading
        for text in (*phrase.ways, *phrase.not_):
            found = cover_question(question, text.split(), lexicon).phrases[at]
            assert found.status != "missing" if text in phrase.ways else not found.is_said


def test_the_command_names_the_faults_and_can_leave_the_ways_out(path: Path) -> None:
    checked = CliRunner().invoke(app, ["bank", "validate", str(path)])
    fast = CliRunner().invoke(app, ["bank", "validate", "--fast", str(path)])

    assert checked.exit_code != 0 and "does not count" in checked.output
    assert fast.exit_code == 0
