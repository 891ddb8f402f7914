"""What each sentence of an answer is worth: whether an expert gives credit for it, or it is wrong.

A small network reads a sentence beside the prompt and what the bank says closest to it: sentences
of the model answer and a way of saying a phrase, if there is one. It is the network of
``cross_encoder``, trained by ``scripts/train_cross.py`` on sentences of answers whose worth
experts judged (``benchmarks/answers/sentence_credit.jsonl``, ``claims.jsonl``).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from question_bank.models import Question
from server.grading.answer import Span
from server.grading.by_meaning import AnswerVectors, Credit, sentences_in, vectors_of
from server.grading.cross_encoder import CrossEncoder
from server.grading.encoder import States, Vectors, states_of
from server.grading.english import FUNCTION_WORDS

FILE: Final = Path(__file__).with_name("data") / "credit.onnx"
CLOSEST: Final = {"model": 2, "ways": 1, "prompt": 1}
"""The kinds of what the bank says, in the order of the network's marks, and how many are read."""
TOKENS: Final = 40
"""Of each text; the rest is cut off."""


@dataclass(frozen=True, eq=False)
class References:
    """What the bank says of a question: by kind its texts and their vectors (texts, 384)."""

    texts: tuple[tuple[str, ...], ...]
    vectors: tuple[Vectors, ...]

    def closest(self, vector: Vectors, *, besides: str = "") -> Iterator[tuple[int, str]]:
        """The kind and the text of what is closest to a sentence; never the sentence itself."""
        for kind, count in enumerate(CLOSEST.values()):
            near = np.argsort(-(self.vectors[kind] @ vector), kind="stable")
            texts = [self.texts[kind][at] for at in near.tolist()]
            for text in [each for each in texts if each != besides][:count]:
                yield kind, text


@lru_cache(maxsize=256)
def references_of(question: Question) -> References:
    """What the bank says, with its vectors."""
    ways = tuple(way for phrase in question.key_phrases for way in phrase.ways)
    texts = (tuple(sentences_in(question.model_answer)), ways, (question.prompt,))
    return References(texts, tuple(vectors_of(own) for own in texts))


def sentence_credits(
    question: Question, words: Sequence[str], answer: AnswerVectors, *, file: Path = FILE
) -> tuple[Credit, ...]:
    """What each sentence of an answer is worth, in order, as the network of a file reads it.

    Raises:
        GraderFailedError: a model is missing or damaged; the text says what to do.
    """
    told = references_of(question)
    found: list[Credit] = []
    for at in whole_sentences(answer.spans):
        start, end = answer.spans[at]
        own = states_of(_about_it(" ".join(words[start:end]), question.prompt)).lower[:TOKENS]
        kinds, texts = zip(*told.closest(answer.vectors[at]), strict=True)
        read = [states_of(text) for text in texts]
        lower, upper = (np.concatenate([each[at][:TOKENS] for each in read]) for at in (0, 1))
        marks = np.repeat(kinds, [min(TOKENS, len(each.lower)) for each in read])
        logits = _network(file).logits(own, States(lower, upper, ()), marks)
        wrong, worth = (1.0 / (1.0 + np.exp(-logits))).tolist()
        found.append(Credit((start, end), worth, wrong))
    return tuple(found)


def whole_sentences(spans: Sequence[Span]) -> list[int]:
    """The numbers of the spans that no other holds, in order."""
    order = sorted(range(len(spans)), key=lambda at: (spans[at][0], -spans[at][1]))
    found: list[int] = []
    for at in order:
        if not found or spans[at][1] > spans[found[-1]][1]:
            found.append(at)
    return found


def _about_it(sentence: str, prompt: str) -> str:
    """The sentence, with "it" for what is asked about, if that is what it defines.

    The network has read few definitions. By name ("sharding is …") it takes four of ten right ones
    for wrong claims, and one of ten with "it".
    """
    match = _DEFINES.match(sentence)
    asked, named = (
        {word.casefold() for word in _WORD.findall(text)} - FUNCTION_WORDS
        for text in (prompt, match["named"] if match else "")
    )
    return f"It{sentence[match.end() :]}" if match and named and named <= asked else sentence


_DEFINES: Final = re.compile(
    r"((well|so|basically|okay)[, ]+)?(an? |the )?(?P<named>\S+( \S+){0,3}?)(?= (is|are|means)\b)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:[./+#-][^\W_]+)*[+#]*")


@cache
def _network(file: Path) -> CrossEncoder:
    return CrossEncoder(file)
