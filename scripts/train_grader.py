"""Fits everything that the grader learns to labeled answers, and writes it in one file.

``python scripts/train_grader.py`` reads benchmarks/answers, writes server/grading/data/grader.npz
and prints how good each stage is on files held out. It needs the dependency group ``training``, and
about an hour; ``--vectors FILE`` keeps the sentence vectors, so that the next run takes a third of
it. ``--share 0.02`` is a quick run on a fiftieth of the answers.

The stages in their order, each of which the later ones rest on:

- *metric*: in which the ways of saying one phrase are close together;
- *span*: how well a span says a phrase;
- *phrase*: whether a passage says it. A phrase is said by its best passage, so the trees learn in
  two rounds: from the passages that the labelers quoted, then from those that the first round thinks
  best (multiple-instance learning). Their signs are fixed in advance (``verdict.NEVER_LOWER``);
- *structure*: the parts of a rubric (``fit_structure.py``);
- *quality*: what raters give a whole answer; *topic*: whether it answers the question at all;
  *fact*: how good a short answer to a question of fact is.
"""

import argparse
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from hashlib import sha1
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import fit_structure
import labeled
import numpy as np
from labeled import (
    ANSWERS,
    BARE,
    WITH_WAYS,
    Case,
    half_of,
    lines,
    questions_of,
    unknown_credits,
)
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression

from question_bank.models import Question
from server.contract import Structure, earned_points
from server.grading import by_meaning, encoder, model, verdict
from server.grading.answer import Answer, Span, TokenSpan
from server.grading.by_meaning import AnswerVectors, Floats, Stems
from server.grading.by_words import by_words
from server.grading.structure_parts import judge_structure

FOLDS: Final = 2
TREES, QUALITY_TREES = 120, 300
"""More gain nothing on files held out."""
METRIC_DIMENSIONS, METRIC_SHRINKAGE = 128, 0.3
SPANS_PER_PHRASE: Final = 3
FALSE_CLAIM_WEIGHT: Final = 0.3
"""A term named in a false claim is said, but a listener does not credit it."""
MOST_WRONGLY_OFF: Final = 0.003
"""Of the answers that raters give 20 or more, so many may be called off topic."""
SPAN_FILES: Final = ("net", "shop", "seen3")
STANCE_FILES: Final = (
    "dev1", "dev3", "seen", "seen2", "plain1", "plain3", "plain5", "plain8", "mix1", "mix2", "mix5",
    "mix8", "ops", "mobile", "robo", "firm", "pay", "qual",
)  # fmt: skip
CROSS_FILES: Final = (
    "final", "final2", "final3", "final4", "final5", "final6", "final7", "final8",
)  # fmt: skip
QUALITY_FILES: Final = (
    "dev1", "plain2", "plain6", "mix3", "seen3", "middling1", "middling3", "net", "shop", "ops",
)  # fmt: skip
GOOD_RATING, GOOD_WEIGHT = 0.84, 1.7
"""Answers with so good a rating weigh more: to call a strong answer wrong is the worse mistake."""
QUALITIES: Final = {"strong": 90.0, "middling": 50.0, "weak": 10.0}
"""Where an answer's author meant it to be good or bad and nobody rated it."""

Arrays = dict[str, np.ndarray]


# --- Answers --------------------------------------------------------------------------------------


def picked(case: Case, salt: str, share: float) -> bool:
    """Whether a case is in this share of all; the same each time."""
    return crc32((salt + " ".join(case.words)).encode()) < share * 2**32


def read(names: Sequence[str], share: float, **options: float) -> list[Case]:
    """A share of the labeled answers of these files."""
    cases = [each for n in names for each in labeled.read(ANSWERS / f"{n}.jsonl", **options)]
    return [case for case in cases if picked(case, "share", share)]


def said_or_not(share: float) -> list[Case]:
    """What the passages are learned from: answers as they are, on plain banks, garbled, in parts."""
    clear = read((*WITH_WAYS, *SPAN_FILES), share)
    bare = read(BARE, share, weight=4.0)
    cases = [*clear, *bare, *read(labeled.SPOKEN, share)]
    cases += [replace(labeled.plain(c), weight=0.5) for c in clear if picked(c, "p", 0.2)]
    cases += [replace(labeled.garbled(c), weight=0.7) for c in clear if picked(c, "g", 0.2)]
    cases += [replace(labeled.garbled(c), weight=0.7) for c in bare if picked(c, "g", 0.3)]
    for case in (*clear, *bare, *bare):
        if picked(case, "e", 0.2):
            cases += labeled.excerpts(case)
    others = [*labeled.off_topic(clear), *labeled.off_topic(bare)]
    cases += [case for case in others if picked(case, "o", 0.2 * share)]
    cases += [replace(labeled.sentences(c), weight=0.4) for c in clear if picked(c, "s", 0.2)]
    cases += labeled.templates(count=round(3600 * share), weight=2.0)
    cases += [case for case in labeled.fields() if picked(case, "share", share)]
    alone = [*labeled.mistranscribed() * 2, *labeled.sentences_of_one_phrase()]
    for name in ("traps_of_questions", "traps_to_learn", "traps_of_authors"):
        own = labeled.traps(name)
        alone += own
        alone += [replace(labeled.plain(c), weight=0.5) for c in own if picked(c, "p", 0.2)]
    for name in ("dev", "fresh", "probe"):
        alone += labeled.judgments(name)
    alone += [replace(case, weight=3.0) for case in labeled.introductions()]
    alone += labeled.frames(each=1)
    return cases + [case for case in alone if picked(case, "share", share)]


def denied_or_not() -> list[Case]:
    """What stances are learned from."""
    cases = [*labeled.frames(each=8), *labeled.sentences_of_one_phrase() * 3]
    for name in ("dev", "fresh", "probe"):
        cases += labeled.judgments(name)
    cases += [*labeled.model_answers(), *read(BARE, 1.0)]
    for name in STANCE_FILES:
        cases += read((name,), 1.0)[:60]
    for name in ("stances", "stances2", "stances3", "stances_made"):
        cases += labeled.stances(name)
    return [*cases, *labeled.stances(around=True)]


# --- Small regressions ----------------------------------------------------------------------------


def logistic(rows: Floats, labels: np.ndarray, weights: Floats, names: Sequence[str], *, penalty: float) -> Arrays:  # fmt: skip
    """A logistic regression on standardized features, as ``model.Linear`` reads it."""
    mean, deviation = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-6)
    fitted = LogisticRegression(C=1.0 / penalty, max_iter=400).fit(
        (rows - mean) / deviation, labels, sample_weight=weights
    )
    slopes = fitted.coef_[0] / deviation
    bias = np.array(float(fitted.intercept_[0] - mean @ slopes))
    return {"weights": slopes, "bias": bias, "features": np.array(names)}


def fit_metric() -> Arrays:
    """Linear discriminant analysis over the ways of the built-in bank, with shrinkage."""
    groups = [
        by_meaning.vectors_of(phrase.ways).astype(np.float64)
        for question in questions_of(None).values()
        for phrase in question.key_phrases
        if len(phrase.ways) > 1
    ]
    centers = np.array([group.mean(axis=0) for group in groups])
    moved = np.concatenate([group - group.mean(axis=0) for group in groups])
    within = moved.T @ moved / (len(moved) - len(groups))
    size = len(within)
    within += METRIC_SHRINKAGE * np.trace(within) / size * np.eye(size)
    values, axes = np.linalg.eigh(within)
    white = axes @ np.diag(values**-0.5) @ axes.T
    _, directions = np.linalg.eigh(white @ np.cov(centers.T) @ white)
    projection = white @ directions[:, ::-1][:, :METRIC_DIMENSIONS]
    return {
        "center": centers.mean(axis=0).astype(np.float16),
        "projection": projection.astype(np.float16),
    }


def fit_span(cases: Sequence[Case]) -> Arrays:
    """From spans that hold a quote, and the closest ones where a phrase was not said."""
    rows: list[Floats] = []
    labels: list[float] = []
    weights: list[float] = []
    for case in cases:
        spans, features = spans_of(case)
        for own, label, quote in zip(features, case.labels, case.quotes, strict=True):
            if label == 0.0:
                best = own[np.argsort(-own[:, 0])[:SPANS_PER_PHRASE]]
            elif label == 1.0 and quote is not None:
                best = own[[at for at, span in enumerate(spans) if holds(span, quote)]]
            else:
                continue
            rows.append(best)
            labels += [label] * len(best)
            weights += [case.weight * (1.0 if label else 0.5)] * len(best)
    return logistic(
        np.concatenate(rows), np.array(labels) > 0.5, np.array(weights),
        by_meaning.SPAN_FEATURES, penalty=2.0,
    )  # fmt: skip


def spans_of(case: Case) -> tuple[tuple[Span, ...], Floats]:
    """The spans of an answer, and their features for each phrase: (phrases, spans, features)."""
    assert case.question is not None
    answer, _ = case.parsed()
    vectors = AnswerVectors.of(answer.words, answer.spans)
    told = by_meaning.question_vectors(case.question)
    return vectors.spans, by_meaning.span_features(told, vectors, Stems(answer.words))


def holds(span: Span, quote: Span) -> bool:
    """Whether a span says what was quoted: they share half of the shorter one."""
    shared = min(span[1], quote[1]) - max(span[0], quote[0])
    return shared >= labeled.QUOTE_SHARE * min(span[1] - span[0], quote[1] - quote[0])


# --- Stance ---------------------------------------------------------------------------------------


def mentions(cases: Sequence[Case]) -> Iterator[tuple[Answer, TokenSpan, float, str]]:
    """Literal mentions in their answers, whether each is denied, and from which file it is."""
    for case in cases:
        answer, compiled = case.parsed()
        for at, phrase in enumerate(compiled.phrases):
            known = case.denied[at] if case.denied else np.nan
            quote = case.quotes[at]
            if np.isnan(known) and case.labels[at] == 1.0 and quote:
                known = 0.0
            if np.isnan(known):
                continue
            named = [each for each in by_words(answer, phrase) if each.is_literal]
            for each in named:
                span = each.tokens[0], each.tokens[-1] + 1
                first = answer.tokens[span[0]].first
                if quote is not None and not quote[0] <= first < quote[1]:
                    continue
                if known == 0.0 and len(named) > 1 and quote is None:
                    continue  # one of them affirms, nobody knows which
                yield answer, span, known, case.file


# --- Phrases --------------------------------------------------------------------------------------


@dataclass
class Pool:
    """All passages of all labeled phrases.

    Attributes:
        rows: (passages, features).
        phrase: the number of each passage's phrase.
        hit: 1 where it holds the quote, 0 where it does not, NaN where no quote is known.
        own: whether a passage is there for its meaning alone.
        label: of each phrase; likewise ``weight``, ``file``, ``style`` and ``kind``.
    """

    rows: Floats
    phrase: np.ndarray
    hit: Floats
    own: np.ndarray
    label: Floats
    weight: Floats
    file: np.ndarray
    style: np.ndarray
    kind: np.ndarray

    def chosen(self, phrases: np.ndarray) -> np.ndarray:
        """Which passages belong to these phrases."""
        found: np.ndarray = phrases[self.phrase]
        return found


def pool_of(cases: Sequence[Case]) -> Pool:
    """The passages of these cases."""
    passages: list[tuple[tuple[float, ...], int, float, bool]] = []
    phrases: list[tuple[float, float, str, str, str]] = []
    for case in cases:
        for at, found in enumerate(case.passages()):
            if np.isnan(case.labels[at]) or not found:
                continue
            quote = case.quotes[at]
            for passage in found:
                words = passage.words[0], passage.words[-1] + 1
                hit = np.nan if quote is None else float(holds(words, quote))
                passages.append((passage.row, len(phrases), hit, passage.how == "own_words"))
            kind = case.kinds[at] if case.kinds else ""
            false_claim = kind == "false_claim" and case.style != "template"
            weight = case.weight * (FALSE_CLAIM_WEIGHT if false_claim else 1.0)
            phrases.append((float(case.labels[at]), weight, case.file, case.style, kind))
    rows, phrase, hit, own = zip(*passages, strict=True)
    return Pool(
        np.array(rows, np.float32), np.array(phrase), np.array(hit), np.array(own),
        *(np.array(column) for column in zip(*phrases, strict=True)),
    )  # fmt: skip


def joined(pools: Sequence[Pool]) -> Pool:
    """Pools as one."""
    before = np.cumsum([0, *(len(pool.label) for pool in pools)])
    moved = [replace(p, phrase=p.phrase + first) for p, first in zip(pools, before, strict=False)]
    return Pool(*(np.concatenate([getattr(p, f.name) for p in moved]) for f in fields(Pool)))


def fit_phrase(pool: Pool, phrases: np.ndarray, *, trees: int) -> HistGradientBoostingClassifier:
    """The trees, from these phrases, in two rounds."""
    label = pool.label[pool.phrase]
    use = pool.chosen(phrases)
    random = np.random.RandomState(4)
    easy = pool.own & (pool.rows[:, verdict.FEATURES.index("span_score")] < -3.0)
    use &= ~easy | (random.rand(len(use)) < 0.3)
    quoted = pool.hit == 1.0
    has_quote = np.zeros(len(pool.label), bool)
    has_quote[pool.phrase[quoted]] = True
    literal = pool.rows[:, verdict.FEATURES.index("literal")] > 0
    first = use & ((label == 0.0) | quoted | ~has_quote[pool.phrase] & literal)
    fitted = _fit(pool, np.flatnonzero(first), trees)
    best = best_of(fitted.decision_function(pool.rows), pool)
    rows = np.flatnonzero(use & (label == 0.0))
    rows = np.concatenate((rows, best[phrases & (pool.label > 0.0)]))
    # a quoted passage beside the best one is right as well
    return _fit(pool, np.union1d(rows, np.flatnonzero(use & quoted & (label == 1.0))), trees)


def _fit(pool: Pool, rows: np.ndarray, trees: int) -> HistGradientBoostingClassifier:
    phrase = pool.phrase[rows]
    label = pool.label[phrase]
    counts = np.bincount(phrase, minlength=len(pool.label))
    weight = pool.weight[phrase] / np.sqrt(counts[phrase])
    half = label == 0.5
    return HistGradientBoostingClassifier(
        max_iter=trees, learning_rate=0.08, max_leaf_nodes=14, min_samples_leaf=40,
        l2_regularization=8.0, early_stopping=False, random_state=1, max_features=0.5,
        monotonic_cst=signs(verdict.FEATURES, verdict.NEVER_LOWER, verdict.NEVER_HIGHER),
    ).fit(
        np.concatenate((pool.rows[rows], pool.rows[rows][half])),
        np.concatenate((label > 0.0, np.zeros(half.sum(), bool))),
        sample_weight=np.concatenate((np.where(half, 0.5, 1.0) * weight, 0.5 * weight[half])),
    )  # fmt: skip


def signs(names: Sequence[str], rising: frozenset[str], falling: frozenset[str]) -> list[int]:
    """+1 for features of which more never lowers what is fitted, -1 if it never raises it."""
    return [(name in rising) - (name in falling) for name in names]


def fit_cross(cases: Sequence[Case]) -> Arrays:
    """How much the trees and the cross-encoder weigh, on answers that neither has learned from."""
    rows: list[Floats] = []
    labels: list[float] = []
    for case in cases:
        answer, compiled = case.parsed()
        found = case.passages()
        readings = verdict.readings_of(answer, compiled.phrases, found)
        for own, read, label in zip(found, readings, case.labels, strict=True):
            if label in (0.0, 1.0) and own:
                features, read_logits = [each.row for each in own], np.array(read)
                logits = model.shipped_model("phrase").logits(features)
                best = int((logits + read_logits).argmax())
                rows.append(verdict.cross_rows(features, logits, read_logits)[best])
                labels.append(label)
    return logistic(
        np.array(rows), np.array(labels) > 0.5, np.ones(len(rows)),
        ("trees", "reading", "has_ways", "trees_with_ways", "reading_with_ways"), penalty=1.0,
    )  # fmt: skip


def best_of(scores: Floats, pool: Pool) -> np.ndarray:
    """The number of the best passage of each phrase."""
    order = np.lexsort((scores, pool.phrase))
    best = np.zeros(len(pool.label), int)
    best[pool.phrase[order]] = order
    return best


def held_out(pool: Pool, *, trees: int) -> Floats:
    """The best score of each phrase, by what the other files teach."""
    names = sorted(set(pool.file))
    fold = np.array([names.index(name) % FOLDS for name in pool.file])
    found = np.zeros(len(pool.label))
    for number in range(FOLDS):
        scores = fit_phrase(pool, fold != number, trees=trees).decision_function(pool.rows)
        found[fold == number] = scores[best_of(scores, pool)][fold == number]
    return found


def calibrated(pool: Pool, scores: Floats) -> tuple[float, float]:
    """Slope and shift that turn scores into chances (Platt 1999)."""
    known = pool.label != 0.5
    fitted = LogisticRegression(C=1e6).fit(
        scores[known, None], pool.label[known] > 0.5, sample_weight=pool.weight[known]
    )
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def report(pool: Pool, chances: Floats) -> None:
    """Precision and recall of each file at the shipped threshold, halves left out."""
    print(f"{'phrases, held out':24s}       P      R  asked  not said: covered asked")
    for name in sorted(set(pool.file)):
        known = (pool.label != 0.5) & (pool.file == name)
        said, chance = pool.label[known] > 0.5, chances[known]
        covered, asked = chance >= verdict.COVERED_FROM, chance >= verdict.POSSIBLE_FROM
        shares = [values.mean() if len(values) else np.nan for values in
                  (said[covered], covered[said], asked[said], covered[~said], asked[~said])]  # fmt: skip
        print(f"{name:20s}{known.sum():6d}" + "".join(f"{share:7.3f}" for share in shares))


# --- Whole answers --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rated:
    """A whole answer, what raters gave it (0 to 100), and how much that weighs."""

    question: Question
    text: str
    rating: float
    weight: float
    group: str

    def judged(self) -> tuple[verdict.Judged, Answer, AnswerVectors]:
        """What it says."""
        case = Case(self.question, self.question.key_phrases, tuple(self.text.split()),
                    np.array([]), (), "", "")  # fmt: skip
        answer, compiled = case.parsed()
        vectors = AnswerVectors.of(answer.words, answer.spans)
        judged = verdict.judge(
            answer,
            compiled.phrases,
            question=self.question,
            vectors=vectors,
            credits_of=unknown_credits(self.question, answer.words, vectors),
        )
        return judged, answer, vectors

    def numbers(self) -> dict[str, float]:
        """``verdict.ANSWER_FEATURES`` and the points that it earns."""
        judged, answer, vectors = self.judged()
        structure = judge_structure(self.question, answer.words, (), vectors)
        points = earned_points(judged.coverage, structure)
        earned = sum(part.share * part.value for part in points)
        return {**judged.told(structure), "earned": earned}


LADDERS: Final = {
    "ladders": 2.0, "ladders2": 1.5, "ladders3": 1.0, "ladders4": 1.5, "ladders5": 1.5,
    "ladders6": 1.5, "ladders7": 1.5,
}  # fmt: skip
"""Answers of falling quality and what they weigh; ``ladders_unread5`` is for measuring only."""


def rated_answers() -> Iterator[Rated]:
    """Ladders, plain banks, confidently wrong answers, introductions, others' and model answers."""
    questions = questions_of(None)
    random = np.random.RandomState(3)

    def other_than(question: Question | None = None) -> Question:
        choice = [each for each in questions.values()
                  if question is None or (each.topic, each.role) != (question.topic, question.role)]  # fmt: skip
        return choice[random.randint(len(choice))]

    for name, weight in LADDERS.items():
        for entry in lines(name):
            question = questions[entry["id"]]
            rating = sum(entry["scores"]) / len(entry["scores"])
            yield Rated(question, entry["text"], rating, weight, f"ladder{entry['step']}")
            if entry["step"] <= 3 and name == "ladders":
                yield Rated(other_than(question), entry["text"], 0.0, 0.4, "other")
    for name in BARE:
        own = questions_of(ANSWERS / f"{name}_bank.yaml")
        for entry in lines(name):
            yield Rated(own[entry["id"]], entry["text"], entry["score"], 0.6, "bare")
    own = questions_of(ANSWERS / "plain_rated_bank.yaml")
    for entry in lines("plain_rated"):
        yield Rated(own[entry["id"]], entry["text"], sum(entry["scores"]) / 2, 1.5, "plain")
    for name in ("rated1", "rated2"):
        for entry in lines(name):
            if entry["id"] in questions:
                rating = sum(entry["scores"]) / 2
                yield Rated(questions[entry["id"]], entry["text"], rating, 0.6, entry["kind"])
    for name in (f"wrong{number}" for number in range(1, 7)):
        for entry in lines(name):
            # their own writers rated the vague ones, all alike
            if entry["kind"] != "vague" and entry["id"] in questions:
                question = questions[entry["id"]]
                yield Rated(question, entry["text"], entry["score"], 0.4, entry["kind"])
    for entry in lines("introductions"):
        rating = sum(entry["scores"]) / 2
        yield Rated(questions["tell-me-about-yourself"], entry["text"], rating, 1.0, "introduction")
    for line in (ANSWERS / "off_topic.txt").read_text("utf-8").splitlines():
        for _ in range(3):
            yield Rated(other_than(), line, 0.0, 0.4, "other")
    for name in QUALITY_FILES:
        bank = ANSWERS / f"{name}_bank.yaml"
        own = questions_of(bank if bank.is_file() else None)
        for entry in lines(name)[::2]:
            if entry["id"] in own:
                rating = QUALITIES.get(entry["quality"], 50.0)
                yield Rated(own[entry["id"]], entry["text"], rating, 0.15, "meant")
    for question in list(questions.values())[::3]:
        yield Rated(question, question.model_answer, 96.0, 0.3, "model")


def numbers_of(rated: Sequence[Rated]) -> list[dict[str, float]]:
    """Of each answer."""
    return [each.numbers() for each in rated]


def fit_quality(rated: Sequence[Rated], told: Sequence[dict[str, float]], *, trees: int) -> Arrays:
    """The trees that tell what raters give; prints how well on questions held out."""
    names = verdict.ANSWER_FEATURES
    rows = np.array([[numbers[name] for name in names] for numbers in told])
    ratings = np.array([each.rating / 100 for each in rated])
    weights = np.array([each.weight for each in rated])
    weights[ratings >= GOOD_RATING] *= GOOD_WEIGHT

    def fitted(use: np.ndarray) -> HistGradientBoostingRegressor:
        return HistGradientBoostingRegressor(
            loss="absolute_error",  # a squared one draws all to the middle of the scale
            max_iter=trees, learning_rate=0.05, max_leaf_nodes=7, min_samples_leaf=10,
            l2_regularization=3.0, early_stopping=False, random_state=0,
            monotonic_cst=signs(names, verdict.RISING, verdict.FALLING),
        ).fit(rows[use], ratings[use], sample_weight=weights[use])  # fmt: skip

    fold = np.array([crc32(each.question.id.encode()) % 5 for each in rated])
    found = np.zeros(len(rated))
    for number in range(5):
        held = fold == number
        if held.any() and not held.all():
            found[held] = fitted(~held).predict(rows[held])
    score = np.minimum(found, [numbers["earned"] for numbers in told])
    groups = np.array([each.group for each in rated])
    ladder = np.char.startswith(groups, "ladder")
    r = np.corrcoef(score[ladder], ratings[ladder])[0, 1]
    apart = np.abs(score - ratings)[ladder].mean() * 100
    print(f"ladders, questions held out: r {r:.3f}, distance {apart:.1f}")
    for group in sorted(set(groups)):
        own = groups == group
        print(f"  {group:14s}{own.sum():5d}{ratings[own].mean():7.2f}{score[own].mean():7.2f}")
    return exported(fitted(np.ones(len(rated), bool)), names)


def fit_topic(rated: Sequence[Rated], told: Sequence[dict[str, float]]) -> Arrays:
    """Answers to the question against those to others; few of the former may be called off."""
    rows = np.array([[numbers[name] for name in verdict.TOPIC_FEATURES] for numbers in told])
    off = np.array([each.group in ("other", "ladder5") for each in rated])
    weights = np.array([0.25 if each.group == "other" else 0.5 if away else 1.0
                        for each, away in zip(rated, off, strict=True)])  # fmt: skip
    found = logistic(rows, ~off, weights, verdict.TOPIC_FEATURES, penalty=1.0)
    logits = rows @ found["weights"] + found["bias"]
    good = ~off & np.array([each.rating >= 20 for each in rated])
    found["bias"] = found["bias"] - np.quantile(logits[good], MOST_WRONGLY_OFF)
    print(f"off topic: found {(rows @ found['weights'] + found['bias'] < 0)[off].mean():.3f}")
    return found


def fit_fact(share: float) -> Arrays:
    """How good a short answer to a question of fact is, from teachers' scores (SAF among them).

    Of each question the parts of the teacher's answer are the phrases, and once more its sentences.
    Definitions of the bank's terms, which name other words for each part, were written right or
    wrong.
    """
    unasked = Structure(kind="explain", parts=(), score=0.0, asked=False)
    rows: list[list[float]] = []
    scores: list[float] = []
    groups: list[int] = []
    few = min(10, round(1.0 / share))
    facts = [*lines("facts"), *lines("facts2"), *lines("facts_networks")]
    asked = [
        (labeled.fact_question(told, whole=whole), told["answers"])
        for told in facts[::few]
        for whole in (False, True)
    ]
    for question, answers in (*asked, *list(labeled.definitions())[::few]):
        for each in answers:
            rated = Rated(question, each["text"], each["score"], 1.0, "fact")
            numbers = rated.judged()[0].told(unasked)
            rows.append([numbers[name] for name in verdict.FACT_FEATURES])
            scores.append(each["score"] / 100)
            groups.append(half_of(question))
    table, labels, half = np.array(rows), np.array(scores), np.array(groups)

    def fitted(use: np.ndarray) -> Arrays:
        # a score is so many right and so many wrong answers
        twice = np.concatenate((table[use], table[use]))
        right = np.repeat([True, False], use.sum())
        weights = np.concatenate((labels[use], 1.0 - labels[use]))
        return logistic(twice, right, weights, verdict.FACT_FEATURES, penalty=1.0)

    found = np.zeros(len(labels))
    for number in (0, 1):
        own = fitted(half != number)
        logits = table[half == number] @ own["weights"] + own["bias"]
        found[half == number] = 1.0 / (1.0 + np.exp(-logits))
    print(f"facts, questions held out: r {np.corrcoef(found, labels)[0, 1]:.3f}")
    return fitted(np.ones(len(labels), bool))


# --- The whole ------------------------------------------------------------------------------------


def exported(
    fitted: Any, names: Sequence[str], slope: float = 1.0, shift: float = 0.0
) -> Arrays:  # fmt: skip
    """Boosted trees as ``model.Trees`` reads them."""
    nodes: list[list[int]] = []
    values: list[float] = []
    roots: list[int] = []
    deepest = 0
    for (tree,) in fitted._predictors:
        start = len(nodes)
        roots.append(start)
        for node in tree.nodes:
            leaf = bool(node["is_leaf"])
            deepest = max(deepest, int(node["depth"]))
            left, right = start + int(node["left"]), start + int(node["right"])
            nodes.append([-1, 0, 0] if leaf else [int(node["feature_idx"]), left, right])
            values.append(float(node["value"] if leaf else node["num_threshold"]))
    bias = float(np.ravel(fitted._baseline_prediction)[0])
    return {
        "features": np.array(names),
        "nodes": np.array(nodes, np.int32),
        "values": np.array(values),
        "roots": np.array(roots, np.int32),
        "numbers": np.array([deepest + 1, bias, slope, shift]),
    }


class Fitted:
    """What is fitted so far, in the file that the grader reads from now on."""

    def __init__(self, file: Path, kept: Arrays) -> None:
        self.file = file
        self._arrays = kept

    def put(self, name: str, arrays: Arrays) -> None:
        """Adds a model, which the later stages use."""
        self._arrays |= {f"{name}.{key}": value for key, value in arrays.items()}
        np.savez_compressed(self.file, **self._arrays)  # type: ignore[arg-type]
        use(self.file, None)


class KeptEncoder(encoder.Encoder):
    """The encoder with a file of all vectors that it ever made."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._kept = sqlite3.connect(file, timeout=120, check_same_thread=False)
        self._kept.execute("pragma journal_mode=wal")
        self._kept.execute("create table if not exists v(k blob primary key, v blob)")

    def encode(self, sentences: Sequence[str]) -> encoder.Vectors:
        """As ``Encoder.encode``."""
        keys = [sha1(sentence.encode()).digest() for sentence in sentences]
        found: dict[bytes, np.ndarray] = {}
        for key in set(keys):
            row = self._kept.execute("select v from v where k=?", (key,)).fetchone()
            if row:
                found[key] = np.frombuffer(row[0], np.float16).astype(np.float32)
        made = {key: each for key, each in zip(keys, sentences, strict=True) if key not in found}
        if made:
            vectors = super().encode(list(made.values()))
            own = [(k, v.astype(np.float16).tobytes()) for k, v in zip(made, vectors, strict=True)]
            self._kept.executemany("insert or ignore into v values(?,?)", own)
            self._kept.commit()
            found |= zip(made, vectors, strict=True)
        return np.stack([found[key] for key in keys])


def use(file: Path, vectors: Path | None, credit_files: Sequence[Path] = ()) -> None:
    """Lets the grader of this process read its models from files, and vectors that were kept."""
    model.FILE = file
    labeled.CREDIT_FILES[:] = credit_files or labeled.CREDIT_FILES
    for kept in (model.shipped_model, model.shipped_linear, by_meaning.shipped_metric):
        kept.cache_clear()
    by_meaning.question_vectors.cache_clear()
    if vectors is not None:
        kept_encoder = KeptEncoder(vectors)
        by_meaning.shared_encoder = lambda: kept_encoder


STAGES: Final = (
    "metric", "span", "phrase", "cross", "structure", "quality", "topic", "fact",
)  # fmt: skip


def train(
    file: Path,
    *,
    share: float = 1.0,
    only: Collection[str] = STAGES,
    vectors: Path | None = None,
    credit_files: Sequence[Path] = (),
    workers: int = 1,
) -> None:
    """Fits the stages to a share of the answers and writes the file; others are kept as shipped.

    ``credit_files`` are the networks that learned without the first and the second half of the
    questions: how far to trust them has to be learned from sentences of questions new to them.
    """
    quick = min(1.0, 0.2 + share)  # of the trees
    with np.load(model.FILE) as shipped:
        kept = {key: shipped[key] for key in shipped.files if key.partition(".")[0] not in only}
    fitted = Fitted(file, kept)
    use(model.FILE if kept else file, vectors, credit_files)

    def spread(work: Callable[[Sequence[Any]], Any], things: Sequence[Any]) -> list[Any]:
        parts = [part for at in range(8 * workers) if (part := things[at :: 8 * workers])]
        if workers == 1:
            return list(map(work, parts))
        with ProcessPoolExecutor(
            workers, get_context("spawn"), initializer=use, initargs=(file, vectors, credit_files)
        ) as executor:
            return list(executor.map(work, parts))

    if "metric" in only:
        fitted.put("metric", fit_metric())
    if "span" in only:
        fitted.put("span", fit_span(read((*WITH_WAYS, *SPAN_FILES, *BARE), share)))
    if "phrase" in only:
        pool = joined(spread(pool_of, said_or_not(share)))
        print(f"{len(pool.label)} phrases, {len(pool.rows)} passages")
        trees = round(TREES * quick)
        scores = held_out(pool, trees=trees)
        slope, shift = calibrated(pool, scores)
        report(pool, 1.0 / (1.0 + np.exp(-slope * scores - shift)))
        phrase = fit_phrase(pool, np.ones(len(pool.label), bool), trees=trees)
        fitted.put("phrase", exported(phrase, verdict.FEATURES, slope, shift))
    if "cross" in only:
        held = read(CROSS_FILES, share)
        held += [labeled.plain(case) for case in held]
        fitted.put("cross", fit_cross(held))
    if "structure" in only:
        for kind, arrays in fit_structure.fitted(max(share, 0.1)):
            fitted.put(f"structure.{kind}", arrays)
    if "quality" in only or "topic" in only:
        least = max(share, 0.04) * 2**32
        rated = [each for each in rated_answers() if crc32(each.text.encode()) < least]
        told: list[dict[str, float]] = [{} for _ in rated]
        for at, part in enumerate(spread(numbers_of, rated)):
            told[at :: 8 * workers] = part
        fitted.put("quality", fit_quality(rated, told, trees=round(QUALITY_TREES * quick)))
        fitted.put("topic", fit_topic(rated, told))
    if "fact" in only:
        fitted.put("fact", fit_fact(share))


def main() -> int:
    """Trains, reports and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=model.FILE, help="the file to write")
    parser.add_argument("--share", type=float, default=1.0, help="of the answers (default: all)")
    parser.add_argument("--only", nargs="+", choices=STAGES, default=STAGES, help="(default: all)")
    parser.add_argument("--vectors", type=Path, help="a file that keeps sentence vectors")
    parser.add_argument(
        "--credit",
        type=Path,
        nargs=2,
        default=(),
        help="of train_cross.py credit --without 0 and 1",
    )
    parser.add_argument("--workers", type=int, default=cpu_count() or 1)
    given = parser.parse_args()
    train(
        given.out,
        share=given.share,
        only=given.only,
        vectors=given.vectors,
        credit_files=given.credit,
        workers=given.workers,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
