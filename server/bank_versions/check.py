"""What the bank's own form cannot show: whether its model answers would pass their own grading."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon
from question_bank.loader import load_bank
from question_bank.models import Bank, KeyPhrase, Question
from server.grading import cover

MAX_UNRELATED_SHARE: Final = 0.5
"""An answer that covers half of the phrases of a question that it shares no phrase with shows that
those phrases are too general."""


def check_bank_path(path: Path, lexicon: Sequence[Path] = ()) -> tuple[int, list[str]]:
    """Load a bank on top of the built-in one and check the questions it brings.

    Returns:
        How many questions it brings, and the faults, one line each.

    Raises:
        BankError, LexiconError: a file is not valid; the text names file, entry and field.
    """
    built_in = {question.id: question for question in load_bank().questions}
    bank = load_bank((path,))
    own = [question for question in bank.questions if built_in.get(question.id) != question]
    if not own:  # the built-in bank itself, or a copy of it
        own = list(bank.questions)
    return len(own), list(check_model_answers(bank, load_lexicon(lexicon), own))


def check_model_answers(
    bank: Bank, lexicon: Lexicon, questions: Sequence[Question] | None = None
) -> Iterator[str]:
    """Grade model answers against their own key phrases, and against unrelated questions'.

    Args:
        bank: where the unrelated questions come from.
        lexicon: the terms, for the grader.
        questions: whose answers to check; ``None``: all of the bank.

    Yields:
        A line for each fault, naming question and phrase.
    """
    for question in bank.questions if questions is None else questions:
        others = [each for each in bank.questions if not _related(question, each)]
        asked = [question, *others]
        phrases = [phrase for each in asked for phrase in each.key_phrases]
        # All at once: reading the answer costs as much as looking for several phrases.
        judged = iter(cover(phrases, question.model_answer.split(), lexicon).phrases)
        for phrase in itertools.islice(judged, len(question.key_phrases)):
            if phrase.status != "covered" or phrase.negated:
                how = "denies" if phrase.negated else "does not cover"
                yield f"question {question.id!r}: model_answer {how} its own {phrase.phrase!r}"
        for other in others:
            coverage = list(itertools.islice(judged, len(other.key_phrases)))
            covered = [each.phrase for each in coverage if each.status == "covered"]
            if len(covered) >= MAX_UNRELATED_SHARE * len(other.key_phrases):
                yield (
                    f"question {question.id!r}: model_answer covers {', '.join(covered)} of the "
                    f"unrelated question {other.id!r}"
                )


def _related(one: Question, other: Question) -> bool:
    """The same question, or two that share a phrase."""
    return one.id == other.id or not _names(one.key_phrases).isdisjoint(_names(other.key_phrases))


def _names(phrases: Sequence[KeyPhrase]) -> set[str]:
    return {name.casefold() for each in phrases for name in (each.phrase, *each.aliases)}
