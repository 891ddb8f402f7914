"""Fits the stance of a mention to frames of sentences; prints how good it is on frames held out.

`python scripts/train_stance.py` reads benchmarks/answers/stances.yaml and dev*.jsonl, and sentences
of tests/server/grading/judgments, and writes server/grading/data/stance.json. Each frame is filled
with phrases of the bank, put between other sentences, and now and then stripped of its punctuation.
"""

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import yaml
from labeled import ANSWERS
from train_mentions import JUDGMENTS
from train_sense import Floats, Logistic, fit_logistic

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import Question
from server.grading import cover
from server.grading.sense.clauses import spans_of
from server.grading.sense.encoder import shared_encoder
from server.grading.sense.thresholds import DISCLAIMED_FROM
from server.grading.sense.vectors import sense_of
from server.grading.stance import clause_vector, word_features

DATA: Final = Path(__file__).resolve().parent.parent / "server" / "grading" / "data"
FILLINGS: Final = 8
UNPUNCTUATED: Final = 0.25
FOLDS: Final = 5
PENALTY: Final = 50.0
MENTION_WEIGHT: Final = 2.0
AUTHORS: Final = "abcd"
"""Those of `traps_of_authors` whose sentences are learned from; the other four came later."""
OPENINGS: Final = (
    "", "", "", "So at my last job we had eight nodes. ", "Okay, um, let me think. ",
    "The loader was slow. ", "I'd check the logs first, and then ", "Well, ", "You know, ",
    "the thing is ",
)  # fmt: skip
ENDINGS: Final = (
    "", "", "", " That took a week.", " Then I'd measure again.", ", and the disk was fine",
    ", and so on", " We had four teams.",
)  # fmt: skip


@dataclass(frozen=True)
class Example:
    """A text, the words of it that name a phrase, and whether the speaker disclaims it.

    ``frame``: its number within its family; frames are held out by it.
    """

    words: tuple[str, ...]
    first: int
    last: int
    disclaimed: bool
    frame: int


@dataclass(frozen=True, eq=False)
class Mention:
    """A phrase that a text names: its features, whether it is disclaimed, its fold, its source."""

    row: Floats
    disclaimed: bool
    fold: int
    source: str


def main() -> int:
    """Fits, writes and reports."""
    filled, mentions = from_frames(random.Random(3)), [*from_answers(), *from_sentences()]
    labels = np.array([each.disclaimed for each in filled], np.float64)
    frames = np.array([each.frame for each in filled]) % FOLDS
    rows, own = rows_of(filled), np.array([each.row for each in mentions])
    folds = np.array([each.fold for each in mentions])
    own_labels = np.array([each.disclaimed for each in mentions], np.float64)
    sources = np.array([each.source for each in mentions])
    names = list(word_features(("x",), 0, 0))

    def fit(kept: np.ndarray, kept_own: np.ndarray) -> Logistic:
        weights = np.r_[np.ones(kept.sum()), np.full(kept_own.sum(), MENTION_WEIGHT)]
        known = np.r_[labels[kept], own_labels[kept_own]]
        return fit_logistic(np.r_[rows[kept], own[kept_own]], known, weights, penalty=PENALTY)

    found, wrong = np.zeros(len(rows)), np.zeros(len(own))
    for fold in range(FOLDS):
        model = fit(frames != fold, folds != fold)
        found[frames == fold] = model.logits(rows[frames == fold])
        wrong[folds == fold] = model.logits(own[folds == fold])
    taken = found >= DISCLAIMED_FROM
    print(
        f"{len(rows)} filled frames, held out by frame: disclaimed, found "
        f"{taken[labels == 1].mean():.3f}; stood by, taken {taken[labels == 0].mean():.3f}"
    )
    for source in sorted(set(sources)):
        for label, name in ((1.0, "disclaimed"), (0.0, "stood by")):
            chosen = (sources == source) & (own_labels == label)
            if chosen.any():
                share = (wrong[chosen] >= DISCLAIMED_FROM).mean()
                print(f"{chosen.sum()} mentions in {source}, {name}, taken {share:.4f}")
    model = fit(np.full(len(rows), True), np.full(len(own), True))
    stored = {"names": names, **model.to_json()}
    (DATA / "stance.json").write_text(json.dumps(stored) + "\n", encoding="utf-8")
    return 0


def from_frames(chance: random.Random) -> list[Example]:
    """Each frame filled some times."""
    named = [
        name
        for question in load_bank().questions
        for phrase in question.key_phrases
        for name in (phrase.phrase, *phrase.aliases)
    ]
    stored = yaml.safe_load((ANSWERS / "stances.yaml").read_text("utf-8"))
    found = []
    for kind, families in stored.items():
        for frames in families.values():
            for number, frame in enumerate(frames):
                for _ in range(FILLINGS):
                    disclaimed = kind == "disclaimed"
                    found.append(_filled(frame, number, disclaimed, chance.choice(named), chance))
    return found


def _filled(frame: str, number: int, disclaimed: bool, name: str, chance: random.Random) -> Example:
    opening, ending = chance.choice(OPENINGS), chance.choice(ENDINGS)
    if not opening or opening.endswith(". "):
        frame = frame[0].upper() + frame[1:]
    end = "" if frame.endswith("?") or ending.startswith(",") else "."
    before, after = f"{opening}{frame}{end}{ending}".split("{x}", 1)
    words = f"{before}{name}{after}".split()
    if chance.random() < UNPUNCTUATED:
        words = [re.sub(r"[.,;:?]$", "", word).lower() for word in words]
    first = len(before.split())
    return Example(tuple(words), first, first + len(name.split()) - 1, disclaimed, number)


def rows_of(examples: Sequence[Example]) -> Floats:
    """The features of each: of its words, and the vector of its clause."""
    texts = [" ".join(each.words[slice(*_clause(each))]) for each in examples]
    vectors = shared_encoder().encode(texts)
    features = [
        list(word_features(each.words, each.first, each.last).values()) for each in examples
    ]
    return np.c_[np.array(features), vectors]


def _clause(example: Example) -> tuple[int, int]:
    holding = [
        (end - start, (start, end))
        for start, end in spans_of(example.words)
        if start <= example.first and example.last < end
    ]
    return min(holding)[1] if holding else (0, len(example.words))


def from_answers() -> Iterator[Mention]:
    """Mentions that a coach ticked, held out by question."""
    questions = {question.id: question for question in load_bank().questions}
    ids = sorted(questions)
    for path in sorted(ANSWERS.glob("dev*.jsonl")):
        for entry in map(json.loads, path.read_text("utf-8").splitlines()):
            ticked = {phrase for phrase, label, *_ in entry["labels"] if label == "yes"}
            for row in _naming(questions[entry["id"]], entry["text"].split(), ticked):
                yield Mention(row, False, ids.index(entry["id"]) % FOLDS, "answers")


def from_sentences() -> Iterator[Mention]:
    """Short statements, and sentences that deny, held out by author or question."""
    questions = {question.id: question for question in load_bank().questions}
    ids = sorted(questions)
    for file in ("traps_to_learn", "traps_of_authors"):
        for entry in yaml.safe_load((JUDGMENTS / f"{file}.yaml").read_text("utf-8")):
            if not entry["said"] and entry["kind"] != "denied":
                continue
            author = entry.get("author")
            if author not in (None, *AUTHORS):
                continue
            fold = ids.index(entry["id"]) if author is None else AUTHORS.index(author)
            words = entry["text"].split()
            for row in _naming(questions[entry["id"]], words, {entry["phrase"]}):
                yield Mention(row, not entry["said"], fold % FOLDS, file)


def _naming(question: Question, words: Sequence[str], wanted: set[str]) -> Iterator[Floats]:
    """The features of each phrase that is named and that no rule takes for denied."""
    sense = None
    for phrase in cover(question.key_phrases, words, load_lexicon()).phrases:
        if phrase.phrase not in wanted or phrase.evidence is None or phrase.negated:
            continue
        sense = sense or sense_of(words)
        first, *_, last = (*phrase.evidence.word_indices, phrase.evidence.word_indices[-1])
        vector = clause_vector(sense, first, last)
        if phrase.status == "covered" and vector is not None:
            yield np.r_[list(word_features(words, first, last).values()), vector]


if __name__ == "__main__":
    sys.exit(main())
