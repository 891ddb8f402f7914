"""The true pyttsx3 in its own process; on Linux with the eSpeak NG of the wheel."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.core.errors import SpeakingError
from client.speaking.pyttsx3_process import speak
from client.speaking.voices import Pyttsx3Voice
from pronunciation.clip import Clip
from pronunciation.terms import Lexicon, Term

NO_TERMS = Lexicon(version="0", terms=())
ROCE = Term(term="RoCE", kind="word", say="ROCK-ee", readings=("R AA1 K IY0",))
LEXICON = Lexicon(version="test", terms=(ROCE,))
SCRIPT = Path(__file__).parents[3] / "client" / "speaking" / "pyttsx3_process.py"

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other voices")


def process(tmp_path: Path, script: str) -> Path:
    path = tmp_path / "pyttsx3_process.py"
    path.write_text(script)
    return path


def spoken(text: str, lexicon: Lexicon = NO_TERMS, **kwargs: Any) -> Clip:
    return Pyttsx3Voice(**kwargs).synthesize(text, lexicon)


@linux_only
def test_it_speaks() -> None:
    clip = spoken("The quick brown fox jumps over the lazy dog.")
    assert clip.sample_rate_hz == 22050
    assert 2.0 < clip.duration_s < 6.0  # nine words at 160 a minute: 3.4 s
    assert 0.02 < float(np.sqrt(np.mean(clip.samples**2))) < 0.5


@linux_only
def test_the_rate_is_obeyed() -> None:
    text = "The quick brown fox jumps over the lazy dog."
    slow, fast = spoken(text, rate_wpm=100), spoken(text, rate_wpm=250)
    assert slow.duration_s > 1.6 * fast.duration_s


@linux_only
def test_a_term_sounds_as_its_phonemes_not_as_its_letters() -> None:
    """The same sound as of the word that is said alike, another than of the bare spelling."""
    as_taught = spoken("RoCE", LEXICON)
    alike, bare = spoken("rocky"), spoken("RoCE")
    assert as_taught.duration_s == pytest.approx(alike.duration_s, rel=0.15)
    assert spectral_distance(as_taught, alike) < 0.5 * spectral_distance(as_taught, bare)


def spectral_distance(one: Clip, other: Clip) -> float:
    """Mean distance of log spectra, frame by frame along both clips stretched to one length."""

    def spectra(clip: Clip) -> Any:
        frames = np.lib.stride_tricks.sliding_window_view(clip.samples, 512)[::64]
        picked = frames[np.linspace(0, len(frames) - 1, 100).astype(int)]
        power = np.abs(np.fft.rfft(picked * np.hanning(512))) ** 2
        bands = power[:, :256].reshape(100, 32, 8).sum(axis=2)
        return np.log10(bands + 1e-4)

    return float(np.mean(np.abs(spectra(one) - spectra(other))))


@linux_only
def test_the_library_is_the_wheel_s_not_the_system_s(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import pyttsx3_process\n"
        "pyttsx3_process._load_espeak()\n"
        "from pyttsx3.drivers import _espeak\n"
        "print(*{l.split()[-1] for l in open('/proc/self/maps') if 'libespeak' in l})\n"
    )
    command = [sys.executable, "-c", script, str(SCRIPT.parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    (library,) = done.stdout.split()
    assert "espeakng_loader" in library


@linux_only
def test_a_long_text_is_spoken_to_its_end() -> None:
    """pyttsx3's loop ends before the sound does: texts over 800 characters came to nothing."""
    sentence = "Well, that is how we shard the optimizer state. "
    short, long = spoken(sentence * 5), spoken(sentence * 100)
    assert long.duration_s == pytest.approx(20 * short.duration_s, rel=0.1)


def test_a_voice_that_hangs_is_killed(tmp_path: Path) -> None:
    script = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
    hanging = process(tmp_path, script + "time.sleep(60)\n")
    began_s = time.monotonic()
    with pytest.raises(SpeakingError, match="did not answer within 2 s and was stopped"):
        spoken("hello", limit_s=2.0, script=hanging)
    assert time.monotonic() - began_s < 30
    if sys.platform != "win32":
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import sys; sys.stderr.write('noise\\nno such voice\\n'); sys.exit(1)", "no such voice"),
        ("import os; os.abort()", "exit status"),
        ("pass", "wrote no file"),
    ],
)
def test_a_voice_that_fails_is_one_clear_line(tmp_path: Path, script: str, said: str) -> None:
    with pytest.raises(SpeakingError, match=said) as caught:
        spoken("hello", script=process(tmp_path, script))
    assert "\n" not in str(caught.value)


def test_only_espeak_is_given_phonemes() -> None:
    assert Pyttsx3Voice(driver="espeak").written_for("RoCE", LEXICON) == "[[r|'A:|k|i]]"
    assert Pyttsx3Voice(driver="sapi5").written_for("RoCE", LEXICON) == "rock-ee"


def test_a_driver_that_reports_an_error_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyttsx3 swallows what a driver raises and only notifies; an empty file must not pass."""

    class Engine:
        def setProperty(self, name: str, value: object) -> None:
            pass

        def connect(self, topic: str, callback: Any) -> None:
            self.callback = callback

        def save_to_file(self, text: str, path: str) -> None:
            self.text = text

        def runAndWait(self) -> None:
            self.callback(name=None, exception=ValueError("no audio format"))

    import pyttsx3

    monkeypatch.setattr(pyttsx3, "init", lambda driver: Engine())
    request = {
        "path": "x.wav", "text": "[[h]]", "plain": "hi", "rate_wpm": 160, "voice": None,
        "driver": "sapi5",
    }  # fmt: skip
    with pytest.raises(RuntimeError, match="no audio format"):
        speak(request)


def test_it_says_whether_it_can_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Pyttsx3Voice().is_available()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert not Pyttsx3Voice().is_available()
