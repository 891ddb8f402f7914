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

from question_bank.models import Question
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
_STOPS_WITHIN_S: Final = 5.0


class WarmUp:
    """Prepares questions on its own thread, one at a time, while no answer is being graded.

    The thread keeps the priority of all others: with a lower one it would hold Python's global lock
    for longer when other processes take the processors, and requests would wait for it.
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

    def _run(self) -> None:
        if self._ends.wait(BEGINS_AFTER_S):
            return
        try:
            self._prepare_all()
        except Exception:  # without it the server only takes longer for some answers
            logger.exception("preparing the questions broke off")

    def _prepare_all(self) -> None:
        questions = self._chosen()
        for question in questions:
            while self._is_busy():
                if self._ends.wait(_LOOK_AGAIN_S):
                    return
            begun_s = time.perf_counter()
            try:
                self._grading_data.prepare(question)
            except ServerError as error:  # whoever answers it hears of it
                logger.warning("the question %s is not prepared: %s", question.id, error)
            if self._ends.wait(_REST * (time.perf_counter() - begun_s)):
                return
        logger.info("%d questions are prepared", len(questions))

    def _chosen(self) -> list[Question]:
        """The questions last answered, the last first; then the others as the bank has them."""
        latest = select(AttemptRow.question_id).order_by(AttemptRow.id.desc())
        with self._database.read() as session:
            answered = dict.fromkeys(session.scalars(latest.limit(_LATEST_ANSWERS)))
        bank = self._grading_data.bank
        known = [each for each in map(bank.question, answered) if each is not None]
        others = [each for each in bank.questions if each.id not in answered]
        return [*known, *others][:MOST_QUESTIONS]
