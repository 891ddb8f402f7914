"""What both Whisper engines share: decoding options, and which output to believe."""

from server.contract import Word

BEAM_SIZE = 5
"""The command line of openai-whisper and faster-whisper both default to 5."""

TEMPERATURES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""The reference's fallback: sample where the greedy text repeats itself or is improbable."""

NO_SPEECH_PROB = 0.6
MIN_AVG_LOGPROB = -1.0
MAX_COMPRESSION_RATIO = 2.4
"""The reference's three thresholds (openai/whisper, ``transcribe``), chosen on its test sets."""


def believable(no_speech_prob: float, avg_logprob: float, compression_ratio: float) -> bool:
    """Whether a segment that the engine wrote is worth keeping.

    The engines drop a window that is silent *and* improbable. What is left and still repeats
    itself after every temperature was tried is a loop, not speech; what the model itself takes
    for silence with a low probability is invented.
    """
    if no_speech_prob > NO_SPEECH_PROB and avg_logprob < MIN_AVG_LOGPROB:
        return False
    return not (compression_ratio > MAX_COMPRESSION_RATIO and avg_logprob < MIN_AVG_LOGPROB)


def to_word(text: str, start_s: float, end_s: float, probability: float) -> Word:
    """A word as the contract wants it: no space around it, times that run forward."""
    start_s = max(0.0, float(start_s))
    return Word(
        text=text.strip(),
        start_s=start_s,
        end_s=max(start_s, float(end_s)),
        confidence=min(1.0, max(0.0, float(probability))),
    )
