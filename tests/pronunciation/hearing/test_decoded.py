"""What a decoder is asked about a planted phrase, and what its answer is worth."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pronunciation.clip import SAMPLE_RATE_HZ, Clip, LogProbs, Passage
from pronunciation.hearing.acoustic import FRAME_S
from pronunciation.hearing.match import (
    DECODED,
    MARGIN_S,
    MOST_PLACES,
    AlignedClip,
    asked_about,
    doubtful,
    features,
    phrase_model,
    phrase_odds,
    shares,
)
from pronunciation.hearing.places import Candidate, Query, candidates
from tests.pronunciation.hearing.test_phrases import (
    FRAMES,
    HERE,
    INFINIBAND,
    INFINITE_BEND,
    WE_USE,
    spoken,
    written,
)

TEXTS = ("So", "we", "use", "in", "fini", "bend", "right", "here", "and", "now")
NEVER: LogProbs = ((-0.1,), (-15.0, -18.0), (-4.0,))
UNSAID: LogProbs = ((-0.1,), (-6.0, -9.0), (-0.1,))
SAID: LogProbs = ((-0.1,), (-0.4, -1.0), (-0.1,))
AS_WRITTEN: LogProbs = ((-0.1,), (-3.0, -2.0, -3.0), (-0.1,))


@pytest.fixture(scope="module")
def place() -> Candidate:
    scores = spoken(WE_USE, INFINIBAND, HERE)
    text = written(scores, WE_USE, INFINITE_BEND, HERE)
    return next(candidates(scores, text, [Query((INFINIBAND,))], phrase_model().said_as))


def stretch(*, is_written: bool = True) -> tuple[AlignedClip, Candidate]:
    """Words of one phone each, on as many frames; the phrase is at "in fini bend"."""
    phones = [("W",), ("IY",), ("Y",), ("UW",), ("Z",), ("IH",), ("N",), ("F",), ("B",), ("D",)]
    scores = spoken(*phones)
    begin = (6 + 3) * FRAMES
    words = (3, 4, 5) if is_written else ()
    there = Candidate(0, INFINIBAND, words, begin, begin + 3 * FRAMES, np.zeros(8))
    clip = Clip(np.zeros(round(len(scores) * FRAME_S * SAMPLE_RATE_HZ), np.float32))
    return AlignedClip(clip, written(scores, *phones), TEXTS, TEXTS, range(len(TEXTS))), there


def test_the_decoder_hears_a_few_words_around_a_place_with_and_without_the_phrase() -> None:
    asked = AlignedClip.passage(*stretch(), "InfiniBand")

    assert asked.texts == (
        ("So we use", "in fini bend", "right here and"),
        ("So we use", "InfiniBand", "right here and"),
    )
    assert asked.prompt == ""
    assert AlignedClip.passage(*stretch(), "InfiniBand", is_prompted=True).prompt == "InfiniBand"
    words_s = 9 * FRAMES * FRAME_S
    assert asked.clip.duration_s == pytest.approx(words_s + 2 * MARGIN_S, abs=3 * FRAME_S)


def test_what_else_a_word_at_the_place_holds_stays_in_the_text_with_the_phrase() -> None:
    sound, there = stretch()
    texts = ("So", "we", "use-in", "fini", "bend-right", "here", "and", "now")
    joined = replace(sound, texts=texts, whole=(0, 1, 2, 2, 3, 4, 4, 5, 6, 7))
    assert joined.passage(there, "InfiniBand").texts == (
        ("So we", "use-in fini bend-right", "here and now"),
        ("So we use", "InfiniBand", "right here and now"),
    )


def test_where_nothing_was_written_the_phrase_is_put_between_two_words() -> None:
    sound, there = stretch(is_written=False)
    asked = sound.passage(there, "InfiniBand")
    assert asked.texts == (
        ("use in fini bend", "", "right here and"),
        ("use in fini bend", "InfiniBand", "right here and"),
    )


def test_a_compound_that_was_taken_apart_is_replaced_as_a_whole() -> None:
    sound, there = stretch()
    texts = ("So", "we", "use-in", "fini", "bend", "right", "here", "and", "now")
    joined = replace(sound, texts=texts, whole=(0, 1, 2, 2, 3, 4, 5, 6, 7, 8))
    assert joined.passage(there, "InfiniBand").texts[0] == (
        "So we",
        "use-in fini bend",
        "right here and",
    )


def test_what_the_decoder_says_is_counted_from_what_was_written() -> None:
    found = dict(zip(DECODED, features(AS_WRITTEN, SAID), strict=True))
    assert found == pytest.approx(
        {"gain": -1.4 + 8.0, "worst": -1.0, "mean": -0.7, "written": -8 / 3}
    )


@pytest.mark.parametrize("empty", [((), (), ()), ((-0.2,), (), (-0.1,))])
def test_where_nothing_was_written_there_is_nothing_to_weigh(empty: LogProbs) -> None:
    assert np.isfinite(features(empty, SAID)).all()
    assert np.isfinite(features(AS_WRITTEN, empty)).all()


def test_the_decoder_makes_a_phrase_likelier_or_less_likely() -> None:
    weights, doubted = phrase_model().weights, np.zeros(1)

    def decided(with_phrase: LogProbs) -> float:
        odds = weights.with_decoder(doubted, {0: features(AS_WRITTEN, with_phrase)})
        return float(shares(odds)[0])

    assert shares(doubted)[0] == pytest.approx(0.5)
    assert decided(SAID) > 0.9
    assert decided(UNSAID) < 0.8 * decided(SAID)
    assert decided(NEVER) < 0.3


@pytest.mark.parametrize("passages", [0, 1])
def test_without_a_decoder_the_sound_alone_decides(passages: int) -> None:
    silence = Passage(Clip(np.zeros(1, np.float32)), ())
    assert asked_about([silence] * passages, lambda _: None) == []
    odds = np.array([0.4])
    assert (phrase_model().weights.with_decoder(odds, {}) == odds).all()


def test_the_decoder_is_asked_once_about_all_passages() -> None:
    asked: list[Sequence[Passage]] = []

    def decode(passages: Sequence[Passage]) -> list[list[LogProbs]]:
        asked.append(passages)
        return [[AS_WRITTEN, SAID], [AS_WRITTEN, NEVER]]

    passages = [Passage(Clip(np.zeros(1, np.float32)), ())] * 2
    said, never = asked_about(passages, decode)

    assert asked == [passages]
    assert (said == features(AS_WRITTEN, SAID)).all()
    assert (never == features(AS_WRITTEN, NEVER)).all()
    assert asked_about([], decode) == []
    assert len(asked) == 1, "there was nothing to ask"


def test_the_decoder_is_asked_about_the_likeliest_places_only(place: Candidate) -> None:
    path = np.eye(len(place.features))[0]
    unlikely = replace(place, features=place.features - 20 * path)
    weaker = replace(place, features=place.features - 0.2 * path)

    odds = phrase_odds([unlikely, *[weaker] * 2, *[place] * MOST_PLACES])

    assert doubtful(odds) == list(range(3, 3 + MOST_PLACES))
    assert doubtful(phrase_odds([unlikely])) == []
    again = phrase_model().weights.with_decoder(odds, {3: features(AS_WRITTEN, NEVER)})
    assert again[3] < odds[3]
    assert (np.delete(again, 3) == np.delete(odds, 3)).all()
