"""A natural American voice: the ONNX model of the package hibari-tts, on this machine.

It speaks phones. The lexicon's terms are given to it as their readings; other words get theirs from
the package's own dictionary and rules, which take the sentence into account.
"""

import importlib.metadata
import importlib.util
import re
import threading
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from client.core.errors import SpeakingError
from client.speaking.voice import Voice
from pronunciation.clip import Clip
from pronunciation.reinstalling import reinstall_command
from pronunciation.respelling.for_voices import respell
from pronunciation.terms import Lexicon

_PACKAGES: Final = ("hibari-tts", "onnxruntime")
_SEED: Final = 0
"""Of the breath in it: the same text is the same sound."""
_AUDIBLE: Final = 0.01
"""Of full scale; the model's hiss before and after a sentence lies below."""
_LEAD_S: Final = 0.03
_TRAIL_S: Final = 0.3
"""Kept around a sentence; the model gives 0.3 s before it and 0.5 s after it."""
_ENDS: Final = tuple('.,;:!?…—"”’)')
"""A text without any of these at its end is spoken as a sentence: of 339 drill items, the hearing
calls 286 correct with a full stop and 275 without."""
_READ_OUT: Final = (
    (re.compile(r"(?<=\w)/s\b"), " per second"),
    (re.compile(r"\b(no|nos|[Ff]ig|ed)\.(?!\s*\d)"), r"\1 ."),
    (re.compile(r"(?<=\bthe )(Sun|Sat)\."), r"\1 ."),
    (re.compile(r"(?<!\b[Ii]n )(?<!\bof )(?<!\bby )(?<!\bsince )\b(Jan)\.(?!\s*\d)"), r"\1 ."),
)
"""What the package's rules read wrong: "gigabits S", "the answer is number"."""


class NaturalVoice(Voice):
    """Keeps one model for all instances; it is loaded when first needed.

    Args:
        speed: 1 is the voice's own pace, about 165 words per minute.
    """

    name: ClassVar[str] = "natural"

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed

    @property
    def key(self) -> str:
        """The package's version and the speed."""
        return f"{self.name}/{importlib.metadata.version('hibari-tts')}/{self._speed:g}"

    def is_available(self) -> bool:
        """Whether the package is installed."""
        return importlib.util.find_spec("hibari") is not None

    def written_for(self, text: str, lexicon: Lexicon) -> str:
        """With each term's phones beside it: ``[RoCE](/ɹˈɑki/)``."""
        for pattern, words in _READ_OUT:
            text = pattern.sub(words, text)
        return respell(text, lexicon, "natural")

    def phones(self, text: str, lexicon: Lexicon) -> list[str]:
        """The phones of each sentence, in the voice's alphabet.

        Raises:
            SpeakingError: the model cannot be loaded.
        """
        sentences = _MODEL.phones(self.written_for(text, lexicon))
        return [each if each.endswith(_ENDS) else f"{each}." for each in sentences]

    def speak_phones(self, sentence: str, seed: int = _SEED) -> Clip:
        """A sentence given as phones, 24 kHz, with a short silence around it.

        Raises:
            SpeakingError: the model cannot be loaded, or failed.
        """
        samples = _MODEL.samples(sentence, self._speed, seed)
        return Clip(_trimmed(samples, _MODEL.sample_rate_hz), _MODEL.sample_rate_hz)

    def _render(self, text: str, lexicon: Lexicon) -> Clip:
        spoken = [self.speak_phones(sentence).samples for sentence in self.phones(text, lexicon)]
        return Clip(np.concatenate(spoken or [_NOTHING]), _MODEL.sample_rate_hz)


_NOTHING: Final = np.zeros(0, dtype=np.float32)


class _Model:
    """The package's model and dictionary, loaded once for the whole process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def _hibari(self) -> Any:
        try:
            from hibari import Hibari

            model = Hibari()
            model.g2p.oov  # noqa: B018 - loaded now, not at the first unknown word
        except Exception as error:  # a broken native library or file raises whatever it likes
            said = " ".join(str(error).split())
            problem = f"the natural voice cannot be loaded ({said})"
            raise SpeakingError(problem, reinstall_command(*_PACKAGES)) from error
        return model

    @property
    def sample_rate_hz(self) -> int:
        with self._lock:
            return int(self._hibari.sample_rate)

    def phones(self, text: str) -> list[str]:
        with self._lock:
            return list(self._hibari.phonemize(text))

    def samples(self, phones: str, speed: float, seed: int) -> npt.NDArray[np.float32]:
        with self._lock:
            model = self._hibari
        try:
            spoken = model.from_phonemes(phones, speed=speed, seed=seed)
        except Exception as error:  # onnxruntime raises its own
            problem = f"the natural voice failed ({error})"
            raise SpeakingError(problem, reinstall_command(*_PACKAGES)) from error
        clipped: npt.NDArray[np.float32] = np.clip(spoken, -1.0, 1.0).astype(np.float32)
        return clipped


_MODEL: Final = _Model()


def _trimmed(samples: npt.NDArray[np.float32], sample_rate_hz: int) -> npt.NDArray[np.float32]:
    """A sentence without most of the silence around it."""
    audible = np.flatnonzero(np.abs(samples) > _AUDIBLE)
    if audible.size == 0:
        return samples
    start = max(0, int(audible[0]) - round(_LEAD_S * sample_rate_hz))
    end = int(audible[-1]) + round(_TRAIL_S * sample_rate_hz)
    return samples[start:end]
