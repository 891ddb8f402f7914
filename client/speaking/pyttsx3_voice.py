"""The system's own voice by pyttsx3; on Linux eSpeak NG from a wheel."""

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import ClassVar, Final

from client.audio.files import read_audio
from client.audio.wav import read_wav
from client.core.errors import ClientError, SpeakingError
from client.speaking.voice import Voice
from pronunciation.clip import Clip
from pronunciation.reinstalling import reinstall_command
from pronunciation.respelling.for_voices import respell
from pronunciation.terms import Lexicon

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
