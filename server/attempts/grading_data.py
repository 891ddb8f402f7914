"""What answers are graded with: the bank, the lexicon and the grader, loaded at first use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question
from server.contract import Report, Submission
from server.core.errors import GraderFailedError, ServerError

Grade = Callable[[Question, Submission, Lexicon, str], Report]


@dataclass(frozen=True)
class Grader:
    """The function that grades, and its version."""

    grade: Grade
    version: str

    @classmethod
    def current(cls) -> "Grader":
        """The grader of this version of Aloud."""
        from server.grading import GRADER_VERSION, grade

        return cls(grade, GRADER_VERSION)


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

    def grade(self, question: Question, submission: Submission) -> Report:
        """Grades an answer.

        Raises:
            ServerError: the grader refuses the answer or breaks on it.
            BankError, LexiconError: the bank or the lexicon cannot be loaded.
        """
        # Loaded before the try: a broken lexicon or bank is not the grader's fault.
        grader, lexicon, bank_version = self.grader, self.lexicon, self.bank.version
        try:
            return grader.grade(question, submission, lexicon, bank_version)
        except ServerError:
            raise
        except Exception as error:
            raise GraderFailedError(
                f"the grader {grader.version} failed on this answer to {question.id!r} "
                f"({type(error).__name__}); please report it"
            ) from error

    def reload_bank(self) -> None:
        """Reads the bank again; a broken one raises its error and changes nothing."""
        self.bank = self._load_bank()  # replaces what the cached property holds

    def warm(self) -> None:
        """Loads all of it, so that a broken bank shows at startup."""
        _ = self.bank, self.lexicon, self.grader
