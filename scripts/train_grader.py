"""Fits the grader's model to labeled answers and prints how good it is on files it has not seen.

``python scripts/train_grader.py [--dry-run]`` reads the development answers, writes
server/grading/data/grader.npz, and prints the figures of each file as judged by what the other
files teach. Three models lie in it: *stance* (is a mention denied), *span* (how well a span says a
phrase, a logistic regression) and *phrase* (does a passage say it, trees whose signs are fixed in
advance: ``verdict.NEVER_LOWER``). A phrase is said by its best passage, so the trees learn in two
rounds: first from the passages that the labelers quoted, then from those that the first round
thinks best (multiple-instance learning).
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import labeled
import numpy as np
from labeled import ANSWERS, Case
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from server.grading import by_meaning, stance, verdict
from server.grading.by_meaning import Floats
from server.grading.by_words import by_words
from server.grading.model import FILE, Trees

FOLDS: Final = 2
ROUNDS: Final = 1
TREES: Final = 120
"""More gain nothing on files held out."""
Rows = list[Floats]


@dataclass
class Pool:
    """All passages of all labeled phrases.

    Attributes:
        rows: (passages, features).
        phrase: the number of each passage's phrase.
        hit: 1 where it holds the quote, 0 where it does not, NaN where no quote is known.
        label: of each phrase; likewise ``weight``, ``file``, ``style`` and ``ways``.
    """

    rows: Floats
    phrase: np.ndarray
    hit: Floats
    label: Floats
    weight: Floats
    file: np.ndarray
    style: np.ndarray
    kind: np.ndarray
    ways: np.ndarray
    own_words: np.ndarray


def pool_of(cases: Sequence[Case]) -> Pool:
    """The passages of these cases."""
    rows: list[tuple[float, ...]] = []
    of: list[int] = []
    hits: list[float] = []
    own: list[bool] = []
    labels: list[float] = []
    weights: list[float] = []
    files: list[str] = []
    styles: list[str] = []
    kinds: list[str] = []
    ways: list[bool] = []
    for number, case in enumerate(cases):
        for at, passages in enumerate(case.passages()):
            if np.isnan(case.labels[at]) or not passages:
                continue
            quote = case.quotes[at]
            for passage in passages:
                rows.append(passage.row)
                of.append(len(labels))
                own.append(passage.how == "own_words")
                hits.append(np.nan if quote is None else _shared(passage.words, quote))
            labels.append(float(case.labels[at]))
            weights.append(case.weight)
            files.append(case.file)
            styles.append(case.style)
            kinds.append(case.kinds[at] if case.kinds else "")
            ways.append(bool(case.phrases[at].ways))
        if number % 500 == 0:
            print(f"  {number} of {len(cases)} answers", file=sys.stderr)
    return Pool(
        np.array(rows, np.float32), np.array(of), np.array(hits), np.array(labels), np.array(weights),
        np.array(files), np.array(styles), np.array(kinds), np.array(ways), np.array(own),
    )  # fmt: skip


def _shared(words: Sequence[int], quote: tuple[int, int]) -> float:
    start, end = words[0], words[-1] + 1
    shared = max(0, min(end, quote[1]) - max(start, quote[0]))
    return float(shared >= labeled.QUOTE_SHARE * min(end - start, quote[1] - quote[0]))


def fit_span(pool: Pool) -> tuple[Floats, float]:
    """Weights and bias of how well a span says a phrase, from spans with and without a quote."""
    columns = [verdict.FEATURES.index(name) for name in by_meaning.SPAN_FEATURES]
    label = pool.label[pool.phrase]
    known = pool.own_words & (((label > 0.5) & (pool.hit == 1.0)) | (label == 0.0))
    table, said = pool.rows[known][:, columns].astype(float), label[known] > 0.5
    mean, deviation = table.mean(axis=0), np.maximum(table.std(axis=0), 1e-6)
    weight = pool.weight[pool.phrase][known] * np.where(said, 1.0, 0.5)
    fitted = LogisticRegression(C=0.5, max_iter=400).fit(
        (table - mean) / deviation, said, sample_weight=weight
    )
    slopes = fitted.coef_[0] / deviation
    return slopes, float(fitted.intercept_[0] - mean @ slopes)


def fit_phrase(pool: Pool, chosen: np.ndarray) -> HistGradientBoostingClassifier:
    """The trees, from the phrases in ``chosen``, in two rounds."""
    label = pool.label[pool.phrase]
    use = (chosen & (pool.kind != "false_claim"))[pool.phrase]
    random = np.random.RandomState(4)
    easy = pool.own_words & (pool.rows[:, verdict.FEATURES.index("span_score")] < -3.0)
    use &= ~easy | (random.rand(len(use)) < 0.3)
    quoted = pool.hit == 1.0
    has_quote = np.zeros(len(pool.label), bool)
    has_quote[pool.phrase[quoted]] = True
    first = use & ((label == 0.0) | quoted | ~has_quote[pool.phrase] & (pool.rows[:, 1] > 0))
    model = _fit(pool, np.flatnonzero(first))
    for _ in range(ROUNDS):
        scores = model.decision_function(pool.rows)
        best = best_of(scores, pool.phrase, len(pool.label))
        rows = np.flatnonzero(use & (label == 0.0))
        rows = np.concatenate((rows, best[chosen & (pool.label > 0.0)]))
        # a quoted passage beside the best one is right as well
        rows = np.union1d(rows, np.flatnonzero(use & quoted & (label == 1.0)))
        model = _fit(pool, rows)
    return model


def _fit(pool: Pool, rows: np.ndarray) -> HistGradientBoostingClassifier:
    label = pool.label[pool.phrase[rows]]
    counts = np.bincount(pool.phrase[rows], minlength=len(pool.label))
    weight = pool.weight[pool.phrase[rows]] / np.sqrt(counts[pool.phrase[rows]])
    half = label == 0.5
    table = np.concatenate((pool.rows[rows], pool.rows[rows][half]))
    target = np.concatenate((label > 0.0, np.zeros(half.sum(), bool)))
    weights = np.concatenate((np.where(half, 0.5, 1.0) * weight, 0.5 * weight[half]))
    model = HistGradientBoostingClassifier(
        max_iter=TREES, learning_rate=0.08, max_leaf_nodes=14, min_samples_leaf=40,
        l2_regularization=8.0, early_stopping=False, random_state=1, max_features=0.5,
        monotonic_cst=signs(verdict.FEATURES),
    )  # fmt: skip
    return model.fit(table, target, sample_weight=weights)


def signs(names: Sequence[str]) -> list[int]:
    """+1 for features of which more never lowers a chance, -1 for those that never raise it."""
    return [
        1 if name in verdict.NEVER_LOWER else -1 if name in verdict.NEVER_HIGHER else 0
        for name in names
    ]


def best_of(scores: Floats, phrase: np.ndarray, count: int) -> np.ndarray:
    """The number of the best passage of each phrase."""
    order = np.lexsort((scores, phrase))
    best = np.zeros(count, int)
    best[phrase[order]] = order
    return best


def calibrated(scores: Floats, label: Floats, weight: Floats) -> tuple[float, float]:
    """Slope and shift that turn scores into chances (Platt 1999)."""
    known = label != 0.5
    fitted = LogisticRegression(C=1e6).fit(
        scores[known, None], label[known] > 0.5, sample_weight=weight[known]
    )
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def exported(
    model: HistGradientBoostingClassifier, names: Sequence[str], slope: float, shift: float
) -> dict[str, np.ndarray]:
    """The trees as ``model.Trees`` reads them."""
    nodes: list[list[int]] = []
    values: list[float] = []
    roots: list[int] = []
    deepest = 0
    for (tree,) in model._predictors:
        start = len(nodes)
        roots.append(start)
        for node in tree.nodes:
            leaf = bool(node["is_leaf"])
            deepest = max(deepest, int(node["depth"]))
            left, right = start + int(node["left"]), start + int(node["right"])
            nodes.append([-1, 0, 0] if leaf else [int(node["feature_idx"]), left, right])
            values.append(float(node["value"] if leaf else node["num_threshold"]))
    bias = float(np.ravel(model._baseline_prediction)[0])
    return {
        "features": np.array(names),
        "nodes": np.array(nodes, np.int32),
        "values": np.array(values),
        "roots": np.array(roots, np.int32),
        "numbers": np.array([deepest + 1, bias, slope, shift]),
    }


def report(title: str, label: Floats, chance: Floats) -> None:
    """Precision and recall at the shipped thresholds, halves left out."""
    known = label != 0.5
    said, chance = label[known] > 0.5, chance[known]
    covered = chance >= verdict.COVERED_FROM
    asked = chance >= verdict.POSSIBLE_FROM
    precision = (said & covered).sum() / max(1, covered.sum())
    print(
        f"{title:28s} {known.sum():6d}  P {precision:.3f}  R {covered[said].mean():.3f}  "
        f"asked {asked[said].mean():.3f}  not said: covered {covered[~said].mean():.3f} "
        f"asked {asked[~said].mean():.3f}"
    )


def stance_rows(cases: Sequence[Case]) -> tuple[Floats, Floats, np.ndarray]:
    """Features, labels and files of mentions that are denied or affirmed."""
    rows: list[list[float]] = []
    labels: list[float] = []
    files: list[str] = []
    for case in cases:
        answer, compiled = case.parsed()
        for at, phrase in enumerate(compiled.phrases):
            known = case.denied[at] if case.denied else np.nan
            if np.isnan(known) and case.labels[at] == 1.0 and case.quotes[at]:
                known = 0.0
            if np.isnan(known):
                continue
            mentions = [each for each in by_words(answer, phrase) if each.is_literal]
            for named in mentions:
                span = named.tokens[0], named.tokens[-1] + 1
                first = answer.tokens[span[0]].first
                quote = case.quotes[at]
                if quote is not None and not quote[0] <= first < quote[1]:
                    continue
                if known == 0.0 and len(mentions) > 1 and quote is None:
                    continue  # one of them affirms, nobody knows which
                rows.append(stance.stance_row(answer, span))
                labels.append(known)
                files.append(case.file)
    return np.array(rows), np.array(labels), np.array(files)


def fit_stance(rows: Floats, labels: Floats) -> HistGradientBoostingClassifier:
    """The trees that tell denied mentions."""
    return HistGradientBoostingClassifier(
        max_iter=120, learning_rate=0.08, max_leaf_nodes=10, min_samples_leaf=12,
        l2_regularization=4.0, early_stopping=False, random_state=1, max_features=0.4,
    ).fit(rows, labels > 0.5)  # fmt: skip


def main() -> int:
    """Trains, reports and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.parse_args()
    return 0


if __name__ == "__main__":
    sys.exit(main())

__all__ = ["ANSWERS", "FILE", "Path", "Trees"]
