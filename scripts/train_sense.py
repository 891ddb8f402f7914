"""Fits the sense layer to labeled answers and prints how good it is on questions it has not seen.

`python scripts/train_sense.py` reads the development answers, writes
server/grading/sense/data/metric.npz and fusion.json, and prints the cross-validated figures: each
file of answers, by authors of its own, is judged by what the other files teach, four files at a
time held out, without the questions of those files. `--without FILE` leaves one out altogether, to
grade it with benchmarks/natural.py. Run it after `scripts/sense_vectors.py`, and after a feature
has changed.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np
from labeled import (
    ANSWERS,
    DATA,
    LEARNED_FROM,
    QUOTE_SHARE,
    TRAINING_BANKS,
    Case,
    answers_to_others,
    excerpts,
    garbled,
    read,
)

from question_bank.loader import load_bank
from question_bank.models import Question
from server.grading.sense.claims import MarkedWords, answer_claims
from server.grading.sense.features import SPAN_FEATURES, Metric, question_sense, span_features
from server.grading.sense.fusion import PHRASE_FEATURES, phrase_features
from server.grading.sense.logistic import Floats, Logistic
from server.grading.sense.thresholds import COVERED_FROM, POSSIBLE_FROM
from server.grading.sense.vectors import mean_vector, vectors_of

HELD_OUT_AT_ONCE: Final = 4
"""Files of answers; one at a time would take four times as long."""
METRIC_DIMENSIONS: Final = 128
METRIC_SHRINKAGE: Final = 0.3
"""Added to the covariance within phrases, as a share of its mean: 8 ways a phrase are few."""
SPAN_PENALTY, PHRASE_PENALTY, VOICE_PENALTY = 2.0, 20.0, 300.0
EXCERPT_WEIGHT: Final = 0.5
OFF_TOPIC_WEIGHT: Final = 0.1
"""Low, because such answers are easy to recognize: with 0.5, the regression learns little else."""


def main() -> int:
    """Trains, writes and reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--without", help="a file of answers to leave out, such as seen2")
    options = parser.parse_args()
    questions = {question.id: question for question in load_bank(TRAINING_BANKS).questions}
    files = [name for name in LEARNED_FROM if name != options.without]
    cases = [case for name in files for case in read(ANSWERS / f"{name}.jsonl", questions)]
    cases += [garbled(case) for case in cases]
    off_topic = answers_to_others(cases, list(questions.values()), files)
    clear = [case for case in cases if not case.is_garbled]
    cases += [excerpt for case in [*clear, *off_topic[::3]] for excerpt in excerpts(case)]
    cases += off_topic
    learn(cases, files, list(questions.values()), dry_run=options.dry_run)
    return 0


def learn(
    cases: Sequence[Case], files: Sequence[str], questions: Sequence[Question], *, dry_run: bool
) -> None:
    """Fits, reports what is found with each file held out, and writes."""
    logits: list[Floats] = [np.empty(0)] * len(cases)
    held: list[Floats] = [np.empty(0)] * len(cases)
    voices = np.zeros(len(cases))
    held_out_together = [
        files[at : at + HELD_OUT_AT_ONCE] for at in range(0, len(files), HELD_OUT_AT_ONCE)
    ]
    for fold in held_out_together:  # the last regression's rows: of unseen authors and questions
        own = {case.question.id for case in cases if case.file in fold and case.own_question}
        metric = fit_metric([q for q in questions if q.id not in own])
        learned: list[tuple[Case, Floats]] = []
        for at, case in enumerate(cases):
            held_out = case.file in fold
            if held_out or not (case.question.id in own or case.is_excerpt or case.is_garbled):
                told = question_sense(case.question)
                made = span_features(told, case.sense, case.words, metric)
                if held_out:
                    held[at] = made
                else:
                    learned.append((case, made))
        span, voice = fit_span(learned), fit_voice([case for case, _ in learned])
        for at, case in enumerate(cases):
            if case.file in fold:
                logits[at] = span.logits(held[at])
                voices[at] = voice.logits(mean_vector(case.sense)[None])[0]
    rows = np.concatenate(
        [rows_of(*each) for each in zip(cases, logits, held, voices, strict=True)]
    )
    labels = np.concatenate([case.labels for case in cases])
    status = np.concatenate([[each.status for each in case.found] for case in cases])
    styles = np.concatenate([[case.style] * len(case.labels) for case in cases])
    of_file = np.concatenate([[case.file] * len(case.labels) for case in cases])
    of_question = np.concatenate([[case.question.id] * len(case.labels) for case in cases])
    open_ = (status != "covered") & ~np.isnan(labels)
    own_question = np.concatenate([[case.own_question] * len(case.labels) for case in cases])
    short = np.concatenate([[case.is_excerpt] * len(case.labels) for case in cases])
    garbled_ = np.concatenate([[case.is_garbled] * len(case.labels) for case in cases])
    weights = np.where(own_question, 1.0, OFF_TOPIC_WEIGHT) * np.where(short, EXCERPT_WEIGHT, 1.0)

    fit = partial(fit_logistic, penalty=PHRASE_PENALTY)
    chances = np.zeros(len(labels))
    for fold in held_out_together:
        held_out = np.isin(of_file, fold)
        own = set(of_question[held_out & own_question])
        chosen = open_ & ~held_out & ~np.isin(of_question, list(own))
        model = fit(rows[chosen], labels[chosen], weights[chosen])
        chances[held_out] = sigmoid(model.logits(rows[held_out]))
    for title, chosen in (
        ("whole answers", own_question & ~short & ~garbled_),
        *(
            (f"of them {file}", own_question & ~short & ~garbled_ & (of_file == file))
            for file in files
        ),
        ("whole answers, garbled", own_question & garbled_),
        ("excerpts", own_question & short),
    ):
        chosen = chosen & ~np.isnan(labels)
        print(f"{title}:")
        report(*(each[chosen] for each in (labels, status, chances, styles)))
    off = chances[~own_question & ~short & open_]
    print(
        f"  answers to other questions, and talk of other things: {len(off)} phrases, "
        f"covered {(off >= COVERED_FROM).mean():.3f}, asked {(off >= POSSIBLE_FROM).mean():.3f}"
    )
    if not dry_run:
        metric = fit_metric(questions)
        whole = [case for case in cases if not (case.is_excerpt or case.is_garbled)]
        made = [span_features(question_sense(c.question), c.sense, c.words, metric) for c in whole]
        write(
            metric,
            fit_span(list(zip(whole, made, strict=True))),
            fit(rows[open_], labels[open_], weights[open_]),
            fit_voice(whole),
        )


def rows_of(case: Case, logits: Floats, features: Floats, voice: float) -> Floats:
    """What the last regression goes by, shape (phrases, features)."""
    words = MarkedWords(case.words)
    half_said = [phrase.status == "partial" for phrase in case.found]
    claims = answer_claims(words, features)
    return phrase_features(
        case.question, logits, features, case.sense, words, half_said, voice, claims
    )


def fit_metric(questions: Sequence[Question]) -> Metric:
    """Linear discriminant analysis over the ways, with shrinkage."""
    groups = [
        vectors_of(phrase.ways).astype(np.float64)
        for question in questions
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
    return Metric(centers.mean(axis=0).astype(np.float32), projection.astype(np.float32))


def fit_span(cases: Sequence[tuple[Case, Floats]]) -> Logistic:
    """Spans that hold a quote against those of phrases that were not said."""
    parts: list[tuple[Floats, float, float]] = []
    for case, features in cases:
        for own, label, quoted in zip(features, case.labels, case.quoted, strict=True):
            if label == 0.0:
                parts.append((own, 0.0, 4.0))
            elif label == 1.0 and quoted is not None:
                parts.append((own[quoted >= QUOTE_SHARE], 1.0, 2.0))
                parts.append((own[quoted == 0.0], 0.0, 1.0))
    parts = [part for part in parts if len(part[0])]
    return fit_logistic(
        np.concatenate([own for own, _, _ in parts]),
        np.concatenate([np.full(len(own), label) for own, label, _ in parts]),
        np.concatenate([np.full(len(own), weight / len(own)) for own, _, weight in parts]),
        penalty=SPAN_PENALTY,
    )


def fit_voice(cases: Sequence[Case]) -> Logistic:
    """How much of what was asked an answer says, by the mean of its vectors."""
    own = [case for case in cases if case.own_question]
    said = np.array([case.labels.mean() for case in own])
    return fit_logistic(np.stack([mean_vector(c.sense) for c in own]), said, penalty=VOICE_PENALTY)


def fit_logistic(
    features: Floats, labels: Floats, weights: Floats | None = None, *, penalty: float | Floats
) -> Logistic:
    """Newton's method; the penalty is on the squared weights of standardized features.

    One penalty for all features, or one for each.
    """
    mean, deviation = features.mean(axis=0), features.std(axis=0) + 1e-9
    rows = np.c_[(features - mean) / deviation, np.ones(len(features))]
    weights = np.ones(len(rows)) if weights is None else weights
    ridge = np.diag(np.r_[np.broadcast_to(penalty, rows.shape[1] - 1), 0.0])
    solved = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = sigmoid(rows @ solved)
        slope = rows.T @ (weights * (chance - labels)) + ridge @ solved
        curve = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + ridge
        step = np.linalg.solve(curve, slope)
        solved -= step
        if np.abs(step).max() < 1e-7:
            break
    return Logistic(mean, deviation, solved[:-1], float(solved[-1]))


def sigmoid(logits: Floats) -> Floats:
    """The chance of each logit."""
    chances: Floats = 1.0 / (1.0 + np.exp(-logits))
    return chances


def report(
    labels: Floats,
    status: np.ndarray,
    chances: Floats,
    styles: np.ndarray,
) -> None:
    """Prints recall and wrong finds, as a whole and by slice."""
    words = status == "covered"
    covered = words | (chances >= COVERED_FROM)
    asked = covered | (chances >= POSSIBLE_FROM)
    print(f"covered from {COVERED_FROM}, asked from {POSSIBLE_FROM}")

    def line(name: str, of: Callable[[Floats], np.ndarray]) -> None:
        chosen = of(labels)
        if chosen.any():
            print(
                f"  {name:22} {int(chosen.sum()):5}  by words {words[chosen].mean():.3f}"
                f"  covered {covered[chosen].mean():.3f}  or asked {asked[chosen].mean():.3f}"
            )

    line("said", lambda y: y == 1.0)
    for style in sorted(set(styles)):
        line(f"said, {style}", lambda y, style=style: (y == 1.0) & (styles == style))
    line("half said", lambda y: y == 0.5)
    line("not said", lambda y: y == 0.0)
    right = (covered & (labels == 1.0)).sum()
    print(f"  precision of covered {right / (covered & (labels != 0.5)).sum():.3f}")


def write(metric: Metric, span: Logistic, phrase: Logistic, voice: Logistic) -> None:
    """The data files of the sense layer."""
    np.savez_compressed(
        DATA / "metric.npz",
        center=metric.center.astype(np.float16),
        projection=metric.projection.astype(np.float16),
    )
    stored = {
        "span_features": list(SPAN_FEATURES),
        "phrase_features": list(PHRASE_FEATURES),
        "span": span.to_json(),
        "phrase": phrase.to_json(),
        "voice": voice.to_json(),
    }
    (DATA / "fusion.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
