"""What answers are graded with: the bank, the lexicon and the grader, loaded at first use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question
from server.contract import Report, Submission

__all__ = ["Grade", "Grader", "Knowledge"]

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


class Knowledge:
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

    def reload_bank(self) -> None:
        """Reads the bank anew; a broken one is raised and changes nothing."""
        self.bank = self._load_bank()  # takes the place of what the cached property holds

    def warm(self) -> None:
        """Loads all of it, so that a broken bank shows at the start."""
        _ = self.bank, self.lexicon, self.grader
