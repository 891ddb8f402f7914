"""The voices: the system's own by pyttsx3 (on Linux eSpeak NG from a wheel), and a natural one.

The natural one is American, the ONNX model of the package hibari-tts on this machine. It speaks
phones: the lexicon's terms are given to it as their readings, other words get theirs from the
package's own dictionary and rules, which take the sentence into account.
"""

import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import threading
from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from client.audio.files import read_audio
from client.audio.wav import read_wav
from client.core.errors import ClientError, SpeakingError
from pronunciation.clip import Clip
from pronunciation.errors import reinstall_command
from pronunciation.respelling.for_voices import respell
from pronunciation.terms import Lexicon

MAX_TEXT_CHARS: Final = 10_000
"""Ten minutes of speech; no prompt comes near it."""


class Voice(ABC):
    """One speech engine: `is_available` tells whether it can be tried, `_render` is its hook."""

    name: ClassVar[str]

    @abstractmethod
    def is_available(self) -> bool:
        """Whether what it needs is installed; cheap, makes no sound."""

    @property
    @abstractmethod
    def key(self) -> str:
        """Everything but the text that shapes its sound: part of the cache's key."""

    @abstractmethod
    def written_for(self, text: str, lexicon: Lexicon) -> str:
        """``text`` as this engine must be given it, so that it says the terms right."""

    @abstractmethod
    def _render(self, text: str, lexicon: Lexicon) -> Clip:
        """``text`` as sound, at the engine's own rate.

        Raises:
            SpeakingError: it could not; says the remedy.
        """

    def synthesize(self, text: str, lexicon: Lexicon) -> Clip:
        """``text`` as sound, at the engine's own rate.

        Raises:
            SpeakingError: nothing to say, too much of it, or the engine failed.
        """
        if not any(character.isalnum() for character in text):
            raise SpeakingError("there is nothing to say: the text has no words")
        if len(text) > MAX_TEXT_CHARS:
            raise SpeakingError(
                f"the text has {len(text)} characters; a voice says at most {MAX_TEXT_CHARS} at "
                "once",
                "say it in pieces",
            )
        clip = self._render(text, lexicon)
        if not clip.samples.any():
            raise SpeakingError(f"the voice {self.name} produced only silence")
        return clip


DEFAULT_RATE_WPM: Final = 160
"""An interviewer's pace; the engines' own 175 to 200 is hard on non-native listeners."""
START_LIMIT_S: Final = 15.0
"""A cold start of Python and the voice took 0.2 s on two cores, 4 s on a loaded machine."""
LIMIT_S_PER_CHARACTER: Final = 0.1
"""Slower than speech itself (about 15 characters a second): writing a file is faster."""

_SCRIPT: Final = Path(__file__).with_name("pyttsx3_process.py")
_DRIVERS: Final = {"darwin": "nsss", "win32": "sapi5"}
_ESPEAK_VOICE: Final = "gmw/en-us"
_REMEDY: Final = {
    "nsss": "choose a voice in the system's settings under Accessibility › Spoken Content",
    "sapi5": "add an English voice in the system's settings under Time & Language › Speech",
}


class Pyttsx3Voice(Voice):
    """pyttsx3 in a process per utterance, killed when it takes too long.

    Args:
        rate_wpm: words per minute.
        driver: pyttsx3's driver; ``None``: this system's (``espeak``, ``nsss``, ``sapi5``).
        limit_s: the time one utterance may take; ``None``: by the length of the text.
        script: what speaks in its own process; another one only in tests.
    """

    name: ClassVar[str] = "system"

    def __init__(
        self,
        rate_wpm: int = DEFAULT_RATE_WPM,
        driver: str | None = None,
        limit_s: float | None = None,
        script: Path = _SCRIPT,
    ) -> None:
        self._rate_wpm = rate_wpm
        self._driver = driver or _DRIVERS.get(sys.platform, "espeak")
        self._limit_s = limit_s
        self._script = script

    @property
    def remedy(self) -> str:
        """What to install where it fails."""
        if self._driver in _REMEDY:
            return f"{reinstall_command('pyttsx3')}, and {_REMEDY[self._driver]}"
        return f"{reinstall_command('pyttsx3', 'espeakng-loader')}, or apt install espeak-ng"

    @property
    def key(self) -> str:
        """Driver, voice and rate."""
        return f"{self.name}/{self._driver}/{_ESPEAK_VOICE}/{self._rate_wpm}"

    def is_available(self) -> bool:
        """Whether pyttsx3 is installed and this Python can start another."""
        return bool(sys.executable) and importlib.util.find_spec("pyttsx3") is not None

    def written_for(self, text: str, lexicon: Lexicon) -> str:
        """With phonemes for eSpeak NG, respelled in letters for the other systems' voices."""
        return respell(text, lexicon, "espeak" if self._driver == "espeak" else "plain")

    def _render(self, text: str, lexicon: Lexicon) -> Clip:
        with tempfile.TemporaryDirectory(prefix="aloud-say-") as folder:
            path = Path(folder) / "spoken.wav"
            self._speak(text, lexicon, path)
            return _read(path)

    def _speak(self, text: str, lexicon: Lexicon, path: Path) -> None:
        request = {
            "path": str(path),
            "text": self.written_for(text, lexicon),
            "plain": respell(text, lexicon, "plain"),
            "rate_wpm": self._rate_wpm,
            "voice": _ESPEAK_VOICE if self._driver == "espeak" else None,
            "driver": self._driver,
        }
        limit_s = self._limit_s or START_LIMIT_S + LIMIT_S_PER_CHARACTER * len(text)
        try:
            done = subprocess.run(
                [sys.executable, "-P", str(self._script)],
                input=json.dumps(request).encode("utf-8"),
                capture_output=True,
                timeout=limit_s,
                check=False,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except subprocess.TimeoutExpired as error:  # run() has killed it
            raise SpeakingError(
                f"the voice did not answer within {limit_s:.0f} s and was stopped", self.remedy
            ) from error
        except OSError as error:
            raise SpeakingError(f"the voice cannot be started ({error})", self.remedy) from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            why = said[-1] if said else f"exit status {done.returncode}"
            raise SpeakingError(f"the voice failed ({why})", self.remedy)


def _read(path: Path) -> Clip:
    """A clip from what an engine wrote; macOS writes AIFF whatever the file is called."""
    try:
        with path.open("rb") as file:
            is_wav = file.read(4) == b"RIFF"
    except OSError as error:
        raise SpeakingError("the voice wrote no file") from error
    if is_wav:
        return read_wav(path)

    try:
        return read_audio(path)
    except ClientError as error:
        raise SpeakingError(f"what the voice wrote cannot be read: {error}") from error


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
