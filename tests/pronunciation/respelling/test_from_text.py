"""Phrases in plain letters: lexicon terms as taught, other words by dictionary and rule."""

import pytest

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.respelling.from_text import respell_phrase

LEXICON = load_lexicon()


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("RoCE", "ROCK-ee"),
        ("NCCL timeout", "NICK-ul TIME-out"),
        ("private endpoint", "PRY-vut END-point"),
        ("heartbeat", "HART-beet"),
        ("canary release", "kuh-NAIR-ee ree-LEESS"),
        ("all-to-all", "AWL TOO AWL"),
        ("rendezvous", "RON-dih-voo"),
        ("memory (pinned)", "MEM-er-ee PIND"),
    ],
)
def test_terms_are_said_as_taught_and_words_as_the_dictionary_has_them(
    phrase: str, said: str
) -> None:
    assert respell_phrase(phrase, LEXICON) == said


@pytest.mark.parametrize("phrase", ["", "—", " ... "])
def test_nothing_to_say_is_nothing(phrase: str) -> None:
    assert respell_phrase(phrase, LEXICON) == ""


def test_a_word_that_no_dictionary_has_still_gets_one_loud_syllable() -> None:
    said = respell_phrase("blorfinate", LEXICON)
    assert sum(part.isupper() for part in said.split("-")) == 1
