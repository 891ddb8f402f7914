"""How loud it is, and whether the candidate has stopped speaking."""

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

FRAME_MS: Final = 50
"""One level per frame: long enough to span several periods of the deepest voice (80 Hz: 12 ms),
short enough for a meter that follows the syllables."""
FLOOR_DBFS: Final = -120.0
"""What silence is shown as; 16-bit sound bottoms out at -96 dBFS."""


@dataclass(frozen=True)
class Level:
    """What a meter shows for one moment of a recording.

    Attributes:
        peak_dbfs: the loudest sample since the level before, in dB relative to full scale (0: as
            loud as the microphone can tell).
        recorded_s: how much has been recorded so far, pauses left out.
        paused: sound comes in but is not recorded.
        speech_begun: somebody has been heard speaking in this take.
        silence_s: for how long nobody has spoken, counted from the last speech; 0 before it began.
        only_zeros: every sample so far was exactly zero: the microphone is muted or not allowed.
        zeros_s: for how long every recorded sample has been exactly zero.
    """

    peak_dbfs: float
    recorded_s: float
    paused: bool = False
    speech_begun: bool = False
    silence_s: float = 0.0
    only_zeros: bool = False
    zeros_s: float = 0.0


def dbfs(amplitude: float) -> float:
    """An amplitude within [0, 1] in decibels below full scale, at least `FLOOR_DBFS`."""
    return max(FLOOR_DBFS, 20.0 * math.log10(amplitude)) if amplitude > 0.0 else FLOOR_DBFS


class FrameMeter:
    """Cuts blocks of any size into frames of `FRAME_MS` and measures each."""

    def __init__(self, sample_rate_hz: int) -> None:
        self._frame_samples = max(1, round(sample_rate_hz * FRAME_MS / 1000))
        self._rest = np.empty(0, dtype=np.float32)

    def measure(self, samples: npt.NDArray[np.float32]) -> list[float]:
        """RMS in dBFS of each frame completed by ``samples`` (float32, shape ``(n,)``)."""
        held = np.concatenate([self._rest, samples])
        count = held.size // self._frame_samples
        frames = held[: count * self._frame_samples].reshape(count, self._frame_samples)
        self._rest = held[count * self._frame_samples :]
        powers = np.mean(np.square(frames, dtype=np.float64), axis=1)
        return [dbfs(math.sqrt(power)) for power in powers]


class SilenceDetector:
    """Distinguishes speech from background noise, whose level it tracks.

    The thresholds were chosen with `benchmarks/silence_stop.py`: sentences read by 67 speakers of
    speechocean762's training half, joined with pauses of 0.3 to 1.8 s, in white noise and hum 10 to
    40 dB below the speech. docs/audio.md says what it measures.
    """

    FLOOR_WINDOW_S: Final = 10.0
    """Long enough to hold a gap between words, short enough to follow a fan that is turned on."""
    FLOOR_PERCENTILE: Final = 10.0
    LOWEST_FLOOR_DBFS: Final = -75.0
    """Headsets with a noise gate give exact zeros between words; no room is that quiet."""
    MIN_ABOVE_FLOOR_DB: Final = 5.0
    SHARE_OF_RANGE: Final = 0.25
    """Speech is what lies above this share of the way from the floor to the speaker's level."""
    BEGIN_ABOVE_FLOOR_DB: Final = 9.0
    """Before the first speech the speaker's level is unknown, so more is asked for."""
    WINDOW_FRAMES: Final = 8
    LOUD_FRAMES: Final = 3
    """So many loud frames among the last ``WINDOW_FRAMES`` are speech: a click or a key is less."""
    LEVEL_ADAPTATION: Final = 0.03
    """Weight of a new loud frame in the speaker's running level (a memory of about 1.5 s)."""

    def __init__(self) -> None:
        self.speech_begun = False
        self.silence_s = 0.0
        self._floor_frames: deque[float] = deque(
            maxlen=round(self.FLOOR_WINDOW_S * 1000 / FRAME_MS)
        )
        self._recent_loud: deque[bool] = deque(maxlen=self.WINDOW_FRAMES)
        self._speech_dbfs = FLOOR_DBFS

    def hear(self, frame_dbfs: float) -> None:
        """Take in the level of the next frame; updates ``speech_begun`` and ``silence_s``."""
        self._floor_frames.append(max(frame_dbfs, self.LOWEST_FLOOR_DBFS))
        loud = frame_dbfs > self.threshold_dbfs
        self._recent_loud.append(loud)
        if loud:
            weight = self.LEVEL_ADAPTATION if self.speech_begun else 1.0
            self._speech_dbfs += weight * (frame_dbfs - self._speech_dbfs)
        if loud and sum(self._recent_loud) >= self.LOUD_FRAMES:
            self.speech_begun = True
            self.silence_s = 0.0
        elif self.speech_begun:
            self.silence_s += FRAME_MS / 1000

    @property
    def floor_dbfs(self) -> float:
        """The level of the room's noise as learned so far."""
        if not self._floor_frames:
            return self.LOWEST_FLOOR_DBFS
        return float(np.percentile(self._floor_frames, self.FLOOR_PERCENTILE))

    @property
    def threshold_dbfs(self) -> float:
        """A frame louder than this counts as speech now."""
        floor = self.floor_dbfs
        if not self.speech_begun:
            return floor + self.BEGIN_ABOVE_FLOOR_DB
        return floor + max(
            self.MIN_ABOVE_FLOOR_DB, self.SHARE_OF_RANGE * (self._speech_dbfs - floor)
        )
