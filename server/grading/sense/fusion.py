"""The verdict of the sense layer: how likely an answer says each key phrase in other words.

Three logistic regressions: from the features of a span, whether it says the phrase; from the mean
of the answer's vectors, how much of what was asked the answer says; from the spans' scores, that
estimate and how things are said (``claims``), whether the answer says the phrase.
``scripts/train_sense.py`` fits them, cross-validated by author and question. The soundness of an
answer (``soundness.py``) goes by what they find.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import compress
from typing import Final

import numpy as np
import numpy.typing as npt

from question_bank.models import Question
from server.contract import PhraseCoverage
from server.grading.sense.claims import (
    ANSWER_CLAIMS,
    SPAN_CLAIMS,
    MarkedWords,
    answer_claims,
    span_claims,
)
from server.grading.sense.clauses import Span
from server.grading.sense.encoder import cosines
from server.grading.sense.features import (
    SPAN_FEATURES,
    best_of_others,
    question_sense,
    shipped_metric,
    span_features,
    table_of,
)
from server.grading.sense.logistic import Floats, Logistic
from server.grading.sense.mentions import Held, spoken_of
from server.grading.sense.soundness import believed_of, soundness_of, weakness_of, wholeness_of
from server.grading.sense.thresholds import NEAR_MISS, WORD_FOR_WORD
from server.grading.sense.vectors import AnswerSense, mean_vector

PHRASE_FEATURES: Final = (
    "best", "second", "mean5", "others_mean", "others_best", "half_said", "prompt", "prompt_mean",
    "overlap", "way_less_other_metric", "ask",
    "length", "others_mean_by_length", "prompt_mean_by_length",
    *ANSWER_CLAIMS, "voice", "voice_by_length", *SPAN_CLAIMS, "lead",
)  # fmt: skip
"""The best span's score; the best score beside it; the mean of the five best; the other phrases'
best; whether the words say half of the phrase; and four features of the best span. ``length`` is
the logarithm of the number of spans: how much of the question a whole answer says is informative
about each phrase, but how much one sentence says is not. ``voice``: how much of what was asked the
answer says, as a logit, by its vectors alone; then how the best span says it, and how far its score
is above that for any other phrase."""
OF_WHAT_IS_SAID: Final = PHRASE_FEATURES.index(ANSWER_CLAIMS[0])
"""The first this many are about what is said; the rest are about how it is said."""
_SUREST: Final = 3


@dataclass(frozen=True, eq=False)
class Fusion:
    """The regressions."""

    span: Logistic
    phrase: Logistic
    voice: Logistic

    def voice_of(self, answer: AnswerSense) -> float:
        """Logit of the share of what was asked that the answer says, by its vectors alone."""
        return float(self.voice.logits(mean_vector(answer)))


@dataclass(frozen=True)
class Sensed:
    """A span that may say a phrase in other words, and how likely it does.

    ``score``: for the span alone, in logits. The probability also depends on the rest of the
        answer, which must not carry a phrase that no span says. ``lead``: how far the span's score
        is above that for any other phrase of the question, because a passage earns credit for one
        phrase only. ``word_for_word``: the span is one of the phrase's ways. ``near_misses``: spans
        that look like the phrase but, according to the bank, are something else. ``spoken_of``:
        logit that the sentence naming the phrase is about it; ``None`` if unknown. ``weakness``:
        how much the answer sounds like a wrong one, 0 to 1. ``wholeness``: how far its length makes
        it a whole answer, 0 to 1. ``repeated``: those of ``near_misses`` that are a sentence of the
        bank, except for a filler or an ending.
    """

    span: Span
    probability: float
    score: float
    lead: float
    word_for_word: bool
    near_misses: tuple[Span, ...]
    spoken_of: float | None = None
    weakness: float = 0.0
    wholeness: float = 0.0
    repeated: tuple[Span, ...] = ()


@dataclass(frozen=True)
class SensedAnswer:
    """What an answer says by meaning: a span for each phrase, and how far it is believed.

    ``believed``: how much of what it says is believed to be right, 0 to 1; ``None`` without words.
    """

    phrases: tuple[Sensed | None, ...]
    believed: float | None


@cache
def shipped_fusion() -> Fusion:
    """The fusion that ``scripts/train_sense.py`` wrote."""
    file = resources.files("server.grading.sense").joinpath("data/fusion.json")
    stored = json.loads(file.read_text("utf-8"))
    features = (tuple(stored["span_features"]), tuple(stored["phrase_features"]))
    if features != (SPAN_FEATURES, PHRASE_FEATURES):
        raise ValueError("data/fusion.json was trained on other features: train it again")
    return Fusion(*(Logistic.from_json(stored[name]) for name in ("span", "phrase", "voice")))


def sense_phrases(
    question: Question,
    answer: AnswerSense,
    words: Sequence[str],
    said: Sequence[PhraseCoverage],
) -> SensedAnswer:
    """For each key phrase of a question, the span that most likely says it; ``None`` without words.

    Args:
        question: the question.
        answer: the answer's spans and vectors.
        words: the answer's words.
        said: each phrase, as found by the words.
    """
    if not answer.spans:
        return SensedAnswer((None,) * len(question.key_phrases), None)
    held = hold(question, answer, words, said)
    scores = held.scores
    chances = 1.0 / (1.0 + np.exp(-held.logits))
    ways, rival_ways, misses = (
        held.features[:, :, SPAN_FEATURES.index(name)] for name in ("way", "other", "near_miss")
    )
    rivals = best_of_others(scores, alone=-np.inf)
    closest, surest = ways.argmax(axis=1).tolist(), scores.argmax(axis=1).tolist()
    missed = (misses >= NEAR_MISS) & (misses > ways)
    near_misses, repeated = (
        [tuple(compress(answer.spans, own)) for own in chosen.tolist()]
        for chosen in (missed, missed & (misses >= WORD_FOR_WORD))
    )
    soundness = soundness_of(soundness_row(held))
    weakness = weakness_of(soundness, len(words))
    wholeness = wholeness_of(len(words))
    found: list[Sensed | None] = []
    for at, chance in enumerate(chances.tolist()):
        top = closest[at]
        word_for_word = bool(ways[at, top] >= WORD_FOR_WORD and ways[at, top] > rival_ways[at, top])
        if not word_for_word:
            top = surest[at]
        score = float(scores[at, top])
        found.append(
            Sensed(
                answer.spans[top],
                round(float(ways[at, top]) if word_for_word else chance, 3),
                score,
                score - float(rivals[at, top]),
                word_for_word,
                near_misses[at],
                spoken_of(at, held),
                weakness,
                wholeness,
                repeated[at],
            )
        )
    return SensedAnswer(tuple(found), round(believed_of(soundness, len(words)), 3))


def hold(
    question: Question,
    answer: AnswerSense,
    words: Sequence[str],
    said: Sequence[PhraseCoverage],
    *,
    voice: float | None = None,
) -> Held:
    """An answer compared with its question by the shipped regressions.

    Args:
        question: the question.
        answer: the answer's spans and vectors; it has some.
        words: the answer's words.
        said: each phrase, as found by the words.
        voice: in place of ``Fusion.voice_of``.
    """
    fusion = shipped_fusion()
    told = question_sense(question)
    near = cosines(told.vectors, answer.vectors)
    features = span_features(told, answer, words, shipped_metric(), near)
    scores = fusion.span.logits(features)
    half_said = [phrase.status == "partial" for phrase in said]
    voice = fusion.voice_of(answer) if voice is None else voice
    marked = MarkedWords(words)
    claims = answer_claims(marked, features)
    rows = phrase_features(question, scores, features, answer, marked, half_said, voice, claims)
    logits = fusion.phrase.logits(rows)
    about = rows[:, :OF_WHAT_IS_SAID]
    return Held(
        question, said, answer, marked, features, near, scores, about, logits, voice, claims
    )


def soundness_row(held: Held) -> Floats:
    """What the soundness of an answer goes by (``soundness.py``)."""
    named = np.array([phrase.status == "covered" for phrase in held.phrases])
    of_named = named if named.any() else ~named
    best = held.scores.max(axis=1)
    told = (
        held.voice,
        held.logits.mean(),
        np.sort(held.logits)[-_SUREST:].mean(),
        best.mean(),
        held.logits[of_named].mean(),
        best[of_named].mean(),
        named.mean(),
        np.log(len(held.words.bare)),
    )
    row: Floats = np.concatenate((held.claims, np.array(told, np.float64)))
    return row


def phrase_features(
    question: Question,
    scores: Floats,
    features: Floats,
    answer: AnswerSense,
    words: MarkedWords,
    half_said: Sequence[bool],
    voice: float,
    claims: Floats,
) -> Floats:
    """The features of each phrase over the whole answer, shape (phrases, features).

    Args:
        question: the question.
        scores: logits of each span for each phrase, shape (phrases, spans).
        features: shape (phrases, spans, features).
        answer: its spans.
        words: those of the answer.
        half_said: for each phrase, whether its words were said in part.
        voice: logit of how much of what was asked the answer says, see ``Fusion.voice_of``.
        claims: those of the whole answer, see ``claims.answer_claims``.
    """
    starts, ends = answer.edges
    top = scores.argmax(axis=1)
    best = scores.max(axis=1)
    apart = (ends <= starts[top, None]) | (starts >= ends[top, None])
    beside = np.where(apart, scores, -np.inf).max(axis=1)
    count = len(best)
    others_mean = (best.sum() - best) / (count - 1) if count > 1 else best
    others_best = best_of_others(best[:, None], alone=0.0)[:, 0] if count > 1 else best
    prompt = SPAN_FEATURES.index("prompt")
    prompt_mean = float(features[0, :, prompt].mean())  # the same for all
    length = float(np.log(len(answer.spans)))
    named = ("overlap", "way_less_other_metric", "ask")
    of_top = features[range(count), top]
    spoken = span_claims(question, words, answer.spans, top, features)
    columns: tuple[npt.ArrayLike, ...] = (
        best,
        np.where(apart.any(axis=1), beside, scores.min(axis=1)),
        np.sort(scores, axis=1)[:, -5:].mean(axis=1),
        others_mean,
        others_best,
        half_said,
        of_top[:, prompt],
        prompt_mean,
        *(of_top[:, SPAN_FEATURES.index(name)] for name in named),
        length,
        others_mean * length,
        prompt_mean * length,
        *claims,
        voice,
        voice * length,
        *spoken.T,
        best - best_of_others(scores, alone=0.0)[range(count), top],
    )
    return table_of(columns, best.shape)
