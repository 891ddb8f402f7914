"""Whether vectors that somebody else computed are those of an answer's words."""

from collections.abc import Sequence
from random import Random
from typing import Final

from server.contract import Report, Submission
from server.grading.sense.clauses import Span
from server.grading.sense.encoder import Encoder, shared_encoder
from server.grading.sense.vectors import AnswerSense

CHECKED_SPANS: Final = 4
"""Of some 80; each takes the encoder about 4 ms."""
SAME_COSINE: Final = 0.98
"""An int8 model computes a little differently on processors with other instructions. Vectors that
deviate by more are not refused: the server computes them itself."""


def are_vectors_of(
    submission: Submission,
    sense: AnswerSense,
    report: Report,
    random: Random,
    encoder: Encoder | None = None,
) -> bool:
    """Whether some of the vectors are what the encoder makes of the words.

    Spans that earned something in the report come first: to forge others is pointless.

    Args:
        submission: the answer.
        sense: its spans, with the vectors in question.
        report: what they led to.
        random: chooses the spans; unknown to whoever sent them.
        encoder: makes the vectors; by default that of this process.
    """
    earned = _earned(report)
    order = random.sample(range(len(sense.spans)), len(sense.spans))
    order.sort(key=lambda at: sense.spans[at] not in earned)
    chosen = order[:CHECKED_SPANS]
    words: Sequence[str] = submission.transcript.tokens
    texts = [" ".join(words[start:end]) for start, end in (sense.spans[at] for at in chosen)]
    made = (encoder or shared_encoder()).encode(texts)
    return bool(((sense.vectors[chosen] * made).sum(axis=1) >= SAME_COSINE).all())


def _earned(report: Report) -> set[Span]:
    """The spans that verdicts stand on which no words carry by themselves."""
    parts = report.structure.parts if report.structure is not None else ()
    evidence = [each.evidence for each in report.coverage.phrases if each.how == "own_words"]
    evidence += [each.evidence for each in parts]
    return {
        (each.word_indices[0], each.word_indices[-1] + 1)
        for each in evidence
        if each is not None and each.word_indices
    }
