"""The voice detector in NumPy: the numbers of its file on onnxruntime."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from client.audio.silero import CONTEXT, WINDOW, Silero, silero_of
from tests.spoken import say

SPEC = find_spec("faster_whisper")
assert SPEC is not None
assert SPEC.submodule_search_locations
FILE = Path(SPEC.submodule_search_locations[0]) / "assets" / "silero_vad_v6.onnx"


def frames() -> np.ndarray:
    spoken = say(["memory", "network"], start_s=0.5, end_s=6.0).samples
    held = np.concatenate([np.zeros(CONTEXT, np.float32), spoken])
    return np.lib.stride_tricks.sliding_window_view(held, CONTEXT + WINDOW)[::WINDOW]


def test_it_gives_the_numbers_of_its_file() -> None:
    session = onnxruntime.InferenceSession(str(FILE))
    begin = np.zeros((1, 1, 128), np.float32)
    windows = frames()

    wanted, output, cell = session.run(None, {"input": windows, "h": begin, "c": begin})
    found, state = silero_of(FILE.read_bytes()).run(windows, Silero.start())

    assert len(windows) > 128  # more than are computed at once
    assert found.max() > 0.9
    assert found.min() < 0.1
    np.testing.assert_allclose(found, np.ravel(wanted), atol=2e-5)
    left = np.stack([np.ravel(output), np.ravel(cell)])
    np.testing.assert_allclose(state, left, rtol=1e-5, atol=1e-4)


def test_windows_may_come_one_by_one() -> None:
    windows = frames()
    network, state = silero_of(FILE.read_bytes()), Silero.start()
    at_once, end = network.run(windows, state)

    one_by_one = []
    for window in windows:
        found, state = network.run(window[None], state)
        one_by_one += found.tolist()

    np.testing.assert_allclose(one_by_one, at_once, atol=2e-5)
    np.testing.assert_allclose(state, end, rtol=1e-5, atol=1e-4)
    assert network.run(windows[:0], state)[0].size == 0


@pytest.mark.parametrize("content", [b"", b"no network", b"\x0f\x00\x00", FILE.read_bytes()[:9000]])
def test_another_file_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"missing|no ONNX|breaks off"):
        silero_of(content)
