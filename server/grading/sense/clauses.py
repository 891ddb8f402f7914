"""The clauses of an answer: stretches of words that may each say one thing."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

Span = tuple[int, int]
"""First word and the word behind the last."""

MIN_WORDS: Final = 4
"""A shorter stretch belongs to its neighbor."""
MAX_WORDS: Final = 18
"""A longer one is cut: what is not punctuated, or a sentence that does not end."""
MAX_JOINED_WORDS: Final = 40
_SENTENCE_END: Final = re.compile(r"[.?!…][\"'”’)\]]*$")
_PAUSE: Final = re.compile(r"[,;:–—][\"'”’)\]]*$")
_OPENERS: Final = frozenset(
    [
        "and",
        "but",
        "so",
        "because",
        "which",
        "while",
        "whereas",
        "then",
        "if",
        "when",
        "unless",
        "although",
        "though",
        "since",
        "or",
        "that's",
        "otherwise",
        "instead",
    ]
)


def clauses_of(words: Sequence[str]) -> tuple[list[Span], list[int]]:
    """The clauses of an answer in order, and the sentence that each belongs to, by number."""
    clauses: list[Span] = []
    sentences: list[int] = []
    start = 0
    number = 0
    for at, word in enumerate(words):
        ends = bool(_SENTENCE_END.search(word)) or at + 1 == len(words)
        length = at + 1 - start
        pauses = length >= MIN_WORDS and bool(_PAUSE.search(word))
        opens = (
            length >= MIN_WORDS
            and at + 1 < len(words)
            and words[at + 1].casefold() in _OPENERS
            and length >= MAX_WORDS // 2
        )
        if not (ends or pauses or opens or length >= MAX_WORDS):
            continue
        if clauses and sentences[-1] == number and length < MIN_WORDS:
            clauses[-1] = (clauses[-1][0], at + 1)
        else:
            clauses.append((start, at + 1))
            sentences.append(number)
        start = at + 1
        number += bool(_SENTENCE_END.search(word))
    return clauses, sentences


def spans_of(words: Sequence[str]) -> list[Span]:
    """What is compared with a phrase: each clause, two in a row, and each sentence."""
    clauses, sentences = clauses_of(words)
    found = set(clauses)
    for (start, _), (_, end) in pairwise(clauses):
        if end - start <= MAX_JOINED_WORDS:
            found.add((start, end))
    for number in set(sentences):
        own = [clause for clause, each in zip(clauses, sentences, strict=True) if each == number]
        if own[-1][1] - own[0][0] <= MAX_JOINED_WORDS:
            found.add((own[0][0], own[-1][1]))
    return sorted(found)
