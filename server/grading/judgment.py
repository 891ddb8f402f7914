"""A judge's verdicts on key phrases that were not found; they count if the answer has the quote.

The judge is a language model that the candidate chose. Its word alone proves nothing: a verdict
counts only with a quote of the answer's own words, and is marked ``how: judge``.
"""

import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from server.contract import (
    Coverage,
    CoverageEvidence,
    PhraseCoverage,
    Submission,
    Word,
    coverage_score,
)

MIN_QUOTE_WORDS: Final = 3
"""Fewer words state nothing. The shortest of the bank's 7,378 ``ways`` has five. Parts of a word
such as "in-flight" count as words."""

MAX_QUOTE_WORDS: Final = 40
"""A longer quote points at nothing in particular. The longest of the bank's ``ways`` has 22
words."""

MAX_PHRASES_OF_ONE_QUOTE: Final = 2
"""A judge that says yes to everything gives every phrase the same quote. Of 724 sentences of the
bank's model answers, 16 say more than two key phrases."""

JUDGED_NOTICE: Final = (
    "A language model ({judge}) judged the key phrases that were not found: "
    "{counted} counted, each marked as its verdict."
)
IGNORED_NOTICE: Final = (
    "{ignored} of its verdicts not counted: what it quotes does not stand in the answer, "
    "or proves nothing."
)
PROBLEM_NOTICE: Final = "The judge ({judge}) gave no verdicts: {problem}."
LEFT_NOTICE: Final = "For the judge, the transcript was sent to another machine ({address})."
ROUGH_PROBLEM: Final = "a rough transcript is not judged"

_TOKEN: Final = re.compile(r"[^\W_]+")
_APOSTROPHES: Final = re.compile("['’ʼ]")

_ORDERS: Final = (
    # "ignore all previous instructions"
    re.compile(
        r"\b(?:ignore|disregard|forget|override|bypass)\b"
        r"(?: \w+){0,4}? (?:instructions?|prompts?)\b"
    ),
    # "mark every phrase as covered"
    re.compile(
        r"\b(?:mark|count|grade|score|treat|judge|consider|rate)\b"
        r"(?: \w+){0,2}? (?:all|every|everything|each|phrases?)\b"
        r"(?: \w+){0,5}? (?:covered|said|true|mentioned|present|correct)\b"
    ),
    # "you are a lenient grader"
    re.compile(r"\byou are (?:\w+ ){1,2}?(?:judge|grader|assistant|language model)\b"),
    re.compile(r"\bsystem prompt\b"),
)
"""Wordings that address the judge, not an interviewer. A list cannot cover every wording."""


def apply_judgment(
    coverage: Coverage,
    submission: Submission,
    texts: Sequence[str],
    is_denied: Callable[[tuple[int, int]], bool],
) -> tuple[Coverage, tuple[str, ...]]:
    """Count the judge's verdicts that the answer's own words support.

    Only phrases that the grader found missing, possible or partly said can change; what the
    grader found, or found denied, stays.

    Args:
        coverage: the grader's own verdicts.
        submission: the answer, with the judgment as evidence.
        texts: the answer's words.
        is_denied: whether the words of a span are denied.

    Returns:
        The verdicts with the judge's among them, and the notices about the judge.
    """
    judgment = submission.evidence.judgment
    if judgment is None:
        return coverage, ()
    judge = f"{judgment.model} at {judgment.address}"
    left = (LEFT_NOTICE.format(address=judgment.address),) if judgment.transcript_left else ()
    problem = ROUGH_PROBLEM if submission.transcript.is_rough else judgment.problem
    if problem:
        said_why = PROBLEM_NOTICE.format(judge=judge, problem=problem.strip().rstrip("."))
        return coverage, (said_why, *left)
    quotes = {each.phrase: each.quote for each in reversed(judgment.phrases)}  # the first counts
    open_phrases = [each for each in coverage.phrases if each.is_open and each.phrase in quotes]
    answer = _Quotable(texts, submission.transcript.words, is_denied)
    found = _said(open_phrases, quotes, answer)
    phrases = tuple(found.get(each.phrase, each) for each in coverage.phrases)
    notices = [JUDGED_NOTICE.format(judge=judge, counted=len(found) or "none")]
    if ignored := len(open_phrases) - len(found):
        notices.append(IGNORED_NOTICE.format(ignored=ignored))
    return Coverage(score=coverage_score(phrases), phrases=phrases), (*notices, *left)


def _said(
    phrases: Sequence[PhraseCoverage], quotes: Mapping[str, str], answer: "_Quotable"
) -> dict[str, PhraseCoverage]:
    """The phrases whose quotes are in the answer, as covered, by name."""
    places = {
        each.phrase: place
        for each in phrases
        if (place := answer.find(quotes[each.phrase])) is not None
    }
    shared = Counter(places.values())
    return {
        each.phrase: each.model_copy(
            update={
                "status": "covered",
                "how": "judge",
                "evidence": answer.evidence(places[each.phrase]),
                "confidence": None,
            }
        )
        for each in phrases
        if each.phrase in places and shared[places[each.phrase]] <= MAX_PHRASES_OF_ONE_QUOTE
    }


class _Quotable:
    """An answer in which quotes are looked up, ignoring case and punctuation."""

    def __init__(
        self,
        texts: Sequence[str],
        words: Sequence[Word],
        is_denied: Callable[[tuple[int, int]], bool],
    ) -> None:
        self._words = texts
        self._timed = words
        self._is_denied = is_denied
        tokens = [(token, at) for at, word in enumerate(self._words) for token in _tokens(word)]
        self._word_of = [at for _, at in tokens]
        self._text = _spaced(token for token, _ in tokens)
        self._ends = list(accumulate(len(token) + 1 for token, _ in tokens))
        self._orders = {
            word
            for pattern in _ORDERS
            for order in pattern.finditer(self._text)
            for word in self._place(*order.span())
        }

    def find(self, quote: str) -> range | None:
        """The words where the answer first has the quote; ``None``: it proves nothing."""
        tokens = _tokens(quote)
        if not MIN_QUOTE_WORDS <= len(tokens) <= MAX_QUOTE_WORDS:
            return None
        wanted = _spaced(tokens)
        start = self._text.find(wanted)
        while start >= 0:
            place = self._place(start + 1, start + len(wanted) - 1)
            if self._orders.isdisjoint(place) and not self._is_denied((place.start, place.stop)):
                return place
            start = self._text.find(wanted, start + 1)
        return None

    def _place(self, start: int, end: int) -> range:
        """The words of the answer in ``_text[start:end]``."""
        first, last = bisect(self._ends, start - 1), bisect(self._ends, end - 2)
        return range(self._word_of[first], self._word_of[last] + 1)

    def evidence(self, place: range) -> CoverageEvidence:
        """These words of the answer, with their times."""
        timed = [self._timed[index] for index in place] if self._timed else []
        starts = [word.start_s for word in timed if word.start_s is not None]
        ends = [word.end_s for word in timed if word.end_s is not None]
        return CoverageEvidence(
            text=" ".join(self._words[index].strip() for index in place),
            start_s=min(starts) if starts else None,
            end_s=max(ends) if ends else None,
            word_indices=tuple(place),
        )


def _tokens(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return _TOKEN.findall(_APOSTROPHES.sub("", plain))


def _spaced(tokens: Iterable[str]) -> str:
    return f" {' '.join(tokens)} "
