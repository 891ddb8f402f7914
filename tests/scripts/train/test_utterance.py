import random

import numpy as np
import pytest

from pronunciation.hearing.acoustic import LABEL_INDEX
from pronunciation.phones import parse_phones
from scripts.train.corrupt import invented
from scripts.train.utterance import Utterance

WORDS = (("W", "IY"), ("Y", "UW", "Z"))


def utterance(*ends: tuple[str, float]) -> Utterance:
    times = tuple((LABEL_INDEX[phone], end_s) for phone, end_s in ends)
    return Utterance(np.zeros(16_000, np.int16), WORDS, "somebody", times, "we use")


def test_words_lie_where_their_phones_were_aligned() -> None:
    said = utterance(
        ("SIL", 0.1), ("W", 0.2), ("IY", 0.3), ("SIL", 0.4), ("Y", 0.5), ("UW", 0.6), ("Z", 0.8),
        ("SIL", 1.0),
    )  # fmt: skip
    spans = said.word_spans_s()
    assert [s for span in spans for s in span] == pytest.approx([0.1, 0.3, 0.4, 0.8])


def test_an_alignment_of_other_phones_gives_no_places() -> None:
    assert utterance(("W", 0.2), ("IY", 0.3), ("S", 0.4)).word_spans_s() == ()
    assert utterance().word_spans_s() == ()


def test_invented_words_can_be_spoken_and_differ() -> None:
    rng = random.Random(2)
    made = {invented(rng) for _ in range(300)}
    assert len(made) > 250
    for word in made:
        parse_phones(" ".join(word))
