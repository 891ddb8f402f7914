"""Fits the sense layer to labeled answers and prints how good it is on questions it has not seen.

`python scripts/train_sense.py` reads the development answers, writes
server/grading/sense/data/metric.npz and fusion.json, and prints the cross-validated figures: each
file of answers, by authors of its own, is judged by what the other files teach, two files at a time
held out, without the questions of those files. `--without FILE` leaves one out altogether, to grade
it with benchmarks/natural.py. Run it after `scripts/sense_vectors.py`, and after a feature has
changed.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import Question
from server.contract import PhraseCoverage
from server.grading import cover
from server.grading.sense.claims import MarkedWords, answer_claims
from server.grading.sense.features import SPAN_FEATURES, Metric, question_sense, span_features
from server.grading.sense.fusion import PHRASE_FEATURES, phrase_features
from server.grading.sense.logistic import Floats, Logistic
from server.grading.sense.thresholds import COVERED_FROM, POSSIBLE_FROM
from server.grading.sense.vectors import AnswerSense, mean_vector, sense_of, vectors_of

ROOT = Path(__file__).resolve().parent.parent
ANSWERS = ROOT / "benchmarks" / "answers"
DATA = ROOT / "server" / "grading" / "sense" / "data"

FIELDS: Final = ("robo", "mobile", "ops", "pay", "firm", "qual", "syst")
"""Other fields: each has a bank of its own, and answers to its questions."""
TRAINING_BANKS: Final = tuple(ANSWERS / f"{field}_bank.yaml" for field in FIELDS)
MIXED: Final = ("mix1", "mix2", "mix3", "mix4", "mix5", "mix6", "mix7", "mix8")
"""Answers that are right in some points and wrong in others, and wrong ones full of names."""
OWN_BANK: Final = ("dev1", "dev2", "dev3", "dev4", "seen", "seen2")
"""Strong, middling and weak answers to the built-in bank."""
LEARNED_FROM: Final = (*OWN_BANK, *MIXED, *FIELDS)
HELD_OUT_AT_ONCE: Final = 2
"""Files of answers, to halve the time."""
METRIC_DIMENSIONS: Final = 128
METRIC_SHRINKAGE: Final = 0.3
"""Added to the covariance within phrases, as a share of its mean: 8 ways a phrase are few."""
SPAN_PENALTY, PHRASE_PENALTY, VOICE_PENALTY = 2.0, 20.0, 300.0
QUOTE_SHARE: Final = 0.6
"""A span says what the labeler quoted where it shares so much with the quote."""
EXCERPT_WEIGHT: Final = 0.5
EXCERPT_SENTENCES: Final = (1, 2, 3)
EXCERPTS_EACH: Final = 2
EXCERPT_MIN_WORDS: Final = 5
"""Besides whole answers excerpts of them are learned from: who says one thing only is believed
too."""
OFF_TOPIC_WEIGHT: Final = 0.5
OFF_TOPIC_QUESTIONS: Final = 6
"""Each text on something else is held against so many questions."""
LABELS: Final = {"yes": 1.0, "half": 0.5, "no": 0.0}


@dataclass(frozen=True, eq=False)
class Case:
    """A labeled answer: for each phrase its label, and the spans that hold the quote.

    The label is NaN where nobody knows whether an excerpt says the phrase.
    """

    question: Question
    words: tuple[str, ...]
    sense: AnswerSense
    labels: Floats
    quoted: tuple[Floats | None, ...]
    found: tuple[PhraseCoverage, ...]
    style: str
    file: str
    own_question: bool = True
    is_excerpt: bool = False


def main() -> int:
    """Trains, writes and reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--without", help="a file of answers to leave out, such as seen2")
    options = parser.parse_args()
    questions = {question.id: question for question in load_bank(TRAINING_BANKS).questions}
    files = [name for name in LEARNED_FROM if name != options.without]
    cases = [case for name in files for case in read(ANSWERS / f"{name}.jsonl", questions)]
    off_topic = answers_to_others(cases, list(questions.values()), files)
    cases += [excerpt for case in [*cases, *off_topic[::3]] for excerpt in excerpts(case)]
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
            if held_out or not (case.question.id in own or case.is_excerpt):
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
        ("whole answers", own_question & ~short),
        *((f"of them {file}", own_question & ~short & (of_file == file)) for file in files),
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
        whole = [case for case in cases if not case.is_excerpt]
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


def read(path: Path, questions: dict[str, Question]) -> list[Case]:
    """The labeled answers of a file whose questions are still in the bank."""
    lexicon = load_lexicon()
    cases = []
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        question = questions[entry["id"]]
        given = {phrase: (label, quote) for phrase, label, quote, _ in entry["labels"]}
        if list(given) != [key.phrase for key in question.key_phrases]:
            print(f"{path.name}: {question.id} was labeled for other phrases; left out")
            continue
        words = tuple(entry["text"].split())
        sense = sense_of(words)
        found = cover(question.key_phrases, words, lexicon).phrases
        cases.append(
            Case(
                question,
                words,
                sense,
                np.array([LABELS[label] for label, _ in given.values()]),
                tuple(holds_quote(words, sense, quote) for _, quote in given.values()),
                found,
                entry["style"] if entry["quality"] == "strong" else entry["quality"],
                path.stem,
            )
        )
    return cases


def answers_to_others(
    cases: Sequence[Case], questions: Sequence[Question], files: Sequence[str]
) -> list[Case]:
    """Each answer held against a question of another role, and talk of other things.

    The talk is dealt out to the files.
    """
    lexicon = load_lexicon()
    random = np.random.RandomState(2)
    said = [(case.question.role, case.words, case.sense, case.file) for case in cases]
    talk = (ANSWERS / "off_topic.txt").read_text("utf-8").splitlines()
    for at, line in enumerate(talk):
        words = tuple(line.split())
        said += [(None, words, sense_of(words), files[at % len(files)])] * OFF_TOPIC_QUESTIONS
    found = []
    for role, words, sense, file in said:
        strangers = [question for question in questions if question.role != role]
        question = strangers[random.randint(len(strangers))]
        verdicts = cover(question.key_phrases, words, lexicon).phrases
        none = (None,) * len(verdicts)
        labels = np.zeros(len(verdicts))
        case = Case(question, words, sense, labels, none, verdicts, "off", file, own_question=False)
        found.append(case)
    return found


def excerpts(case: Case) -> list[Case]:
    """Sentences in a row of an answer, as answers of their own; the same ones in every run."""
    random = np.random.RandomState(len(case.words))
    ends = [at + 1 for at, word in enumerate(case.words) if re.search(r"[.?!]\W*$", word)]
    bounds = sorted({0, *ends, len(case.words)})
    found = []
    for count in EXCERPT_SENTENCES:
        starts = len(bounds) - 1 - count
        if starts < 1:  # the whole answer
            continue
        for first in random.choice(starts + 1, min(EXCERPTS_EACH, starts + 1), replace=False):
            start, end = bounds[first], bounds[first + count]
            inside = [at for at, (a, b) in enumerate(case.sense.spans) if a >= start and b <= end]
            if inside and end - start >= EXCERPT_MIN_WORDS:
                found.append(_excerpt(case, start, end, inside))
    return found


def _excerpt(case: Case, start: int, end: int, inside: list[int]) -> Case:
    words = case.words[start:end]
    spans = tuple(
        (case.sense.spans[at][0] - start, case.sense.spans[at][1] - start) for at in inside
    )
    labels = [
        _label_inside(label, quoted, inside)
        for label, quoted in zip(case.labels, case.quoted, strict=True)
    ]
    found = cover(case.question.key_phrases, words, load_lexicon()).phrases
    return replace(
        case,
        words=words,
        sense=AnswerSense(spans, case.sense.vectors[inside]),
        labels=np.array(labels),
        quoted=(None,) * len(labels),
        found=found,
        is_excerpt=True,
    )


def _label_inside(label: float, quoted: Floats | None, inside: list[int]) -> float:
    if label == 0.0:
        return 0.0
    shared = np.nan if quoted is None else quoted[inside].max()
    if shared == 0.0:
        return 0.0
    return label if shared >= QUOTE_SHARE else np.nan


def holds_quote(words: Sequence[str], sense: AnswerSense, quote: str) -> Floats | None:
    """How much each span shares with the quote, 0 to 1; ``None``: no quote stands there."""
    said = [re.sub(r"\W", "", word.casefold()) for word in words]
    wanted = [bare for word in quote.split() if (bare := re.sub(r"\W", "", word.casefold()))]
    places = [at for at, word in enumerate(said) if word]
    plain = [said[at] for at in places]
    for at in range(len(plain) - len(wanted) + 1 if wanted else 0):
        if plain[at : at + len(wanted)] == wanted:
            start, end = places[at], places[at + len(wanted) - 1] + 1
            shared = [
                max(0, min(b, end) - max(a, start)) / min(b - a, end - start)
                for a, b in sense.spans
            ]
            return np.array(shared)
    return None


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
