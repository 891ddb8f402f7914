import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.accents import ACCENTS
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import Bank
from scripts import phrase_spellings
from scripts.phrase_spellings import STRONG, Row, accents_of, chosen, read_rows, wordings
from server.grading import cover

LEXICON = load_lexicon()
SAID = "Nobody here had used {} before that project."


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load_bank()


def rows(wording: str, *written: str) -> list[Row]:
    return [Row(wording, "German", "tiny.en", text) for text in written]


def test_the_phrases_names_are_said_first_and_the_lexicons_terms_left_out(bank: Bank) -> None:
    said = wordings(bank, LEXICON)
    folded = [name.casefold() for name in said]
    names = {each.phrase.casefold() for q in bank.questions for each in q.key_phrases}

    assert len({*folded}) == len(folded)
    assert "free list" in said
    assert "kubelet" not in folded
    assert {*folded[:500]} <= names
    assert not {*folded} <= names


def test_all_accents_have_their_turn_and_each_wording_a_strong_one() -> None:
    turns = [accents_of(number) for number in range(60)]

    assert {name for turn in turns for name in turn} == {*ACCENTS}
    assert all(len({*turn}) == len(turn) and STRONG.count(turn[0]) for turn in turns)


def test_what_helps_is_kept(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.grading.by_sound._telling_spellings", lambda name: ())
    heard = [
        *rows("free list", "freeleast", "freeleast", "free list"),
        *rows("GPU count", "gbu count"),  # the grader finds it by its sound
        *rows("numerical precision", "numerical procedure", "numerical procedure"),
        *rows("more zones and regions", "more zones"),  # ordinary words
        *rows("2 tiers", "2 tests"),  # nor does the number speak for it
        *rows("scale and utilization", "sakeal"),  # Whisper lost its way
        *rows("step count", "stripe count", "stripe count"),  # another phrase
    ]

    assert chosen(heard, bank, LEXICON) == {"free list": Counter({"freeleast": 2})}


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    assert read_rows(file) == []
    [row] = rows("free list", "freeleast")
    file.write_text(json.dumps(vars(row)) + "\n")
    assert read_rows(file) == [row]


def test_the_grader_finds_every_phrase_in_every_spelling(bank: Bank) -> None:
    table = json.loads(phrase_spellings.DATA.read_text("utf-8"))
    phrases = {
        name: each
        for question in bank.questions
        for each in question.key_phrases
        for name in (*each.aliases, each.phrase)
    }

    assert table
    for wording, counts in table.items():
        for spelling, count in counts.items():
            covered = cover([phrases[wording]], SAID.format(spelling).split(), LEXICON)
            assert (covered.phrases[0].status, count > 0) == ("covered", True), spelling
