"""The microphone: recorded in a callback, on disk at once, watched while it runs."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, Self

import numpy as np
import numpy.typing as npt

from client.audio.devices import Device, find_device, load_sounddevice, start_stream, zeros_remedy
from client.audio.level import FRAME_MS, FrameMeter, Level, SilenceDetector, dbfs
from client.audio.take_file import TakeWriter, read_take
from client.core.errors import RecordingError
from pronunciation.clip import Clip, StreamResampler, at_sample_rate


@dataclass(frozen=True)
class RecorderSettings:
    """Settings of a `Recorder`, passed in, never global.

    Attributes:
        folder: where takes are written while they are spoken.
        device_name: the microphone by name; ``None``: the system's default. Never an index, which
            changes whenever a device comes or goes.
        silence_stop_s: stop after this long without speech, counted only once speech has begun;
            ``None`` switches it off.
        time_limit_s: stop after this much recorded sound, without pauses; ``None``: none.
        zeros_stop_s: stop when the microphone gave exact zeros from the very start for this long;
            ``None``: continue. A real microphone always gives some noise.
        device_lost_s: sound that stays away for this long means that the device is gone. PortAudio
            delivers blocks every 10 to 100 ms.
    """

    folder: Path
    device_name: str | None = None
    silence_stop_s: float | None = 5.0
    time_limit_s: float | None = 600.0
    zeros_stop_s: float | None = 8.0
    device_lost_s: float = 3.0

    def __post_init__(self) -> None:
        for name in ("silence_stop_s", "time_limit_s", "zeros_stop_s", "device_lost_s"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise RecordingError(f"{name} must be more than 0 seconds, not {value}")


OpenTake = Callable[[int], TakeWriter]
"""Makes the file of a take, by the sample rate in Hz."""
OnSamples = Callable[[npt.NDArray[np.float32]], None]
"""Takes sound at 16 kHz, float32 of shape ``(n,)``."""
StoppedBy = Literal["person", "silence", "time_limit", "only_zeros", "device_lost", "failure"]

_NOTICES: dict[StoppedBy, str] = {
    "device_lost": "the microphone was disconnected while recording; what you said before is kept"
}
_ZEROS: Final = "the microphone gave only exact zeros, so it is muted or not allowed"
_POLL_S: Final = 0.1
_CLOSE_WITHIN_S: Final = 2.0
"""Closing the stream of a device that was pulled out can hang; `stop` waits no longer than this."""


@dataclass(frozen=True)
class Recording:
    """A finished take.

    Attributes:
        path: the WAV file at the microphone's native rate.
        duration_s: its length.
        device: the microphone's name and host API.
        sample_rate_hz: the native rate.
        stopped_by: who or what ended it.
        overflows: how often the computer was too busy to take the sound in time.
        notices: what the candidate should know, one line each.
    """

    path: Path
    duration_s: float
    device: str
    sample_rate_hz: int
    stopped_by: StoppedBy
    overflows: int
    notices: tuple[str, ...]

    @cached_property
    def clip(self) -> Clip:
        """What was said, at 16 kHz; read from ``path`` and resampled when first asked for."""
        return at_sample_rate(Clip(*read_take(self.path)))


class Recorder:
    """Records one take at a time: `start`, then `pause`, `resume`, and `stop` or `discard`.

    After `stop` or `discard` the next `start` makes a new take. All methods are for one thread;
    ``on_level`` and ``on_samples`` are called from another.

    Args:
        settings: where and how to record.
        sounddevice: stands in for the module, e.g. in tests.
    """

    def __init__(self, settings: RecorderSettings, sounddevice: Any = None) -> None:
        self._settings = settings
        self._sounddevice = sounddevice
        self._take: _Take | None = None

    def start(
        self,
        on_level: Callable[[Level], None] | None = None,
        label: str = "take",
        *,
        on_samples: OnSamples | None = None,
        open_take: OpenTake | None = None,
    ) -> Device:
        """Open the microphone and begin a new take.

        Args:
            on_level: called about 20 times a second with the level; must return quickly.
            label: a piece of the file's name, e.g. the question's id.
            on_samples: called with what is recorded, at 16 kHz, block by block; must return
                quickly. `stop` gives it the last block before it returns. Where it fails it is
                called no more, and the recording continues.
            open_take: makes its file, instead of one of this label in the folder of the settings.

        Returns:
            The microphone in use.

        Raises:
            RecordingError: a take is running already, PortAudio is missing, there is no such
                microphone, it cannot be opened, or the folder cannot be written.
        """
        if self._take is not None:
            raise RecordingError("a recording is already running: stop or discard it first")
        sd = load_sounddevice() if self._sounddevice is None else self._sounddevice
        device = find_device(self._settings.device_name, sounddevice=sd)
        if open_take is None:
            folder = self._settings.folder

            def open_take(rate_hz: int) -> TakeWriter:
                return TakeWriter(folder, rate_hz, label)

        self._take = _Take(sd, device, self._settings, on_level, on_samples, open_take)
        return device

    def pause(self) -> None:
        """Take no sound until `resume`; the pause counts towards no limit.

        Raises:
            RecordingError: nothing is being recorded.
        """
        self._running().paused = True

    def resume(self) -> None:
        """Go on after `pause`.

        Raises:
            RecordingError: nothing is being recorded.
        """
        self._running().paused = False

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the take ends by itself (silence, time limit, device lost).

        Returns:
            Whether it has ended; `stop` then gives the recording.
        """
        return self._running().ended.wait(timeout_s)

    def stop(self) -> Recording:
        """End the take and return what was recorded.

        Raises:
            RecordingError: nothing was being recorded, no sound ever came, or only exact
                zeros (a microphone without permission on macOS); such a take is deleted.
        """
        take, self._take = self._running(), None
        stopped_by = take.close("person")
        if take.writer.samples_written == 0:
            take.writer.discard()
            if take.failure is not None:
                raise take.failure
            if take.paused:
                raise RecordingError(
                    "nothing was recorded: the recording was paused the whole time"
                )
            raise RecordingError(
                f"the microphone {take.device.label} gave no sound at all",
                "check that it is plugged in and that no other program uses it",
            )
        if take.only_zeros:
            take.writer.discard()
            raise RecordingError(_ZEROS, zeros_remedy("terminal"))
        return Recording(
            path=take.writer.finish(),
            duration_s=take.writer.samples_written / take.device.sample_rate_hz,
            device=take.device.label,
            sample_rate_hz=take.device.sample_rate_hz,
            stopped_by=stopped_by,
            overflows=take.overflows,
            notices=take.notices(),
        )

    def discard(self) -> None:
        """End the take and delete it; does nothing if none is running."""
        take, self._take = self._take, None
        if take is not None:
            take.close("person")
            take.writer.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Keep what was being recorded as an unfinished take, which recovery finds."""
        take, self._take = self._take, None
        if take is not None:
            take.close("person")
            take.writer.abandon()

    def _running(self) -> "_Take":
        if self._take is None:
            raise RecordingError("nothing is being recorded: start first")
        return self._take


class _Take:
    """One take: the stream's callback fills a queue, our own thread writes it to disk.

    The callback runs on the sound system's own thread, where waiting for a disk loses sound.
    """

    def __init__(
        self,
        sd: Any,
        device: Device,
        settings: RecorderSettings,
        on_level: Callable[[Level], None] | None,
        on_samples: OnSamples | None,
        open_take: OpenTake,
    ) -> None:
        self.device = device
        self.paused = False
        self.overflows = 0
        self.only_zeros = True
        self.zeros_s = 0.0
        self.ended = threading.Event()
        self.failure: RecordingError | None = None
        self._stopped_by: StoppedBy | None = None
        self._settings = settings
        self._on_level = on_level
        self._on_samples = on_samples
        self._to_16_khz = StreamResampler(device.sample_rate_hz) if on_samples else None
        self._silence = SilenceDetector()
        self._shown: npt.NDArray[np.float32] = np.empty(0, dtype=np.float32)
        self._meter = FrameMeter(device.sample_rate_hz)
        self._blocks: queue.SimpleQueue[tuple[npt.NDArray[np.float32], bool] | None]
        self._blocks = queue.SimpleQueue()
        self._stream_over = threading.Event()
        self.writer = open_take(device.sample_rate_hz)
        try:
            self._stream = self._open(sd)
        except BaseException:
            self.writer.discard()
            raise
        self._thread = threading.Thread(target=self._work, name="aloud-recorder", daemon=True)
        self._thread.start()

    def _open(self, sd: Any) -> Any:
        over = self._stream_over
        try:
            return start_stream(
                sd, sd.InputStream, self.device, self._on_block, over.clear, over.set
            )
        except (sd.PortAudioError, ValueError) as error:
            raise RecordingError(
                f"the microphone {self.device.label} cannot be opened ({error})",
                "close other programs that use it, or choose another device",
            ) from error

    def _on_block(
        self, indata: npt.NDArray[np.float32], frames: int, time_info: Any, status: Any
    ) -> None:
        if status.input_overflow:
            self.overflows += 1
        # PortAudio reuses the memory after this call: copy.
        mono = indata[:, 0].copy() if indata.shape[1] == 1 else indata.mean(axis=1)
        self._blocks.put((mono, self.paused))

    def _work(self) -> None:
        try:
            last_block_s = time.monotonic()
            while True:
                try:
                    block = self._blocks.get(timeout=_POLL_S)
                except queue.Empty:
                    gone_s = time.monotonic() - last_block_s
                    if self._stream_over.is_set() or gone_s > self._settings.device_lost_s:
                        self._end("device_lost")
                    continue
                if block is None:
                    return
                last_block_s = time.monotonic()
                if self._stopped_by is None:
                    self._take_in(*block)
        except Exception as error:  # mostly the disk; whatever it is, it must not go unseen
            text = f"the recording was stopped by an error ({error}); what was said before is kept"
            self.failure = error if isinstance(error, RecordingError) else RecordingError(text)
            self._end("failure")
            while self._blocks.get() is not None:
                pass

    def _take_in(self, samples: npt.NDArray[np.float32], paused: bool) -> None:
        samples = np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0)
        if not paused:
            limit_s, rate_hz = self._settings.time_limit_s, self.device.sample_rate_hz
            if limit_s is not None:
                samples = samples[: max(0, round(limit_s * rate_hz) - self.writer.samples_written)]
            self.only_zeros = self.only_zeros and not samples.any()
            length_s = samples.size / rate_hz
            self.zeros_s = 0.0 if samples.any() else self.zeros_s + length_s
            self.writer.append(samples)
            self._pass_on(samples)
            for frame_dbfs in self._meter.measure(samples):
                self._silence.hear(frame_dbfs)
                if self._is_too_silent():
                    self._end("silence")
                    break
        recorded_s = self.writer.samples_written / self.device.sample_rate_hz
        self._show(samples, recorded_s, paused)
        settings = self._settings
        if settings.time_limit_s is not None and recorded_s >= settings.time_limit_s:
            self._end("time_limit")
        zeros_stop_s = settings.zeros_stop_s
        if self.only_zeros and zeros_stop_s is not None and recorded_s >= zeros_stop_s:
            self._end("only_zeros")

    def _pass_on(self, samples: npt.NDArray[np.float32], *, is_last: bool = False) -> None:
        if self._on_samples is None or self._to_16_khz is None:
            return
        resampled = self._to_16_khz.feed(samples, is_last=is_last)
        if resampled.size:
            try:
                self._on_samples(resampled)
            except Exception:  # what listens in must not cost the recording
                self._on_samples = None

    def _is_too_silent(self) -> bool:
        limit_s = self._settings.silence_stop_s
        return limit_s is not None and self._silence.silence_s >= limit_s

    def _show(self, samples: npt.NDArray[np.float32], recorded_s: float, paused: bool) -> None:
        if self._on_level is None:
            return
        self._shown = np.concatenate([self._shown, samples])
        if self._shown.size < self.device.sample_rate_hz * FRAME_MS / 1000:
            return
        shown, self._shown = self._shown.astype(np.float64), np.empty(0, dtype=np.float32)
        level = Level(
            peak_dbfs=dbfs(float(np.max(np.abs(shown)))),
            recorded_s=recorded_s,
            paused=paused,
            speech_begun=self._silence.speech_begun,
            silence_s=self._silence.silence_s,
            only_zeros=self.only_zeros and self.writer.samples_written > 0,
            zeros_s=self.zeros_s,
        )
        try:
            self._on_level(level)
        except Exception:  # a broken meter must not cost the answer
            self._on_level = None

    def _end(self, reason: StoppedBy) -> None:
        if self._stopped_by is None:
            self._stopped_by = reason
        self.ended.set()

    def close(self, reason: StoppedBy) -> StoppedBy:
        """Close the stream, write what is still queued; returns why the take ended."""
        closer = threading.Thread(target=self._close_stream, name="aloud-closer", daemon=True)
        closer.start()
        closer.join(_CLOSE_WITHIN_S)
        self._blocks.put(None)
        self._thread.join()
        self._pass_on(np.empty(0, dtype=np.float32), is_last=True)
        self._end(reason)
        assert self._stopped_by is not None
        return self._stopped_by

    def notices(self) -> tuple[str, ...]:
        """What the candidate should know, one line each."""
        notices = [_NOTICES[self._stopped_by]] if self._stopped_by in _NOTICES else []
        if self.failure is not None:
            notices.append(str(self.failure))
        if self.overflows:
            times = "once" if self.overflows == 1 else f"{self.overflows} times"
            notices.append(
                f"the computer was too busy {times} to take the sound: some of it is missing; "
                "close other programs"
            )
        return tuple(notices)

    def _close_stream(self) -> None:
        for step in (self._stream.stop, self._stream.close):
            with contextlib.suppress(Exception):  # PortAudioError, or what a gone device raises
                step()
