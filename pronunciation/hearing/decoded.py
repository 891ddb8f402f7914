"""A speech recognizer's decoder as a second judge of phrases and terms that its transcript lost.

A recognizer like Whisper gives every token of a text a probability, from the sound and the tokens
before it. So the transcript around a place is compared with the same text with the phrase in it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip
from pronunciation.hearing.acoustic import FRAME_S
from pronunciation.hearing.match import DECODED
from pronunciation.hearing.places import AlignedTranscript, Candidate, unit_frames
from pronunciation.passage import Decode, LogProbs, Passage

WORDS_BEFORE, WORDS_AFTER = 4, 3
"""So much of the transcript is read on either side of a place."""
MARGIN_S: Final = 0.1
"""Sound that is heard on either side of these words."""
Floats = npt.NDArray[np.float64]


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


def features(as_written: LogProbs, with_phrase: LogProbs) -> Floats:
    """What the decoder says of a place, see ``match.DECODED``."""
    there, phrase = as_written[1], with_phrase[1]
    found = {
        "gain": sum(map(sum, with_phrase)) - sum(map(sum, as_written)),
        "worst": min(phrase, default=0.0),
        "mean": sum(phrase) / len(phrase) if phrase else 0.0,
        "written": sum(there) / len(there) if there else 0.0,
    }
    return np.array([found[name] for name in DECODED])


def asked_about(passages: Sequence[Passage], decode: Decode) -> list[Floats]:
    """What the decoder says of some passages, see ``features``; nothing if it does not answer."""
    found = decode(passages) if passages else None
    return [features(*texts) for texts in found or ()]
