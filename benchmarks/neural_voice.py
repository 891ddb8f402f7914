"""A natural American voice that speaks given phones: hibari, a package of the development group.

Its alphabet is Kokoro's: one letter a phone (``A`` as in face, ``I`` price, ``O`` goat, ``W``
mouth, ``Y`` choice, ``T`` a flapped t), the stress mark before the stressed vowel.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from hibari import Hibari

from client.audio.resample import at_sample_rate
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.phones import base_phone, parse_phones
from pronunciation.terms import Lexicon

VOWELS = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AY": "I", "EH": "ɛ", "ER": "ɜɹ",
    "EY": "A", "IH": "ɪ", "IY": "i", "OW": "O", "OY": "Y", "UH": "ʊ", "UW": "u",
}  # fmt: skip
_REDUCED = {"AH": "ə", "ER": "əɹ"}
CONSONANTS = {
    "B": "b", "CH": "ʧ", "D": "d", "DH": "ð", "F": "f", "G": "ɡ", "HH": "h", "JH": "ʤ", "K": "k",
    "L": "l", "M": "m", "N": "n", "NG": "ŋ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t",
    "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip
_STRESS = {"1": "ˈ", "2": "ˌ"}
PAUSE_S = 0.35
"""Between sentences."""


def from_arpabet(reading: str) -> str:
    """A reading of the lexicon in the voice's alphabet: ``R AA1 K IY0`` → ``ɹˈɑki``."""
    made = []
    for phone in parse_phones(reading):
        base, digit = base_phone(phone), phone[-1]
        if base in CONSONANTS:
            made.append(CONSONANTS[base])
        else:
            sound = _REDUCED.get(base, VOWELS[base]) if digit == "0" else VOWELS[base]
            made.append(_STRESS.get(digit, "") + sound)
    return "".join(made)


class NeuralVoice:
    """Speaks texts, the lexicon's terms as taught; keep one for many.

    Args:
        lexicon: its terms are said by their first readings.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._spotter = TermSpotter(lexicon)

    @cached_property
    def _hibari(self) -> Hibari:
        return Hibari()

    def phones(self, text: str) -> list[str]:
        """The phones of each sentence."""
        sentences: list[str] = self._hibari.phonemize(self._marked(text))
        return sentences

    def speak(self, phones: Sequence[str], *, speed: float = 1.0, seed: int = 0) -> Clip:
        """Speak sentences given as phones, with a pause after each; 16 kHz."""
        pause = np.zeros(round(PAUSE_S * SAMPLE_RATE_HZ), np.float32)
        parts = [pause]
        for number, sentence in enumerate(phones):
            spoken = self._hibari.from_phonemes(sentence, speed=speed, seed=seed + number)
            clip = Clip(np.clip(spoken, -1, 1).astype(np.float32), Hibari.sample_rate)
            parts += [at_sample_rate(clip).samples, pause]
        samples = np.concatenate(parts)
        # a room is never quite silent
        hiss = np.random.default_rng(seed).standard_normal(samples.size) * 3e-4
        return Clip(np.clip(samples + hiss, -1, 1).astype(np.float32))

    def say(self, text: str, accent: Callable[[str], str], *, seed: int = 0) -> Clip:
        """Speak a text with an accent's rules on its phones."""
        return self.speak([accent(sentence) for sentence in self.phones(text)], seed=seed)

    def terms(self, text: str) -> list[str]:
        """The lexicon's terms that a text names, one entry for each time."""
        words = self._spotter.take_apart(text.split()).words
        return [spot.target.term for spot in self._spotter.spot(words)]

    def _marked(self, text: str) -> str:
        """The text with each term's phones after it, as the voice's own reader takes them."""
        words = text.split()
        for spot in reversed(self._spotter.spot(words)):
            term = self._lexicon.get(spot.target.term)
            assert term is not None
            first, end = spot.target.word_index, spot.target.word_index + spot.target.n_words
            name = " ".join(words[first:end])
            bare = name.strip(".,;:!?()\"'“”’")
            ending = bare.casefold().removeprefix(term.term.casefold())
            if ending not in ("", "s"):
                continue  # another form or spelling: the voice reads it by its own rules
            before, _, after = name.partition(bare)
            phones = from_arpabet(term.readings[0]) + ("z" if ending else "")
            words[first:end] = [f"{before}[{bare}](/{phones}/){after}"]
        return " ".join(words)
