"""Prepares a server process for the first answer to each question, while nobody waits.

The first answer to a question takes 50 to 250 ms longer, because the question is compiled and its
vectors are assembled. A process of `aloud serve` does this before the questions are answered.
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
"""The delay leaves the processor to the first requests, which arrive as soon as the server
listens."""
MOST_QUESTIONS: Final = 200
"""Each takes 60 ms of processor time and 1.1 MB: a quarter of a gigabyte in each process."""
_LATEST_ANSWERS: Final = 2_000
"""The number of stored answers whose questions come first."""
_REST: Final = 2.0
"""The pause after each question, as a multiple of the time that it took: a third of one core."""
_LOOK_AGAIN_S: Final = 0.1
_LOOK_FOR_BANK_S: Final = 15.0
"""An editor activates a version in one process; this is when the others prepare its questions."""
_STOPS_WITHIN_S: Final = 5.0


class WarmUp:
    """Prepares questions in a separate thread, one at a time, while no answer is being graded.

    When another version of the bank becomes active, its questions are prepared too. The thread has
    the same priority as all others. With a lower one, it would hold Python's global lock for longer
    when other processes are busy, and requests would wait for it.
    """

    def __init__(
        self, grading_data: GradingData, database: Database, is_busy: Callable[[], bool]
    ) -> None:
        """Prepares nothing yet.

        Args:
            grading_data: the bank, and what prepares a question of it.
            database: contains the answers so far.
            is_busy: whether answers are being graded.
        """
        self._grading_data = grading_data
        self._database = database
        self._is_busy = is_busy
        self._prepared: Bank | None = None
        self._ends = threading.Event()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Prepares in the background inside the context, and stops after the current question."""
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
            except Exception:  # without it, the server only takes longer for some answers
                if (
                    not breaks_off
                ):  # logged once, not at every try while the database is unavailable
                    logger.exception("preparing the questions broke off")
                breaks_off = True

    def _prepare_all(self, bank: Bank) -> bool:
        """Whether all are prepared: not if the process ends or the bank changes meanwhile."""
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
            except ServerError as error:  # answering it reports the error
                logger.warning("the question %s is not prepared: %s", question.id, error)
            if self._ends.wait(_REST * (time.perf_counter() - begun_s)):
                return False
        logger.info("%d questions are prepared", len(questions))
        return True

    def _chosen(self, bank: Bank) -> list[Question]:
        """The questions last answered, the latest first; then the others in the bank's order."""
        latest = select(AttemptRow.question_id).order_by(AttemptRow.id.desc())
        with self._database.read() as session:
            answered = dict.fromkeys(session.scalars(latest.limit(_LATEST_ANSWERS)))
        known = [each for each in map(bank.question, answered) if each is not None]
        others = [each for each in bank.questions if each.id not in answered]
        return [*known, *others][:MOST_QUESTIONS]
