"""How something is said: features that tell a claim a coach believes from a wrong or empty one.

The encoder captures what a clause is about, but hardly whether it is right: "with GQA the cache
gets larger" is as close to the phrase as the truth is. But confidently wrong answers sound
different: more reasons and function words, fewer figures, and clauses close to the bank's near
misses. None of these features decides alone; two regressions weigh them (``fusion``, ``mentions``),
fitted on answers by many authors and tested on those of others (``scripts/train_sense.py``).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

import numpy as np

from question_bank.models import KeyPhrase, Question
from server.grading.lexis.vocabulary import FUNCTION_WORDS
from server.grading.lexis.words import by_word, word_set
from server.grading.sense.caching import by_identity
from server.grading.sense.clauses import Span
from server.grading.sense.features import COMMON_WORDS, SPAN_FEATURES, stem
from server.grading.sense.logistic import Floats

RATES: Final = (
    "absolute", "negation", "reason", "speaker", "contrast", "hedge", "figure", "function",
)  # fmt: skip
"""Classes of words whose shares in a text are features."""
ANSWER_CLAIMS: Final = (*RATES, "near_miss_mean", "near_miss_lead_mean")
"""Features of a whole answer: its rates, which are drawn toward the usual ones if it is short; how
close it comes to the near misses of each phrase, averaged over the phrases, as such and minus the
closest way."""
SPAN_CLAIMS: Final = (
    *(f"span_{name}" for name in RATES),
    "prompt_share", "beyond", "content", "polarity", "denies", "against_ways", "against_why",
    "near_miss", "near_miss_lead",
)  # fmt: skip
"""Features of the span that most likely says a phrase: its rates; the share of its content words
that are in the prompt; the logarithms of how many are in neither the prompt nor the phrase, and of
how many there are; whether only one of the span and the ways has a negation, and whether that is
the span; how many of its words are opposites of words in the ways, and in the reason; and how close
it is to a near miss."""

_ABSOLUTE: Final = word_set("""
    always never only just automatically simply all completely fully entirely every everything
    nothing nobody anyway exactly directly enough any none easy simple single useless unnecessary
    irrelevant identical free best perfect perfectly totally itself
    """)
_NEGATION: Final = word_set("""
    no not never none neither nor without don't doesn't didn't isn't wasn't aren't won't wouldn't
    can't cannot couldn't needn't nothing nobody hardly
    """)
_REASON: Final = word_set("because since as so that's why therefore thus means")
_SPEAKER: Final = word_set("i i'd i'm i've we we'd we've my our me us")
_CONTRAST: Final = word_set("""
    but however although though unless otherwise instead while whereas except if depends until
    trade-off tradeoff versus
    """)
_HEDGE: Final = word_set("""
    maybe probably perhaps somehow something somewhat guess basically certain various appropriate
    suitable proper different
    """)
_HEDGE_PHRASES: Final = (
    "kind of", "sort of", "something like", "i think", "i guess", "i believe", "or something",
    "and so on", "or so", "would be possible", "depending on", "in general", "best practice",
)  # fmt: skip
_HEDGES: Final = re.compile(rf"\b(?:{'|'.join(_HEDGE_PHRASES)})\b")
_HEDGE_AT: Final = RATES.index("hedge")
_COMMON: Final = FUNCTION_WORDS | COMMON_WORDS
_NOT_LETTERS: Final = re.compile(r"[^a-z0-9']")
_USUAL: Final = (0.019, 0.013, 0.027, 0.029, 0.010, 0.005, 0.015, 0.467)
"""The rates in the development answers, in the order of ``RATES``."""
_USUAL_WORDS: Final = 60
"""This many usual words are added to an answer, because one sentence says little about a
speaker."""
_MOST_AGAINST_WAYS, _MOST_AGAINST_WHY = 2, 3
_LOGARITHMS: Final = slice(1, 3)
"""What ``_counts`` counts and the regressions weigh as logarithms: ``beyond`` and ``content``."""


@dataclass(frozen=True, eq=False)
class _Told:
    """What the bank says about a phrase.

    Attributes:
        stems: of its names and ways.
        denies: whether the ways have a negation.
        against_ways: the words that oppose some in the ways, and which; see ``_opposed``.
        against_why: the same for the reason.
    """

    stems: frozenset[str]
    denies: bool
    against_ways: dict[str, frozenset[str]]
    against_why: dict[str, frozenset[str]]


class _Mark(NamedTuple):
    """One word: bare, its stem if it is a content word, and its classes.

    ``classes``: 1 or 0 for each of ``RATES``.
    """

    bare: str
    content: str | None
    classes: bytes


class MarkedWords:
    """The words of an answer, marked once for all of its spans.

    Attributes:
        bare: each word in lower case, without punctuation.
        contents: the stem of each content word; ``None`` for the others.
    """

    def __init__(self, words: Sequence[str]) -> None:
        marks = [_mark(word) for word in words]
        self.bare = [bare for bare, _, _ in marks]
        self.contents = [content for _, content, _ in marks]
        classes = np.frombuffer(b"".join([each for _, _, each in marks]), np.uint8)
        self._sums = np.zeros((len(marks) + 1, len(RATES)), np.int64)
        classes.reshape(-1, len(RATES)).cumsum(axis=0, out=self._sums[1:])
        text = " ".join(self.bare)
        # without one here, no span has one; searching plain text is many times faster
        self._hedged = any(each in text for each in _HEDGE_PHRASES)

    def rates(self, spans: Sequence[Span]) -> Floats:
        """``RATES`` of the words of each span, shape (spans, rates)."""
        starts, ends = np.array(spans).T
        counts = self._sums[ends] - self._sums[starts]
        if self._hedged:
            counts[:, _HEDGE_AT] += [
                len(_HEDGES.findall(" ".join(self.bare[start:end]))) for start, end in spans
            ]
        found: Floats = counts / np.maximum(1, ends - starts)[:, None]
        return found


def answer_claims(words: MarkedWords, features: Floats) -> Floats:
    """The features of a whole answer, in the order of ``ANSWER_CLAIMS``.

    Args:
        words: those of the answer.
        features: of its spans, shape (phrases, spans, features).
    """
    misses, leads = _near_misses(features)
    means = misses.max(axis=1).mean(), leads.max(axis=1).mean()
    count = len(words.bare)
    rates = words.rates([(0, count)])[0] * count
    damped = (rates + np.array(_USUAL) * _USUAL_WORDS) / (count + _USUAL_WORDS)
    found: Floats = np.concatenate((damped, means))
    return found


def span_claims(
    question: Question,
    words: MarkedWords,
    spans: Sequence[Span],
    top: Sequence[int],
    features: Floats,
) -> Floats:
    """The features of one span for each phrase, shape (phrases, features).

    Args:
        question: the question.
        words: those of the answer.
        spans: of the answer.
        top: the number of the span for each phrase.
        features: of all spans, shape (phrases, spans, features).
    """
    prompt, told = _told(question)
    misses, leads = _near_misses(features)
    chosen = [spans[at] for at in top]
    counts = np.array(
        [_counts(words, span, prompt, own) for span, own in zip(chosen, told, strict=True)]
    )
    counts[:, _LOGARITHMS] = np.log1p(counts[:, _LOGARITHMS])
    rows = range(len(told))
    found: Floats = np.column_stack(
        (words.rates(chosen), counts, misses[rows, top], leads[rows, top])
    )
    return found


def _counts(
    words: MarkedWords, span: Span, prompt: frozenset[str], told: _Told
) -> tuple[float, ...]:
    """The features between the rates and the near misses, without the logarithms."""
    start, end = span
    content = [each for each in words.contents[start:end] if each is not None]
    said = frozenset(words.bare[start:end])
    denies = not said.isdisjoint(_NEGATION)
    beyond = [each for each in content if each not in prompt]
    return (
        (len(content) - len(beyond)) / max(1, len(content)),
        len([each for each in beyond if each not in told.stems]),
        len(content),
        denies != told.denies,
        denies and not told.denies,
        min(_MOST_AGAINST_WAYS, _opposites(said, told.against_ways)),
        min(_MOST_AGAINST_WHY, _opposites(said, told.against_why)),
    )


def _opposites(said: frozenset[str], opposed: dict[str, frozenset[str]]) -> int:
    """How many words are the opposite of one in the other text, not counting pairs in one text."""
    return sum([opposed[word].isdisjoint(said) for word in said if word in opposed])


def _opposed(told: frozenset[str]) -> dict[str, frozenset[str]]:
    """The words that are not in a text and oppose one that is, with all words they oppose."""
    return {
        word: others
        for word, others in _known_opposites().items()
        if word not in told and not others.isdisjoint(told)
    }


def _near_misses(features: Floats) -> tuple[Floats, Floats]:
    """The cosine of each span with each phrase's near misses, and that minus the ways' cosine."""
    near_miss, way = SPAN_FEATURES.index("near_miss"), SPAN_FEATURES.index("way")
    return features[:, :, near_miss], features[:, :, near_miss] - features[:, :, way]


@by_identity
def _told(question: Question) -> tuple[frozenset[str], tuple[_Told, ...]]:
    """The stems of the prompt, and what the bank says about each phrase."""
    return _stems([question.prompt]), tuple(_told_of(each) for each in question.key_phrases)


def _told_of(phrase: KeyPhrase) -> _Told:
    ways = _words(phrase.ways or (phrase.phrase,))
    return _Told(
        stems=_stems((phrase.phrase, *phrase.aliases, *phrase.ways)),
        denies=not ways.isdisjoint(_NEGATION),
        against_ways=_opposed(ways),
        against_why=_opposed(_words((phrase.why,))),
    )


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for text in texts for word in text.split())


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(_bare(word) for text in texts for word in text.split())


@by_word
def _mark(word: str) -> _Mark:
    bare = _bare(word)
    classes = (_ABSOLUTE, _NEGATION, _REASON, _SPEAKER, _CONTRAST, _HEDGE)
    return _Mark(
        bare,
        None if bare in _COMMON else stem(bare),
        bytes([*(bare in each for each in classes), any(map(str.isdigit, bare)), bare in _COMMON]),
    )


@by_word
def _bare(word: str) -> str:
    return _NOT_LETTERS.sub("", word.casefold().replace("’", "'"))


@cache
def _known_opposites() -> dict[str, frozenset[str]]:
    """Symmetric: "more" opposes "less", and "less" opposes "more"."""
    text = resources.files("server.grading.sense").joinpath("data/opposites.txt").read_text("utf-8")
    found: dict[str, set[str]] = {}
    for line in (line for line in text.splitlines() if line and not line.startswith("#")):
        word, others = line.split(":")
        for other in others.split():
            found.setdefault(_bare(word), set()).add(_bare(other))
            found.setdefault(_bare(other), set()).add(_bare(word))
    return {word: frozenset(others) for word, others in found.items()}
