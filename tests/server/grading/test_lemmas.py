"""The lemmas of the dictionary, looked up without making a dictionary of it first."""

import subprocess
import sys
from random import Random

import lemminflect  # type: ignore[import-untyped]
import pytest

from question_bank.loader import load_bank
from server.grading.lexis.words import (
    _shipped,
    _table,
    inflections,
    lemma,
    lemmas_in_dictionary,
    make_inflections,
    verb_by_model,
    verb_of_unknown,
)
from server.grading.tokenizer import tokenize


def test_the_lemmas_are_those_of_lemminflect() -> None:
    words = [line.split(b",")[0].decode() for line in _table().text.split()]
    lower = sorted({word for word in words if word == word.lower()})
    chosen = Random(1).sample(lower, 1500)
    plurals = [word + "s" for word in chosen[:500]]
    for word in [*lower[:50], *lower[-50:], *chosen, *plurals, "her", "okay", "cyclops", "is"]:
        assert lemmas_in_dictionary(word) == lemminflect.getAllLemmas(word), word


@pytest.mark.parametrize(
    "word", ["", ",", "zygote,noun", "zygote,noun,zygote", "zzzz", "naïveté\n"]
)
def test_what_is_no_word_of_it_has_none(word: str) -> None:
    assert lemmas_in_dictionary(word) == {}


def test_every_line_of_the_table_is_found() -> None:
    """Bisection needs the order of the file; another version of it may have another."""
    lines = _table().text.splitlines()[1:]
    words = [line.split(b",")[0] for line in lines]
    assert words == sorted(words)
    found = [line for word in dict.fromkeys(words) for line in _table().lines_of(word)]
    assert found == lines


def test_lemmas_need_no_lemminflect() -> None:
    """It reads its whole table, which took a third of the time of `aloud grade`."""
    code = (
        "import sys; from server.grading.lexis.words import lemma; "
        "assert lemma('embeddings') == 'embed' and lemma('creditbased') == 'creditbase'; "
        "assert 'lemminflect' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_shipped_inflections_are_those_that_would_be_made() -> None:
    for key in _shipped("inflections"):
        assert inflections(key) == make_inflections(key), key


def test_so_are_shipped_lemmas_of_unknown_verbs() -> None:
    verbs = _shipped("unknown_verbs")
    assert len(verbs) > 500
    for word in verbs:
        assert verb_of_unknown(word) == verb_by_model(word), word


def test_most_words_of_the_bank_are_shipped() -> None:
    """The others take longer when a question is prepared: run scripts/inflections.py."""
    phrases = [key.phrase for question in load_bank().questions for key in question.key_phrases]
    keys = {lemma(token.text) for phrase in phrases for token in tokenize(phrase.split())}
    long = [key for key in keys if key.isalpha() and len(key) > 5]
    lacking = [key for key in long if key not in _shipped("inflections")]
    assert len(lacking) < len(long) / 10, lacking
