"""Which candidates were said: the one decision on phrases and terms found in the sound.

``places`` and ``sounding`` generate the candidates. A logistic regression over their features
decides, and where that leaves doubt, a second one over its log odds and what the decoder of the
transcriber says: a recognizer like Whisper gives every token a probability, from the sound and the
tokens before it, so the text around a place is compared with the same text with the phrase in it.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip, Decode, LogProbs, Passage
from pronunciation.hearing.acoustic import FRAME_S, LABEL_INDEX, N_CLASSES
from pronunciation.hearing.places import FEATURES, AlignedTranscript, Candidate, Floats, unit_frames

Doubles = npt.NDArray[np.float64]

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
class Match:
    """A phrase or a term heard in the sound.

    Attributes:
        index: its number among what was searched for.
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
class Weights:
    """The two regressions of the decision.

    Attributes:
        sound: weights of the features.
        sound_bias: log odds if all features are 0.
        found_from: the probability from which something is found.
        decoder: weights of the log odds by the sound, and of what the decoder says.
        decoder_bias: log odds if all of these are 0.
    """

    sound: Doubles
    sound_bias: float
    found_from: float
    decoder: Doubles
    decoder_bias: float

    @classmethod
    def of(cls, table: Mapping[str, Any], features: Sequence[str]) -> "Weights":
        """From a model's file."""
        second = table["decoder"]
        return cls(
            np.array([table["weights"][name] for name in features]),
            table["bias"],
            table["found_from"],
            np.array([second["weights"][name] for name in ("odds", *DECODED)]),
            second["bias"],
        )

    def odds(self, rows: Doubles) -> Doubles:
        """Log odds by the sound alone, for features of shape (places, features)."""
        odds: Doubles = rows @ self.sound + self.sound_bias
        return odds

    def with_decoder(self, odds: Doubles, decoded: Mapping[int, Doubles]) -> Doubles:
        """The same with what the decoder says of some places, by number; see ``DECODED``."""
        odds = odds.copy()
        for at, says in decoded.items():
            odds[at] = np.array([odds[at], *says]) @ self.decoder + self.decoder_bias
        return odds


def shares(odds: Doubles) -> Doubles:
    """Probabilities of log odds."""
    found: Doubles = 1.0 / (1.0 + np.exp(-odds))
    return found


def doubtful(odds: Doubles, most: int = MOST_PLACES, under: float = 1.1) -> list[int]:
    """The places that the decoder is asked about, the likeliest first.

    Args:
        odds: log odds by the sound.
        most: so many places at most.
        under: the probability from which the sound alone is enough.
    """
    by_sound = shares(odds)
    order = [at for at in np.argsort(-by_sound, kind="stable") if by_sound[at] < under]
    return [int(at) for at in order[:most] if by_sound[at] >= ASKED_FROM]


@dataclass(frozen=True, eq=False)
class PhraseModel:
    """What ``scripts/train_phrases.py`` learned.

    Attributes:
        said_as: probability that a meant phone is realized as another, shape (classes, classes),
            over speakers and the network's errors.
        weights: those of ``places.FEATURES``.
    """

    said_as: Floats
    weights: Weights


@cache
def phrase_model() -> PhraseModel:
    """The shipped model."""
    table = json.loads(MODEL_PATH.read_text("utf-8"))
    said_as = np.zeros((N_CLASSES, N_CLASSES), np.float32)
    for meant, others in table["said_as"].items():
        for other, share in others.items():
            said_as[LABEL_INDEX[meant], LABEL_INDEX[other]] = share
    said_as /= said_as.sum(axis=1, keepdims=True)
    return PhraseModel(said_as, Weights.of(table, FEATURES))


def phrase_odds(places: Sequence[Candidate]) -> Doubles:
    """Log odds by the sound that a phrase was said at each place."""
    rows = np.array([place.features for place in places]).reshape(len(places), len(FEATURES))
    return phrase_model().weights.odds(rows)


def find_phrases(
    places: Sequence[Candidate],
    odds: Doubles,
    written: AlignedTranscript,
    decoded: Mapping[int, Doubles] | None = None,
) -> list[Match]:
    """The places where a phrase is in the sound but not in the transcript, in order.

    Args:
        places: where phrases may have been said.
        odds: see ``phrase_odds``.
        written: the transcript.
        decoded: what the decoder says of some of the places, by number.
    """
    weights = phrase_model().weights
    judged = shares(weights.with_decoder(odds, decoded or {})).tolist()
    return likeliest(zip(judged, places, strict=True), written, weights.found_from)


def likeliest(
    judged: Iterable[tuple[float, Candidate]], written: AlignedTranscript, found_from: float
) -> list[Match]:
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
            Match(
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


def _word_behind(written: AlignedTranscript, end: int) -> int:
    """The first word after these frames, or the last of all."""
    owner = written.chain.word[written.states[end:]]
    later = owner[owner >= 0]
    unit = int(later[0]) if later.size else len(written.layout.word_index) - 1
    return written.layout.word_index[unit]


WORDS_BEFORE, WORDS_AFTER = 4, 3
"""So much of the transcript is read on either side of a place."""
MARGIN_S: Final = 0.1
"""Sound that is heard on either side of these words."""


@dataclass(frozen=True, eq=False)
class AlignedClip:
    """A stretch of sound, and what was written for it.

    Attributes:
        clip: the sound.
        written: the transcript aligned with it.
        texts: its words as they were written.
        parts: the words that were aligned: these, some of them taken apart.
        whole: for each of the parts, the one of ``texts`` that it belongs to.
    """

    clip: Clip
    written: AlignedTranscript
    texts: Sequence[str]
    parts: Sequence[str]
    whole: Sequence[int]

    def passage(self, place: Candidate, phrase: str, *, is_prompted: bool = False) -> Passage:
        """What to decode at a place: the text as it was written, and with the phrase there.

        Args:
            place: where the phrase may have been said.
            phrase: the phrase as people write it.
            is_prompted: whether the decoder gets the phrase as its prompt.
        """
        first, behind = self._words(place)
        begin, end = max(0, first - WORDS_BEFORE), min(len(self.texts), behind + WORDS_AFTER)
        before, there, after = (
            " ".join(self.texts[a:b]) for a, b in ((begin, first), (first, behind), (behind, end))
        )
        starts, behinds = [place.start], [place.end]
        frames = unit_frames(self.written)
        for word, (start, last) in zip(self.written.layout.word_index, frames, strict=True):
            if begin <= self.whole[word] < end and last > start:
                starts.append(start)
                behinds.append(last + 1)
        from_s, to_s = min(starts) * FRAME_S - MARGIN_S, max(behinds) * FRAME_S + MARGIN_S
        lead, rest = self._kept(place)
        said = " ".join((before, *lead)).strip(), phrase, " ".join((*rest, after)).strip()
        sound = self.clip.slice(from_s, to_s)
        return Passage(sound, ((before, there, after), said), phrase if is_prompted else "")

    def _kept(self, place: Candidate) -> tuple[Sequence[str], Sequence[str]]:
        """What else the written words at a place hold: before it ("over-Infany") and after it."""
        if not place.words:
            return (), ()
        first, last = place.words[0], self._last(place)
        lead = self.parts[bisect_left(self.whole, self.whole[first]) : first]
        return lead, self.parts[last + 1 : bisect_right(self.whole, self.whole[last])]

    def _last(self, place: Candidate) -> int:
        """The last part at a place: a term is one unit of several."""
        begins = self.written.layout.word_index
        later = bisect_right(begins, place.words[-1])
        return (begins[later] if later < len(begins) else len(self.whole)) - 1

    def _words(self, place: Candidate) -> tuple[int, int]:
        """First word written at a place, and the one behind the last; the same if none was."""
        begins = self.written.layout.word_index
        if place.words:
            return self.whole[place.words[0]], self.whole[self._last(place)] + 1
        owner = self.written.chain.word[self.written.states[place.end :]]
        following = owner[owner >= 0]
        at = self.whole[begins[int(following[0])]] if following.size else len(self.texts)
        return at, at


def features(as_written: LogProbs, with_phrase: LogProbs) -> Doubles:
    """What the decoder says of a place, see ``match.DECODED``."""
    there, phrase = as_written[1], with_phrase[1]
    found = {
        "gain": sum(map(sum, with_phrase)) - sum(map(sum, as_written)),
        "worst": min(phrase, default=0.0),
        "mean": sum(phrase) / len(phrase) if phrase else 0.0,
        "written": sum(there) / len(there) if there else 0.0,
    }
    return np.array([found[name] for name in DECODED])


def asked_about(passages: Sequence[Passage], decode: Decode) -> list[Doubles]:
    """What the decoder says of some passages, see ``features``; nothing if it does not answer."""
    found = decode(passages) if passages else None
    return [features(*texts) for texts in found or ()]
