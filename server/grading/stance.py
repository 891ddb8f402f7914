"""Whether the speaker affirms what a mention names, or denies, disclaims, wishes or asks about it.

"We never used X", "X? No idea", "X I only know from a slide", "people say X, that is a myth", "we
should have used X". A denial of something else is no denial of the mention: "RDMA is the same in
both. It doesn't need PFC". A small network decides: the words of the mention, as they come out of
the sentence encoder's lower layers, attend to their sentence and the beginning of the next one.
``scripts/train_cross.py`` trains it, as the network of ``cross_encoder``.
"""

import math
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from server.grading.answer import Answer, TokenSpan
from server.grading.cross_encoder import CrossEncoder
from server.grading.encoder import States, states_of
from server.grading.english import word_class
from server.grading.tokenizer import SENTENCE

FILE: Final = Path(__file__).with_name("data") / "stance.onnx"
REACH: Final = 24
"""Tokens of the sentence that are read on either side of the mention."""
NEXT_REACH: Final = 10
"""Tokens that are read of the next sentence, where it may speak of the mention: "X? We had none.",
"X was planned. But there was no time"."""
CERTAIN: Final = 0.97
"""The chance that a denial needs where no word or mark of doubt is near, as in most answers."""

Chars = tuple[int, int]
"""First character and the character after the last."""


def denied(answer: Answer, span: TokenSpan) -> float:
    """The chance that the words of a span of tokens are denied, 0 to 1.

    Raises:
        GraderFailedError: a model is missing or damaged; the text says what to do.
    """
    text, mention = text_around(answer, span)
    before, named, after = text[: mention[0]], text[slice(*mention)], text[mention[1] :]
    around, chance = f"{before} {after}", _chance(text, mention)
    if _is_doubtful(around):
        return chance
    # neither its own negation, "it never sends blindly", denies a name, nor does nothing around it
    certain = chance >= CERTAIN and any(map(str.isalnum, around)) and not _is_doubtful(named)
    return chance if certain else 0.0


def _is_doubtful(around: str) -> bool:
    """Whether any word or mark of doubt is near."""
    words = {each.strip('.,;:!"()') for each in around.casefold().replace("’", "'").split()}
    doubtful = any(not words.isdisjoint(word_class(each)) for each in ("negation", "doubt"))
    return doubtful or "?" in around


def text_around(answer: Answer, span: TokenSpan) -> tuple[str, Chars]:
    """What is read of an answer, and where the mention stands in it."""
    tokens = answer.tokens
    start, stop = span
    while start > 0 and span[0] - start < REACH and tokens[start].gap != SENTENCE:
        start -= 1
    while stop < len(tokens) and stop - span[1] < REACH and tokens[stop].gap != SENTENCE:
        stop += 1
    behind = stop
    opens = any(answer.raw(stop) in word_class(each) for each in ("negation", "but"))
    goes_on = opens or _is_asked(answer, stop)
    while goes_on and behind < len(tokens) and behind - stop < NEXT_REACH:
        behind += 1
        if behind < len(tokens) and tokens[behind].gap == SENTENCE:
            break
    first, last = tokens[span[0]].first, tokens[span[1] - 1].last + 1
    before = "".join(f"{word} " for word in answer.words[tokens[start].first : first])
    named = " ".join(answer.words[first:last])
    after = answer.words[last : tokens[behind - 1].last + 1]
    return " ".join((before + named, *after)), (len(before), len(before) + len(named))


def _is_asked(answer: Answer, stop: int) -> bool:
    """Whether the sentence before a token is a question."""
    return answer.words[answer.tokens[stop - 1].last].rstrip("\"'”’)").endswith("?")


@lru_cache(maxsize=512)
def _chance(text: str, mention: Chars) -> float:
    states = states_of(text)
    (logit,) = _network().logits(states.lower[pieces_of(states, mention)], states)
    return 1.0 / (1.0 + math.exp(-logit))


def pieces_of(states: States, mention: Chars) -> list[int]:
    """The encoder's tokens that hold a mention; the first one if it is cut off."""
    places = enumerate(states.places)
    return [at for at, (a, b) in places if a < b and a < mention[1] and mention[0] < b] or [0]


@cache
def _network() -> CrossEncoder:
    return CrossEncoder(FILE)
