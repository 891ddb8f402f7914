"""What both Whisper engines share: decoding options, filtering, joining pieces to words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server.contract import Word

BEAM_SIZE = 5
"""The command line of openai-whisper and faster-whisper both default to 5."""

TEMPERATURE = 0.0
"""Nothing is sampled, so the same sound gives the same words. The reference samples again, up to 25
times, where the text repeats itself or is improbable: that takes long, and hardly any of it would
be believed (below)."""

MIN_AVG_LOGPROB = -0.8
"""Text less probable than this is not what was said.

Chosen with ``tiny.en`` on 18 speakers of ``shared/speech/l2-mandarin``, in windows of one and of
three sentences: of 36 played backwards all lie below (highest -0.81), of 36 forwards one. Checked
on 10 other speakers: 12 of 22 backward windows lie below (the rest are loops, see there), 6 of 22
forward ones; with ``base`` 5 of 10 (the rest loops) and none of 11. The clips of the forward
windows that lie below have word error rates of 0.5 to 1.3. The reference's -1.0 counts only
together with its no-speech token, which is no help here: it exceeds 0.6 in one of the first 36
backward windows.
"""

MAX_COMPRESSION_RATIO = 2.4
"""Text that compresses better repeats itself (the reference's threshold: openai/whisper)."""

LOOP_NO_SPEECH_PROB = 0.15
"""A loop with a higher no-speech probability is the engine's, not the speaker's.

All 15 loops on the backward windows above have 0.20 or more, and so has the one on a forward window
(0.57, word error rate 7.9). Of the first 18 speakers' forward windows the median has 0.07.
"""

SHORT_S = 2.0
"""A clip up to this long may hold a word or two: "Yes." lasts 0.3 s."""

SILENCE_AROUND_S = 1.0
"""With ``base``, "Yes." of 0.3 s has no text, and within so much silence it has."""

FEW_WORDS = 3
MIN_WORD_PROBABILITY = 0.3
"""Of a few words the mean over all tokens is low (-0.8 to -1.2): the end is as many as the words.
Their own probability tells. Of 60 single words in three voices, with ``tiny.en``, nearly all right
ones have more; "You" on twelve bursts of noise, 0.02 at most."""

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


def believable(
    no_speech_prob: float, avg_logprob: float, compression_ratio: float, few: Sequence[float] = ()
) -> bool:
    """Whether what the engine wrote was said, by the engine's own probabilities.

    Whisper writes fluent English whatever it hears. Where speech is mumbled or in another language
    the text is improbable; where it loops although every temperature was tried, it is no text.

    Args:
        no_speech_prob: of the window, 0 to 1.
        avg_logprob: mean natural logarithm of its tokens' probabilities.
        compression_ratio: size of the text against its size when compressed.
        few: the probabilities of the words, where it is a short clip.
    """
    if 0 < len(few) <= FEW_WORDS and min(few) >= MIN_WORD_PROBABILITY:
        return True
    if avg_logprob < MIN_AVG_LOGPROB:
        return False
    is_loop = compression_ratio > MAX_COMPRESSION_RATIO
    return not (is_loop and no_speech_prob > LOOP_NO_SPEECH_PROB)


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
