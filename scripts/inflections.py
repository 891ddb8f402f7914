"""Writes what preparing the built-in bank asks of the dictionaries: run it after changing either.

`python scripts/inflections.py` writes inflections.txt and unknown_verbs.txt in server/grading/data.
A word without a line there is inflected when a question is prepared, which takes most of the time
of that; a test fails where a line is wrong or many are missing.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.grading import variants
from server.grading.grader import term_index
from server.grading.lexis import words
from server.grading.phrases import compile_phrase

FOLDER = Path(__file__).resolve().parent.parent / "server/grading/data"
HEAD = "# Of the words of the bank's phrases: {}. By scripts/inflections.py.\n"

R = TypeVar("R")


def noting(make: Callable[[str], R], found: dict[str, R]) -> Callable[[str], R]:
    """``make``, with all its results in ``found``."""

    def made(word: str) -> R:
        if word not in found:
            found[word] = make(word)
        return found[word]

    return made


def write(name: str, about: str, found: Mapping[str, str]) -> None:
    """Writes a file, by word."""
    lines = (f"{word}:{text}\n" for word, text in sorted(found.items()))
    (FOLDER / f"{name}.txt").write_text(HEAD.format(about) + "".join(lines), encoding="utf-8")


def main() -> int:
    """Writes the files."""
    inflections: dict[str, frozenset[str]] = {}
    verbs: dict[str, str] = {}
    noted = noting(words.verb_by_model, verbs)

    def inflect(key: str) -> frozenset[str]:
        words.verb_of_unknown = words.verb_by_model  # what it asks is in its result
        try:
            return words.make_inflections(key)
        finally:
            words.verb_of_unknown = noted

    variants.inflections, words.verb_of_unknown = noting(inflect, inflections), noted
    terms = term_index(load_lexicon())
    for question in load_bank().questions:
        for phrase in question.key_phrases:
            compile_phrase(phrase, terms)
    inflected = {key: " ".join(sorted(forms)) for key, forms in inflections.items()}
    write("inflections", "lemmas and their regular forms", inflected)
    write("unknown_verbs", "those that no dictionary has, and their lemmas", verbs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
