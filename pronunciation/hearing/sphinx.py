"""What PocketSphinx prefers: a grammar with the readings as alternatives, and its n-best list.

Its packaged model was trained on far more speech than our network was fine-tuned on and makes
different errors. Scores of separate decodings cannot be compared (each frame is scored against the
states that happen to be active), so all readings compete in one.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pocketsphinx import Decoder

from pronunciation.clip import Clip

Phones = tuple[str, ...]

_SENONE_SCALE = 1024.0
"""PocketSphinx shifts its log scores down by ten bits (``SENSCR_SHIFT``); this undoes it."""
_LONGEST_LIST = 80
MISSING_NATS = -45.0
"""Score, relative to the best, of a reading that is not in the n-best list because it fell out of
the beam. On dev speakers, the last readings still listed are about 30 to 70 nats below."""
_MOST_NAMES = 20_000
"""Words after which the decoder is replaced, because it never forgets one."""


class Sphinx:
    """One decoder, created at first use and kept, because starting it takes about 0.2 s."""

    def __init__(self) -> None:
        self._decoder: Any = None
        self._names: dict[Phones, str] = {}

    def _ready(self) -> Any:
        if self._decoder is None or len(self._names) > _MOST_NAMES:
            self._names = {}
            self._decoder = Decoder(
                lm=None, dict=None, loglevel="FATAL", beam=1e-60, wbeam=1e-40, pbeam=1e-60
            )
        return self._decoder

    def _name(self, phones: Phones) -> str:
        """The decoder's word with these phones."""
        if phones not in self._names:
            name = f"x{len(self._names)}"
            self._decoder.add_word(name, " ".join(phones), False)
            self._names[phones] = name
        return self._names[phones]

    def compare(
        self,
        clip: Clip,
        before: Sequence[Phones],
        candidates: Sequence[Phones],
        after: Sequence[Phones],
    ) -> npt.NDArray[np.float64] | None:
        """Log scores of the candidates between their neighbors, in nats; the best is 0.

        Args:
            clip: the sound of the neighbors and the candidate, with nothing else but silence.
            before: phones of the words before, without stress.
            candidates: phones of the alternatives; equal ones get equal scores.
            after: phones of the words after.

        Returns:
            Shape (candidates,), or ``None`` if the words cannot be found in the sound.
        """
        decoder = self._ready()
        alternatives = [self._name(phones) for phones in candidates]
        words = [self._name(p) for p in before]
        place = len(words)
        words.append(f"({' | '.join(dict.fromkeys(alternatives))})")
        words += [self._name(p) for p in after]
        grammar = f"#JSGF V1.0;\ngrammar g;\npublic <s> = {' '.join(words)};\n"
        best: dict[str, float] = {}
        try:
            decoder.add_jsgf_string("g", grammar)
            decoder.activate_search("g")
            decoder.reinit_feat()  # otherwise the previous clip's noise would affect the scores
            decoder.start_utt()
            decoder.process_raw(clip.pcm16(), full_utt=True)
            decoder.end_utt()
            # PocketSphinx returns None, not an empty list, if its search found no path
            for _, entry in zip(range(_LONGEST_LIST), decoder.nbest() or (), strict=False):
                said = entry.hypstr.split() if entry is not None and entry.hypstr else []
                if entry is not None and len(said) == len(words) and entry.score > 0:
                    best.setdefault(said[place], math.log(entry.score) * _SENONE_SCALE)
                if len(best) == len(set(alternatives)):
                    break
        except (RuntimeError, ValueError):
            return None
        if not best:
            return None
        top = max(best.values())
        found = [best.get(name, top + MISSING_NATS) - top for name in alternatives]
        return np.asarray(np.maximum(np.array(found), MISSING_NATS), np.float64)
