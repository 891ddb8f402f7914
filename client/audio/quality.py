"""Whether a microphone is good enough to rehearse with, judged from one spoken sentence."""

from dataclasses import dataclass
from typing import Final, Literal

from client.audio.devices import zeros_remedy
from client.audio.sound_meter import MIN_SPEECH_OVER_NOISE_DB, SoundMeter
from client.audio.speech import measure_level, speech_segments
from client.audio.voice_activity import SILENCE_DBFS
from client.core.wording import sentence
from pronunciation.clip import Clip
from pronunciation.resample import at_sample_rate
from server.contract import SoundQuality

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
        state,
        detail,
        remedy,
        level.peak_dbfs,
        measured.speech_dbfs,
        measured.noise_dbfs,
        speech_s,
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
