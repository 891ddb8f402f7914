"""Encodes the sentences of the built-in bank and of the rubrics: run it after changing either.

`python scripts/sense_vectors.py` writes server/grading/sense/data/bank_vectors.npz; a test fails
where a sentence is missing in it.
"""

import sys
from pathlib import Path

import numpy as np

from question_bank.loader import load_bank
from server.grading.sense.clauses import spans_of
from server.grading.sense.features import sentences_of
from server.grading.sense.vectors import pack
from server.grading.structure import sentences as rubric_sentences

FILE = Path(__file__).resolve().parent.parent / "server/grading/sense/data/bank_vectors.npz"
BACKGROUND_EVERY = 6
"""Of the spans of the model answers every so many stands for speech of the field in general."""


def main() -> int:
    """Writes the file."""
    bank = load_bank()
    sentences = [each for question in bank.questions for each in sentences_of(question)]
    sentences += rubric_sentences()
    # Questions of no role last: a new one leaves the choice among the others as it is.
    ordered = sorted(bank.questions, key=lambda question: question.role is None)
    spans = [
        " ".join(words[start:end])
        for words in (question.model_answer.split() for question in ordered)
        for start, end in spans_of(words)
    ][::BACKGROUND_EVERY]
    np.savez_compressed(FILE, **pack(sentences, spans))
    print(f"{len(set(sentences))} sentences, {len(spans)} spans: {FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
