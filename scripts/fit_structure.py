"""Fits which stretches of an answer say a part of the rubric: a stage of ``train_grader.py``.

It learns from the half of benchmarks/answers/structures.jsonl that is there to learn from, from the
examples of the rubrics and from the model answers of the bank, and prints how good it is on answers
held out. `benchmarks/structures.py --half held` measures on the other half.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from labeled import ANSWERS

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import Kind
from server.grading.answer import read_answer
from server.grading.by_meaning import AnswerVectors, Floats
from server.grading.english import lemma
from server.grading.grader import term_index
from server.grading.structure_parts import (
    FITTED,
    Part,
    Rubric,
    SpanFacts,
    empty_sentences,
    part_features,
    rubric_of,
)

FOLDS: Final = 5
PENALTY, SENSE_PENALTY = 100.0, 400.0
"""Of what is counted or compared, and of each dimension of a span's vector."""
EXAMPLE_WEIGHT: Final = 0.5
"""Of the sentences of a rubric, beside those of answers."""
MODEL_WEIGHT, DOUBTFUL_WEIGHT = 1.0, 8.0
"""Of the span of a model answer that says a part, and of one that is hardly found to say it."""
DOUBTFUL: Final = 1.5
MODEL_ROUNDS: Final = 4
SECOND_SLACK: Final = 0.3
"""So much lower is the bar of a part that two passages have to reach."""
MODEL_LEAD, MODEL_SLACK = 0.05, 0.85
"""The bar of a part is lowered for the model answers, but by no more than this."""
MOST_WEIGHT: Final = 6.0
SHARE: Final = 0.6
"""A span says what a sentence is labeled with where it holds so much of it, and not much else."""
ITSELF: Final = 0.985
"""An example of a rubric is compared with the others only."""
LEAST_BAR: Final = -0.35
"""Lower ones find a little more, and most parts that are not there."""
NEARLY: Final = 0.03
"""Of the bars nearly as good as the best one of the lower ones is taken."""
FALSE_COST: Final = 0.7
"""A part wrongly found costs so much of one that is missed."""
MIN_WORDS: Final = 4
SENSE_DIMENSIONS: Final = 384
ARTICLES: Final = frozenset({"a", "an", "the"})
_BE: Final = frozenset({"is", "are", "was", "were", "am"})


@dataclass(frozen=True, eq=False)
class Text:
    """The spans of a text with what they say of each part.

    Attributes:
        features: shape (parts, spans, features).
        labels: shape (parts, spans): 1 said, 0 not, NaN unknown.
        able: shape (parts, spans), whether the span has a fact that the part needs.
        group: texts of one group are held out together; -1 is never held out.
        whole: whether this is a whole answer.
        weight: of each span.
    """

    features: Floats
    labels: Floats
    able: npt.NDArray[np.bool_]
    group: int
    whole: bool
    weight: float


def fitted(share: float = 1.0) -> Iterator[tuple[Kind, dict[str, np.ndarray]]]:
    """The weights and biases of each kind's parts, from a share of the answers."""
    for kind in FITTED:
        weights, biases = fit_kind(kind, share)
        yield kind, {"weights": weights.astype(np.float32), "bias": biases.astype(np.float32)}


def fit_kind(kind: Kind, share: float) -> tuple[Floats, Floats]:
    """The weights and biases of a kind's parts, which give 0 where a part begins to be said."""
    rubric = rubric_of(kind)
    answers, examples = list(from_answers(kind, rubric, share)), list(from_rubric(kind, rubric))
    models = list(from_bank(kind, rubric, share))
    all_weights, all_biases = [], []
    print(f"{kind}, each answer judged by what the others teach:")
    for at, compiled in enumerate(rubric.parts):
        groups = sorted({text.group for text in answers})
        logits: dict[int, Floats] = {}
        for fold in range(FOLDS):
            held = set(groups[fold::FOLDS])
            kept = [text for text in answers if text.group not in held] + examples
            model = fit_part(at, kept, models, rounds=1)
            for number, text in enumerate(answers):
                if text.group in held:
                    own = model.logits(text.features[at])
                    logits[number] = np.where(text.able[at], own, -np.inf)
        bar = best_bar(at, answers, logits, compiled.part)
        bar -= SECOND_SLACK * (compiled.part.count > 1)
        model = fit_part(at, [*answers, *examples], models, rounds=MODEL_ROUNDS)
        lowest = min(surest(at, text, model)[1] for text in models)
        bar = min(bar, max(lowest - MODEL_LEAD, bar - MODEL_SLACK))
        weights = model.weights / model.deviation
        all_weights.append(weights)
        all_biases.append(model.bias - weights @ model.mean - bar)
    return np.array(all_weights), np.array(all_biases)


@dataclass(frozen=True, eq=False)
class Logistic:
    """A logistic regression on standardized features."""

    mean: Floats
    deviation: Floats
    weights: Floats
    bias: float

    def logits(self, features: Floats) -> Floats:
        """Of each row, or of one."""
        found: Floats = (features - self.mean) / self.deviation @ self.weights + self.bias
        return found


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


def fit_part(at: int, texts: Sequence[Text], models: Sequence[Text], *, rounds: int) -> Logistic:
    """The regression of one part.

    The model answers of the bank say every part, nobody wrote down where: in each the span that
    the regression is surest of is learned from in turn.
    """
    rows = np.concatenate([text.features[at] for text in texts])
    labels = np.concatenate([text.labels[at] for text in texts])
    weights = np.concatenate([np.full(text.labels.shape[1], text.weight) for text in texts])
    known = ~np.isnan(labels)
    rows, labels, weights = rows[known], labels[known], weights[known]
    yes, no = weights[labels == 1].sum(), weights[labels == 0].sum()
    weights = np.where(labels == 1, weights * min(MOST_WEIGHT, no / yes / 2), weights)
    penalty = np.full(rows.shape[1], PENALTY)
    penalty[-SENSE_DIMENSIONS:] = SENSE_PENALTY
    model = fit_logistic(rows, labels, weights, penalty=penalty)
    for _ in range(rounds):
        found = [surest(at, text, model) for text in models]
        own = [DOUBTFUL_WEIGHT if logit < DOUBTFUL else MODEL_WEIGHT for _, logit in found]
        model = fit_logistic(
            np.concatenate((rows, [row for row, _ in found])),
            np.r_[labels, np.ones(len(found))],
            np.r_[weights, own],
            penalty=penalty,
        )
    return model


def surest(at: int, text: Text, model: Logistic) -> tuple[Floats, float]:
    """The features and the logit of the span that most likely says a part."""
    own = np.where(text.able[at], model.logits(text.features[at]), -np.inf)
    top = int(own.argmax())
    return text.features[at, top], float(own[top])


def best_bar(at: int, answers: Sequence[Text], logits: dict[int, Floats], part: Part) -> float:
    """The logit from which a part is said; prints recall and false finds there.

    It weighs whole answers that say the part, whole ones without what says it, and single
    sentences.
    """
    says, lacks, alone_says, alone_lacks = [], [], [], []
    for number, text in enumerate(answers):
        own, labels = logits[number], text.labels[at]
        if text.whole:
            if (labels == 1).any():
                says.append(own.max())
            if (labels == 0).any():
                lacks.append(own[labels == 0].max())
        elif (labels == 1).any():
            alone_says.append(own.max())
        elif (labels == 0).all():
            alone_lacks.append(own.max())
    found = [np.array(each) for each in (says, lacks, alone_says, alone_lacks)]

    def rates(bar: float) -> list[float]:
        return [float((each >= bar).mean()) if len(each) else 0.0 for each in found]

    def worth(bar: float) -> float:
        whole, false, alone, alone_false = rates(bar)
        return whole + alone - FALSE_COST * (false + alone_false)

    bars = np.linspace(-1.0, 4.0, 101)
    values = np.array([worth(bar) for bar in bars])
    bar = max(LEAST_BAR, float(np.quantile(bars[values >= values.max() - NEARLY], 0.25)))
    shares = "".join(f"{rate:7.2f}" for rate in rates(bar))
    print(f"  {part.name:22}{bar:7.2f} whole: recall, false; alone: recall, false{shares}")
    return bar


def from_answers(kind: Kind, rubric: Rubric, share: float) -> Iterator[Text]:
    """The labeled answers, whole, whole without punctuation, and each sentence of them alone."""
    lines = (ANSWERS / "structures.jsonl").read_text("utf-8").splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["half"] == "dev"]
    segments: list[tuple[int, bool, list[tuple[list[str], list[str], str]]]] = []
    for group, entry in enumerate(entries):
        if entry["kind"] == kind and group % 100 < 100 * share:
            segments.append((group, True, entry["segments"]))
            segments.append((group, True, unpunctuated(entry["segments"])))
            segments.append((group, True, bare_forms(entry["segments"])))
            segments += [
                (group, False, [each])
                for each in entry["segments"]
                if len(each[2].split()) >= MIN_WORDS
            ]
    words = [[word for *_, text in own for word in text.split()] for *_, own in segments]
    for (group, whole, own), each, sense in zip(
        segments, words, vectors_of_each(words), strict=True
    ):
        labels = np.stack([labels_of(part.part.name, own, sense) for part in rubric.parts])
        yield text_of(each, sense, rubric, labels, group, whole=whole, weight=1.0)


def vectors_of_each(texts: Sequence[Sequence[str]]) -> Iterator[AnswerVectors]:
    """The spans of each text, with their vectors."""
    terms = term_index(load_lexicon())
    for text in texts:
        answer = read_answer(text, terms)
        yield AnswerVectors.of(answer.words, answer.spans)


def unpunctuated(
    segments: Sequence[tuple[list[str], list[str], str]],
) -> list[tuple[list[str], list[str], str]]:
    """The same as some transcribers write it: no punctuation, no capitals."""
    return [
        (says, open_, " ".join(word.strip(".,;:?!").lower() for word in text.split()))
        for says, open_, text in segments
    ]


def bare_forms(
    segments: Sequence[tuple[list[str], list[str], str]],
) -> list[tuple[list[str], list[str], str]]:
    """The same without articles, tenses and plurals, as some learners of English speak."""
    return [
        (says, open_, " ".join(map(_bare_form, spoken)))
        for says, open_, text in unpunctuated(segments)
        if (spoken := [word for word in text.split() if word not in ARTICLES])
    ]


def _bare_form(word: str) -> str:
    return "is" if word in _BE else lemma(word) if word.isalpha() else word


def labels_of(
    name: str, segments: Sequence[tuple[list[str], list[str], str]], sense: AnswerVectors
) -> Floats:
    """What each span says of one part: 1, 0, or NaN where it says it in part or nobody knows."""
    of_word = [at for at, (*_, text) in enumerate(segments) for _ in text.split()]
    found = np.zeros(len(sense.spans))
    for row, (start, end) in enumerate(sense.spans):
        inside = of_word[start:end]
        says = [at for at in inside if name in segments[at][0]]
        held = max((says.count(at) / of_word.count(at) for at in says), default=0.0)
        if held >= SHARE and len(says) >= SHARE * len(inside):
            found[row] = 1.0
        elif says or any(name in segments[at][1] for at in inside):
            found[row] = np.nan
    return found


def from_rubric(kind: Kind, rubric: Rubric) -> Iterator[Text]:
    """The examples and counterexamples; what these say of other parts nobody knows."""
    names = [part.part.name for part in rubric.parts]
    sentences: list[tuple[str, Floats]] = []
    for at, compiled in enumerate(rubric.parts):
        own = np.zeros(len(names))
        own[at] = 1.0
        sentences += [(each, own) for each in compiled.part.says]
        other = np.full(len(names), np.nan)
        other[at] = 0.0
        sentences += [(each, other) for each in compiled.part.not_]
    sentences += [(each, np.zeros(len(names))) for each in empty_sentences()]
    words = [sentence.split() for sentence, _ in sentences]
    for (_, own), each, sense in zip(sentences, words, vectors_of_each(words), strict=True):
        longest = max(range(len(sense.spans)), key=lambda at: np.ptp(sense.spans[at]))
        labels = np.full((len(names), len(sense.spans)), np.nan)
        labels[:, longest] = own
        yield text_of(each, sense, rubric, labels, -1, whole=False, weight=EXAMPLE_WEIGHT)


def from_bank(kind: Kind, rubric: Rubric, share: float) -> Iterator[Text]:
    """The model answers of the bank."""
    words = [each.model_answer.split() for each in load_bank().questions if each.kind == kind]
    words = words[: max(1, round(share * len(words)))]
    for each, sense in zip(words, vectors_of_each(words), strict=True):
        labels = np.full((len(rubric.parts), len(sense.spans)), np.nan)
        yield text_of(each, sense, rubric, labels, -1, whole=True, weight=0.0)


def text_of(
    words: Sequence[str],
    sense: AnswerVectors,
    rubric: Rubric,
    labels: Floats,
    group: int,
    *,
    whole: bool,
    weight: float,
) -> Text:
    """A text ready to learn from."""
    near = rubric.vectors @ sense.vectors.T
    near[near > ITSELF] = -1.0
    facts = SpanFacts(words, sense, rubric)
    features = part_features(words, sense, rubric, near, facts).joined()
    return Text(features, labels, facts.may_say(rubric), group, whole, weight)
