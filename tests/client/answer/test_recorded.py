"""A recorded file is worked through as it is read, and comes out like the same sound at once."""

import wave
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from client.answer.worker import RecordingWorker
from client.audio.files import SoundFile, read_audio
from client.audio.voice_activity import check_for_speech
from client.data import demo
from client.engines.base import Transcriber
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import Word

WORD_EVERY_S = 0.5


class Counting(Transcriber):
    """Writes a word for each half second of what it hears, and notes what it was given."""

    name, model, max_segment_s = "counting", "none", 28.0

    def __init__(self) -> None:
        self.heard: list[Clip] = []
        self.note: Callable[[], None] = lambda: None

    def recognize(self, clip: Clip) -> Sequence[Word]:
        self.heard.append(clip)
        self.note()
        count = int(clip.duration_s / WORD_EVERY_S)
        return [
            Word(
                text=f"w{number}", start_s=number * WORD_EVERY_S, end_s=(number + 1) * WORD_EVERY_S
            )
            for number in range(count)
        ]


def write(path: Path, parts: Sequence[np.ndarray]) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        for part in parts:
            file.writeframes(Clip(part).pcm16())
    return path


def silence(duration_s: float) -> np.ndarray:
    return np.zeros(round(duration_s * SAMPLE_RATE_HZ), np.float32)


@pytest.fixture(scope="module")
def spoken() -> np.ndarray:
    return read_audio(demo.AUDIO).samples


def test_a_file_and_its_clip_give_the_same(spoken: np.ndarray, tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", [spoken, silence(7), spoken[: 20 * SAMPLE_RATE_HZ]])
    streamed, at_once = Counting(), Counting()

    from_file = RecordingWorker(streamed).run(SoundFile(path))
    from_clip = RecordingWorker(at_once).run(read_audio(path))

    assert from_file == from_clip
    assert len(streamed.heard) >= 2
    assert all(clip.duration_s <= 28.0 + 1.0 for clip in streamed.heard)
    for mine, other in zip(streamed.heard, at_once.heard, strict=True):
        np.testing.assert_array_equal(mine.samples, other.samples)


def test_speech_after_a_long_silence_is_found(spoken: np.ndarray, tmp_path: Path) -> None:
    late = write(tmp_path / "late.wav", [silence(60), spoken[: 5 * SAMPLE_RATE_HZ]])
    check_for_speech(SoundFile(late).blocks())
