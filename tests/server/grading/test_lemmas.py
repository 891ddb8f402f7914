"""Lemmas, families and inflections of words."""

import pytest

from server.grading.english import family, inflections, lemma, lemmas_in_dictionary


@pytest.mark.parametrize("word", ["", ",", "zygote,noun", "zzzz", "naïveté\n"])
def test_what_is_no_word_has_no_lemmas(word: str) -> None:
    assert lemmas_in_dictionary(word) == {}


def test_lemmas_and_families() -> None:
    assert lemma("embeddings") == "embed"
    assert family("replication") == family("replicated")
    assert "checkpointing" in inflections("checkpoint")
