"""The app's own natural voice for measuring: any accent, at 16 kHz, in a room that is never silent.

Its alphabet is Kokoro's: one letter a phone (``A`` as in face, ``I`` price, ``O`` goat, ``W``
mouth, ``Y`` choice, ``T`` a flapped t), the stress mark before the stressed vowel.
"""

from collections.abc import Callable, Sequence

import numpy as np

from client.speaking.voices import NaturalVoice
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.terms import Lexicon

PAUSE_S = 0.35
"""Before the first sentence and after each."""


class NeuralVoice:
    """Speaks texts, the lexicon's terms as taught; keep one for many.

    Args:
        lexicon: its terms are said by their first readings.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._spotter = TermSpotter(lexicon)

    def phones(self, text: str) -> list[str]:
        """The phones of each sentence."""
        return NaturalVoice().phones(text, self._lexicon)

    def speak(self, phones: Sequence[str], *, speed: float = 1.0, seed: int = 0) -> Clip:
        """Speak sentences given as phones, with a pause after each; 16 kHz."""
        voice = NaturalVoice(speed)
        pause = np.zeros(round(PAUSE_S * SAMPLE_RATE_HZ), np.float32)
        parts = [pause]
        for number, sentence in enumerate(phones):
            parts += [at_sample_rate(voice.speak_phones(sentence, seed + number)).samples, pause]
        samples = np.concatenate(parts)
        # a room is never quite silent
        hiss = np.random.default_rng(seed).standard_normal(samples.size) * 3e-4
        return Clip(np.clip(samples + hiss, -1, 1).astype(np.float32))

    def say(self, text: str, accent: Callable[[str], str], *, seed: int = 0) -> Clip:
        """Speak a text with an accent's rules on its phones."""
        return self.speak([accent(sentence) for sentence in self.phones(text)], seed=seed)

    def terms(self, text: str) -> list[str]:
        """The lexicon's terms that a text names, one entry for each time, see ``by_its_sound``."""
        words = self._spotter.take_apart(text.split()).words
        return [self.by_its_sound(spot.term) for spot in self._spotter.spot(words)]

    def by_its_sound(self, term: str) -> str:
        """One name for terms that are said alike ("queue", "Kueue"): no sound tells them apart."""
        return self._spotter.by_its_sound(term)
