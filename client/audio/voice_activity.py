"""Finds speech while the sound arrives: Silero voice activity detection on a stream.

The same sound gives the same answer whether it comes at once or in blocks of any size, so the
pauses of an answer that was measured while it was spoken are those of its recording.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.core.errors import EngineError, NoSpeech
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate
from pronunciation.errors import reinstall_command
from server.contract import band

Samples = npt.NDArray[np.float32]

WINDOW: Final = 512
"""Samples for one probability; the network was trained with it."""
CONTEXT: Final = 64
"""Samples before a window that the network sees with it."""

_SILERO: Final = "silero_vad_v6.onnx"
_PACKAGE: Final = "faster-whisper"

MIN_PAUSE_S = band("pause")
"""Shorter gaps are articulation (stop closures), not hesitation."""

SILENCE_DBFS = -66.0
"""Sound whose loudest 0.1 s lies below this is silence: 16-bit speech at -66 dBFS has 4 bits left.

Room noise of muted laptop microphones measures -70 dBFS and below.
"""

TARGET_PEAK = 0.5
"""Quiet sound is lifted to this peak for the detector only: the peak of all that came before."""

EXPECTED_PEAK = 0.12
EXPECTED_FOR_S = 2.0
"""Before anything was said a peak is expected that falls from this to 0 within this time, so that
the room's noise is not lifted to the loudness of speech. Against the gain that the whole recording
asks for, 250 recordings of ``shared/speech`` differ in 5.0 s of 940 s of speech, without in 12.4.
"""

MAX_GAIN = 32.0
"""At most 30 dB: more lifts quantisation noise into audibility."""

VAD_THRESHOLD = 0.5
"""Silero's own default probability, "pretty good for most datasets"."""

RELEASE_THRESHOLD = VAD_THRESHOLD - 0.15
"""Speech continues until the probability falls below this: Silero's own hysteresis."""

MIN_SPEECH_S = 0.1
"""A spoken "yes" lasts 0.2 s; clicks and key strokes that the detector takes for speech, 0.06 s."""

SPEECH_PAD_S = 0.03
"""One detector window (32 ms) each side, so that a soft onset is not cut."""

TONE_SHARE = 0.85
"""A stretch with more than this share of its energy within 20 Hz is a beep, not speech.

The detector takes a tone whose loudness swings at 4 Hz for speech. Of 168 clips of
``shared/speech`` the most tonal has 0.57, the median 0.19; such a tone in noise has 0.98.
"""

TONE_WIDTH_HZ = 20.0
TONE_FLOOR_HZ = 100.0
"""Below lie mains hum and a microphone's offset, which may go along with speech."""

TONE_STRETCH_S = 10.0
"""Longer speech is looked at in stretches of this length, as it comes in."""

TONE_PIECE: Final = 8192
"""Samples of the pieces whose spectra are added up: 2 Hz a line."""

_BLOCK: Final = 8 * WINDOW
"""The gain is chosen for a block (0.26 s), so that a loud onset is not met by a high gain."""
_LEVEL_WINDOW: Final = round(0.1 * SAMPLE_RATE_HZ)


@dataclass(frozen=True)
class Level:
    """How loud sound is, in dB relative to full scale (0 dBFS: a full-scale square wave)."""

    peak_dbfs: float
    loudest_dbfs: float
    is_all_zeros: bool


class LevelMeter:
    """Peak, and the root mean square of the loudest 0.1 s, of sound that comes in blocks."""

    def __init__(self, window: int = _LEVEL_WINDOW) -> None:
        self._window = window
        self._rest: npt.NDArray[np.float32] = np.empty(0, np.float32)
        self._peak = 0.0
        self._loudest: float | None = None

    def feed(self, samples: Samples) -> None:
        """Take the next samples, float32 of shape ``(n,)``."""
        if not samples.size:
            return
        self._peak = max(self._peak, float(np.abs(samples).max()))
        held = np.concatenate([self._rest, samples])
        count = held.size // self._window
        self._rest = held[count * self._window :]
        if count:
            whole = held[: count * self._window].reshape(count, self._window)
            power = float(np.square(whole, dtype=np.float64).mean(axis=1).max())
            self._loudest = max(self._loudest or 0.0, power)

    @property
    def peak(self) -> float:
        """The largest magnitude so far, 0 to 1."""
        return self._peak

    @property
    def level(self) -> Level:
        """The level of everything so far; less than 0.1 s counts in full."""
        if not self._peak:
            return Level(-np.inf, -np.inf, is_all_zeros=True)
        power = self._loudest
        if power is None:
            power = float(np.square(self._rest, dtype=np.float64).mean())
        return Level(dbfs(self._peak), dbfs(float(np.sqrt(power))), is_all_zeros=False)


class Silero:
    """One stream through Silero's network, which remembers what came before.

    It is in faster-whisper's wheel. That package itself would bring CTranslate2 and a hub's client
    into a process that needs neither.

    Raises:
        EngineError: the network is missing or damaged.
    """

    def __init__(self) -> None:
        self._session = _session()
        self._state = {name: np.zeros((1, 1, 128), np.float32) for name in ("h", "c")}

    def run(self, windows: Samples) -> Samples:
        """The probability of speech in each window, shape (n,).

        Args:
            windows: each with its context before it, shape (n, ``CONTEXT`` + ``WINDOW``).
        """
        if not len(windows):
            return np.empty(0, np.float32)
        found, output, cell = self._session.run(None, {"input": windows, **self._state})
        self._state = {"h": output, "c": cell}
        return np.asarray(found, np.float32).reshape(-1)


@cache
def _session() -> Any:
    """The network, loaded once; a session is safe in several threads."""
    import onnxruntime  # a command that listens to nothing does without

    package = find_spec("faster_whisper")
    folders = (package and package.submodule_search_locations) or ()
    remedy = f"reinstall it: {reinstall_command(_PACKAGE)}"
    path = next((Path(folder) / "assets" / _SILERO for folder in folders), None)
    if path is None or not path.is_file():
        raise EngineError(f"the voice detector {_SILERO} is missing; {remedy}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # the engine needs the cores
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False  # it would keep what the longest block took
    try:
        return onnxruntime.InferenceSession(
            path.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime raises its own
        line = " ".join(str(error).split())[:120]
        raise EngineError(f"the voice detector {_SILERO} is damaged ({line}); {remedy}") from None


class VoiceActivity:
    """Finds the speech in sound at 16 kHz that comes in blocks of any size.

    Attributes:
        spans: speech that is over, (start_s, end_s) in order, at least ``MIN_PAUSE_S`` apart.
    """

    def __init__(self) -> None:
        self.spans: list[tuple[float, float]] = []
        self._network = Silero()
        self._context: Samples = np.zeros(CONTEXT, np.float32)
        self._rest: Samples = np.empty(0, np.float32)
        self._meter = LevelMeter()
        self._fed = 0
        self._heard = 0
        self._start: int | None = None
        self._quiet_from: int | None = None
        self._tone = _ToneMeter()

    @property
    def heard_s(self) -> float:
        """How far the detector has come."""
        return self._heard / SAMPLE_RATE_HZ

    @property
    def open_start_s(self) -> float | None:
        """Where the speech starts that is not over yet; ``None`` in a pause."""
        return None if self._start is None else self._padded_start_s(self._start)

    @property
    def open_is_tone(self) -> bool:
        """Whether the speech that is not over yet is a tone, so far."""
        return self._tone.share(self._heard) > TONE_SHARE

    @property
    def silence_s(self) -> float:
        """For how long nobody has spoken, counted from the last speech or from the start."""
        if self._start is None:
            return self.heard_s - (self.spans[-1][1] if self.spans else 0.0)
        return (
            0.0 if self._quiet_from is None else (self._heard - self._quiet_from) / SAMPLE_RATE_HZ
        )

    @property
    def level(self) -> Level:
        return self._meter.level

    def feed(self, samples: Samples) -> None:
        """Take the next samples, float32 of shape ``(n,)`` within [-1, 1]."""
        self._fed += samples.size
        held = np.concatenate([self._rest, samples])
        whole = held.size // _BLOCK * _BLOCK
        self._rest = held[whole:]
        if whole:
            self._listen(held[:whole])

    def close(self) -> None:
        """The sound is over: what is left is heard, and open speech ends here."""
        if self._rest.size:
            self._listen(np.pad(self._rest, (0, -self._rest.size % WINDOW)), self._rest.size)
            self._rest = self._rest[:0]
        self._heard = self._fed
        if self._start is not None:
            self._end_speech(self._fed)

    def _listen(self, samples: Samples, real: int | None = None) -> None:
        """Hear whole windows, of which the first ``real`` samples are no padding."""
        windows = samples.reshape(-1, WINDOW)
        before = np.concatenate([self._context[None], windows[:-1, -CONTEXT:]])
        self._context = windows[-1, -CONTEXT:].copy()
        gains = np.empty((len(windows), 1), np.float32)
        per_block = _BLOCK // WINDOW
        loud_enough = np.empty(len(windows), bool)
        for first in range(0, len(windows), per_block):
            block = slice(first, first + per_block)
            sound = samples[first * WINDOW : (first + per_block) * WINDOW]
            self._meter.feed(sound if real is None else sound[: max(0, real - first * WINDOW)])
            gains[block] = self._gain(self._heard + first * WINDOW)
            loud_enough[block] = self._meter.level.loudest_dbfs >= SILENCE_DBFS
        frames = np.concatenate([before, windows], axis=1) * gains
        probabilities = self._network.run(frames)
        probabilities[~loud_enough] = 0.0
        for window, probability in zip(windows, probabilities.tolist(), strict=True):
            self._step(window, probability)

    def _gain(self, at: int) -> float:
        left = 1.0 - at / (EXPECTED_FOR_S * SAMPLE_RATE_HZ)
        peak = max(self._meter.peak, EXPECTED_PEAK * left, TARGET_PEAK / MAX_GAIN)
        return max(1.0, TARGET_PEAK / peak)

    def _step(self, window: Samples, probability: float) -> None:
        at, self._heard = self._heard, self._heard + WINDOW
        if probability >= VAD_THRESHOLD:
            self._quiet_from = None
            if self._start is None:
                self._start = at
                self._tone = _ToneMeter(at)
        if self._start is None:
            return
        self._tone.feed(window)
        if probability < RELEASE_THRESHOLD:
            if self._quiet_from is None:
                self._quiet_from = at
            if at - self._quiet_from >= MIN_PAUSE_S * SAMPLE_RATE_HZ:
                self._end_speech(self._quiet_from)

    def _end_speech(self, end: int) -> None:
        start, self._start, self._quiet_from = self._start, None, None
        assert start is not None
        if end - start <= MIN_SPEECH_S * SAMPLE_RATE_HZ or self._tone.share(end) > TONE_SHARE:
            return
        end_s = min(self._fed / SAMPLE_RATE_HZ, end / SAMPLE_RATE_HZ + SPEECH_PAD_S)
        self.spans.append((self._padded_start_s(start), end_s))

    def _padded_start_s(self, start: int) -> float:
        before_s = self.spans[-1][1] if self.spans else 0.0
        return max(before_s, start / SAMPLE_RATE_HZ - SPEECH_PAD_S)


class _ToneMeter:
    """How tonal a stretch of sound is: see ``TONE_SHARE``."""

    def __init__(self, start: int = 0) -> None:
        self._start = start
        self._windows: list[Samples] = []
        self._tonal = 0.0
        self._total = 0.0

    def feed(self, window: Samples) -> None:
        self._windows.append(window)
        if len(self._windows) * WINDOW >= TONE_STRETCH_S * SAMPLE_RATE_HZ:
            tonal, total = _tonal_energy(np.concatenate(self._windows))
            self._tonal += tonal
            self._total += total
            self._start += len(self._windows) * WINDOW
            self._windows = []

    def share(self, end: int) -> float:
        """The largest share of the energy above 100 Hz that lies within 20 Hz, 0 to 1."""
        tonal, total = self._tonal, self._total
        if self._windows and end > self._start:
            last = _tonal_energy(np.concatenate(self._windows)[: end - self._start])
            tonal, total = tonal + last[0], total + last[1]
        return tonal / total if total else 0.0


def dbfs(amplitude: float) -> float:
    """An amplitude in dB relative to full scale."""
    return 20.0 * float(np.log10(amplitude)) if amplitude > 0 else -np.inf


def _tonal_energy(samples: Samples) -> tuple[float, float]:
    """The largest energy within 20 Hz, and all energy, above 100 Hz.

    Energy adds up over time, so one spectrum of it all would say the same and take six times as
    long.
    """
    points = min(TONE_PIECE, 1 << (samples.size - 1).bit_length())
    whole = samples.size // points * points
    pieces = samples[:whole].reshape(-1, points)
    bin_hz = SAMPLE_RATE_HZ / points
    power = _power(pieces, points).sum(axis=0, dtype=np.float64)
    if whole < samples.size:
        power += _power(samples[whole:], points)
    power = power[round(TONE_FLOOR_HZ / bin_hz) :]
    width = max(1, round(TONE_WIDTH_HZ / bin_hz))
    running = np.concatenate([[0.0], np.cumsum(power)])
    total = float(running[-1])
    if running.size <= width:
        return 0.0, total
    return float((running[width:] - running[:-width]).max()), total


def _power(samples: Samples, points: int) -> Samples:
    spectrum = np.fft.rfft(samples, points)
    power: Samples = np.square(spectrum.real) + np.square(spectrum.imag)
    return power


_LEVEL_WINDOW_S = 0.1


def measure_level(clip: Clip) -> Level:
    """Peak, and the root mean square of the loudest 0.1 s."""
    meter = LevelMeter(max(1, round(_LEVEL_WINDOW_S * clip.sample_rate_hz)))
    meter.feed(clip.samples)
    return meter.level


def speech_segments(clip: Clip) -> list[tuple[float, float]]:
    """Where somebody speaks, by Silero voice activity detection; see ``VoiceActivity``.

    Returns:
        (start_s, end_s) in order, at least ``MIN_PAUSE_S`` apart; empty if nobody speaks.
    """
    voice = VoiceActivity()
    voice.feed(at_sample_rate(clip).samples)
    voice.close()
    return voice.spans


def check_for_speech(blocks: Iterable[Samples]) -> None:
    """Read sound as far as the first speech, before anything that takes memory is loaded for it.

    Args:
        blocks: at 16 kHz, float32 of shape ``(n,)``, as from ``SoundFile.blocks``.

    Raises:
        NoSpeech: nobody speaks in it.
    """
    voice = VoiceActivity()
    for block in blocks:
        voice.feed(block)
        open_s = 0.0 if voice.open_start_s is None else voice.heard_s - voice.open_start_s
        if voice.spans or (open_s > TONE_STRETCH_S and not voice.open_is_tone):
            return
    voice.close()
    if not voice.spans:
        raise no_speech(voice.level, is_empty=not voice.heard_s)


def no_speech(level: Level, *, is_empty: bool) -> NoSpeech:
    """The error that says why nobody is heard in sound of this level."""
    if is_empty:
        return NoSpeech("no speech detected: the recording is empty")
    if level.is_all_zeros:
        return NoSpeech(
            "no speech detected: the recording is all zeros; the microphone was muted, or the "
            "program that recorded it was not allowed to use it"
        )
    if level.loudest_dbfs < SILENCE_DBFS:
        return NoSpeech(
            f"no speech detected: the recording is silent (loudest {level.loudest_dbfs:.0f} dBFS); "
            "check that the right microphone is chosen and not muted"
        )
    return NoSpeech("no speech detected: the recording has only noise; check the microphone")
