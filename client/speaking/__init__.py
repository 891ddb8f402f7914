"""Speaking: questions and terms said by a voice, each term as the lexicon teaches it."""

from client.audio.playback import play
from client.speaking.speaker import Speaker, SpeechOutcome
from client.speaking.voice import Voice
from client.speaking.voices import voices_here

__all__ = ["Speaker", "SpeechOutcome", "Voice", "play", "voices_here"]
