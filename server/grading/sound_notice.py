"""One line about the sound of an answer: what is wrong with it, and what to do."""

from typing import Final

from server.contract import SoundProblem, SoundQuality

_REMEDIES: Final[dict[SoundProblem, str]] = {
    "damaged": "the file is damaged{missing}: copy or record it again",
    "clipped": "it is too loud, and peaks of your speech are cut off: move back a hand's width or "
    "turn the microphone down",
    "quiet": "it is too quiet ({speech} dBFS): move closer or turn the microphone up",
    "noisy": "it is noisy, your speech is only {above} dB above the room: close the window, turn "
    "the fan or the music off, or use a headset",
    "far": "the microphone is far away, or the room echoes: move closer or use a headset",
    "hum": "the mains hum at {hum} Hz: use another socket or cable, or unplug the charger",
    "one_channel": "only the {channel} channel has sound, which was used alone: check the cable",
    "opposite": "the channels are each other's opposite and were turned around: swap the poles of "
    "one, or record in mono",
    "offset": "it had a constant offset, which was taken out: another sound card or cable has none",
}


def sound_notice(quality: SoundQuality | None) -> str:
    """The line; empty where nothing is wrong, or nothing was measured."""
    if quality is None or not quality.problems:
        return ""
    missing = ""
    if quality.missing_s:
        of_s = f" of {quality.declared_s:.1f} s" if quality.declared_s else ""
        missing = f", {quality.missing_s:.1f} s{of_s} cannot be read and count as silence"
    above = (quality.speech_dbfs or 0.0) - (quality.noise_dbfs or 0.0)
    parts = [
        _REMEDIES[problem].format(
            missing=missing,
            speech=f"{quality.speech_dbfs or 0.0:.0f}",
            above=f"{above:.0f}",
            hum=quality.hum_hz,
            channel=quality.channels,
        )
        for problem in quality.problems
    ]
    return f"The sound: {'; '.join(parts)}."
