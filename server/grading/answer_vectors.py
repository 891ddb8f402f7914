"""The vectors of an answer: made once, kept with it, sent by clients and checked by servers."""

import logging
from functools import lru_cache
from random import Random
from typing import Final

from server.contract import Report, SpanVectors, Submission
from server.core.errors import GraderFailedError
from server.grading.sense.clauses import Span
from server.grading.sense.encoder import shared_encoder
from server.grading.sense.vectors import AnswerSense, sense_of

logger = logging.getLogger(__name__)

CHECKED_SPANS: Final = 4
"""Of about 80; each takes the encoder about 4 ms."""
SAME_COSINE: Final = 0.98
"""An int8 model computes slightly different numbers on processors with other instructions. If
vectors deviate by more, the server does not refuse them; it computes its own."""


def make_sense(
    submission: Submission, stored: dict[str, object] | None
) -> tuple[AnswerSense | None, dict[str, object] | None]:
    """The vectors of an answer, stored ones if they fit, and what to store.

    A rough transcript has none, because coverage must not rest on words that were not said.
    """
    if submission.transcript.is_rough:
        return None, None
    kept = None if stored is None else AnswerSense.from_json(stored)
    words = submission.transcript.tokens
    if kept is not None and kept.fits(words):
        return kept, stored
    made = _made(tuple(words))
    return made, made.to_json()


def vectors_to_send(submission: Submission) -> SpanVectors | None:
    """The vectors of an answer, to spare a server computing them; ``None``: the server has to."""
    try:
        _, made = make_sense(submission, None)
    except GraderFailedError as error:  # no encoder here
        logger.warning("the server computes the vectors of this answer: %s", error)
        return None
    return None if made is None else SpanVectors.model_validate(made)


def is_honest(
    submission: Submission, sent: dict[str, object], report: Report, random: Random
) -> bool:
    """Whether vectors that a client sent are those of its words, on a few spans chosen at random.

    Spans that earned points in the report come first, because forging others is pointless.

    Args:
        submission: the answer.
        sent: the vectors, as JSON.
        report: what they led to.
        random: chooses the spans; the sender must not be able to predict it.
    """
    sense = AnswerSense.from_json(sent)
    if sense is None:
        return False
    earned = _earned(report)
    order = random.sample(range(len(sense.spans)), len(sense.spans))
    order.sort(key=lambda at: sense.spans[at] not in earned)
    chosen = order[:CHECKED_SPANS]
    words = submission.transcript.tokens
    texts = [" ".join(words[start:end]) for start, end in (sense.spans[at] for at in chosen)]
    made = shared_encoder().encode(texts)
    return bool(((sense.vectors[chosen] * made).sum(axis=1) >= SAME_COSINE).all())


@lru_cache(maxsize=8)
def _made(words: tuple[str, ...]) -> AnswerSense:
    """Cached because an answer is often graded once to be shown and once more to be stored."""
    return sense_of(words)


def _earned(report: Report) -> set[Span]:
    """The spans whose meaning, rather than their words, earned a verdict."""
    parts = report.structure.parts if report.structure is not None else ()
    evidence = [each.evidence for each in report.coverage.phrases if each.how == "own_words"]
    evidence += [each.evidence for each in parts]
    return {
        (each.word_indices[0], each.word_indices[-1] + 1)
        for each in evidence
        if each is not None and each.word_indices
    }
