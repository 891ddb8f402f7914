"""What both Whisper engines share: decoding options, which output to believe, pieces into words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server.contract import Word

BEAM_SIZE = 5
"""The command line of openai-whisper and faster-whisper both default to 5."""

TEMPERATURES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""The reference's fallback: sample where the greedy text repeats itself or is improbable."""

NO_SPEECH_PROB = 0.6
MIN_AVG_LOGPROB = -1.0
MAX_COMPRESSION_RATIO = 2.4
"""The reference's three thresholds (openai/whisper, ``transcribe``), chosen on its test sets."""

OPENING_MARKS = frozenset("$€£¥#([{\"'“‘@")
"""What is written before a word without a space after it: "$" + "90"."""


@dataclass(frozen=True)
class Piece:
    """A part of a word as Whisper's word timing gives it.

    Attributes:
        text: with the space before it, if it starts a word.
        start_s: from the start of the clip.
        end_s: likewise.
        probability: how sure the engine is, 0 to 1.
    """

    text: str
    start_s: float
    end_s: float
    probability: float


def believable(no_speech_prob: float, avg_logprob: float, compression_ratio: float) -> bool:
    """Whether a segment that the engine wrote is worth keeping.

    The engines drop a window that is silent *and* improbable. What is left and still repeats
    itself after every temperature was tried is a loop, not speech; what the model itself takes
    for silence with a low probability is invented.
    """
    if no_speech_prob > NO_SPEECH_PROB and avg_logprob < MIN_AVG_LOGPROB:
        return False
    return not (compression_ratio > MAX_COMPRESSION_RATIO and avg_logprob < MIN_AVG_LOGPROB)


def join_pieces(pieces: Iterable[Piece]) -> list[Word]:
    """Words from the pieces of one segment, joined as they are written.

    A piece without a space before it belongs to the word before: "credit" + "-based" is
    "credit-based", "90" + "%" is "90%", " $" + "90" is "$90". A piece that is only an opening mark
    belongs to the word after it, even where that starts with a space: " $" + " 90" is "$90".

    Returns:
        Words whose times span their pieces. Their confidence is that of the least sure piece: a
        word with one guessed part is a guess.
    """
    words: list[list[Piece]] = []
    for piece in pieces:
        if not piece.text.strip():
            continue
        if words and (not piece.text[0].isspace() or _is_opening(words[-1])):
            words[-1].append(piece)
        else:
            words.append([piece])
    return [_word(parts) for parts in words]


def _is_opening(parts: Sequence[Piece]) -> bool:
    return all(OPENING_MARKS.issuperset(part.text.strip()) for part in parts)


def _word(parts: Sequence[Piece]) -> Word:
    """A word as the contract wants it: no space around it, times that run forward."""
    start_s = max(0.0, float(min(part.start_s for part in parts)))
    return Word(
        text="".join(part.text.strip() for part in parts),
        start_s=start_s,
        end_s=max(start_s, float(max(part.end_s for part in parts))),
        confidence=min(1.0, max(0.0, float(min(part.probability for part in parts)))),
    )
