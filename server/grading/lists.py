"""Whether a name stands in a mere list of names, about which nothing is said."""

import re
from collections.abc import Sequence
from typing import Final

from server.contract import Coverage, coverage_score
from server.grading.sense.features import COMMON_WORDS
from server.grading.vocabulary import FUNCTION_WORDS

AROUND: Final = 30
"""Words on either side that are looked at."""
MIN_AROUND: Final = 12
"""With fewer nobody can tell a list from a short answer."""
MIN_COMMON: Final = 0.25
"""The share of function words in speech is higher: of the mentions that coaches ticked in strong
answers 0.996 have more around them, of those in lists of keywords written for the purpose 0.33 to
0.8 have less (`benchmarks/answers/`)."""
_COMMON: Final = FUNCTION_WORDS | COMMON_WORDS
_LETTERS: Final = re.compile(r"[^a-z']")


def with_listed(coverage: Coverage, words: Sequence[str]) -> Coverage:
    """The coverage with the phrases that are merely listed as partly said."""
    phrases = tuple(
        phrase.model_copy(update={"status": "partial", "how": "listed"})
        if phrase.status == "covered"
        and not phrase.negated
        and phrase.evidence is not None
        and phrase.evidence.word_indices
        and is_listed(words, phrase.evidence.word_indices)
        else phrase
        for phrase in coverage.phrases
    )
    return Coverage(score=coverage_score(phrases), phrases=phrases)


def is_listed(words: Sequence[str], said: Sequence[int]) -> bool:
    """Whether the words ``said`` stand among names only.

    Args:
        words: of the answer.
        said: which of them name the phrase.
    """
    start, end = max(0, said[0] - AROUND), said[-1] + 1 + AROUND
    around = [word for at, word in enumerate(words[start:end], start) if at not in said]
    if len(around) < MIN_AROUND:
        return False
    bare = [_LETTERS.sub("", word.casefold().replace("’", "'")) for word in around]
    return sum(word in _COMMON for word in bare) < MIN_COMMON * len(bare)
