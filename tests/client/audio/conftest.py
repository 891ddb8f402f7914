"""A sound system of our own, for every pitfall."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

Samples = np.ndarray[Any, np.dtype[np.float32]]


class FakePortAudioError(Exception):
    pass


class FakeStream:
    """Hands the blocks of a script to the callback, from a thread of its own as PortAudio does."""

    def __init__(self, system: "FakeSoundSystem", kwargs: dict[str, Any]) -> None:
        self.system = system
        self.kwargs = kwargs
        self._go = threading.Event()
        self._over = threading.Event()
        self.closed = False

    def start(self) -> None:
        if self.system.refuses_to_start:
            raise self.system.PortAudioError("Device unavailable [PaErrorCode -9985]")
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _play(self) -> None:
        callback, channels = self.kwargs["callback"], self.kwargs["channels"]
        memory = np.zeros((self.system.block_frames, channels), dtype=np.float32)
        for number, block in enumerate(self.system.blocks):
            if self._over.is_set():
                return
            self.system.before_block(number)
            memory[: block.size] = block[:, None]  # one buffer, reused: as PortAudio does
            status = SimpleNamespace(input_overflow=number in self.system.overflow_at)
            callback(memory[: block.size], block.size, None, status)
            memory[:] = 7.0
            if self.system.block_s:
                time.sleep(self.system.block_s)
        self.system.all_sent.set()
        if self.system.unplug_after:
            self.kwargs["finished_callback"]()

    def stop(self) -> None:
        self._over.set()
        if self.system.hang_on_stop:
            time.sleep(60)
        if self.system.unplug_after:
            raise self.system.PortAudioError("Device unavailable")

    def close(self) -> None:
        self.closed = True
        self.system.closed_streams += 1


@dataclass
class FakeSoundSystem:
    """Stands in for the sounddevice module."""

    signal: Samples = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    devices: list[dict[str, Any]] = field(default_factory=list)
    default_input: int = 0
    default_output: int = -1
    block_frames: int = 441
    block_s: float = 0.0
    overflow_at: frozenset[int] = frozenset()
    refuses_to_start: bool = False
    refuses_mono: bool = False
    unplug_after: bool = False
    hang_on_stop: bool = False
    closed_streams: int = 0
    before_block: Callable[[int], None] = lambda number: None
    PortAudioError: type[Exception] = FakePortAudioError

    def __post_init__(self) -> None:
        self.all_sent = threading.Event()
        self.opened: list[dict[str, Any]] = []
        if not self.devices:
            self.devices = [device("Built-in Microphone")]
        self.default = SimpleNamespace(device=[self.default_input, self.default_output])

    @property
    def blocks(self) -> Iterator[Samples]:
        for start in range(0, self.signal.size, self.block_frames):
            yield self.signal[start : start + self.block_frames]

    def query_devices(self) -> list[dict[str, Any]]:
        return self.devices

    def query_hostapis(self) -> list[dict[str, Any]]:
        def api(name: str) -> dict[str, Any]:
            return {"name": name, "default_input_device": -1, "default_output_device": -1}

        return [api("ALSA"), api("JACK")]

    def InputStream(self, **kwargs: Any) -> FakeStream:
        self.opened.append(kwargs)
        if self.refuses_mono and kwargs["channels"] == 1:
            raise self.PortAudioError("Invalid number of channels [PaErrorCode -9998]")
        return FakeStream(self, kwargs)


def device(
    name: str, *, hostapi: int = 0, inputs: int = 2, outputs: int = 0, rate_hz: float = 44100.0
) -> dict[str, Any]:
    return {
        "name": name,
        "hostapi": hostapi,
        "max_input_channels": inputs,
        "max_output_channels": outputs,
        "default_samplerate": rate_hz,
    }


@pytest.fixture
def fake_device() -> Callable[..., dict[str, Any]]:
    return device


@pytest.fixture
def sound_system() -> type[FakeSoundSystem]:
    return FakeSoundSystem
