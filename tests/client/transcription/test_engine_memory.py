"""How much memory the engine's process takes for a segment: real weights, tiny.en."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest

from client.audio.files import read_audio
from client.data import demo
from client.transcription.engine_process import EngineProcess
from client.transcription.faster_whisper_engine import LeanModel
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.passage import Passage

ROOM_MB: Final = 15.0
"""What the peaks of two segments may differ by; five hypotheses at once took 100 MB more, to load
float16 weights again after a sampled segment 30 MB."""

LEFT_MB: Final = 6.0
"""What 40 passages may leave; what oneDNN prepared for each and kept took 16 MB."""

needs_peaks = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="the system does not tell peaks (not Linux)"
)


def peak_mb(engine: EngineProcess, clip: Clip) -> float:
    """The most that the engine's process has in memory while it recognizes a clip."""
    process = Path(f"/proc/{engine.pid}")
    (process / "clear_refs").write_text("5")  # the peak counts from here
    engine.recognize(clip)
    lines = (process / "status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1000


def held_mb(engine: EngineProcess) -> float:
    """What the engine's process has in memory of its own, between two requests."""
    # what it gives back after a request, it has given back when the next is done: a small one
    engine.decode([Passage(Clip(np.zeros(SAMPLE_RATE_HZ, np.float32)), (("", "so", ""),))])
    lines = Path(f"/proc/{engine.pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Anonymous:")).split()[1]) / 1000


@needs_peaks
def test_no_segment_takes_more_memory_than_others_and_none_leaves_any() -> None:
    spoken = read_audio(demo.AUDIO)
    engine = EngineProcess("faster-whisper", "tiny.en", offline=True)
    engine.recognize(spoken.slice(0.0, 28.0))

    usual = peak_mb(engine, spoken.slice(10.0, 38.0))
    # backwards it is no English: every temperature is tried
    sampled = peak_mb(engine, Clip(spoken.slice(0.0, 12.0).samples[::-1].copy()))
    later = max(peak_mb(engine, spoken.slice(at_s, at_s + 28.0)) for at_s in (2.0, 6.0, 12.0))

    assert sampled < usual + ROOM_MB
    assert later < usual + ROOM_MB


@needs_peaks
def test_judging_passages_of_any_length_leaves_no_memory() -> None:
    spoken = read_audio(demo.AUDIO)
    engine = EngineProcess("faster-whisper", "tiny.en", offline=True)
    engine.recognize(spoken.slice(0.0, 5.0))

    def held_after(first: int, behind: int) -> float:
        for at in range(first, behind):
            clip = spoken.slice(1.0, 2.0 + 0.01 * at)  # no two are of the same length
            assert engine.decode([Passage(clip, (("we use", "batching", "here"),))]) is not None
        return held_mb(engine)

    before = held_after(0, 20)
    assert held_after(20, 60) < before + LEFT_MB


def test_of_several_hypotheses_the_likeliest_is_taken() -> None:
    asked: list[dict[str, Any]] = []
    scores = iter([-1.5, -0.5, -2.0, -0.25])

    def generate(features: Sequence[float], **options: Any) -> list[SimpleNamespace]:
        asked.append(options)
        return [SimpleNamespace(scores=[next(scores)])]

    model = LeanModel(lambda: SimpleNamespace(generate=generate, is_multilingual=False))

    (best,) = model.generate(np.zeros(3), num_hypotheses=3, beam_size=1)
    (only,) = model.generate(np.zeros(3), beam_size=5)

    assert (best.scores, only.scores) == ([-0.5], [-0.25])
    assert asked == [{"beam_size": 1}] * 3 + [{"beam_size": 5}]
    assert not model.is_multilingual


def test_only_a_model_that_has_sampled_is_loaded_again() -> None:
    loaded: list[SimpleNamespace] = []

    def load() -> SimpleNamespace:
        best = SimpleNamespace(scores=[0.0])
        loaded.append(SimpleNamespace(generate=lambda features, **options: [best]))
        return loaded[-1]

    model = LeanModel(load)
    model.generate(np.zeros(3), beam_size=5)
    model.forget_samples()
    assert len(loaded) == 1

    model.generate(np.zeros(3), beam_size=1, num_hypotheses=5, sampling_topk=0)
    model.forget_samples()
    model.forget_samples()
    assert len(loaded) == 2
