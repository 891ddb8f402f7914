"""The vectors of an answer: made once and kept with it."""

from functools import lru_cache

from server.contract import Submission
from server.grading.sense.vectors import AnswerSense, sense_of


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


@lru_cache(maxsize=8)
def _made(words: tuple[str, ...]) -> AnswerSense:
    """Cached because an answer is often graded once to be shown and once more to be stored."""
    return sense_of(words)
