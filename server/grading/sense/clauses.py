"""The clauses of an answer: runs of words that may each say one thing."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from server.grading.lexis.words import by_word

Span = tuple[int, int]
"""First word and the word after the last."""

MIN_WORDS: Final = 4
"""A shorter clause is joined to its neighbor."""
MAX_WORDS: Final = 18
"""A longer one is cut, because it has no punctuation or its sentence does not end."""
MAX_JOINED_WORDS: Final = 40
_SENTENCE_END: Final = re.compile(r"[.?!…][\"'”’)\]]*$")
_PAUSE: Final = re.compile(r"[,;:–—][\"'”’)\]]*$")
_OPENERS: Final = frozenset(
    re.findall(
        r"\S+",
        """and but so because which while whereas then if when unless although though since or
        that's otherwise instead""",
    )
)


def clauses_of(words: Sequence[str]) -> tuple[list[Span], list[int]]:
    """The clauses of an answer in order, and the sentence that each belongs to, by number."""
    clauses: list[Span] = []
    sentences: list[int] = []
    start = 0
    number = 0
    marks = [_mark(word) for word in words]
    last = len(words) - 1
    for at, (ends, pauses, _) in enumerate(marks):
        length = at + 1 - start
        if not (ends or at == last or length >= MAX_WORDS):
            opens = length >= MAX_WORDS // 2 and marks[at + 1][2]
            if not (opens or (pauses and length >= MIN_WORDS)):
                continue
        if clauses and sentences[-1] == number and length < MIN_WORDS:
            clauses[-1] = (clauses[-1][0], at + 1)
        else:
            clauses.append((start, at + 1))
            sentences.append(number)
        start = at + 1
        number += ends
    return clauses, sentences


@by_word
def _mark(word: str) -> tuple[bool, bool, bool]:
    """Whether a word ends a sentence, whether a pause follows it, and whether it opens a clause."""
    return (
        bool(_SENTENCE_END.search(word)),
        bool(_PAUSE.search(word)),
        word.casefold() in _OPENERS,
    )


def spans_of(words: Sequence[str]) -> list[Span]:
    """The spans that are compared with a phrase: each clause, two in a row, and each sentence."""
    clauses, sentences = clauses_of(words)
    found = set(clauses)
    for (start, _), (_, end) in pairwise(clauses):
        if end - start <= MAX_JOINED_WORDS:
            found.add((start, end))
    whole: dict[int, Span] = {}
    for (start, end), number in zip(clauses, sentences, strict=True):
        whole[number] = (whole.get(number, (start, end))[0], end)
    found.update(span for span in whole.values() if span[1] - span[0] <= MAX_JOINED_WORDS)
    return sorted(found)
