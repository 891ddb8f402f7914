"""What a shared server need not compute: the vectors of an answer's words, made on this machine."""

from typing import Final

from server.contract import SentAnswer, SpanVectors, Submission

_MIN_WORDS: Final = 8
"""A shorter text has a span or two, which a server encodes faster than this process loads."""


def sent_answer(submission: Submission) -> SentAnswer:
    """The answer with its vectors; without them where they cannot be made.

    A minute of speech has some 80 spans of 4 ms each: one machine bears that for one candidate, and
    a server for many of them does not.
    """
    named = {name: getattr(submission, name) for name in Submission.model_fields}
    return SentAnswer.model_construct(**named, sense=_vectors(submission))


def _vectors(submission: Submission) -> SpanVectors | None:
    if len(submission.transcript.tokens) < _MIN_WORDS:
        return None
    from server.grading import vectors_to_send

    return vectors_to_send(submission)
