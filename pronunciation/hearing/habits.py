"""What a speaker does in every word is an accent, not a mistake in one term.

Somebody who says "tink" for "think" says "Etternet" for Ethernet. The words around the terms show
how a speaker realizes each phone. A mistake that consists only of such habits does not count.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from rapidfuzz.distance import Levenshtein

from pronunciation.confusions import encode
from pronunciation.hearing.acoustic import LABEL_INDEX
from pronunciation.hearing.layout import bare_phones
from pronunciation.hearing.places import AlignedTranscript, Floats

SURE_WORD: Final = 0.6
"""The transcriber's confidence from which a word is taken as said."""
HABIT_SHARE: Final = 0.22
"""The probability of saying one phone as another from which it is a habit. With accents' rules, it
was 0.24 to 0.65 for the phones that they change, and without them 0.03 (SH as CH). TH as T is a
habit of most non-native speakers, and counts as one until the other words show otherwise."""
FEW_FRAMES: Final = 6.0
"""Frames of a phone (said two or three times) at which the speaker's own data and accents in
general have equal weight."""


def habits(scores: Floats, written: AlignedTranscript, said_as: Floats) -> Floats:
    """Probability that the speaker realizes one phone as another, shape (classes, classes).

    Args:
        scores: frame scores, shape (frames, classes).
        written: the transcript; sure words that do not name a term are used.
        said_as: the same for speakers in general, see ``phrases.PhraseModel``.
    """
    owner = written.chain.word[written.states]
    layout = written.layout
    is_sure = [
        target is None and (written.confidences[index] or 0.0) >= SURE_WORD
        for index, target in zip(layout.word_index, layout.target, strict=True)
    ]
    chosen = np.array([*is_sure, False])[owner]
    meant = written.chain.labels[written.states][chosen]
    shares = said_as[meant] * np.exp(np.clip(scores[chosen], -20.0, 20.0))
    counts = FEW_FRAMES * said_as
    np.add.at(counts, meant, shares / shares.sum(axis=1, keepdims=True))
    return np.asarray(counts / counts.sum(axis=1, keepdims=True), np.float32)


def is_habit(heard: str, accepted: Sequence[str], habits: Floats) -> bool:
    """Whether a mistaken reading is an accepted one with the speaker's habits.

    Args:
        heard: ARPAbet.
        accepted: the accepted readings, ARPAbet.
        habits: from the function with this name.
    """
    said = bare_phones(heard)
    for reading in accepted:
        meant = bare_phones(reading)
        edits = Levenshtein.editops(encode(meant), encode(said))
        if edits and all(
            edit.tag == "replace"
            and habits[LABEL_INDEX[meant[edit.src_pos]], LABEL_INDEX[said[edit.dest_pos]]]
            >= HABIT_SHARE
            for edit in edits
        ):
            return True
    return False
