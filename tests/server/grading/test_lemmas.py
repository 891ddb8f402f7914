"""The lemmas of the dictionary, looked up without making a dictionary of it first."""

import subprocess
import sys
from random import Random

import lemminflect  # type: ignore[import-untyped]
import pytest

from server.grading.lexis.words import _table, lemmas_in_dictionary


def test_the_lemmas_are_those_of_lemminflect() -> None:
    words = [line.split(b",")[0].decode() for line in _table()]
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
    words = [line.split(b",")[0] for line in _table()]
    assert words == sorted(words)


def test_lemmas_need_no_lemminflect() -> None:
    """It reads its whole table, which took a third of the time of `aloud grade`."""
    code = (
        "import sys; from server.grading.lexis.words import lemma; "
        "assert lemma('embeddings') == 'embed'; assert 'lemminflect' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
