"""Fits whether a sentence that names a phrase speaks of it; prints how good it is on new questions.

`python scripts/train_mentions.py` reads benchmarks/answers/dev*.jsonl, whole and by sentences, and
the sentences of tests/server/grading/judgments that only look like a phrase or say it, and writes
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
from server.grading.sense.fusion import phrase_features, shipped_fusion
from server.grading.sense.mentions import mention_row
from server.grading.sense.thresholds import SPOKEN_OF_FROM
from server.grading.sense.vectors import senses_of

JUDGMENTS: Final = ROOT / "tests" / "server" / "grading" / "judgments"
FOLDS: Final = 8
PENALTY: Final = 20.0
LOOK_WEIGHT, WRONG_WEIGHT = 6.0, 3.0
"""Of sentences that only look like a phrase, which are few, and of those that say it wrongly."""
SENSELESS: Final = frozenset({"denial", "counter"})
"""Kinds of sentences that the stance decides."""
MIN_WORDS: Final = 5


@dataclass(frozen=True)
class Text:
    """A text, the phrases that it says and those that it only names.

    ``kind``: for the figures; "trap" is a sentence written to look like a phrase.
    """

    question: Question
    words: tuple[str, ...]
    says: frozenset[str]
    names: frozenset[str]
    kind: str


@dataclass(frozen=True)
class Mentions:
    """A phrase that a text names by row: features, whether the text says it, its kind, question."""

    rows: Floats
    says: Floats
    kinds: np.ndarray
    questions: np.ndarray


def main() -> int:
    """Fits, writes and reports."""
    found = mentions_of([*from_answers(), *from_judgments()])
    every = sorted(set(found.questions))
    np.random.RandomState(0).shuffle(every)
    fold_of = {question: at % FOLDS for at, question in enumerate(every)}
    folds = np.array([fold_of[question] for question in found.questions])
    weights = np.where(found.kinds == "trap", LOOK_WEIGHT, WRONG_WEIGHT)
    weights = np.where(found.says == 1.0, 1.0, weights)
    logits = np.zeros(len(found.rows))
    for fold in range(FOLDS):
        kept = folds != fold
        model = fit_logistic(found.rows[kept], found.says[kept], weights[kept], penalty=PENALTY)
        logits[~kept] = model.logits(found.rows[~kept])
    doubted = logits < SPOKEN_OF_FROM
    print("questions held out, of the phrases that are named so many are doubted:")
    for kind in sorted(set(found.kinds)):
        for label, name in ((1.0, "said"), (0.0, "not said")):
            chosen = (found.kinds == kind) & (found.says == label)
            if chosen.any():
                print(f"  {kind:16} {name:8} {chosen.sum():4}  {doubted[chosen].mean():.3f}")
    model = fit_logistic(found.rows, found.says, weights, penalty=PENALTY)
    (DATA / "mentions.json").write_text(json.dumps(model.to_json()) + "\n", encoding="utf-8")
    return 0


def from_answers() -> Iterator[Text]:
    """Labeled answers, and their sentences.

    A sentence of a strong answer that names what the coach ticked says it; of a weak one nobody
    knows.
    """
    questions = {question.id: question for question in load_bank().questions}
    for path in sorted(ANSWERS.glob("dev*.jsonl")):
        for entry in map(json.loads, path.read_text("utf-8").splitlines()):
            labels = {phrase: label for phrase, label, *_ in entry["labels"]}
            yes, no = (
                frozenset(phrase for phrase, label in labels.items() if label == wanted)
                for wanted in ("yes", "no")
            )
            question, strong = questions[entry["id"]], entry["quality"] == "strong"
            whole = "strong answer" if strong else "weak answer"
            yield Text(question, tuple(entry["text"].split()), yes, no, whole)
            for words in _sentences(entry["text"]):
                yield Text(question, words, yes if strong else frozenset(), no, "sentence")


def from_judgments() -> Iterator[Text]:
    """Sentences that only look like a phrase, and some that say it."""
    questions = load_bank().questions
    by_id = {question.id: question for question in questions}
    named = {phrase.phrase: each for each in questions[::-1] for phrase in each.key_phrases}
    none: frozenset[str] = frozenset()
    for entry in yaml.safe_load((JUDGMENTS / "traps_of_questions.yaml").read_text("utf-8")):
        words, phrase = tuple(entry["text"].split()), frozenset({entry["phrase"]})
        if entry["said"]:
            yield Text(by_id[entry["id"]], words, phrase, none, "statement")
        elif entry["kind"] not in SENSELESS:
            yield Text(by_id[entry["id"]], words, none, phrase, "trap")
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
            words, phrase = tuple(entry["said"].split()), frozenset({entry["phrase"]})
            yield Text(named[entry["phrase"]], words, phrase, none, "statement")


def _sentences(text: str) -> list[tuple[str, ...]]:
    parted = [tuple(each.split()) for each in re.split(r"(?<=[.?!])\s+", text)]
    return [words for words in parted if len(words) >= MIN_WORDS]


def mentions_of(texts: Sequence[Text]) -> Mentions:
    """Every phrase that a text names by its words, and says or does not say."""
    lexicon, fusion, metric = load_lexicon(), shipped_fusion(), shipped_metric()
    naming = []
    for text in texts:
        phrases = cover(text.question.key_phrases, text.words, lexicon).phrases
        wanted = [
            at
            for at, phrase in enumerate(phrases)
            if phrase.phrase in text.says | text.names
            and phrase.status == "covered"
            and not phrase.negated
        ]
        if wanted:
            naming.append((text, phrases, wanted))
    rows, says, kinds, questions = [], [], [], []
    senses = senses_of([text.words for text, _, _ in naming])
    for (text, phrases, wanted), sense in zip(naming, senses, strict=True):
        features = span_features(question_sense(text.question), sense, text.words, metric)
        scores = fusion.span.logits(features)
        half_said = [phrase.status == "partial" for phrase in phrases]
        whole = phrase_features(scores, features, sense.spans, half_said)
        logits = fusion.phrase.logits(whole)
        for at in wanted:
            row = mention_row(at, phrases, sense.spans, features, scores, whole, logits)
            if row is not None:
                rows.append(row)
                says.append(float(phrases[at].phrase in text.says))
                kinds.append(text.kind)
                questions.append(text.question.id)
    return Mentions(np.array(rows), np.array(says), np.array(kinds), np.array(questions))


if __name__ == "__main__":
    sys.exit(main())
