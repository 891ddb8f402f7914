"""Answers that are text already: graded, stored, or waiting for their server.

Apart from ``session``, so that grading a text imports nothing that hears.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from client.answering.submission import Outcome, new_submission
from client.backend.outbox import OutboxError
from client.backend.protocol import Backend, QueuedError
from server.contract import Evidence, Submission, Transcript

if TYPE_CHECKING:  # it brings an HTTP client; the journal brings what records and reads sound
    from client.journal.entry import Entry
    from client.judging.judge import Judge


class WrittenSession:
    """Turns text into graded attempts.

    Args:
        backend: the server, embedded or shared.
        judge: is asked about key phrases that are not found; ``None``: nothing is asked.
    """

    def __init__(self, backend: Backend, judge: "Judge | None" = None) -> None:
        self._backend = backend
        self._judge = judge

    def read(self, transcript: Transcript, question_id: str, *, save: bool = True) -> Outcome:
        """Grade an answer that is text already: typed, or transcribed elsewhere.

        Raises:
            BackendError: the server failed.
        """
        submission = self._prepare(question_id, transcript, Evidence())
        return self.store_or_grade(submission) if save else self.submit(submission, save=False)

    def store_or_grade(self, submission: Submission) -> Outcome:
        """Have an answer stored; where neither store nor outbox can be written, graded at least.

        Raises:
            BackendError: the server refused it.
        """
        try:
            return self.submit(submission, save=True)
        except OutboxError as error:
            graded = self.submit(submission, save=False)
            return replace(graded, unsaved=f"the answer is graded but not stored: {error}")

    def submit(self, submission: Submission, *, save: bool) -> Outcome:
        """Have an answer graded, and stored if ``save``.

        Raises:
            BackendError: the server refused it, or (with ``save=False``) is away.
        """
        if not save:
            return Outcome(submission, self._backend.grade(submission))
        try:
            attempt = self._backend.submit(submission)
        except QueuedError as error:
            return Outcome(submission, None, waiting=str(error))
        return Outcome(submission, attempt.report, attempt.id)

    def _prepare(
        self,
        question_id: str,
        transcript: Transcript,
        evidence: Evidence,
        entry: "Entry | None" = None,
    ) -> Submission:
        """What is sent of an answer with this ``entry``, judged if there is a judge."""
        submission = new_submission(question_id, transcript, evidence, entry)
        if self._judge is not None:
            submission = self._judge.judged(submission, self._backend)
        return submission
