"""Speaking: questions and terms said by a voice, each term as the lexicon teaches it."""

from client.audio.playback import play
from client.speaking.speaker import TRIAL_SENTENCE, Speaker, SpeechOutcome, voices_here
from client.speaking.voice import Voice

__all__ = ["TRIAL_SENTENCE", "Speaker", "SpeechOutcome", "Voice", "play", "voices_here"]
