"""A program's own bank and lexicon as people write them: YAML text in, checked entries out.

Faults are reported as by ``aloud bank validate`` and ``aloud lexicon validate``, and with
the line it stands in. The same loaders do the reading, from files in a folder of its own: YAML from
strangers is read in one place only, with its limits on size, depth, aliases and tags.
"""

import itertools
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pronunciation.errors import LexiconError
from pronunciation.lexicon_loader import read_terms, with_terms
from pronunciation.terms import Lexicon, Term
from question_bank.errors import BankError
from question_bank.loader import lay_over
from question_bank.models import Bank, Question
from server.bank_versions.check import check_model_answers
from server.bank_versions.yaml_lines import YamlLines

MAX_TEXT_BYTES: Final = 1024 * 1024
"""The largest built-in role file has 100 kB; a form field of more is no work of people's hands."""

MAX_DOCUMENTS: Final = 100

_DOCUMENT_START: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_BANK_FILE: Final = "program"
_LEXICON_FILE: Final = "lexicon.yaml"


Part = Literal["bank", "lexicon"]


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a text; ``line`` counts from 1, ``None``: no line in it."""

    part: Part
    line: int | None
    text: str


class DraftError(Exception):
    """The texts are no valid bank and lexicon.

    Attributes:
        faults: all of them, in the order of their lines.
    """

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = sorted(faults, key=lambda each: (each.part, each.line or 0))
        super().__init__("\n".join(each.text for each in self.faults))


@dataclass(frozen=True)
class Draft:
    """What the texts say, laid over the bank and the lexicon below them.

    Attributes:
        bank: the whole bank.
        lexicon: the whole lexicon.
        questions: those that the text brings or replaces.
        terms: likewise of the lexicon.
        lines: where the questions stand.
    """

    bank: Bank
    lexicon: Lexicon
    questions: tuple[Question, ...]
    terms: tuple[Term, ...]
    lines: YamlLines


def read_draft(below: tuple[Bank, Lexicon], bank_yaml: str, lexicon_yaml: str) -> Draft:
    """Both texts, checked in their form.

    Args:
        below: the bank and the lexicon that they add to.
        bank_yaml: one or several documents, parted by lines of ``---``, each in one of the forms of
            a bank's file; may be empty.
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
    lines = YamlLines({}, {})
    terms: tuple[Term, ...] = ()
    with tempfile.TemporaryDirectory(prefix="aloud-bank-") as name:
        if bank_yaml.strip():
            lines, files = _write_documents(Path(name), bank_yaml)
            try:
                if files:
                    bank = lay_over(bank, Path(name), _BANK_FILE)
            except BankError as error:
                faults += [_bank_fault(lines, problem) for problem in error.problems]
        if lexicon_yaml.strip():
            file = Path(name) / _LEXICON_FILE
            file.write_text(lexicon_yaml, encoding="utf-8", newline="\n")
            try:
                terms = read_terms(file)
            except LexiconError as error:
                places = YamlLines.of_terms(file)
                faults += [_lexicon_fault(places, problem) for problem in str(error).splitlines()]
    if faults:
        raise DraftError(faults)
    was = {question.id: question for question in below[0].questions}
    return Draft(
        bank=bank,
        lexicon=with_terms(lexicon.terms, terms) if terms else lexicon,
        questions=tuple(each for each in bank.questions if was.get(each.id) != each),
        terms=terms,
        lines=lines,
    )


def check_answers(
    draft: Draft, progress: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[Fault]:
    """Grades the model answers of a draft's questions, as ``aloud bank validate`` does."""
    total = len(draft.questions)
    for done, question in enumerate(draft.questions, start=1):
        for line in check_model_answers(draft.bank, draft.lexicon, [question]):
            at = draft.lines.of_question(question.id, "model_answer")
            yield Fault("bank", at, line)
        progress(done, total)


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


def _write_documents(folder: Path, text: str) -> tuple[YamlLines, int]:
    """Each document as a file, with empty lines before it so that its line numbers are the text's.

    A line of ``---`` parts documents wherever it stands in YAML, within a block of text too.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    starts = [0, *(match.start() for match in _DOCUMENT_START.finditer(text)), len(text)]
    documents = [
        (text.count("\n", 0, start), text[start:end])
        for start, end in itertools.pairwise(starts)
        if text[start:end].removeprefix("---").strip()
    ]
    if len(documents) > MAX_DOCUMENTS:
        raise DraftError([Fault("bank", None, f"has more than {MAX_DOCUMENTS} documents")])
    files = []
    for number, (above, document) in enumerate(documents, start=1):
        file = folder / f"{_BANK_FILE}-{number:03d}.yaml"
        file.write_text("\n" * above + document, encoding="utf-8", newline="\n")
        files.append(file)
    return YamlLines.of_questions(files), len(files)


def _bank_fault(lines: YamlLines, problem: str) -> Fault:
    """``program/program-001.yaml: question 'x' prompt: …`` as its line and what is wrong."""
    path, parted, rest = problem.partition(": ")
    if not parted or not path.startswith(f"{_BANK_FILE}/"):
        return Fault("bank", None, problem.removeprefix(f"{_BANK_FILE}: "))
    file = path.rpartition("/")[2]
    rest = re.sub(rf"{_BANK_FILE}/{_BANK_FILE}-\d+\.yaml", "this text", rest)
    given = re.match(r"line (\d+)(?:, column \d+)?: ", rest)
    if given:
        return Fault("bank", int(given[1]), rest[given.end() :])
    return Fault("bank", lines.of_problem(file, rest), rest)


def _lexicon_fault(lines: YamlLines, problem: str) -> Fault:
    rest = problem.removeprefix(f"{_LEXICON_FILE}: ").replace(_LEXICON_FILE, "this text")
    given = re.findall(r'(?: in "<[^">]*>")?, line (\d+), column \d+', rest)
    if given:
        rest = re.sub(r'\s*in "<[^">]*>", line \d+, column \d+:?', "", rest)
        return Fault("lexicon", int(given[-1]), rest.strip())
    return Fault("lexicon", lines.of_problem(_LEXICON_FILE, rest), rest)
