"""Fits what tells names in a mere list from names that are spoken of.

`python scripts/train_listed.py` reads benchmarks/answers/lists.jsonl and the development answers,
and writes server/grading/data/listed.json. Each question is judged by what answers to other
questions teach for the figures that it prints; lists by another author, too.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from labeled import ANSWERS, OWN_BANK, ROOT
from train_sense import Floats, fit_logistic

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.grading import cover
from server.grading.listed import LISTED_FROM, Listing

DATA: Final = ROOT / "server" / "grading" / "data"
LISTS: Final = frozenset({"keywords", "list"})
PENALTY: Final = 30.0
FOLDS: Final = 5


@dataclass(frozen=True)
class Mention:
    """Features of a phrase that an answer names, whether in a list, by whom, to which question."""

    row: Floats
    listed: bool
    source: str
    question: str


def main() -> int:
    """Fits, writes and reports."""
    mentions = list(read())
    rows = np.vstack([each.row for each in mentions])
    listed = np.array([float(each.listed) for each in mentions])
    sources = np.array([each.source for each in mentions])
    questions = sorted({each.question for each in mentions})
    fold = np.array([questions.index(each.question) % FOLDS for each in mentions])
    logits = np.zeros(len(rows))
    for one in range(FOLDS):
        kept = fold != one
        logits[~kept] = fit_logistic(rows[kept], listed[kept], penalty=PENALTY).logits(rows[~kept])
    print("held out by question, taken for a list:")
    for source in sorted(set(sources)):
        chosen = sources == source
        print(f"  {source:20} {chosen.sum():4}  {(logits[chosen] > LISTED_FROM).mean():.3f}")
    for source in sorted(set(sources[listed == 1.0])):
        kept = (sources != source) & ((listed == 1.0) | (fold != 0))
        model = fit_logistic(rows[kept], listed[kept], penalty=PENALTY)
        taken = model.logits(rows[sources == source]) > LISTED_FROM
        print(f"  {source:20}       {taken.mean():.3f} by what the other lists teach")
    model = fit_logistic(rows, listed, penalty=PENALTY)
    (DATA / "listed.json").write_text(json.dumps(model.to_json()) + "\n", encoding="utf-8")
    return 0


def read() -> Iterator[Mention]:
    """Names in lists, and those that a coach ticked: in the answer and in its nearest sentences."""
    lexicon = load_lexicon()
    asked = {question.id: question for question in load_bank().questions}
    for file in (*OWN_BANK, "lists"):
        for entry in map(json.loads, (ANSWERS / f"{file}.jsonl").read_text("utf-8").splitlines()):
            words = entry["text"].split()
            listed = entry["style"] in LISTS
            ticked = {phrase for phrase, label, *_ in entry.get("labels", ()) if label == "yes"}
            listing = Listing(words)
            for phrase in cover(asked[entry["id"]].key_phrases, words, lexicon).phrases:
                said = phrase.evidence and phrase.evidence.word_indices
                if phrase.status != "covered" or phrase.negated or not said:
                    continue
                if not listed and phrase.phrase not in ticked:
                    continue
                start, end = _nearest_sentences(words, said[0], said[-1])
                rows = {"": listing.row(said)}
                inside = tuple(at - start for at in said)
                rows[", cut out"] = Listing(words[start:end]).row(inside)
                for cut, row in rows.items():
                    if row is not None:
                        source = (
                            (entry["author"] if file == "lists" else file) if listed else "said"
                        )
                        yield Mention(row, listed, source + cut, entry["id"])


def _nearest_sentences(words: list[str], first: int, last: int) -> tuple[int, int]:
    """From the sentence before to the one behind."""
    ends = [at + 1 for at, word in enumerate(words) if word[-1] in ".?!"]
    before = [end for end in ends if end <= first]
    behind = [end for end in ends if end > last]
    return before[-2] if len(before) > 1 else 0, (*behind, len(words), len(words))[1]


if __name__ == "__main__":
    sys.exit(main())
