import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from client.answer.worker import transcribe
from client.engines.base import KEEP_SILENCE_S, Piece, Segment, Transcriber
from pronunciation.clip import Clip
from server.contract import Word
from tests.worlds.planted_voice import FedVoice
from tests.worlds.spoken import say

RATE_HZ = 16_000


def silence(duration_s: float) -> np.ndarray:
    return np.zeros(round(duration_s * RATE_HZ), dtype=np.float32)


def phrase() -> np.ndarray:
    return say(["memory", "network", "latency"], start_s=0.0, end_s=0.0).samples


class Kept(Transcriber):
    """Keeps the segments that it is given, timed from the start of the recording."""

    name, model = "kept", "none"

    def __init__(self) -> None:
        self.segments: list[Segment] = []

    def transcribe_segment(self, segment: Segment, offset_s: float = 0.0) -> tuple[Word, ...]:
        pieces = tuple(
            replace(piece, start_s=piece.start_s + offset_s, end_s=piece.end_s + offset_s)
            for piece in segment.pieces
        )
        self.segments.append(Segment(segment.clip, pieces))
        return super().transcribe_segment(segment, offset_s)

    def recognize(self, clip: Clip) -> Sequence[Word]:
        return [Word(text="so", start_s=0.5, end_s=0.6)]


def plan_segments(clip: Clip) -> list[Segment]:
    engine = Kept()
    transcribe(engine, clip)
    return engine.segments


def test_a_long_silence_is_cut_out_and_times_still_hold() -> None:
    sound = phrase()
    clip = Clip(np.concatenate([silence(3), sound, silence(5), sound, silence(4)]))
    second_s = 3 + sound.size / RATE_HZ + 5

    (segment,) = plan_segments(clip)

    assert segment.clip.duration_s < 2 * sound.size / RATE_HZ + 4 * KEEP_SILENCE_S + 0.5
    first, last = segment.pieces[0], segment.pieces[-1]
    assert first.start_s == pytest.approx(3 - KEEP_SILENCE_S, abs=0.15)
    assert last.end_s == pytest.approx(second_s + sound.size / RATE_HZ + KEEP_SILENCE_S, abs=0.2)
    # a word at the second phrase's start within the segment is there in the recording
    at_s = last.at_s + (second_s - last.start_s)
    assert segment.recording_times(at_s, at_s + 0.4) == pytest.approx((second_s, second_s + 0.4))
    loud = np.flatnonzero(np.abs(segment.clip.slice(at_s, at_s + 1).samples) > 0.05)
    assert loud[0] / RATE_HZ < 0.15


def test_a_long_recording_becomes_segments_that_fit_the_window() -> None:
    clip = Clip(np.concatenate([part for _ in range(16) for part in (phrase(), silence(0.6))]))

    segments = plan_segments(clip)

    assert len(segments) >= 2
    assert all(segment.clip.duration_s <= 30.0 for segment in segments)
    for before, after in itertools.pairwise(segments):
        assert before.end_s <= after.start_s + 1e-9
    kept_s = sum(segment.clip.duration_s for segment in segments)
    assert kept_s > 16 * phrase().size / RATE_HZ


def test_speech_without_a_pause_is_cut_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "client.answer.worker.VoiceActivity", lambda: FedVoice(planted=[(0.0, 70.0)])
    )
    rng = np.random.default_rng(1)
    samples = 0.2 * rng.standard_normal(70 * RATE_HZ).astype(np.float32)
    quiet_s = 24.0
    samples[round(quiet_s * RATE_HZ) : round((quiet_s + 0.1) * RATE_HZ)] = 0.0

    segments = plan_segments(Clip(np.clip(samples, -1, 1).astype(np.float32)))

    assert len(segments) == 3
    assert segments[0].end_s == pytest.approx(quiet_s + 0.05, abs=0.06)
    assert sum(segment.clip.duration_s for segment in segments) == pytest.approx(70, abs=0.01)


def test_a_word_is_never_stretched_over_a_silence_that_was_taken_out() -> None:
    segment = Segment(
        Clip(silence(4)), (Piece(10.0, 12.0, 0.0, 10.4, 11.6), Piece(30.0, 32.0, 2.0, 30.4, 31.6))
    )

    assert segment.recording_times(0.5, 1.0) == (10.5, 11.0)
    assert segment.recording_times(2.5, 3.0) == (30.5, 31.0)
    # nor over the silence that was kept
    assert segment.recording_times(0.0, 1.0) == (10.4, 11.0)
    assert segment.recording_times(1.0, 2.2) == (11.0, 11.6)
    assert segment.recording_times(1.9, 2.6) == (30.4, 30.6)
    # unless the detector heard nothing there
    assert segment.recording_times(2.0, 2.3) == (30.0, 30.3)
