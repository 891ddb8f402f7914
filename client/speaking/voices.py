"""The voices there are, the best first."""

from client.speaking.pyttsx3_voice import Pyttsx3Voice
from client.speaking.voice import Voice

__all__ = ["voices_here"]


def voices_here() -> tuple[Voice, ...]:
    """The voices that can be tried on this machine, the best first; none: the text is shown."""
    voices: tuple[Voice, ...] = (Pyttsx3Voice(),)
    return tuple(voice for voice in voices if voice.is_available())
