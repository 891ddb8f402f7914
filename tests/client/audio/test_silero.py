"""The voice detector in NumPy: the numbers of its file on onnxruntime."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from client.audio import silero
from client.audio.silero import CONTEXT, WINDOW, Silero
from client.audio.voice_activity import VoiceActivity
from client.core.errors import EngineError
from tests.spoken import say


@pytest.fixture(autouse=True)
def forget_the_network() -> Iterator[None]:
    silero.silero.cache_clear()
    yield
    silero.silero.cache_clear()


def frames() -> np.ndarray:
    spoken = say(["memory", "network"], start_s=0.5, end_s=6.0).samples
    held = np.concatenate([np.zeros(CONTEXT, np.float32), spoken])
    return np.lib.stride_tricks.sliding_window_view(held, CONTEXT + WINDOW)[::WINDOW]


def test_it_gives_the_numbers_of_its_file() -> None:
    (folder,) = find_spec("faster_whisper").submodule_search_locations  # type: ignore[union-attr,misc]
    session = onnxruntime.InferenceSession(str(Path(folder) / "assets" / "silero_vad_v6.onnx"))
    begin = np.zeros((1, 1, 128), np.float32)
    windows = frames()

    wanted, output, cell = session.run(None, {"input": windows, "h": begin, "c": begin})
    found, state = silero.silero().run(windows, Silero.start())

    assert len(windows) > 128  # more than are computed at once
    assert found.max() > 0.9
    assert found.min() < 0.1
    np.testing.assert_allclose(found, np.ravel(wanted), atol=2e-5)
    left = np.stack([np.ravel(output), np.ravel(cell)])
    np.testing.assert_allclose(state, left, rtol=1e-5, atol=1e-4)


def test_windows_may_come_one_by_one() -> None:
    windows = frames()
    network, state = silero.silero(), Silero.start()
    at_once, end = network.run(windows, state)

    one_by_one = []
    for window in windows:
        found, state = network.run(window[None], state)
        one_by_one += found.tolist()

    np.testing.assert_allclose(one_by_one, at_once, atol=2e-5)
    np.testing.assert_allclose(state, end, rtol=1e-5, atol=1e-4)
    assert network.run(windows[:0], state)[0].size == 0


def test_a_missing_detector_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silero, "find_spec", lambda _name: None)
    with pytest.raises(EngineError, match=r"silero_vad_v6\.onnx is missing; reinstall"):
        VoiceActivity()


@pytest.mark.parametrize("content", [b"", b"no network", b"\x0f\x00\x00"])
def test_a_damaged_detector_is_named_with_its_remedy(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda _path: content)
    with pytest.raises(EngineError, match=r"silero_vad_v6\.onnx is damaged; reinstall"):
        VoiceActivity()
