"""Phrases heard in the sound where a transcriber wrote something else: which places count."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pronunciation.hearing.acoustic import FRAME_S, LABEL_INDEX, N_CLASSES
from pronunciation.hearing.places import (
    FEATURES,
    Candidate,
    Floats,
    Wanted,
    Written,
    candidates,
)

MODEL_PATH: Final = Path(__file__).parent / "model" / "phrases.json"
DECODED: Final = ("gain", "worst", "mean", "written")
"""What a transcriber's decoder says of a place, in natural logarithms; see ``decoded``:

- gain: of the transcript with the phrase over the transcript as it was written;
- worst: the least likely token of the phrase;
- mean: the mean token of the phrase;
- written: the mean token of the words written there.
"""
ASKED_FROM: Final = 0.02
"""Probability by the sound alone from which the decoder is asked. From 0.01 on, a fifth more places
cost as much more time, and found no more phrases at the same number that nobody said; from 0.05 on,
2 % fewer were found."""
MOST_PLACES: Final = 6
"""Places of phrases that the decoder is asked about at a time, the likeliest; others count by their
sound. Of terms at least as many."""


@dataclass(frozen=True)
class Found:
    """A phrase heard in the sound.

    Attributes:
        index: the phrase's number among the wanted ones.
        word_index: the first of the transcript's words at that place.
        n_words: how many; 0 if it wrote none.
        start_s: where it begins in the clip, in seconds.
        end_s: where it ends, in seconds.
        confidence: the probability that it was said there.
        is_decoded: whether the transcriber's decoder was asked, too.
    """

    index: int
    word_index: int
    n_words: int
    start_s: float
    end_s: float
    confidence: float
    is_decoded: bool = False


@dataclass(frozen=True, eq=False)
class PhraseModel:
    """What ``scripts/train_phrases.py`` learned.

    Attributes:
        said_as: probability that a meant phone is realized as another, shape (classes, classes),
            over speakers and the network's errors.
        weights: those of the features.
        bias: log odds if all features are 0.
        found_from: the probability from which a phrase is found.
        decoder_weights: those of the log odds by the sound, and of what the decoder says.
        decoder_bias: log odds if all of these are 0.
    """

    said_as: Floats
    weights: npt.NDArray[np.float64]
    bias: float
    found_from: float
    decoder_weights: npt.NDArray[np.float64]
    decoder_bias: float

    def probability(
        self, candidate: Candidate, decoded: npt.NDArray[np.float64] | None = None
    ) -> float:
        """That the phrase was said there.

        Args:
            candidate: the place.
            decoded: what the decoder says of it, see ``DECODED``; ``None`` if it was not asked.
        """
        odds = candidate.features @ self.weights + self.bias
        if decoded is not None:
            odds = np.array([odds, *decoded]) @ self.decoder_weights + self.decoder_bias
        return float(1.0 / (1.0 + np.exp(-odds)))


@cache
def phrase_model(path: Path = MODEL_PATH) -> PhraseModel:
    """The shipped model."""
    table = json.loads(path.read_text("utf-8"))
    said_as = np.zeros((N_CLASSES, N_CLASSES), np.float32)
    for meant, others in table["said_as"].items():
        for other, share in others.items():
            said_as[LABEL_INDEX[meant], LABEL_INDEX[other]] = share
    said_as /= said_as.sum(axis=1, keepdims=True)
    weights = np.array([table["weights"][name] for name in FEATURES])
    second = table["decoder"]
    decoder_weights = np.array([second["weights"][name] for name in ("odds", *DECODED)])
    return PhraseModel(
        said_as, weights, table["bias"], table["found_from"], decoder_weights, second["bias"]
    )


def find_phrases(
    scores: Floats, written: Written, wanted: Sequence[Wanted], model: PhraseModel | None = None
) -> list[Found]:
    """The places where a wanted phrase is in the sound but not in the transcript, in order.

    Args:
        scores: frame scores of the clip, shape (frames, classes).
        written: its transcript.
        wanted: what to search for.
        model: by default the shipped one.
    """
    model = model or phrase_model()
    places = candidates(scores, written, wanted, model.said_as)
    return likeliest(
        ((model.probability(each), each) for each in places), written, model.found_from
    )


def likeliest(
    judged: Iterable[tuple[float, Candidate]], written: Written, found_from: float
) -> list[Found]:
    """The places that are likely enough, the likeliest of overlapping ones, in order.

    Args:
        judged: places, each with the probability that the phrase was said there.
        written: the transcript.
        found_from: the lowest probability.
    """
    kept: list[tuple[float, Candidate]] = []
    for probability, each in sorted(judged, key=lambda pair: -pair[0]):
        if probability < found_from:
            break
        if not any(each.overlaps(other) for _, other in kept):
            kept.append((probability, each))
    return sorted(
        (
            Found(
                each.index,
                each.words[0] if each.words else _word_behind(written, each.end),
                each.words[-1] - each.words[0] + 1 if each.words else 0,
                each.start * FRAME_S,
                each.end * FRAME_S,
                probability,
            )
            for probability, each in kept
        ),
        key=lambda found: found.start_s,
    )


def _word_behind(written: Written, end: int) -> int:
    """The first word after these frames, or the last of all."""
    owner = written.chain.word[written.states[end:]]
    later = owner[owner >= 0]
    unit = int(later[0]) if later.size else len(written.layout.word_index) - 1
    return written.layout.word_index[unit]
