"""What is said and what is written, planted in frame scores: for the search of terms."""

from collections.abc import Sequence

import numpy as np

from pronunciation.hearing.acoustic import LABEL_INDEX, N_CLASSES
from pronunciation.hearing.layout import Layout, Phones
from pronunciation.hearing.places import AlignedTranscript, Floats, Near
from pronunciation.hearing.respelled import respelled_model
from pronunciation.hearing.sounding import Sounding, sounds_like

THE: Phones = ("DH", "AH")
QUEUE: Phones = ("K", "Y", "UW")
ROCKY: Phones = ("R", "AA", "K", "IY")
IS: Phones = ("IH", "Z")
FULL: Phones = ("F", "UH", "L")
ORDINARY = frozenset({"the", "is", "full", "200", "cue"})


def written(
    said: list[Phones], text: list[Phones], confidence: float = 0.6
) -> tuple[Floats, AlignedTranscript]:
    """Frames in which what was said stands out, and a transcript aligned with them."""
    labels = ["SIL"] * 5 + [phone for word in said for phone in word] + ["SIL"] * 5
    frames = [label for label in labels for _ in range(4)]
    scores = np.random.default_rng(2).normal(-3.0, 0.8, (len(frames), N_CLASSES))
    for frame, label in enumerate(frames):
        scores[frame, LABEL_INDEX[label]] = 3.0
    scores = scores.astype(np.float32)
    layout = Layout(text, list(range(len(text))), [None] * len(text))
    return scores, AlignedTranscript.align(scores, layout, None, [confidence] * len(text))


def near_terms(transcript: AlignedTranscript, words: Sequence[str], *terms: Sounding) -> list[Near]:
    """The stretches that sound like a term, by the shipped table of misspellings."""
    return sounds_like(transcript, words, terms, ORDINARY, respelled_model().misspellings)
