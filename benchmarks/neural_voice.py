"""The app's own natural voice for measuring: any accent, at 16 kHz, in a room that is never silent.

Its alphabet is Kokoro's: one letter a phone (``A`` as in face, ``I`` price, ``O`` goat, ``W``
mouth, ``Y`` choice, ``T`` a flapped t), the stress mark before the stressed vowel. A voice of
Piper can say the same phones, for a voice that nothing was trained or chosen on.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnxruntime

from client.speaking.voices import NaturalVoice
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.terms import Lexicon

PAUSE_S = 0.35
"""Before the first sentence and after each."""
_IPA = {
    "ɜɹ": "ɜː", "əɹ": "ɚ", "ʧ": "tʃ", "ʤ": "dʒ", "A": "eɪ", "I": "aɪ", "O": "oʊ", "W": "aʊ",
    "Y": "ɔɪ", "T": "ɾ", "ᵊ": "ə", "g": "ɡ", "ɑ": "ɑː", "ɔ(?!ɪ)": "ɔː", "u": "uː",
    "(?<=[ˈˌ])i": "iː",
}  # fmt: skip
"""Patterns of Kokoro's alphabet as eSpeak NG's IPA, in this order."""


class PiperVoice:
    """A voice of Piper: an ONNX model with its JSON beside it."""

    def __init__(self, path: Path) -> None:
        config = json.loads(path.with_name(f"{path.name}.json").read_text(encoding="utf-8"))
        self._ids: dict[str, list[int]] = config["phoneme_id_map"]
        self._rate_hz = int(config["audio"]["sample_rate"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._model = onnxruntime.InferenceSession(str(path), options)

    def speak_phones(self, sentence: str, speed: float) -> Clip:
        """A sentence in Kokoro's alphabet, at the model's rate."""
        for pattern, ipa in _IPA.items():
            sentence = re.sub(pattern, ipa, sentence)
        gap = self._ids["_"]
        between = [number for sign in sentence for number in (*self._ids[sign], *gap)]
        ids = np.array([[*self._ids["^"], *gap, *between, *self._ids["$"]]])
        scales = np.array([0.667, 1 / speed, 0.8], np.float32)
        given = {"input": ids, "input_lengths": np.array([ids.size]), "scales": scales}
        samples = np.asarray(self._model.run(None, given)[0], np.float32).squeeze()
        return Clip(samples, self._rate_hz)


class NeuralVoice:
    """Speaks texts, the lexicon's terms as taught; keep one for many.

    Args:
        lexicon: its terms are said by their first readings.
        piper: speaks instead of the natural voice.
    """

    def __init__(self, lexicon: Lexicon, piper: PiperVoice | None = None) -> None:
        self._lexicon = lexicon
        self._piper = piper
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
            if self._piper:
                said = self._piper.speak_phones(sentence, speed)
            else:
                said = voice.speak_phones(sentence, seed + number)
            parts += [at_sample_rate(said).samples, pause]
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
