"""Encodes the sentences of the built-in bank and of the rubrics: run it after changing either.

`python scripts/sense_vectors.py` writes bank_vectors.npy and bank_keys.npy in server/grading/data;
what is missing in them is encoded again at each use. `--again` encodes all sentences, which
another encoder needs, not only new ones, and writes background.npy too. More questions leave that
alone: the grader's limits were set with it.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.grading.answer import read_answer
from server.grading.by_meaning import pack, sentences_of
from server.grading.grader import term_index
from server.grading.structure_parts import sentences as rubric_sentences

FOLDER = Path(__file__).resolve().parent.parent / "server/grading/data"
BACKGROUND_EVERY = 6
"""Of the spans of the model answers every so many stands for speech of the field in general."""


def main() -> int:
    """Writes the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="encode all sentences again")
    again = parser.parse_args().again
    if again:
        for name in ("bank_keys", "bank_vectors"):
            (FOLDER / f"{name}.npy").unlink(missing_ok=True)
    bank = load_bank()
    sentences = [each for question in bank.questions for each in sentences_of(question)]
    sentences += rubric_sentences()
    terms = term_index(load_lexicon())
    # Questions of no role last: a new one leaves the choice among the others as it is.
    ordered = sorted(bank.questions, key=lambda question: question.role is None)
    spans = [
        " ".join(words[start:end])
        for words in (question.model_answer.split() for question in ordered)
        for start, end in read_answer(words, terms).spans
    ][::BACKGROUND_EVERY]
    for name, content in pack(sentences, spans).items():
        if name == "background" and not again:
            continue
        np.save(FOLDER / f"{name}.npy", content)
    print(f"{len(set(sentences))} sentences, {len(spans)} spans")
    return 0


if __name__ == "__main__":
    sys.exit(main())
