"""What answers are graded with: the bank, the lexicon and the grader, loaded at first use."""

import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random, SystemRandom
from threading import Lock
from typing import Final

from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question
from server.contract import Report, Submission
from server.core.errors import GraderFailedError, ServerError

logger = logging.getLogger(__name__)

Grade = Callable[..., Report]
"""Of a question, a submission, a lexicon, the bank's version and, where the grader makes sense of
an answer, what it made: the Report."""

StoredSense = dict[str, object]
"""What a grader made of an answer's words once, as JSON; kept with the attempt."""

MakeSense = Callable[[Submission, StoredSense | None], tuple[object, StoredSense | None]]
IsHonest = Callable[[Submission, StoredSense, Report, Random], bool]
Prepare = Callable[[Question, Lexicon], None]


TESTED_SHARE: Final = 1 / 16
"""Of the answers after an account's first one, which always is tested."""
LEAST_TESTED_SHARE: Final = 1 / 64
"""The share halves with each further test that an account passes, down to this. A test takes twice
the processor time of grading; at this share, 3 % of it."""
_ACCOUNTS: Final = 10_000
"""Remembered; one that was away for longer begins again with a test."""


@dataclass(frozen=True)
class Grader:
    """The function that grades, and its version.

    Attributes:
        grade: grades.
        version: changes whenever the same answer may get another report.
        make_sense: turns an answer, and what is stored of it, into what ``grade`` takes as
            ``sense`` and into what to store; ``None`` if the grader needs no such thing.
        is_honest: whether what a client made of its answer, and led to a report, is what
            ``make_sense`` would make; tests some of it, chosen at random.
        prepare: does what the first answer to a question would wait for.
    """

    grade: Grade
    version: str
    make_sense: MakeSense | None = None
    is_honest: IsHonest | None = None
    prepare: Prepare | None = None

    @classmethod
    def current(cls) -> "Grader":
        """The grader of this version of Aloud."""
        from server.grading import GRADER_VERSION, grade, is_honest, make_sense, prepare

        return cls(grade, GRADER_VERSION, make_sense, is_honest, prepare)


@dataclass(frozen=True)
class Graded:
    """A report, and what to keep with the attempt so that the next grading needs no model."""

    report: Report
    sense: StoredSense | None = None


class Trust:
    """Remembers in this process which accounts send right vectors. Safe in several threads.

    Attributes:
        random: chooses what is tested; no sender can predict it.
    """

    def __init__(self, random: Random | None = None) -> None:
        self.random = random or SystemRandom()
        self._lock = Lock()
        self._share: OrderedDict[int | None, float] = OrderedDict()  # 0: it sent wrong ones

    def takes(self, owner_id: int | None) -> bool:
        """Whether this account's vectors are taken at all."""
        with self._lock:
            return self._share.get(owner_id, 1.0) > 0

    def wants_test(self, owner_id: int | None) -> bool:
        """Whether to test the vectors of this answer."""
        with self._lock:
            share = self._share.get(owner_id)
        return share is None or self.random.random() < share

    def note(self, owner_id: int | None, right: bool) -> None:
        """Remembers how a test ended; one wrong answer counts for as long as the process runs."""
        with self._lock:
            share = self._share.pop(owner_id, 2 * TESTED_SHARE)
            still = right and share > 0
            self._share[owner_id] = max(LEAST_TESTED_SHARE, share / 2) if still else 0.0
            if len(self._share) > _ACCOUNTS:
                self._share.popitem(last=False)


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
        self._trust = Trust()

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

    def grade_sent(
        self,
        question: Question,
        submission: Submission,
        sent: StoredSense,
        owner_id: int | None,
    ) -> Graded:
        """Grades an answer that came with what its client made of it, which may be wrong.

        An account's first vectors are tested, then those of some answers. Where they deviate, the
        server makes its own, from then on for all of this account's answers.

        Args:
            question: what was asked.
            submission: the answer.
            sent: what the client made of the answer's sense.
            owner_id: the account that it comes from.

        Raises:
            ServerError, BankError, LexiconError: as for ``grade``.
        """
        is_honest = self.grader.is_honest
        if is_honest is None or not self._trust.takes(owner_id):
            return self.grade(question, submission)
        graded = self.grade(question, submission, sent)
        if graded.sense is not sent or not self._trust.wants_test(owner_id):
            return graded
        right = is_honest(submission, sent, graded.report, self._trust.random)
        self._trust.note(owner_id, right)
        if right:
            return graded
        logger.warning("vectors of account %s are not those of its words", owner_id)
        return self.grade(question, submission)

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
