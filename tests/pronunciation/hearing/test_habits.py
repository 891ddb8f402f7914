"""A speaker whose sounds are planted in frame scores."""

import numpy as np
import pytest

from pronunciation.hearing.acoustic import LABEL_INDEX, N_CLASSES
from pronunciation.hearing.layout import Layout, Phones
from pronunciation.hearing.match import phrase_model
from pronunciation.hearing.places import AlignedTranscript, Floats, habits, is_habit
from pronunciation.hearing.results import Target

SHE: Phones = ("SH", "IY")
SHOWS: Phones = ("SH", "OW", "Z")
CACHE = Target("cache", 2, 1, ("K AE1 SH",), ("K AE1 CH",))


def spoken(sh: str, confidence: float = 0.9) -> tuple[Floats, AlignedTranscript]:
    """ "She shows the cache", with this phone where SH is meant."""
    said = ["SIL", sh, "IY", sh, "OW", "Z", "K", "AE", "CH", "SIL"]
    frames = [label for label in said for _ in range(5)]
    scores = np.full((len(frames), N_CLASSES), -3.0, np.float32)
    for frame, label in enumerate(frames):
        scores[frame, LABEL_INDEX[label]] = 3.0
    layout = Layout([SHE, SHOWS, ("K", "AE", "SH")], [0, 1, 2], [None, None, CACHE])
    return scores, AlignedTranscript.align(scores, layout, None, [confidence] * 3)


@pytest.mark.parametrize(
    ("sh", "confidence", "expected"), [("CH", 0.9, True), ("SH", 0.9, False), ("CH", 0.2, False)]
)
def test_what_the_speaker_does_in_sure_words_is_a_habit(
    sh: str, confidence: float, expected: bool
) -> None:
    learned = habits(*spoken(sh, confidence), phrase_model().said_as)
    assert is_habit("K AE1 CH", CACHE.readings, learned) is expected


def test_another_vowel_or_a_phone_more_is_no_habit() -> None:
    learned = habits(*spoken("CH"), phrase_model().said_as)
    assert not is_habit("K EY1 CH", CACHE.readings, learned)
    assert not is_habit("K AE1 CH IY0", CACHE.readings, learned)
