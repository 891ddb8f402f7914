"""The true sounddevice on a true sound server: a null sink whose monitor is the microphone.

The recorder runs in a process of its own: PortAudio looks for its devices once per process, and
the test run itself must not be led to our server.
"""

import json
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.audio import read_take
from client.audio.devices import zeros_remedy
from client.audio.take_file import finish_take
from pronunciation.clip import Clip, at_sample_rate

RATE_HZ = 16000

RECORD = """
import json, sys
from pathlib import Path
from client.audio import Recorder, RecorderSettings, list_devices

settings = RecorderSettings(Path(sys.argv[1]), **json.loads(sys.argv[2]))
levels = []
recorder = Recorder(settings)
device = recorder.start(levels.append)
while not levels:
    recorder.wait(0.05)
print("recording", flush=True)
recorder.wait(60)
recording = recorder.stop()
print(json.dumps({
    "path": str(recording.path), "stopped_by": recording.stopped_by, "device": recording.device,
    "rate_hz": recording.sample_rate_hz, "duration_s": recording.clip.duration_s,
    "overflows": recording.overflows, "peak_dbfs": max(level.peak_dbfs for level in levels),
    "devices": [device.name for device in list_devices()],
}))
"""


def chirp(seconds: float) -> np.ndarray[Any, Any]:
    """A sweep with a syllable's rhythm: no piece of it is like another."""
    times_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    sweep = 0.5 * np.sin(2 * np.pi * (200 * times_s + 500 * times_s**2))
    return np.asarray(sweep * (times_s % 0.4 < 0.3), dtype=np.float32)


def write_wav(path: Path, samples: np.ndarray[Any, Any]) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return path


def recorder_process(
    pulseaudio: Any, folder: Path, settings: dict[str, Any]
) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", RECORD, str(folder), json.dumps(settings)],
        env=pulseaudio.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline().strip()
    if first != "recording":
        _, errors = process.communicate(timeout=60)
        pytest.fail(f"the recorder did not start: {errors[-2000:]}")
    return process


PIECE_S = 0.4
"""One syllable of the chirp and its pause."""
FINER = 8
"""Pieces are aligned to an eighth of a sample: at 3 kHz half a sample is a tenth of a period."""


def alignment(
    heard: np.ndarray[Any, Any], played: np.ndarray[Any, Any]
) -> list[tuple[float, float]]:
    """Where each piece of the played sound is heard: its delay in seconds and its correlation.

    The clocks of a sound server's player and recorder drift against each other by parts of a
    sample, so that a correlation of the whole says more about them than about the recorder.
    """
    heard, played = (
        at_sample_rate(Clip(each), FINER * RATE_HZ).samples for each in (heard, played)
    )
    step = round(PIECE_S * FINER * RATE_HZ)
    size = 1 << (heard.size + step).bit_length()
    spectrum = np.fft.rfft(heard, size)
    found = []
    for start in range(0, played.size - step + 1, step):
        piece = played[start : start + step]
        product = spectrum * np.conj(np.fft.rfft(piece, size))
        lag = int(np.argmax(np.fft.irfft(product)[: heard.size - step]))
        there = heard[lag : lag + step]
        correlation = np.dot(there, piece) / (np.linalg.norm(there) * np.linalg.norm(piece))
        found.append(((lag - start) / (FINER * RATE_HZ), float(correlation)))
    return found


def assert_heard(heard: np.ndarray[Any, Any], played: np.ndarray[Any, Any]) -> None:
    """Every piece came back whole, and none of the sound between them is lost or doubled."""
    found = alignment(heard, played)
    assert min(correlation for _, correlation in found) > 0.95, found
    delays_s = [delay_s for delay_s, _ in found]
    assert max(delays_s) - min(delays_s) < 0.005, found


@pytest.mark.slow
def test_what_is_played_comes_back(pulseaudio: Any, tmp_path: Path) -> None:
    played = chirp(3.0)
    sound = write_wav(tmp_path / "played.wav", played)
    folder = tmp_path / "takes"
    process = recorder_process(pulseaudio, folder, {"silence_stop_s": 1.5, "zeros_stop_s": None})
    assert pulseaudio.play(sound).wait(60) == 0
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    result = json.loads(output)
    assert result["stopped_by"] == "silence"
    clip = at_sample_rate(Clip(*read_take(Path(result["path"]))))
    sounds = np.flatnonzero(np.abs(clip.samples) > 0.1)
    # some time until the player starts, then the sound, then the silence that ends it
    assert 1.0 <= result["duration_s"] - sounds[-1] / RATE_HZ <= 1.5 + 1.5
    assert result["peak_dbfs"] == pytest.approx(20 * np.log10(0.5), abs=1.0)
    assert "default" in result["devices"]
    assert_heard(clip.samples, played)


PLAY = """
import sys
from pathlib import Path
from client.speaking import play
from client.audio.wav import read_wav

print(play(read_wav(Path(sys.argv[1]))))
"""


@pytest.mark.slow
def test_our_own_loudspeaker_is_heard_by_our_own_microphone(
    pulseaudio: Any, tmp_path: Path
) -> None:
    played = chirp(2.0)
    sound = write_wav(tmp_path / "played.wav", played)
    folder = tmp_path / "takes"
    process = recorder_process(pulseaudio, folder, {"silence_stop_s": 1.5, "zeros_stop_s": None})
    player = subprocess.run(
        [sys.executable, "-c", PLAY, str(sound)],
        env=pulseaudio.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert player.stdout.strip() == "True", player.stderr
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    clip = at_sample_rate(Clip(*read_take(Path(json.loads(output)["path"]))))
    assert_heard(clip.samples, played)


@pytest.mark.slow
def test_killed_in_the_middle_keeps_the_sound(pulseaudio: Any, tmp_path: Path) -> None:
    played = chirp(3.0)
    sound = write_wav(tmp_path / "played.wav", played)
    folder = tmp_path / "takes"
    process = recorder_process(pulseaudio, folder, {"silence_stop_s": None})
    assert pulseaudio.play(sound).wait(60) == 0
    process.kill()
    process.communicate()
    (take,) = folder.glob("*.wav.part")
    clip = at_sample_rate(Clip(*read_take(finish_take(take))))
    # the last second may be lost, the first two may not
    assert_heard(clip.samples, played[: 2 * RATE_HZ])


@pytest.mark.slow
def test_a_silent_microphone_is_an_error(pulseaudio: Any, tmp_path: Path) -> None:
    process = recorder_process(pulseaudio, tmp_path / "takes", {"zeros_stop_s": 1.0})
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert zeros_remedy("terminal") in errors
