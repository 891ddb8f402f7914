"""What both Whisper engines make of what a planted model writes."""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from client.engines.base import Transcriber
from client.engines.faster_whisper_engine import FasterWhisper
from client.engines.openai_whisper_engine import OpenAIWhisper
from pronunciation.clip import Clip

CLIP = Clip(np.zeros(16_000, np.float32))
SURE, UNSURE = -0.3, -1.1


def planted(engine: str, segments: list[tuple[float, list[str]]]) -> Transcriber:
    """An engine whose model writes these segments: mean log probability, pieces of words."""
    written = [
        {
            "no_speech_prob": 0.05,
            "avg_logprob": avg_logprob,
            "compression_ratio": 1.2,
            "words": [
                {
                    "word": text,
                    "start": 0.1 * at,
                    "end": 0.1 * at + 0.1,
                    "probability": 0.9 - at / 10,
                }
                for at, text in enumerate(texts)
            ],
        }
        for avg_logprob, texts in segments
    ]
    if engine == "openai-whisper":
        model: Any = SimpleNamespace(
            device=SimpleNamespace(type="cpu"), transcribe=lambda *_, **__: {"segments": written}
        )
        return OpenAIWhisper("planted", model)
    objects = [
        SimpleNamespace(**each | {"words": [SimpleNamespace(**word) for word in each["words"]]})
        for each in written
    ]
    return FasterWhisper("planted", SimpleNamespace(transcribe=lambda *_, **__: (objects, None)))


@pytest.fixture(params=["faster-whisper", "openai-whisper"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if name == "openai-whisper":
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(manual_seed=lambda seed: None))
    return name


def test_pieces_become_words(engine: str) -> None:
    found = planted(engine, [(SURE, [" credit", "-based", " flow"])]).recognize(CLIP)

    assert [word.text for word in found] == ["credit-based", "flow"]
    assert (found[0].start_s, found[0].end_s) == (0.0, pytest.approx(0.2))
    assert found[0].confidence == pytest.approx(0.8)


def test_pieces_of_two_segments_are_not_joined(engine: str) -> None:
    found = planted(engine, [(SURE, [" so"]), (SURE, ["It", " is"])]).recognize(CLIP)

    assert [word.text for word in found] == ["so", "It", "is"]


def test_what_cannot_be_understood_has_no_words(engine: str) -> None:
    segments = [
        (SURE, [" we", " cache"]),
        (UNSURE, [" thank", " you", " for", " watching"]),
        (SURE, [" keys"]),
    ]
    found = planted(engine, segments).recognize(CLIP)

    assert [word.text for word in found] == ["we", "cache", "keys"]


def test_what_comes_badly_out_of_a_short_window_is_encoded_again_in_the_whole_one() -> None:
    texts = ((UNSURE, [" thank", " you", " for", " that"]), (SURE, [" is"]))
    bad, good = (planted("faster-whisper", [each]) for each in texts)
    assert isinstance(bad, FasterWhisper) and isinstance(good, FasterWhisper)
    model, written = SimpleNamespace(), {True: good._whisper, False: bad._whisper}
    model.transcribe = lambda *_, **__: written[model.is_whole].transcribe()

    assert [word.text for word in FasterWhisper("planted", model).recognize(CLIP)] == ["is"]
