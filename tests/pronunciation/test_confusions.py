"""How far words sound apart, as a whole and word by word."""

import pytest

from pronunciation.confusions import distance, distances, encode

SPECULATIVE = encode(["S", "P", "EH", "K", "Y", "AH", "L", "AH", "T", "IH", "V"])
DECODING = encode(["D", "IH", "K", "OW", "D", "IH", "NG"])


def test_the_same_sound_is_no_distance_apart():
    assert distance(DECODING, DECODING) == 0.0


def test_each_word_has_its_own_distance():
    written = SPECULATIVE + encode(["R", "AO", "NG"])

    same, other = distances([SPECULATIVE, DECODING], written)

    assert same == 0.0
    assert other > 0.4 > 0.25 > distance(SPECULATIVE + DECODING, written)


def test_the_distances_of_the_words_add_up_to_that_of_the_whole():
    words = [SPECULATIVE, DECODING]
    written = SPECULATIVE + encode(["T", "IH", "K", "OW", "T", "IH", "N"])

    apart = distances(words, written)

    costs = [far * len(word) for far, word in zip(apart, words, strict=True)]
    assert sum(costs) / len(written) == pytest.approx(distance("".join(words), written))


def test_a_single_word_is_as_far_as_the_whole():
    written = encode(["T", "IH", "K", "OW", "T", "IH", "NG"])

    assert distances([DECODING], written) == [pytest.approx(distance(DECODING, written))]


def test_a_word_that_nothing_was_written_for_is_far():
    assert distances([SPECULATIVE, DECODING], SPECULATIVE)[1] > 0.5
