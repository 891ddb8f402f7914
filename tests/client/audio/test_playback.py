"""Playing, on a loudspeaker of our own that keeps what it is given."""

import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from client.core.errors import SpeakingError
from client.speaking import play
from pronunciation.clip import Clip

BLOCK_FRAMES = 480


class FakeLoudspeaker:
    """Stands in for the sounddevice module."""

    class PortAudioError(Exception):
        pass

    class CallbackStop(Exception):
        pass

    def __init__(self, *, outputs: int = 2, block_s: float = 0.0, mono: bool = True) -> None:
        self.default = SimpleNamespace(device=[-1, 0 if outputs else -1])
        self.outputs, self.block_s, self.mono = outputs, block_s, mono
        self.stuck = self.busy = False
        self.heard: list[np.ndarray[Any, Any]] = []
        self.closed = 0

    def query_devices(self) -> list[dict[str, Any]]:
        return [
            {
                "name": "Loudspeaker",
                "hostapi": 0,
                "max_input_channels": 0,
                "max_output_channels": self.outputs,
                "default_samplerate": 48000.0,
            }
        ]

    def query_hostapis(self) -> list[dict[str, Any]]:
        return [{"name": "ALSA", "default_input_device": -1, "default_output_device": -1}]

    def OutputStream(self, **kwargs: Any) -> Any:
        if self.busy or (kwargs["channels"] == 1 and not self.mono):
            raise self.PortAudioError("Device unavailable")
        over = threading.Event()

        def run() -> None:
            while not over.is_set():
                block = np.full((BLOCK_FRAMES, kwargs["channels"]), 9.0, dtype=np.float32)
                try:
                    kwargs["callback"](block, BLOCK_FRAMES, None, None)
                    self.heard.append(block)
                except self.CallbackStop:
                    self.heard.append(block)
                    break
                time.sleep(self.block_s)
            kwargs["finished_callback"]()

        def start() -> None:
            if not self.stuck:
                threading.Thread(target=run, daemon=True).start()

        def close() -> None:
            self.closed += 1

        return SimpleNamespace(start=start, abort=over.set, close=close)

    @property
    def sound(self) -> np.ndarray[Any, Any]:
        return np.concatenate(self.heard)


def sine(seconds: float, rate_hz: int = 22050) -> Clip:
    times_s = np.arange(round(seconds * rate_hz)) / rate_hz
    return Clip((0.5 * np.sin(2 * np.pi * 440 * times_s)).astype(np.float32), rate_hz)


def test_it_plays_all_of_it_at_the_loudspeaker_s_rate() -> None:
    loudspeaker = FakeLoudspeaker()
    assert play(sine(0.5), sounddevice=loudspeaker) is True
    sound = loudspeaker.sound[:, 0]
    times_s = np.arange(24000) / 48000
    np.testing.assert_allclose(
        sound[500:23500], 0.5 * np.sin(2 * np.pi * 440 * times_s)[500:23500], atol=2e-3
    )
    assert not sound[24000:].any()  # the last block is filled up with silence, not with garbage
    assert loudspeaker.closed == 1


def test_a_loudspeaker_that_refuses_mono_gets_all_its_channels() -> None:
    loudspeaker = FakeLoudspeaker(mono=False)
    assert play(sine(0.2), sounddevice=loudspeaker) is True
    np.testing.assert_array_equal(loudspeaker.sound[:, 0], loudspeaker.sound[:, 1])


def test_it_can_be_stopped() -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    began_s = time.monotonic()
    loudspeaker = FakeLoudspeaker(block_s=0.01)
    assert play(sine(30.0), stop=stop, sounddevice=loudspeaker) is False
    assert time.monotonic() - began_s < 15
    assert loudspeaker.closed == 1


def test_a_stuck_loudspeaker_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.audio.playback.LIMIT_BEYOND_CLIP_S", 0.2)
    loudspeaker = FakeLoudspeaker()
    loudspeaker.stuck = True
    with pytest.raises(SpeakingError, match="does not play"):
        play(sine(0.1), sounddevice=loudspeaker)


def test_no_loudspeaker_and_a_busy_one_are_said() -> None:
    with pytest.raises(SpeakingError, match="no loudspeaker was found"):
        play(sine(0.1), sounddevice=FakeLoudspeaker(outputs=0))
    busy = FakeLoudspeaker()
    busy.busy = True
    with pytest.raises(SpeakingError, match="cannot be opened"):
        play(sine(0.1), sounddevice=busy)


def test_nothing_is_played_at_once() -> None:
    assert play(Clip(np.zeros(0, dtype=np.float32)), sounddevice=object()) is True
