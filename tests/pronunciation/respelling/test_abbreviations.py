"""Abbreviations that are also words are read by their place."""

from pathlib import Path

import pytest

from pronunciation.respelling.for_voices import spelled_out

ONE_FORM = Path(__file__).parents[2] / "data" / "one_form"


@pytest.mark.parametrize("line", (ONE_FORM / "abbreviations.txt").read_text("utf-8").splitlines())
def test_an_abbreviation_is_a_word_where_its_place_says_so(line: str) -> None:
    written, read = line.split(" > ")
    assert spelled_out(written) == read


@pytest.mark.parametrize("text", (ONE_FORM / "words_kept.txt").read_text("utf-8").splitlines())
def test_a_word_stays_a_word(text: str) -> None:
    assert spelled_out(text) == text
