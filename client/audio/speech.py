"""Finds speech by level and voice activity, before an engine gets the clip.

Whisper writes sentences on silence and noise (huggingface/transformers#24512), so nothing reaches
an engine that this gate has not found speech in. Pauses come from here too: word times drift after
a silence (SYSTRAN/faster-whisper#125), voice activity does not.
"""

from collections.abc import Iterable

from client.audio.voice_activity import (
    SILENCE_DBFS,
    TONE_STRETCH_S,
    Level,
    LevelMeter,
    Samples,
    VoiceActivity,
)
from client.core.errors import NoSpeech
from pronunciation.clip import Clip
from pronunciation.resample import at_sample_rate

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
