"""Prepares a server process for the first answer to each question, while nobody waits.

What the bank says of a question is compiled, and its vectors are put together, when the question is
first graded: 50 to 250 ms more than for later answers. A process of `aloud serve` does that for the
questions before they are answered.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import select

from question_bank.models import Bank, Question
from server.attempts.grading_data import GradingData
from server.core.errors import ServerError
from server.db.database import Database
from server.db.tables import AttemptRow

logger = logging.getLogger(__name__)

BEGINS_AFTER_S: Final = 2.0
"""The first requests come as soon as the server listens."""
MOST_QUESTIONS: Final = 200
"""Each takes 60 ms of processor time and 1.1 MB: a quarter of a gigabyte in each process."""
_LATEST_ANSWERS: Final = 2_000
"""The stored answers whose questions come first."""
_REST: Final = 2.0
"""The pause after each question, as a multiple of the time that it took: a third of one core."""
_LOOK_AGAIN_S: Final = 0.1
_LOOK_FOR_BANK_S: Final = 15.0
"""An editor activates a version in one process; this is when the others prepare its questions."""
_STOPS_WITHIN_S: Final = 5.0


class WarmUp:
    """Prepares questions in a thread of its own, one at a time, while no answer is graded.

    When another version of the bank comes into use, its questions are prepared too. The thread
    keeps the priority of all others: with a lower one it would hold Python's global lock for longer
    when other processes take the processors, and requests would wait for it.
    """

    def __init__(
        self, grading_data: GradingData, database: Database, is_busy: Callable[[], bool]
    ) -> None:
        """Prepares nothing yet.

        Args:
            grading_data: the bank, and what prepares a question of it.
            database: has the answers so far.
            is_busy: whether answers are being graded.
        """
        self._grading_data = grading_data
        self._database = database
        self._is_busy = is_busy
        self._prepared: Bank | None = None
        self._ends = threading.Event()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Prepares meanwhile, and stops behind the question that it is at."""
        thread = threading.Thread(target=self._run, name="warm-up", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ends.set()
            thread.join(_STOPS_WITHIN_S)

    def is_done(self) -> bool:
        """Whether the bank in use is prepared."""
        return self._prepared is self._grading_data.bank

    def _run(self) -> None:
        breaks_off = False
        wait_s = BEGINS_AFTER_S
        while not self._ends.wait(wait_s):
            wait_s = _LOOK_FOR_BANK_S
            try:
                bank = self._grading_data.bank
                if bank is not self._prepared and self._prepare_all(bank):
                    self._prepared = bank
                breaks_off = False
            except Exception:  # without it the server only takes longer for some answers
                if not breaks_off:  # said once, and not at every look while the database is away
                    logger.exception("preparing the questions broke off")
                breaks_off = True

    def _prepare_all(self, bank: Bank) -> bool:
        """Whether all are prepared: not if it ends, or another bank came into use meanwhile."""
        questions = self._chosen(bank)
        for question in questions:
            while self._is_busy():
                if self._ends.wait(_LOOK_AGAIN_S):
                    return False
            if self._grading_data.bank is not bank:
                return False
            begun_s = time.perf_counter()
            try:
                self._grading_data.prepare(question)
            except ServerError as error:  # whoever answers it hears of it
                logger.warning("the question %s is not prepared: %s", question.id, error)
            if self._ends.wait(_REST * (time.perf_counter() - begun_s)):
                return False
        logger.info("%d questions are prepared", len(questions))
        return True

    def _chosen(self, bank: Bank) -> list[Question]:
        """The questions last answered, the last first; then the others as the bank has them."""
        latest = select(AttemptRow.question_id).order_by(AttemptRow.id.desc())
        with self._database.read() as session:
            answered = dict.fromkeys(session.scalars(latest.limit(_LATEST_ANSWERS)))
        known = [each for each in map(bank.question, answered) if each is not None]
        others = [each for each in bank.questions if each.id not in answered]
        return [*known, *others][:MOST_QUESTIONS]
