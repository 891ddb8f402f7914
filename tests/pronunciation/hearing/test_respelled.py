"""Terms planted in frame scores: which of the places of like sound are one."""

from dataclasses import replace

import numpy as np
import pytest

from pronunciation.g2p import with_s
from pronunciation.hearing.layout import Layout, Phones
from pronunciation.hearing.match import ASKED_FROM, MOST_PLACES, Match, features, phrase_model
from pronunciation.hearing.places import FEATURES, AlignedTranscript, Candidate, candidates
from pronunciation.hearing.respelled import (
    ASKED_UNDER,
    MORE_FEATURES,
    TermPlaces,
    choose_places,
    find_terms,
    respelled_model,
    term_places,
)
from pronunciation.hearing.results import Target
from pronunciation.hearing.sounding import Sounding
from tests.worlds.planted_terms import FULL, IS, ORDINARY, QUEUE, ROCKY, THE, near_terms, written

LOCKY: Phones = ("L", "AA", "K", "IY")
LUCKY: Phones = ("L", "AH", "K", "IY")


def find(said: list[Phones], text: list[Phones], words: list[str], *terms: Sounding) -> list[Match]:
    scores, transcript = written(said, text)
    near = near_terms(transcript, words, *terms)
    places = candidates(scores, transcript, [], phrase_model().said_as, near)
    return find_terms(term_places(places, transcript, words, terms, ORDINARY), transcript)


def test_a_short_term_is_found_where_a_word_of_the_same_sound_was_written() -> None:
    said = [THE, QUEUE, IS, FULL]

    (found,) = find(
        said, said, ["the", "cue", "is", "full"], Sounding("queue", (QUEUE,), expected=True)
    )

    assert (found.index, found.word_index, found.n_words) == (0, 1, 1)
    assert found.confidence > 0.6


def test_the_sound_decides_where_the_word_is_another() -> None:
    roce = Sounding("RoCE", (ROCKY,), expected=True)

    heard = find(
        [THE, ROCKY, IS, FULL], [THE, LOCKY, IS, FULL], ["the", "locky", "is", "full"], roce
    )
    other = find(
        [THE, LUCKY, IS, FULL], [THE, LUCKY, IS, FULL], ["the", "lucky", "is", "full"], roce
    )

    assert [found.word_index for found in heard] == [1]
    assert other == []


def planted_roce(said: Phones, text: Phones, word: str) -> tuple[TermPlaces, AlignedTranscript]:
    """Where RoCE may have been said."""
    scores, transcript = written([THE, said, IS, FULL], [THE, text, IS, FULL])
    words, roce = ["the", word, "is", "full"], Sounding("RoCE", (ROCKY,), expected=True)
    near = near_terms(transcript, words, roce)
    places = candidates(scores, transcript, [], phrase_model().said_as, near)
    return term_places(places, transcript, words, [roce], ORDINARY), transcript


def test_the_decoder_decides_where_the_sound_leaves_doubt() -> None:
    places, transcript = planted_roce(ROCKY, LOCKY, "locky")
    doubt = replace(places, odds=np.full(len(places.odds), -1.0))
    as_written = ((-0.1,), (-3.0, -4.0), (-0.2,))
    surely = features(as_written, ((-0.1,), (-0.5, -0.5), (-0.1,)))
    hardly = features(as_written, ((-0.1,), (-9.0, -12.0), (-6.0,)))
    every = range(len(places.odds))

    (by_sound,) = find_terms(doubt, transcript)
    (found,) = find_terms(doubt, transcript, dict.fromkeys(every, surely))

    assert found.confidence > 0.6 > by_sound.confidence
    assert find_terms(doubt, transcript, dict.fromkeys(every, hardly)) == []


def test_the_decoder_is_asked_about_the_likeliest_of_what_is_in_doubt() -> None:
    def asked(*shares: float, of_s: float = 1.0) -> list[int]:
        at = np.array(shares)
        return TermPlaces((), np.zeros((at.size, 0)), np.log(at / (1 - at))).doubtful(of_s)

    assert asked(ASKED_FROM / 2, 0.3, ASKED_UNDER + 0.05, 0.5) == [3, 1]
    many = [0.4] * MOST_PLACES
    assert asked(*many, 0.5) == [MOST_PLACES, *range(MOST_PLACES - 1)]
    assert asked(*many, 0.5, of_s=60.0) == [MOST_PLACES, *range(MOST_PLACES)]


@pytest.mark.parametrize(("said", "name"), [(ROCKY, "RoCE"), (with_s(ROCKY), "RoCEs")])
def test_the_decoder_reads_a_term_in_the_number_that_was_said(said: Phones, name: str) -> None:
    there = Candidate(0, said, (1,), 0, 1, np.zeros(len(FEATURES)))
    roce = Sounding("RoCE", (ROCKY, with_s(ROCKY)), expected=True)
    assert TermPlaces([(there, roce)], np.zeros((1, 0)), np.zeros(1)).name(0) == name


def test_without_a_decoder_weights_of_the_sound_alone_count() -> None:
    places, transcript = planted_roce(ROCKY, LOCKY, "locky")
    model = respelled_model()
    assert (places.odds == places.rows @ model.weights.sound + model.weights.sound_bias).all()
    assert find_terms(places, transcript) == find_terms(places, transcript, {})


KUBELET: Phones = ("K", "UW", "B", "L", "AH", "T")


def test_a_term_that_nobody_expects_is_found_where_a_made_up_word_has_its_sound() -> None:
    said = [THE, KUBELET, IS, FULL]
    kubelet = Sounding("kubelet", (KUBELET,), expected=False, related=0.02)

    (found,) = find(said, said, ["the", "cooblet", "is", "full"], kubelet)
    ordinary = find(said, said, ["the", "cue", "is", "full"], kubelet)

    assert (found.word_index, found.n_words) == (1, 1)
    assert ordinary == []


CACHE: Phones = ("K", "AE", "SH")
KAY_FEE: Phones = ("K", "EY", "F", "IY")
KAY_VEE: Phones = ("K", "EY", "V", "IY")
A_DEEP: Phones = ("AH", "D", "IY", "P")


@pytest.mark.parametrize(
    ("said", "text", "word", "expected"),
    [
        (KAY_VEE, KAY_FEE, "k-fee", [(1, 2)]),
        (A_DEEP, A_DEEP, "adeep", []),  # it is the rest of the term that must be likely
    ],
)
def test_a_term_whose_part_is_named_is_found_in_place_of_it(
    said: Phones, text: Phones, word: str, expected: list[tuple[int, int]]
) -> None:
    scores, plain = written([THE, said, CACHE, FULL], [THE, text, CACHE, FULL])
    named = [None, None, Target("cache", 2, 1, ("K AE1 SH",)), None]
    layout = Layout(plain.layout.phones, plain.layout.word_index, named)
    transcript = AlignedTranscript(layout, plain.chain, plain.states, plain.confidences)
    words = ["the", word, "cache", "full"]
    kv_cache = Sounding("KV cache", ((*KAY_VEE, *CACHE),), expected=True)

    near = near_terms(transcript, words, kv_cache)
    places = candidates(scores, transcript, [], phrase_model().said_as, near)
    found = find_terms(term_places(places, transcript, words, [kv_cache], ORDINARY), transcript)

    assert [(each.word_index, each.n_words) for each in found] == expected


def chosen(
    places: list[tuple[str, tuple[int, ...], float, float]], part_is_named: bool = False
) -> list[str]:
    """The terms chosen of places (term, words, log odds, likeness); a part counts 3."""
    names = [*FEATURES, *MORE_FEATURES]
    rows = np.zeros((len(places), len(names)))
    rows[:, names.index("likeness")] = [likeness for *_, likeness in places]
    rows[:, names.index("extends")] = [part_is_named and " " in place[0] for place in places]
    odds = np.array([odds for *_, odds, _ in places]) + 3.0 * rows[:, names.index("extends")]
    terms, words = [place[0] for place in places], [place[1] for place in places]
    return [terms[at] for at, _ in choose_places(terms, words, rows, odds, 3.0, 0.5)]


def test_a_likely_term_gives_way_to_a_likely_longer_one_around_it() -> None:
    bandwidth = ("bandwidth", (5,), 6.0, 9.0)
    assert chosen([bandwidth, ("memory bandwidth", (4, 5), 1.0, 12.0)]) == ["memory bandwidth"]
    assert chosen([bandwidth, ("memory bandwidth", (4, 5), -4.0, 12.0)]) == ["bandwidth"]
    assert chosen([bandwidth, ("KV cache", (4, 5), 1.0, 12.0)]) == ["bandwidth"]


def test_a_likely_part_speaks_for_the_longer_term_where_the_rest_is_likely() -> None:
    cache = ("cache", (2,), 1.0, 8.0)
    assert chosen([cache, ("KV cache", (1, 2), -2.0, 13.0)]) == ["KV cache"]
    assert chosen([cache, ("KV cache", (1, 2), -2.0, 9.0)]) == ["cache"]
    assert chosen([("cache", (2,), -1.0, 8.0), ("KV cache", (1, 2), -2.0, 13.0)]) == []
    # a part that the text names has spoken already
    assert chosen([cache, ("KV cache", (1, 2), -5.0, 13.0)], part_is_named=True) == ["cache"]
