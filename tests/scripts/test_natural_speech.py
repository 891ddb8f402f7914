"""The natural voice's sentences for training: their words are the phones that were spoken."""

import random

from benchmarks.accents import LEARNED_FROM, Accent
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.phones import CONSONANTS, VOWELS
from scripts.natural_speech import said, sentences, spoken
from scripts.train.splits import term_split

TEXTS = ["he has a broken arm and a wide very old bag"]


def test_no_term_is_spoken_that_a_benchmark_asks_about() -> None:
    held_out = {term.term for term in load_lexicon() if term_split(term.term) == "heldout"}

    text = " ".join(sentences(TEXTS, 200, random.Random(1)))

    assert not held_out & {*text.split()}
    assert sum(term_split(term.term) == "dev" and term.term in text for term in load_lexicon()) > 50


def test_words_are_what_the_accent_makes_of_them() -> None:
    swaps = Accent("v for w", (("w", "v"),))

    phones = [said("wˈI", swaps, random.Random(seed)) for seed in range(40)]

    assert phones.count("vˈI") > 10  # as it is
    assert len(set(phones)) > 10  # and many changed or invented
    assert not any("w" in each for each in phones)


def test_sound_and_phones_of_a_sentence_belong_together() -> None:
    [first, *_] = utterances = list(spoken(TEXTS, len(LEARNED_FROM) + 1, 1))

    assert first.speaker == "natural American"
    assert len({each.speaker for each in utterances}) > 6
    for each in utterances:
        assert {phone for word in each.words for phone in word} <= {*VOWELS, *CONSONANTS}
        assert each.samples.size > 1000 * sum(map(len, each.words))
