"""What answers are graded with: the bank, the lexicon and the grader, loaded at first use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question
from server.contract import Language, Report, Submission
from server.core.errors import GraderFailedError, ServerError

Vectors = dict[str, object]
"""The vectors of an answer's spans, as JSON; kept with the attempt."""


class AnswerVectors(Protocol):
    """The vectors as the grader takes them."""

    def to_json(self) -> Vectors:
        """For storage."""
        ...


@dataclass(frozen=True)
class Grader:
    """The function that grades, and its version.

    Attributes:
        grade: the report of a question, a submission, a lexicon, the bank's version and, where the
            grader takes vectors, those of the answer.
        version: changes whenever the same answer may get another report.
        vectors: those of a submission, given the stored ones; ``None`` if the grader takes none.
        prepare: does what the first answer to a question would wait for.
        language: the remarks on the English of a report, given the mother tongue.
        with_language: the report with these remarks, and a summary that knows them.
    """

    grade: Callable[..., Report]
    version: str
    vectors: Callable[[Submission, Vectors | None], AnswerVectors | None] | None = None
    prepare: Callable[[Question, Lexicon], None] | None = None
    language: Callable[[Report, str], Language] | None = None
    with_language: Callable[[Report, Language], Report] | None = None


@dataclass(frozen=True)
class Graded:
    """A report, and what to keep with the attempt so that the next grading needs no encoder."""

    report: Report
    vectors: Vectors | None = None


class GradingData:
    """Bank, lexicon and grader, given as functions: listing the history needs none of them."""

    def __init__(
        self, bank: Callable[[], Bank], lexicon: Callable[[], Lexicon], grader: Callable[[], Grader]
    ) -> None:
        self._load_bank = bank
        self._load_lexicon = lexicon
        self._load_grader = grader

    @cached_property
    def bank(self) -> Bank:
        return self._load_bank()

    @cached_property
    def lexicon(self) -> Lexicon:
        return self._load_lexicon()

    @cached_property
    def grader(self) -> Grader:
        return self._load_grader()

    def grade(
        self, question: Question, submission: Submission, stored: Vectors | None = None
    ) -> Graded:
        """Grades an answer.

        Args:
            question: what was asked.
            submission: the answer.
            stored: the vectors that are stored with it.

        Raises:
            ServerError: the grader refuses the answer or breaks on it.
            BankError, LexiconError: the bank or the lexicon cannot be loaded.
        """
        # Loaded before the try: a broken lexicon or bank is not the grader's fault.
        grader, lexicon, bank_version = self.grader, self.lexicon, self.bank.version
        try:
            if grader.vectors is None:
                return Graded(grader.grade(question, submission, lexicon, bank_version))
            made = grader.vectors(submission, stored)
            report = grader.grade(question, submission, lexicon, bank_version, made)
            return Graded(report, made.to_json() if made is not None else None)
        except ServerError:
            raise
        except Exception as error:
            raise GraderFailedError(
                f"the grader {grader.version} failed on this answer to {question.id!r} "
                f"({type(error).__name__}); please report it"
            ) from error

    def language(self, report: Report, mother_tongue: str) -> Report:
        """The report with the errors of its English, where this look finds what none has yet."""
        find = self.grader.language
        if find is None or not report.language.waits_for(mother_tongue):
            return report
        return self.with_language(report, find(report, mother_tongue))

    def with_language(self, report: Report, language: Language) -> Report:
        """The report with these remarks."""
        put = self.grader.with_language
        return report if put is None else put(report, language)

    def prepare(self, question: Question) -> None:
        """Does what the first answer to a question would wait for.

        Raises:
            ServerError: the grader cannot.
            BankError, LexiconError: the bank or the lexicon cannot be loaded.
        """
        if self.grader.prepare is not None:
            self.grader.prepare(question, self.lexicon)

    def reload(self) -> None:
        """Reads bank and lexicon again; a broken one raises its error and changes nothing."""
        bank, lexicon = self._load_bank(), self._load_lexicon()
        self.bank, self.lexicon = bank, lexicon  # replaces what the cached properties hold

    def warm(self) -> None:
        """Loads all of it, so that a broken bank shows at startup."""
        _ = self.bank, self.lexicon, self.grader
