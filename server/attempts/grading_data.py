"""What answers are graded with: the bank, the lexicon and the grader, loaded at first use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question
from server.contract import Report, Submission
from server.core.errors import GraderFailedError, ServerError

Grade = Callable[..., Report]
"""Of a question, a submission, a lexicon, the bank's version and, where the grader makes sense of
an answer, what it made: the Report."""

StoredSense = dict[str, object]
"""What a grader made of an answer's words once, as JSON; kept with the attempt."""

MakeSense = Callable[[Submission, StoredSense | None], tuple[object, StoredSense | None]]
Prepare = Callable[[Question, Lexicon], None]


@dataclass(frozen=True)
class Grader:
    """The function that grades, and its version.

    Attributes:
        grade: grades.
        version: changes whenever the same answer may get another report.
        make_sense: turns an answer, and what is stored of it, into what ``grade`` takes as
            ``sense`` and into what to store; ``None`` if the grader needs no such thing.
        prepare: does what the first answer to a question would wait for.
    """

    grade: Grade
    version: str
    make_sense: MakeSense | None = None
    prepare: Prepare | None = None

    @classmethod
    def current(cls) -> "Grader":
        """The grader of this version of Aloud."""
        from server.grading import GRADER_VERSION, grade, make_sense, prepare

        return cls(grade, GRADER_VERSION, make_sense, prepare)


@dataclass(frozen=True)
class Graded:
    """A report, and what to keep with the attempt so that the next grading needs no model."""

    report: Report
    sense: StoredSense | None = None


class GradingData:
    """Bank, lexicon and grader, given as functions: listing the history needs none of them."""

    def __init__(
        self,
        bank: Callable[[], Bank],
        lexicon: Callable[[], Lexicon],
        grader: Callable[[], Grader] = Grader.current,
    ) -> None:
        self._load_bank = bank
        self._load_lexicon = lexicon
        self._load_grader = grader

    @cached_property
    def bank(self) -> Bank:
        """The question bank."""
        return self._load_bank()

    @cached_property
    def lexicon(self) -> Lexicon:
        """The lexicon."""
        return self._load_lexicon()

    @cached_property
    def grader(self) -> Grader:
        """The grader."""
        return self._load_grader()

    def grade(
        self, question: Question, submission: Submission, sense: StoredSense | None = None
    ) -> Graded:
        """Grades an answer.

        Args:
            question: what was asked.
            submission: the answer.
            sense: what is stored of the answer's sense.

        Raises:
            ServerError: the grader refuses the answer or breaks on it.
            BankError, LexiconError: the bank or the lexicon cannot be loaded.
        """
        # Loaded before the try: a broken lexicon or bank is not the grader's fault.
        grader, lexicon, bank_version = self.grader, self.lexicon, self.bank.version
        try:
            if grader.make_sense is None:
                return Graded(grader.grade(question, submission, lexicon, bank_version))
            made, stored = grader.make_sense(submission, sense)
            report = grader.grade(question, submission, lexicon, bank_version, made)
            return Graded(report, stored)
        except ServerError:
            raise
        except Exception as error:
            raise GraderFailedError(
                f"the grader {grader.version} failed on this answer to {question.id!r} "
                f"({type(error).__name__}); please report it"
            ) from error

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
