"""Says texts aloud; what was said once comes from a cache of files."""

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from client.audio.playback import play
from client.audio.wav import read_wav, write_wav
from client.core.errors import SpeakingError
from client.speaking.pyttsx3_voice import Pyttsx3Voice
from client.speaking.voice import Voice
from pronunciation.clip import Clip
from pronunciation.terms import Lexicon

MAX_CACHE_BYTES: Final = 200 * 1024 * 1024
"""About 75 minutes of speech at 22,050 Hz: every prompt of the built-in bank several times."""
_NO_VOICE: Final = "no voice works here, so the text is shown only"


@dataclass(frozen=True)
class SpeechOutcome:
    """What became of a text that was to be spoken.

    Attributes:
        spoken: it was heard to its end, or until it was stopped.
        reason: where it was not spoken, why, and the remedy; one line.
    """

    spoken: bool
    reason: str = ""


def voices_here() -> tuple[Voice, ...]:
    """The voices that can be tried on this machine, the best first; none: the text is shown."""
    voices: tuple[Voice, ...] = (Pyttsx3Voice(),)
    return tuple(voice for voice in voices if voice.is_available())


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

    def clip(self, text: str) -> Clip:
        """``text`` as sound, at the voice's own rate.

        Raises:
            SpeakingError: no voice can say it; the text names the remedy.
        """
        failure: SpeakingError | None = None
        for voice in self._voices:
            try:
                return self._cached(voice, text)
            except SpeakingError as error:
                failure = failure or error
        raise failure or SpeakingError(_NO_VOICE, "aloud doctor says what is missing")

    def speak_to_file(self, text: str, path: Path) -> Path:
        """Write ``text`` as a WAV file (mono, 16 bits); returns ``path``.

        Raises:
            SpeakingError: no voice can say it, or the file cannot be written.
        """
        write_wav(self.clip(text), path)
        return path

    def speak(
        self,
        text: str,
        *,
        show: Callable[[str], None] | None = None,
        stop: threading.Event | None = None,
    ) -> SpeechOutcome:
        """Say ``text`` aloud and come back when it is said. Never raises: see the outcome.

        Args:
            text: what to say.
            show: called with ``text`` where it could not be spoken, to print it.
            stop: set from another thread, ends the speaking.
        """
        try:
            self._player(self.clip(text), stop)
        except Exception as error:  # an interview goes on without a voice, whatever failed
            if show is not None:
                show(text)
            return SpeechOutcome(spoken=False, reason=" ".join(str(error).split()) or repr(error))
        return SpeechOutcome(spoken=True)

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


def _play(clip: Clip, stop: threading.Event | None) -> object:
    return play(clip, stop=stop)


def _trim(folder: Path) -> None:
    files = sorted(folder.glob("*.wav"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > MAX_CACHE_BYTES:
            path.unlink(missing_ok=True)
