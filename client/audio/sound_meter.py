"""How good the sound of an answer is, measured as it comes in: one measure for file and microphone.

What ``quality`` says of a microphone's test sentence and what a report says of an answer go by the
same limits.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from client.audio.channels import OFFSET_FROM
from client.audio.devices import zeros_remedy
from client.audio.voice_activity import SILENCE_DBFS, measure_level, speech_segments
from client.core.wording import sentence
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, at_sample_rate
from pronunciation.hearing.sound import (
    MAX_FALL_DB,
    fall_levels_db,
    fall_of,
    flat_shares,
    is_clipped,
)
from server.contract import SoundProblem, SoundQuality

CHUNK_S: Final = 1.0
FRAME_S: Final = 0.05
MARGIN_S: Final = 0.1
"""Breath and reverberation around speech are no noise of the room."""
FEW_FRAMES: Final = 10

QUIET_DBFS: Final = -45.0
"""Speech whose mean power lies below this is too quiet. Of 120 recordings of ``shared/speech`` the
quietest speaker measures -34 dBFS, the median -24."""
MIN_SPEECH_OVER_NOISE_DB: Final = 15.0
"""The noisiest of the same 120 recordings has its speech 20 dB above the noise, the median 32."""

NO_LOUDER_DB: Final = 3.0
"""What is taken for speech and stands out of the rest by less is noise, if no word is found in it:
in 30 s of pink noise the detector hears 0.4 s of speech, as loud as the rest."""

MAX_CLIPPED_SHARE: Final = 0.02
"""Of the seconds with speech; one knock on the table clips one."""

LOUD_DBFS: Final = -30.0
"""Peaks of quieter seconds are not looked at: what is cut off there was so before it came."""

MAINS_HZ: Final = (50, 60)
HARMONICS: Final = (1, 2, 3)
MIN_HUM_DBFS: Final = -60.0
MIN_HUM_SHARE: Final = 0.5
"""A hum is worth a word from this level on, and where so much of the power from 30 to 400 Hz of the
quietest half seconds lies within 2 Hz of the mains' harmonics. White noise has 0.1."""
LOW_HZ, HIGH_HZ = 30, 400
HUM_ALONE_DB: Final = 3.0
"""A hum so close below the noise is more than half of it: its own remedy is the one to take."""
QUIETEST_SHARE: Final = 0.1

_CHUNK: Final = round(CHUNK_S * SAMPLE_RATE_HZ)
_FRAME: Final = round(FRAME_S * SAMPLE_RATE_HZ)
Samples = npt.NDArray[np.float32]


class SoundMeter:
    """Takes the sound of an answer second by second; a last part of a second is left out."""

    def __init__(self) -> None:
        self._rest: Samples = np.empty(0, np.float32)
        self._sum = 0.0
        self._count = 0
        # packed: hours of sound are a few megabytes
        self._powers = array("f")
        self._falls = array("f")
        self._clipped = bytearray()
        self._low = array("d")

    def feed(self, samples: Samples) -> None:
        """Take the next samples at 16 kHz, float32 of shape ``(n,)``."""
        held = np.concatenate([self._rest, samples])
        whole = held.size // _CHUNK * _CHUNK
        self._rest = held[whole:].copy()
        for start in range(0, whole, _CHUNK):
            self._measure(held[start : start + _CHUNK])

    def quality(
        self, spans: Sequence[tuple[float, float]], condition: SoundQuality | None = None
    ) -> SoundQuality:
        """What was measured.

        Args:
            spans: where somebody speaks, (start_s, end_s) in order.
            condition: of the file that the sound came from (``SoundFile.condition``), if any.
        """
        if not self._powers and self._rest.size >= 4 * _FRAME:
            self._measure(self._rest)  # a word or two: better than nothing
        speech, noise = self._levels(spans)
        hum = self._hum()
        came = condition or SoundQuality()
        offset = came.offset if condition else self._sum / max(1, self._count)
        measured = SoundQuality(
            speech_dbfs=_rounded(speech),
            noise_dbfs=_rounded(noise),
            clipped_share=round(self._clipped_share(spans), 4),
            hum_hz=hum[0] if hum else None,
            hum_dbfs=_rounded(hum[1]) if hum else None,
            fall_db=_rounded(fall_of(np.array(self._falls, np.float64))),
            offset=round(offset, 4) if abs(offset) > OFFSET_FROM else 0.0,
            channels=came.channels,
            missing_s=came.missing_s,
            declared_s=came.declared_s,
            misses_more=came.misses_more,
        )
        problems = _problems(measured, is_damaged="damaged" in came.problems)
        return measured.model_copy(update={"problems": problems})

    def _measure(self, chunk: Samples) -> None:
        self._sum += float(chunk.sum(dtype=np.float64))
        self._count += chunk.size
        # of the sound alone: a constant would hide what is quiet
        moved = chunk - np.float32(chunk.mean(dtype=np.float64))
        frames = moved[: moved.size // _FRAME * _FRAME].reshape(-1, _FRAME)
        powers = np.square(frames, dtype=np.float64).mean(axis=1)
        self._powers.extend(powers)
        self._falls.extend(fall_levels_db(moved))
        is_loud = powers.size > 0 and float(powers.max()) > 10 ** (LOUD_DBFS / 10)
        self._clipped.append(is_loud and is_clipped(chunk) and flat_shares(chunk)[1] > 0)
        half = _CHUNK // 2
        for at in (0, half):
            if at < moved.size:
                self._low.extend(_mains_power(moved[at : at + half]))

    def _levels(self, spans: Sequence[tuple[float, float]]) -> tuple[float | None, float | None]:
        powers = np.array(self._powers, np.float64)
        speech = _mask(powers.size, spans, 0.0)
        noise = ~_mask(powers.size, spans, MARGIN_S)
        return (
            _db(float(powers[speech].mean())) if speech.any() else None,
            _db(float(np.median(powers[noise]))) if noise.sum() >= FEW_FRAMES else None,
        )

    def _clipped_share(self, spans: Sequence[tuple[float, float]]) -> float:
        spoken = np.zeros(len(self._clipped), bool)
        for start_s, end_s in spans:
            spoken[math.floor(start_s) : math.ceil(end_s)] = True
        clipped = np.array(self._clipped)[spoken]
        return float(np.count_nonzero(clipped) / clipped.size) if clipped.size else 0.0

    def _hum(self) -> tuple[Literal[50, 60], float] | None:
        if not self._low:
            return None
        low = np.array(self._low).reshape(-1, 3)
        order = low[:, 2].argsort()[: max(1, round(QUIETEST_SHARE * len(low)))]
        at_50, at_60, total = low[order].mean(axis=0)
        best: tuple[Literal[50, 60], float] = (50, at_50) if at_50 > at_60 else (60, at_60)
        level_db = _db(best[1])
        if total <= 0 or best[1] < MIN_HUM_SHARE * total or (level_db or -200) < MIN_HUM_DBFS:
            return None
        return best[0], level_db or -200.0


def is_only_noise(measured: SoundQuality) -> bool:
    """Whether what was taken for speech is as loud as everything else."""
    speech, noise = measured.speech_dbfs, measured.noise_dbfs
    return speech is not None and noise is not None and speech - noise < NO_LOUDER_DB


def _problems(measured: SoundQuality, *, is_damaged: bool) -> tuple[SoundProblem, ...]:
    speech, noise = measured.speech_dbfs, measured.noise_dbfs
    is_noisy = (
        speech is not None and noise is not None and (speech - noise < MIN_SPEECH_OVER_NOISE_DB)
    )
    hums_alone = (
        noise is not None
        and measured.hum_dbfs is not None
        and measured.hum_dbfs > noise - HUM_ALONE_DB
    )
    found: dict[SoundProblem, bool] = {
        "damaged": is_damaged,
        "clipped": measured.clipped_share > MAX_CLIPPED_SHARE,
        "quiet": speech is not None and speech < QUIET_DBFS,
        "noisy": is_noisy and not hums_alone,
        "far": measured.fall_db is not None and measured.fall_db > MAX_FALL_DB and not is_noisy,
        "hum": measured.hum_hz is not None,
        "one_channel": measured.channels in ("left", "right"),
        "opposite": measured.channels == "unmixed",
        # peaks cut off on one side only move the mean: that is no offset of the sound card
        "offset": measured.offset != 0.0 and measured.clipped_share <= MAX_CLIPPED_SHARE,
    }
    return tuple(problem for problem, is_there in found.items() if is_there)


@lru_cache(maxsize=4)
def _hann(size: int) -> tuple[Samples, float]:
    """A window, and what makes powers of its spectrum those of the sound."""
    window = np.hanning(size)
    return window.astype(np.float32), 2 / (size * float(np.square(window).sum()))


def _mains_power(chunk: Samples) -> tuple[float, float, float]:
    """The power at the harmonics of 50 and of 60 Hz, and from 30 to 400 Hz."""
    window, factor = _hann(chunk.size)
    bin_hz = SAMPLE_RATE_HZ / chunk.size
    low, high = round(LOW_HZ / bin_hz), round(HIGH_HZ / bin_hz) + 1
    spectrum = np.fft.rfft(chunk * window)[:high]
    power = factor * (np.square(spectrum.real) + np.square(spectrum.imag)).astype(np.float64)

    at_50, at_60 = (
        sum(
            float(power[round((at_hz - 2) / bin_hz) : round((at_hz + 2) / bin_hz) + 1].sum())
            for at_hz in (mains_hz * number for number in HARMONICS)
        )
        for mains_hz in MAINS_HZ
    )
    return at_50, at_60, float(power[low:].sum())


def _mask(
    frames: int, spans: Sequence[tuple[float, float]], margin_s: float
) -> npt.NDArray[np.bool_]:
    mask = np.zeros(frames, dtype=bool)
    for start_s, end_s in spans:
        first = max(0, round((start_s - margin_s) / FRAME_S))
        mask[first : round((end_s + margin_s) / FRAME_S)] = True
    return mask


def _db(power: float) -> float | None:
    return 10.0 * float(np.log10(power)) if power > 1e-15 else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


State = Literal["works", "zeros", "silent", "no-speech", "clipping", "quiet", "noise"]

MIN_SPEECH_S: Final = 1.0


@dataclass(frozen=True)
class MicrophoneQuality:
    """What was found, and what to do about it.

    Attributes:
        state: ``works``, or what is wrong.
        detail: one line.
        remedy: what to do; empty if it works.
        peak_dbfs: the loudest sample; ``None`` for exact zeros. So are the other levels.
        speech_dbfs: mean power where somebody speaks.
        noise_dbfs: the room, where nobody speaks.
        speech_s: how long somebody speaks.
    """

    state: State
    detail: str
    remedy: str = ""
    peak_dbfs: float | None = None
    speech_dbfs: float | None = None
    noise_dbfs: float | None = None
    speech_s: float = 0.0

    @property
    def works(self) -> bool:
        """Whether it is good enough to rehearse with."""
        return self.state == "works"


def judge_microphone(clip: Clip) -> MicrophoneQuality:
    """Judge a recording of one sentence, best with a second of silence before it.

    The worst finding is named first: no sound, no speech, clipping, too quiet, too noisy.
    """
    clip = at_sample_rate(clip)
    level = measure_level(clip)
    if level.is_all_zeros:
        return MicrophoneQuality(
            "zeros",
            "The microphone gives no sound at all, only exact zeros.",
            sentence(zeros_remedy("browser")),
        )
    spans = speech_segments(clip)
    speech_s = sum(end_s - start_s for start_s, end_s in spans)
    meter = SoundMeter()
    meter.feed(clip.samples)
    measured = meter.quality(spans)
    if speech_s < MIN_SPEECH_S:
        silent = level.loudest_dbfs < SILENCE_DBFS
        return MicrophoneQuality(
            "silent" if silent else "no-speech",
            "Nothing was heard." if silent else "No speech was heard, only noise or a few sounds.",
            "Choose another microphone above and watch the level while you speak: it must move. If "
            "it does not, turn the microphone up in the system's sound settings."
            if silent
            else "Read the whole sentence aloud, from where you will rehearse. If the "
            "level moves although nobody speaks, choose another microphone above.",
            peak_dbfs=level.peak_dbfs,
            noise_dbfs=measured.noise_dbfs,
            speech_s=speech_s,
        )
    state, detail, remedy = _verdict(measured)
    return MicrophoneQuality(
        state, detail, remedy, level.peak_dbfs, measured.speech_dbfs, measured.noise_dbfs, speech_s
    )


def _verdict(measured: SoundQuality) -> tuple[State, str, str]:
    speech, noise = measured.speech_dbfs or 0.0, measured.noise_dbfs
    if "clipped" in measured.problems:
        return (
            "clipping",
            "Too loud: your speech is cut off at the top.",
            "Move back a hand's width, or turn the microphone down in the system's sound settings.",
        )
    if "quiet" in measured.problems:
        return (
            "quiet",
            f"Too quiet: your speech measures {speech:.0f} dBFS.",
            "Move closer, or turn the microphone up in the system's sound settings until the level "
            "reaches the middle while you speak.",
        )
    if noise is not None and speech - noise < MIN_SPEECH_OVER_NOISE_DB:
        return (
            "noise",
            f"Noisy: your speech is only {speech - noise:.0f} dB above the room.",
            "Close the window, turn the fan or the music off, or use a headset, whose microphone "
            "is nearer to your mouth.",
        )
    return "works", "The microphone works.", ""
