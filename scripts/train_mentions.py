"""Fits whether a sentence that names a phrase speaks of it; prints how good it is on new questions.

`python scripts/train_mentions.py` reads the sentences of benchmarks/answers/dev*.jsonl, and those
of tests/server/grading/judgments that only look like a phrase or say it, and writes
server/grading/sense/data/mentions.json. Run it after `scripts/train_sense.py`.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import yaml
from train_sense import ANSWERS, DATA, ROOT, fit_logistic

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import Question
from server.grading import cover
from server.grading.sense.features import Floats, question_sense, shipped_metric, span_features
from server.grading.sense.fusion import shipped_fusion
from server.grading.sense.mentions import SPOKEN_OF_FROM, mention_row
from server.grading.sense.vectors import senses_of

JUDGMENTS: Final = ROOT / "tests" / "server" / "grading" / "judgments"
FOLDS: Final = 6
PENALTY: Final = 5.0
LOOK_WEIGHT, WRONG_WEIGHT = 6.0, 3.0
"""Of sentences that only look like a phrase, which are few, and of those that say it wrongly."""
SENSELESS: Final = frozenset({"denial", "counter"})
"""Kinds of sentences that the stance decides."""
MIN_WORDS: Final = 5


@dataclass(frozen=True)
class Sentence:
    """A sentence, the phrases that it says or only looks like, and what it counts."""

    question: Question
    words: tuple[str, ...]
    phrases: frozenset[str]
    says: bool
    weight: float


def main() -> int:
    """Fits, writes and reports."""
    sentences = [*from_answers(), *from_traps()]
    rows, says, weights, ids = rows_of(sentences)
    every = sorted(set(ids))
    folds = np.array([every.index(each) % FOLDS for each in ids])
    found = np.zeros(len(rows))
    for fold in range(FOLDS):
        kept = folds != fold
        model = fit_logistic(rows[kept], says[kept], weights[kept], penalty=PENALTY)
        found[~kept] = model.logits(rows[~kept])
    low = found < SPOKEN_OF_FROM
    looks = weights == LOOK_WEIGHT
    print(
        f"questions held out: of {int(says.sum())} sentences that say a phrase "
        f"{low[says == 1].mean():.3f} doubted, of {int(looks.sum())} that only look like one "
        f"{low[looks].mean():.3f}, of {int(((says == 0) & ~looks).sum())} that say it wrongly "
        f"{low[(says == 0) & ~looks].mean():.3f}"
    )
    model = fit_logistic(rows, says, weights, penalty=PENALTY)
    (DATA / "mentions.json").write_text(json.dumps(model.to_json()) + "\n", encoding="utf-8")
    return 0


def from_answers() -> Iterator[Sentence]:
    """The sentences of labeled answers."""
    questions = {question.id: question for question in load_bank().questions}
    for path in sorted(ANSWERS.glob("dev*.jsonl")):
        for entry in map(json.loads, path.read_text("utf-8").splitlines()):
            labels = {phrase: label for phrase, label, *_ in entry["labels"]}
            yes, no = (
                frozenset(phrase for phrase, label in labels.items() if label == wanted)
                for wanted in ("yes", "no")
            )
            question = questions[entry["id"]]
            for words in _sentences(entry["text"]):
                if entry["quality"] == "strong":
                    yield Sentence(question, words, yes, True, 1.0)
                yield Sentence(question, words, no, False, WRONG_WEIGHT)


def from_traps() -> Iterator[Sentence]:
    """Sentences that only look like a phrase, and a few that say it."""
    questions = load_bank().questions
    by_id = {question.id: question for question in questions}
    named = {phrase.phrase: each for each in questions[::-1] for phrase in each.key_phrases}
    for entry in yaml.safe_load((JUDGMENTS / "traps_of_questions.yaml").read_text("utf-8")):
        if entry["kind"] not in SENSELESS or entry["said"]:
            words, phrases = tuple(entry["text"].split()), frozenset({entry["phrase"]})
            weight = 1.0 if entry["said"] else LOOK_WEIGHT
            yield Sentence(by_id[entry["id"]], words, phrases, entry["said"], weight)
    said = [
        *yaml.safe_load((JUDGMENTS / "mistranscribed.yaml").read_text("utf-8")),
        *(
            entry
            for entry in yaml.safe_load((JUDGMENTS / "traps.yaml").read_text("utf-8"))
            if entry.get("says")
        ),
    ]
    for entry in said:
        if entry["phrase"] in named:
            words, phrases = tuple(entry["said"].split()), frozenset({entry["phrase"]})
            yield Sentence(named[entry["phrase"]], words, phrases, True, 1.0)


def _sentences(text: str) -> list[tuple[str, ...]]:
    parted = [tuple(each.split()) for each in re.split(r"(?<=[.?!])\s+", text)]
    return [words for words in parted if len(words) >= MIN_WORDS]


def rows_of(sentences: Sequence[Sentence]) -> tuple[Floats, Floats, Floats, list[str]]:
    """Features, labels and weights of each phrase that a sentence names, and its question."""
    lexicon, fusion, metric = load_lexicon(), shipped_fusion(), shipped_metric()
    naming = []
    for each in sentences:
        phrases = cover(each.question.key_phrases, each.words, lexicon).phrases
        wanted = [
            at
            for at, phrase in enumerate(phrases)
            if phrase.phrase in each.phrases and phrase.status == "covered" and not phrase.negated
        ]
        if wanted:
            naming.append((each, phrases, wanted))
    rows, says, weights, ids = [], [], [], []
    senses = senses_of([each.words for each, _, _ in naming])
    for (each, phrases, wanted), sense in zip(naming, senses, strict=True):
        features = span_features(question_sense(each.question), sense, each.words, metric)
        scores = fusion.span.logits(features)
        for at in wanted:
            row = mention_row(at, phrases[at], sense.spans, features, scores)
            if row is not None:
                rows.append(row)
                says.append(float(each.says))
                weights.append(each.weight)
                ids.append(each.question.id)
    return np.array(rows), np.array(says), np.array(weights), ids


if __name__ == "__main__":
    sys.exit(main())
