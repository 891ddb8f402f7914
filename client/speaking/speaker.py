"""Says texts aloud, sentence by sentence; caches each sentence as a file."""

import contextlib
import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from client.audio.playback import play
from client.audio.wav import read_wav, write_wav
from client.core.errors import SpeakingError
from client.core.settings import ClientSettings
from client.speaking.voices import DEFAULT_RATE_WPM, NaturalVoice, Pyttsx3Voice, Voice
from pronunciation.clip import Clip, at_sample_rate
from pronunciation.respelling.for_voices import spelled_out
from pronunciation.terms import Lexicon

MAX_CACHE_BYTES: Final = 200 * 1024 * 1024
"""About 70 minutes of speech at 24,000 Hz: every prompt of the built-in bank several times."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9])|\n+")
_NO_END: Final = re.compile(r"(?:\b(?:[A-Z]|e\.g|i\.e|vs|etc|Dr|Mr|Mrs|Ms|Prof|St)\.)$")
"""A point after these ends no sentence."""
TRIAL_SENTENCE: Final = (
    "How would you choose between InfiniBand and RoCE for a new training cluster?"
)
"""Said to try a voice."""
_NO_VOICE: Final = "no voice works here, so the text is only shown"


@dataclass(frozen=True)
class SpeechOutcome:
    """Whether a text was spoken.

    Attributes:
        spoken: it was heard to its end, or until it was stopped.
        reason: where it was not spoken, why, and the remedy; one line.
    """

    spoken: bool
    reason: str = ""


def voices_here(first: str = NaturalVoice.name, speed: float = 1.0) -> tuple[Voice, ...]:
    """The voices that can be tried on this machine, the best first; none: the text is shown.

    Args:
        first: the voice to try before all others, by name.
        speed: of speaking; 1 is a voice's usual pace.
    """
    voices = (NaturalVoice(speed), Pyttsx3Voice(round(DEFAULT_RATE_WPM * speed)))
    return tuple(
        voice
        for voice in sorted(voices, key=lambda voice: voice.name != first)
        if voice.is_available()
    )


class Speaker:
    """Turns text into speech with the first voice that works.

    Args:
        lexicon: terms and how they are said.
        cache: a folder for what has been said; ``None``: nothing is kept.
        voices: the voices to try in turn; ``None``: what this machine has.
        player: plays a clip; ``stop`` is an event that ends it, or ``None``.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        cache: Path | None = None,
        voices: Sequence[Voice] | None = None,
        player: Callable[[Clip, threading.Event | None], object] | None = None,
    ) -> None:
        self._lexicon = lexicon
        self._cache = cache
        self._voices = tuple(voices_here() if voices is None else voices)
        self._player = player or _play

    @classmethod
    def of(cls, settings: ClientSettings, lexicon: Lexicon) -> "Speaker":
        """The voice that the settings choose, with their cache."""
        chosen = settings.preferences
        return cls(lexicon, settings.speech_cache, voices_here(chosen.voice, chosen.speed))

    def warm_up(self) -> None:
        """Begin to load the voice, for a text that will be said soon; does not wait."""
        threading.Thread(target=self._warm, name="aloud-voice", daemon=True).start()

    def clip(self, text: str) -> Clip:
        """``text`` as sound, at the voice's own rate.

        Raises:
            SpeakingError: no voice can say it; the text names the remedy.
        """
        clips = list(self._sentences(text))
        rate_hz = clips[0].sample_rate_hz
        # a voice that fails midway leaves the rest to another, of another rate
        parts = [at_sample_rate(clip, rate_hz).samples for clip in clips]
        return Clip(np.concatenate(parts), rate_hz)

    def speak_to_file(self, text: str, path: Path) -> Path:
        """Write ``text`` as a WAV file (mono, 16 bits); returns ``path``.

        Raises:
            SpeakingError: no voice can say it, or the file cannot be written.
        """
        write_wav(self.clip(text), path)
        return path

    def speak(self, text: str, *, stop: threading.Event | None = None) -> SpeechOutcome:
        """Say ``text`` aloud and return when it has been said. Never raises: see the outcome.

        Args:
            text: what to say.
            stop: set from another thread, ends the speaking.
        """
        try:
            for clip in self._sentences(text):
                self._player(clip, stop)
                if stop is not None and stop.is_set():
                    break
        except Exception as error:  # an interview continues without a voice, whatever failed
            return SpeechOutcome(spoken=False, reason=" ".join(str(error).split()) or repr(error))
        return SpeechOutcome(spoken=True)

    def _warm(self) -> None:
        with contextlib.suppress(SpeakingError):  # the first text says so
            for voice in self._voices[:1]:
                voice.synthesize("Ready.", self._lexicon)

    def _sentences(self, text: str) -> Iterator[Clip]:
        """A clip for each sentence, as soon as it is made."""
        for sentence in sentences_of(spelled_out(text)):
            yield self._said(sentence)

    def _said(self, sentence: str) -> Clip:
        failure: SpeakingError | None = None
        for voice in self._voices:
            try:
                return self._cached(voice, sentence)
            except SpeakingError as error:
                failure = failure or error
        raise failure or SpeakingError(_NO_VOICE, "aloud doctor says what is missing")

    def _cached(self, voice: Voice, text: str) -> Clip:
        if self._cache is None:
            return voice.synthesize(text, self._lexicon)
        said = f"{voice.key}\n{voice.written_for(text, self._lexicon)}"
        path = self._cache / f"{hashlib.sha256(said.encode()).hexdigest()[:32]}.wav"
        with contextlib.suppress(SpeakingError):  # not there, or broken: say it again
            clip = read_wav(path)
            with contextlib.suppress(OSError):
                os.utime(path)  # the least recently heard goes first
            return clip
        clip = voice.synthesize(text, self._lexicon)
        with contextlib.suppress(SpeakingError, OSError):  # a cache that fails costs time only
            write_wav(clip, path)
            _trim(self._cache)
        return clip


def sentences_of(text: str) -> list[str]:
    """The sentences of a text that have words; the text itself where none has."""
    found: list[str] = []
    start = 0
    for end in [*_SENTENCE_END.finditer(text), None]:
        sentence = text[start : end.start() if end else None]
        if end and _NO_END.search(sentence) and "\n" not in end.group():
            continue
        if any(character.isalnum() for character in sentence):
            found.append(sentence.strip())
        start = end.end() if end else start
    return found or [text]


def _play(clip: Clip, stop: threading.Event | None) -> object:
    return play(clip, stop=stop)


def _trim(folder: Path) -> None:
    files = sorted(folder.glob("*.wav"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > MAX_CACHE_BYTES:
            path.unlink(missing_ok=True)
