"""Writes the inflections of the built-in bank's words: run it after changing bank or dictionaries.

`python scripts/inflections.py` writes server/grading/data/inflections.txt. Without a word's line
there, it is inflected when a question is prepared, which takes most of the time of that; a test
fails where a line is wrong or many are missing.
"""

import sys
from pathlib import Path

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.grading import variants
from server.grading.grader import term_index
from server.grading.lexis.words import make_inflections
from server.grading.phrases import compile_phrase

FILE = Path(__file__).resolve().parent.parent / "server/grading/data/inflections.txt"
HEAD = "# Lemmas of the bank's phrases and their regular forms, by scripts/inflections.py.\n"


def inflected() -> dict[str, frozenset[str]]:
    """Each lemma that the bank's phrases ask for, with its forms."""
    found: dict[str, frozenset[str]] = {}

    def noted(key: str) -> frozenset[str]:
        found[key] = found.get(key) or make_inflections(key)
        return found[key]

    usual, variants.inflections = variants.inflections, noted
    try:
        terms = term_index(load_lexicon())
        for question in load_bank().questions:
            for phrase in question.key_phrases:
                compile_phrase.__wrapped__(phrase, terms)
    finally:
        variants.inflections = usual
    return found


def main() -> int:
    """Writes the file."""
    lines = (f"{key}:{' '.join(sorted(forms))}\n" for key, forms in sorted(inflected().items()))
    FILE.write_text(HEAD + "".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
