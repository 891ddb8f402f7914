"""Phrases planted in frame scores, and what a transcriber wrote instead."""

from dataclasses import replace

import numpy as np
import pytest

from pronunciation.hearing.acoustic import FRAME_S, LABEL_INDEX, N_CLASSES
from pronunciation.hearing.layout import Layout, Phones
from pronunciation.hearing.match import Match, find_phrases, phrase_model, phrase_odds
from pronunciation.hearing.places import AlignedTranscript, Query, candidates

WE_USE: Phones = ("W", "IY", "Y", "UW", "Z")
INFINIBAND: Phones = ("IH", "N", "F", "IH", "N", "IY", "B", "AE", "N", "D")
INFINITE_BEND: Phones = ("IH", "N", "F", "AH", "N", "AH", "T", "B", "EH", "N", "D")
ETHERNET: Phones = ("IY", "TH", "ER", "N", "EH", "T")
HERE: Phones = ("HH", "IY", "R")
FRAMES = 4
"""Of each phone."""


def spoken(*words: Phones) -> np.ndarray:
    """Frames in which the planted phones stand out, silence around them."""
    labels = ["SIL"] * 6 + [phone for word in words for phone in word] + ["SIL"] * 6
    frames = [label for label in labels for _ in range(FRAMES)]
    scores = np.random.default_rng(5).normal(-3.0, 0.8, (len(frames), N_CLASSES))
    for frame, label in enumerate(frames):
        scores[frame, LABEL_INDEX[label]] = 3.0
    return scores.astype(np.float32)


def written(
    scores: np.ndarray, *words: Phones, confidence: float | None = 0.5
) -> AlignedTranscript:
    """A transcript of these words."""
    layout = Layout(list(words), list(range(len(words))), [None] * len(words))
    return AlignedTranscript.align(scores, layout, None, [confidence] * len(words))


def find(scores: np.ndarray, text: AlignedTranscript, *wanted: Phones) -> list[Match]:
    return find_wordings(scores, text, [Query((phones,)) for phones in wanted])


def find_wordings(scores: np.ndarray, text: AlignedTranscript, wanted: list[Query]) -> list[Match]:
    places = list(candidates(scores, text, wanted, phrase_model().said_as))
    return find_phrases(places, phrase_odds(places), text)


def test_what_was_said_is_found_where_something_else_was_written() -> None:
    scores = spoken(WE_USE, INFINIBAND, HERE)

    (found,) = find(scores, written(scores, WE_USE, INFINITE_BEND, HERE), ETHERNET, INFINIBAND)

    assert (found.index, found.word_index, found.n_words) == (1, 1, 1)
    begin = (6 + len(WE_USE)) * FRAMES * FRAME_S
    assert found.start_s == pytest.approx(begin, abs=0.05)
    assert found.end_s == pytest.approx(begin + len(INFINIBAND) * FRAMES * FRAME_S, abs=0.05)
    assert found.confidence > 0.9


def test_what_the_transcript_has_itself_is_no_find() -> None:
    scores = spoken(WE_USE, INFINIBAND, HERE)
    assert find(scores, written(scores, WE_USE, INFINIBAND, HERE), INFINIBAND) == []


def test_what_was_said_as_it_is_written_is_nothing_else() -> None:
    scores = spoken(WE_USE, ETHERNET, HERE)
    assert find(scores, written(scores, WE_USE, ETHERNET, HERE), INFINIBAND) == []


def test_a_phrase_is_found_at_every_place_but_once_there() -> None:
    scores = spoken(WE_USE, INFINIBAND, HERE, INFINIBAND)
    text = written(scores, WE_USE, INFINITE_BEND, HERE, INFINITE_BEND)
    short = INFINIBAND[:-1]

    found = find_wordings(scores, text, [Query((INFINIBAND, short))])

    assert [each.word_index for each in found] == [1, 3]


def test_words_that_the_transcriber_left_out_have_a_place() -> None:
    scores = spoken(WE_USE, INFINIBAND, HERE)
    places = candidates(
        scores, written(scores, WE_USE, HERE), [Query((INFINIBAND,))], phrase_model().said_as
    )
    assert any(place.words == () and place.features[0] > 1.0 for place in places)


def test_the_surer_the_transcriber_the_more_it_takes() -> None:
    scores = spoken(WE_USE, INFINIBAND, HERE)
    unsure, sure, silent = (
        find(scores, written(scores, WE_USE, INFINITE_BEND, HERE, confidence=c), INFINIBAND)[0]
        for c in (0.1, 1.0, None)
    )
    assert sure.confidence < silent.confidence < unsure.confidence


def test_short_wordings_and_short_clips_hold_nothing() -> None:
    scores = spoken(WE_USE, HERE)
    assert find(scores, written(scores, WE_USE, HERE), HERE) == []
    assert find(scores[:8], written(scores, WE_USE, HERE), INFINIBAND) == []


def test_phones_that_speakers_mix_up_are_meant_all_the_same() -> None:
    scores = spoken(WE_USE, ("Z", "IY", "R", "OW", "W", "AH", "N"), HERE)
    text = written(scores, WE_USE, ("S", "IH", "T", "D", "AW", "N"), HERE)
    zero_one = Query((("Z", "IY", "R", "OW", "V", "AH", "N"),))
    model = phrase_model()
    strict = replace(model, said_as=np.eye(N_CLASSES, dtype=np.float32))

    (mixed,) = candidates(scores, text, [zero_one], model.said_as)
    (exact,) = candidates(scores, text, [zero_one], strict.said_as)

    assert mixed.features[0] > exact.features[0]


def test_the_shipped_table_gives_every_phone_a_whole_probability() -> None:
    said_as = phrase_model().said_as
    assert said_as.sum(axis=1) == pytest.approx(np.ones(N_CLASSES), abs=1e-5)
    assert (np.diag(said_as) > 0.2).all()
