"""Whether a microphone is good enough to rehearse with, judged from one spoken sentence."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from client.audio.level import zeros_remedy
from client.audio.sound_meter import MIN_SPEECH_OVER_NOISE_DB, QUIET_DBFS
from client.audio.speech import measure_level, speech_segments
from client.audio.voice_activity import SILENCE_DBFS
from client.core.wording import sentence
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.resample import at_sample_rate

State = Literal["works", "zeros", "silent", "no-speech", "clipping", "quiet", "noise"]

CLIPPED: Final = 0.99
"""A sample this close to full scale is at the converter's end."""
MAX_CLIPPED_SHARE: Final = 0.001
"""One knock on the table clips a few samples; clipped speech more than a thousandth of its own.
None of 120 recordings of ``shared/speech`` has a clipped sample."""
MIN_SPEECH_S: Final = 1.0
_FRAME_S: Final = 0.05
_MARGIN_S: Final = 0.1
"""Breath and reverberation around speech are no noise of the room."""
_FEW_FRAMES: Final = 3


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
        clipped_share: of the samples in the speech.
        speech_s: how long somebody speaks.
    """

    state: State
    detail: str
    remedy: str = ""
    peak_dbfs: float | None = None
    speech_dbfs: float | None = None
    noise_dbfs: float | None = None
    clipped_share: float = 0.0
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
    in_speech = _mask(clip, spans, 0.0)
    speech_s = float(in_speech.sum()) / SAMPLE_RATE_HZ
    noise = _noise_dbfs(clip.samples, _mask(clip, spans, _MARGIN_S))
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
            noise_dbfs=noise,
            speech_s=speech_s,
        )
    spoken = clip.samples[in_speech]
    speech = _rms_dbfs(spoken)
    clipped = float(np.mean(np.abs(spoken) >= CLIPPED))
    state, detail, remedy = _verdict(speech, noise, clipped)
    return MicrophoneQuality(
        state, detail, remedy, level.peak_dbfs, speech, noise, clipped, speech_s
    )


def _verdict(
    speech_dbfs: float, noise_dbfs: float | None, clipped_share: float
) -> tuple[State, str, str]:
    if clipped_share > MAX_CLIPPED_SHARE:
        return (
            "clipping",
            f"Too loud: {clipped_share:.1%} of your speech is cut off at the top.",
            "Move back a hand's width, or turn the microphone down in the system's sound settings.",
        )
    if speech_dbfs < QUIET_DBFS:
        return (
            "quiet",
            f"Too quiet: your speech measures {speech_dbfs:.0f} dBFS.",
            "Move closer, or turn the microphone up in the system's sound settings until the level "
            "reaches the middle while you speak.",
        )
    if noise_dbfs is not None and speech_dbfs - noise_dbfs < MIN_SPEECH_OVER_NOISE_DB:
        return (
            "noise",
            f"Noisy: your speech is only {speech_dbfs - noise_dbfs:.0f} dB above the room.",
            "Close the window, turn the fan or the music off, or use a headset, whose microphone "
            "is nearer to your mouth.",
        )
    return "works", "The microphone works.", ""


def _mask(clip: Clip, spans: list[tuple[float, float]], margin_s: float) -> npt.NDArray[np.bool_]:
    mask = np.zeros(clip.samples.size, dtype=bool)
    for start_s, end_s in spans:
        first = max(0, round((start_s - margin_s) * SAMPLE_RATE_HZ))
        mask[first : round((end_s + margin_s) * SAMPLE_RATE_HZ)] = True
    return mask


def _noise_dbfs(samples: npt.NDArray[np.float32], speech: npt.NDArray[np.bool_]) -> float | None:
    """The median level of the frames without speech; ``None`` if there are too few."""
    rest = samples[~speech]
    frame = round(_FRAME_S * SAMPLE_RATE_HZ)
    frames = rest[: rest.size // frame * frame].reshape(-1, frame)
    if len(frames) < _FEW_FRAMES:
        return None
    power = float(np.median(np.mean(np.square(frames, dtype=np.float64), axis=1)))
    return None if power == 0.0 else 10.0 * float(np.log10(power))


def _rms_dbfs(samples: npt.NDArray[np.float32]) -> float:
    return 10.0 * float(np.log10(np.mean(np.square(samples, dtype=np.float64))))
