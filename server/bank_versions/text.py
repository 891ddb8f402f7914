"""A program's own bank and lexicon as people write them: YAML text in, checked entries out.

The readers of the bank and of the lexicon check it, so a text has the same faults, with line
numbers, as a file has in ``aloud bank validate`` and ``aloud lexicon validate``.
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pronunciation.errors import LexiconError
from pronunciation.lexicon_loader import parse_terms, with_terms
from pronunciation.terms import Lexicon, Term
from question_bank.errors import BankError, FieldPath, FileError
from question_bank.loader import lay_over
from question_bank.models import Bank, Question
from question_bank.source import parse_source

MAX_TEXT_BYTES: Final = 1024 * 1024
"""The largest built-in role file has 100 kB; nobody types more than this into a form field."""

MAX_DOCUMENTS: Final = 100

_DOCUMENT_START: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_LABEL: Final = "this text"


Part = Literal["bank", "lexicon"]


@dataclass(frozen=True)
class Fault:
    """A fault in a text; ``line`` counts from 1, ``None``: not in any line.

    ``text`` names entry, field and fault; ``path`` is the field, ``says`` the fault.
    """

    part: Part
    line: int | None
    text: str
    path: FieldPath = field(default=(), compare=False)
    says: str = field(default="", compare=False)


class DraftError(Exception):
    """The texts are not a valid bank and lexicon.

    Attributes:
        faults: all of them, in the order of their lines.
    """

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = sorted(faults, key=lambda each: (each.part, each.line or 0))
        super().__init__("\n".join(each.text for each in self.faults))


@dataclass(frozen=True)
class Draft:
    """The content of the texts, on top of the bank and the lexicon below them.

    Attributes:
        bank: the whole bank.
        lexicon: the whole lexicon.
        questions: those that the text adds or replaces.
        terms: likewise for the lexicon.
        answer_lines: the line of each question's model answer in the text.
    """

    bank: Bank
    lexicon: Lexicon
    questions: tuple[Question, ...]
    terms: tuple[Term, ...]
    answer_lines: Mapping[str, int]


def read_draft(below: tuple[Bank, Lexicon], bank_yaml: str, lexicon_yaml: str) -> Draft:
    """Both texts, with their form checked.

    Args:
        below: the bank and the lexicon that they add to.
        bank_yaml: one or more documents, separated by lines of ``---``, each in one of the formats
            of a bank file; may be empty.
        lexicon_yaml: a list of terms; may be empty.

    Raises:
        DraftError: with every fault found.
    """
    bank, lexicon = below
    faults = [
        Fault(part, None, refusal)
        for part, text in _parts(bank_yaml, lexicon_yaml)
        if (refusal := _refusal(text)) is not None
    ]
    if faults:
        raise DraftError(faults)
    sources = [parse_source(document, _LABEL) for document in documents_of(bank_yaml)]
    terms: tuple[Term, ...] = ()
    try:
        if sources:
            bank = lay_over(bank, sources)
    except BankError as error:
        faults += _faults("bank", error)
    try:
        if lexicon_yaml.strip():
            terms = parse_terms(lexicon_yaml, _LABEL)
    except LexiconError as error:
        faults += _faults("lexicon", error)
    if faults:
        raise DraftError(faults)
    was = {question.id: question for question in below[0].questions}
    return Draft(
        bank=bank,
        lexicon=with_terms(lexicon.terms, terms) if terms else lexicon,
        questions=tuple(each for each in bank.questions if was.get(each.id) != each),
        terms=terms,
        answer_lines={
            each.value.id: each.entry.place("model_answer")[0]
            for source in sources
            for each in source.questions
        },
    )


def _parts(bank_yaml: str, lexicon_yaml: str) -> tuple[tuple[Part, str], tuple[Part, str]]:
    return ("bank", bank_yaml), ("lexicon", lexicon_yaml)


def _refusal(text: str) -> str | None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return "is not text that can be written as UTF-8"
    if size > MAX_TEXT_BYTES:
        return f"is larger than {MAX_TEXT_BYTES // 1024} KiB"
    return None


def documents_of(text: str) -> list[str]:
    """Each document, with empty lines before it so that its line numbers are those of the text.

    A line of ``---`` separates documents wherever it appears in YAML, also in a block of text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    starts = [0, *(match.start() for match in _DOCUMENT_START.finditer(text)), len(text)]
    documents = [
        "\n" * text.count("\n", 0, start) + text[start:end]
        for start, end in itertools.pairwise(starts)
        if text[start:end].removeprefix("---").strip()
    ]
    if len(documents) > MAX_DOCUMENTS:
        raise DraftError([Fault("bank", None, f"has more than {MAX_DOCUMENTS} documents")])
    return documents


def _faults(part: Part, error: FileError) -> list[Fault]:
    return [Fault(part, each.line, each.text, each.field, each.says) for each in error.faults]
