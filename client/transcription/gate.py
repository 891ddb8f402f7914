"""Is there speech, and where: level and voice activity, before any engine hears the clip.

Whisper writes sentences on silence and noise (huggingface/transformers#24512), so nothing reaches
an engine that this gate has not found speech in. Pauses come from here too: word times drift after
a silence (SYSTRAN/faster-whisper#125), voice activity does not.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from client.errors import NoSpeech
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import Evidence, Pause

__all__ = [
    "MIN_PAUSE_S",
    "Level",
    "at_sample_rate",
    "measure_evidence",
    "measure_level",
    "require_speech",
    "speech_segments",
]

MIN_PAUSE_S = 0.25
"""Shorter gaps are articulation (stop closures), not hesitation.

De Jong and Bosker, "Choosing a threshold for silent pauses to measure second language fluency",
DiSS 2013: 0.25 s separates the two best.
"""

SILENCE_DBFS = -66.0
"""A clip whose loudest 0.1 s lies below this is silence: 16-bit speech at -66 dBFS has 4 bits left.

Room noise of muted laptop microphones measures -70 dBFS and below.
"""

TARGET_PEAK = 0.5
"""A quiet clip is lifted to this peak for the voice activity detector only."""

MAX_GAIN = 32.0
"""At most 30 dB: more lifts quantisation noise into audibility."""

VAD_THRESHOLD = 0.5
"""Silero's own default probability, "pretty good for most datasets"."""

MIN_SPEECH_S = 0.1
"""A spoken "yes" lasts 0.2 s; clicks and key strokes that the detector takes for speech, 0.06 s."""

SPEECH_PAD_S = 0.03
"""One detector frame (32 ms) each side, so that a soft onset is not cut."""

TONE_SHARE = 0.85
"""A stretch with more than this share of its energy within 20 Hz is a beep, not speech.

The detector takes a tone whose loudness swings at 4 Hz for speech. Of 168 clips of
``shared/speech`` the most tonal has 0.57, the median 0.19; such a tone in noise has 0.98.
"""

TONE_WIDTH_HZ = 20.0
TONE_FLOOR_HZ = 100.0
"""Below lie mains hum and a microphone's offset, which may go along with speech."""

_LEVEL_WINDOW_S = 0.1


@dataclass(frozen=True)
class Level:
    """How loud a clip is, in dB relative to full scale (0 dBFS: a full-scale square wave)."""

    peak_dbfs: float
    loudest_dbfs: float
    is_all_zeros: bool


def at_sample_rate(clip: Clip, sample_rate_hz: int = SAMPLE_RATE_HZ) -> Clip:
    """The same sound at another rate; the clip itself where the rate is right already."""
    if clip.sample_rate_hz == sample_rate_hz:
        return clip
    import soxr

    samples = soxr.resample(clip.samples, clip.sample_rate_hz, sample_rate_hz)
    return Clip(np.clip(samples, -1.0, 1.0).astype(np.float32), sample_rate_hz)


def measure_level(clip: Clip) -> Level:
    """Peak, and the root mean square of the loudest 0.1 s."""
    samples = clip.samples
    if not samples.size or not samples.any():
        return Level(-np.inf, -np.inf, is_all_zeros=True)
    window = max(1, min(samples.size, round(_LEVEL_WINDOW_S * clip.sample_rate_hz)))
    whole = samples[: samples.size // window * window].reshape(-1, window)
    loudest = float(np.sqrt(np.square(whole, dtype=np.float64).mean(axis=1)).max())
    peak = float(np.abs(samples).max())
    return Level(_dbfs(peak), _dbfs(loudest), is_all_zeros=False)


def speech_segments(clip: Clip, *, min_pause_s: float = MIN_PAUSE_S) -> list[tuple[float, float]]:
    """Where somebody speaks, by Silero voice activity detection.

    Args:
        clip: any sound.
        min_pause_s: speech goes on over gaps shorter than this.

    Returns:
        (start_s, end_s) in order, not touching; empty where nobody speaks.
    """
    level = measure_level(clip)
    if level.is_all_zeros or level.loudest_dbfs < SILENCE_DBFS:
        return []
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    samples = _lifted(at_sample_rate(clip).samples)
    options = VadOptions(
        threshold=VAD_THRESHOLD,
        min_silence_duration_ms=round(min_pause_s * 1000),
        min_speech_duration_ms=round(MIN_SPEECH_S * 1000),
        speech_pad_ms=round(SPEECH_PAD_S * 1000),
    )
    found = get_speech_timestamps(samples, options, sampling_rate=SAMPLE_RATE_HZ)
    return [
        (span["start"] / SAMPLE_RATE_HZ, span["end"] / SAMPLE_RATE_HZ)
        for span in found
        if _tone_share(samples[span["start"] : span["end"]]) <= TONE_SHARE
    ]


def require_speech(clip: Clip, *, min_pause_s: float = MIN_PAUSE_S) -> list[tuple[float, float]]:
    """``speech_segments``, and an error that says what is wrong where there are none.

    Raises:
        NoSpeech: empty, all zeros, silent, or sound without speech.
    """
    if not clip.samples.size:
        raise NoSpeech("no speech detected: the recording is empty")
    level = measure_level(clip)
    if level.is_all_zeros:
        raise NoSpeech(
            "no speech detected: the recording is all zeros; allow this program to use the "
            "microphone (a microphone without permission delivers exact zeros) and check that it "
            "is not muted"
        )
    spans = speech_segments(clip, min_pause_s=min_pause_s)
    if spans:
        return spans
    if level.loudest_dbfs < SILENCE_DBFS:
        raise NoSpeech(
            f"no speech detected: the recording is silent (loudest {level.loudest_dbfs:.0f} dBFS); "
            "check that the right microphone is chosen and not muted"
        )
    raise NoSpeech("no speech detected: the recording has only noise; check the microphone")


def measure_evidence(clip: Clip) -> Evidence:
    """When the answer starts and ends, and where it pauses, measured from the sound.

    Returns:
        Times in seconds; without speech, no start and no end, and no pauses.
    """
    spans = speech_segments(clip)
    if not spans:
        return Evidence(pauses=())
    pauses = tuple(
        Pause(start_s=round(end_s, 3), end_s=round(next_start_s, 3))
        for (_, end_s), (next_start_s, _) in itertools.pairwise(spans)
    )
    return Evidence(
        answer_start_s=round(spans[0][0], 3), answer_end_s=round(spans[-1][1], 3), pauses=pauses
    )


def _lifted(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    peak = float(np.abs(samples).max())
    gain = min(MAX_GAIN, TARGET_PEAK / peak) if peak else 1.0
    return samples if gain <= 1.0 else (samples * np.float32(gain)).astype(np.float32)


def _tone_share(samples: npt.NDArray[np.float32]) -> float:
    """The largest share of the energy above 100 Hz that lies within 20 Hz, 0 to 1."""
    bin_hz = SAMPLE_RATE_HZ / samples.size
    power = np.square(np.abs(np.fft.rfft(samples)))[round(TONE_FLOOR_HZ / bin_hz) :]
    width = max(1, round(TONE_WIDTH_HZ / bin_hz))
    running = np.concatenate([[0.0], np.cumsum(power)])
    if running.size <= width or not running[-1]:
        return 0.0
    return float((running[width:] - running[:-width]).max() / running[-1])


def _dbfs(amplitude: float) -> float:
    return 20.0 * float(np.log10(amplitude)) if amplitude > 0 else -np.inf
