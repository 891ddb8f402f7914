"""Speaking: questions and terms said by a voice, each term as the lexicon teaches it."""

from client.audio.playback import play as play
from client.speaking.speaker import TRIAL_SENTENCE as TRIAL_SENTENCE
from client.speaking.speaker import Speaker as Speaker
from client.speaking.speaker import voices_here as voices_here
from client.speaking.voices import Voice as Voice
