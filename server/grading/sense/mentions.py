"""Whether a sentence that names a phrase is about it, or uses the words for something else.

Examples are "I could feel my own heartbeat" in an answer about failing nodes, "gang scheduling
means that the loudest gang goes first", or a name in an answer that says nothing else of what was
asked. A logistic regression decides from what the spans that hold the name are close to, with the
name and without it, from their words, and from what the whole answer says.
``scripts/train_mentions.py`` fits it on answers and sentences whose mentions coaches ticked or did
not, on sentences that only look like a phrase, and on plain ones that say it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from question_bank.models import Question
from server.contract.report import PhraseCoverage
from server.grading.lexis.words import word_set
from server.grading.sense.caching import by_identity
from server.grading.sense.claims import MarkedWords
from server.grading.sense.encoder import Vectors, cosines
from server.grading.sense.features import QuestionSense, best_of_kinds, question_sense
from server.grading.sense.logistic import Floats, Logistic
from server.grading.sense.vectors import AnswerSense

_HOWS: Final = ("exact", "alias", "fuzzy", "sound")
_OF_A_NAME: Final = word_set("means mean called term word")
_DEFINING: Final = word_set("is are means")
_MOST_ALIKE: Final = 0.98
"""A span that is hardly more than the name says nothing else."""
_USUAL_WORDS, _USUAL_SHARE = 2, 0.5
"""This many words, with this share of the question's, are added to a sentence, which is short."""


@dataclass(frozen=True, eq=False)
class Held:
    """An answer compared with its question.

    Attributes:
        question: what was asked.
        phrases: as found by their words.
        answer: its spans and vectors.
        words: those of the answer.
        features: shape (phrases, spans, features).
        near: the cosine of each of the question's sentences with each span, (sentences, spans).
        scores: of each span for each phrase, shape (phrases, spans).
        rows: what the whole answer says about each phrase, shape (phrases, features).
        logits: whether the answer says each phrase, shape (phrases,).
        voice: logit of how much of what was asked the answer says.
        claims: how the whole answer says things, see ``claims.answer_claims``.
    """

    question: Question
    phrases: Sequence[PhraseCoverage]
    answer: AnswerSense
    words: MarkedWords
    features: Floats
    near: Vectors
    scores: Floats
    rows: Floats
    logits: Floats
    voice: float
    claims: Floats


@cache
def shipped_mentions() -> Logistic:
    """The regression that ``scripts/train_mentions.py`` wrote."""
    return Logistic.shipped("server.grading.sense", "mentions")


def spoken_of(at: int, held: Held) -> float | None:
    """Logit that the sentence that names a phrase is about it.

    ``None`` if no sentence names it, or if the bank has no ways of saying it to compare with.
    """
    if held.phrases[at].status != "covered" or not held.question.key_phrases[at].ways:
        return None
    row = mention_row(at, held)
    return None if row is None else float(shipped_mentions().logits(row))


def mention_row(at: int, held: Held) -> Floats | None:
    """The regression's input for phrase ``at``; ``None`` if no span holds its words."""
    phrase = held.phrases[at]
    said = () if phrase.evidence is None else phrase.evidence.word_indices
    if not said:
        return None
    starts, ends = held.answer.edges
    holding = np.flatnonzero((starts <= said[0]) & (ends > said[-1]))
    if not len(holding):
        return None
    scores, features, logits = held.scores, held.features, held.logits
    top = holding[scores[at, holding].argmax()]
    others = np.concatenate((scores[:at], scores[at + 1 :]))  # np.delete takes ten times longer
    rival = others[:, top].max() if len(others) else scores[at, top]
    company = others[:, holding].max(axis=1).mean() if len(others) else scores[at, top]
    how = [float(phrase.how == each) for each in _HOWS]
    beside = [number for number in range(len(held.phrases)) if number != at]
    named = [float(held.phrases[number].status == "covered") for number in beside]
    stretch = int(starts[holding].min()), int(ends[holding].max())
    row: Floats = np.concatenate(
        (
            features[at, holding].max(axis=0),
            features[at, top],
            (scores[at, top], scores[at, top] - rival, company, np.log(len(said))),
            how,
            (logits[at],),
            held.rows[at],
            (logits[beside].mean() if beside else logits[at],),
            (sum(named) / max(len(named), 1), np.log(ends.max())),
            _beside_the_name(at, held, holding),
            _words_around(at, held, said, stretch),
            (held.voice, held.voice * np.log(len(held.words.bare))),
        )
    )
    return row


def _beside_the_name(at: int, held: Held, holding: npt.NDArray[np.intp]) -> tuple[float, ...]:
    """What the spans that hold a name are close to besides it, and how close they are to it.

    Partial cosines given the closest name: with ways, reason and prompt, with the other phrases'
        ways, and with everything the bank says. A claim about something else is close to the name
        alone.
    """
    question = question_sense(held.question)
    names = question.phrases[at].names
    near = held.near[:, holding]
    name = names.start + int(near[names].max(axis=1).argmax())
    of_name, left_of_name = _given_name(question, name)
    with_name = np.maximum(np.minimum(near[name], _MOST_ALIKE), -_MOST_ALIKE)
    beside = near - of_name * with_name
    beside /= left_of_name * np.sqrt(1 - with_name**2)
    closest = np.maximum(beside.max(axis=1, keepdims=True), -1.0)
    best = best_of_kinds(closest, question)
    way, why, ask, model = (float(best[kind][at, 0]) for kind in ("ways", "why", "ask", "model"))
    prompt = float(closest[-1, 0])
    ways = best["ways"][:, 0].tolist()
    others = max([*ways[:at], *ways[at + 1 :]], default=0.0)
    anything = max(way, why, others, prompt, ask, model)
    starts, ends = held.answer.edges[:, holding]
    alike = min(float(near[name, (ends - starts).argmin()]), _MOST_ALIKE)
    return way, why, prompt, others, anything, alike


@lru_cache(maxsize=4096)
def _given_name(question: QuestionSense, name: int) -> tuple[Vectors, Vectors]:
    """The cosine of each of a question's sentences with one of its names, and what that leaves.

    Both in one column.
    """
    of_name = cosines(question.vectors, question.vectors[name : name + 1])
    of_name = of_name.clip(-_MOST_ALIKE, _MOST_ALIKE)
    return of_name, np.sqrt(1 - of_name**2)


def _words_around(
    at: int, held: Held, said: Sequence[int], stretch: tuple[int, int]
) -> tuple[float, ...]:
    """The content words around a name: how many, and the share of them that the question also has.

    Then how the name is used: at the beginning, among words about words, before "is".
    """
    start, end = stretch
    words = held.words
    known, names = _vocabulary(held.question)
    around = [
        stem
        for place, stem in enumerate(words.contents[start:end], start)
        if stem is not None and place not in said and stem not in names[at]
    ]
    shared = sum(stem in known for stem in around) + _USUAL_WORDS * _USUAL_SHARE
    behind = words.bare[said[-1] + 1 : said[-1] + 2]
    return (
        float(np.log1p(len(around))),
        shared / (len(around) + _USUAL_WORDS),
        float(said[0] - start <= 1),
        float(not _OF_A_NAME.isdisjoint(words.bare[start:end])),
        float(not _DEFINING.isdisjoint(behind)),
    )


@by_identity
def _vocabulary(question: Question) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    """The stems of everything the bank says about a question, and those of each phrase's names."""
    names = [(key.phrase, *key.aliases, *key.any_of) for key in question.key_phrases]
    told = [
        text
        for key in question.key_phrases
        for text in (key.phrase, *key.aliases, *key.ways, key.why, key.follow_up)
    ]
    return (
        _stems((question.prompt, question.model_answer, *told)),
        tuple(_stems(each) for each in names),
    )


def _stems(texts: Iterable[str]) -> frozenset[str]:
    words = [word for text in texts for word in text.split()]
    return frozenset(stem for stem in MarkedWords(words).contents if stem is not None)
