"""What a rehearsal does with one answer: sound in, a graded and stored attempt out.

Terminal and studio are thin over this module. The way is one-directional:
clip → evidence and transcript → submission → backend → outcome.
"""

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from client.answering.hearing import AnswerHearing
from client.answering.live import AnswerCancelledError, Caption, Crew, LiveAnswer
from client.answering.live.terms import HearWords
from client.backend.protocol import Backend, QueuedError, UnavailableError
from client.transcription.base import Transcriber
from client.transcription.gate import measure_evidence
from pronunciation.clip import Clip
from pronunciation.errors import HearingError
from pronunciation.hearing import HEARING_VERSION
from question_bank.models import Question
from server.contract import Evidence, HeardTerm, Report, Submission, Transcript

__all__ = [
    "AnswerCancelledError",
    "Caption",
    "Hear",
    "LiveAnswer",
    "Outcome",
    "Session",
    "new_submission",
]

Hear = Callable[[Clip, Transcript, Question | None], tuple[HeardTerm, ...]]
"""Hears how the terms of an answer to a question were said."""


@dataclass(frozen=True)
class Outcome:
    """What became of an answer.

    Attributes:
        submission: the answer as it was sent.
        report: the report; ``None`` where the server is away and the answer waits.
        attempt_id: its number in the history; ``None`` where it was not stored (yet).
        waiting: why it waits in the outbox; empty where it does not.
    """

    submission: Submission
    report: Report | None
    attempt_id: int | None = None
    waiting: str = ""


def new_submission(
    question_id: str, transcript: Transcript, evidence: Evidence | None = None
) -> Submission:
    """An answer given now, with an id of its own."""
    return Submission(
        submission_id=uuid.uuid4().hex,
        question_id=question_id,
        created_at=datetime.now(UTC),
        transcript=transcript,
        evidence=evidence or Evidence(),
    )


class Session:
    """Turns recordings into graded attempts.

    Args:
        backend: the server, embedded or shared.
        load_transcriber: gives the engine; called once, at the first answer or by ``warm``.
        hear: judges how the terms were said; ``None`` where there is no hearing.
    """

    def __init__(
        self,
        backend: Backend,
        load_transcriber: Callable[[], Transcriber],
        hear: Hear | None = None,
    ) -> None:
        self._backend = backend
        self._load_transcriber = load_transcriber
        self._transcriber: Transcriber | None = None
        self._hear = hear
        self._loading = threading.Lock()
        self._engine_lock = threading.Lock()
        self._hearing_lock = threading.Lock()

    def warm(self) -> Transcriber:
        """Load the engine if it is not loaded; call it while the question is being spoken."""
        with self._loading:
            if self._transcriber is None:
                self._transcriber = self._load_transcriber()
            return self._transcriber

    def listen(
        self, question_id: str, *, on_caption: Callable[[Caption], None] | None = None
    ) -> LiveAnswer:
        """Begin an answer that is worked on while it is spoken.

        Args:
            question_id: the question it answers.
            on_caption: called from another thread with each piece as it is transcribed.
        """
        return LiveAnswer(self.crew(question_id), on_caption)

    def crew(self, question_id: str) -> Crew:
        """Who works on an answer to this question; one for each answer."""
        made: list[Submission] = []

        def deliver(transcript: Transcript, evidence: Evidence, save: bool) -> Outcome:
            if not made:
                made.append(new_submission(question_id, transcript, evidence))
            return self.submit(made[0], save=save)

        return Crew(
            load=self.warm,
            engine_lock=self._engine_lock,
            prepare_hearing=lambda: self._hearing_for(question_id),
            deliver=deliver,
        )

    def answer(
        self,
        clip: Clip,
        question_id: str,
        *,
        save: bool = True,
        on_progress: Callable[[float], None] | None = None,
    ) -> Outcome:
        """Transcribe, hear and grade a recording.

        Args:
            clip: the recording at 16 kHz.
            question_id: the question it answers.
            save: store the attempt in the history.
            on_progress: takes the share of the transcription that is done, 0 to 1.

        Raises:
            NoSpeech: nobody speaks in the recording.
            EngineError, BackendError: the engine or the server failed.
        """
        evidence = measure_evidence(clip)
        transcriber = self.warm()
        with self._engine_lock:
            transcript = transcriber.transcribe(clip, on_progress=on_progress)
        evidence = evidence.model_copy(update=self._heard(clip, transcript, question_id))
        return self.submit(new_submission(question_id, transcript, evidence), save=save)

    def _heard(self, clip: Clip, transcript: Transcript, question_id: str) -> dict[str, object]:
        """What the hearing adds to the evidence; where it cannot judge, why."""
        hear = self._hearing_for(question_id)
        if hear is None:
            return {}
        try:
            heard = hear(clip, transcript)
            return {"heard": heard, "hearing_version": HEARING_VERSION}
        except HearingError as error:
            return {"hearing_problem": str(error), "hearing_version": HEARING_VERSION}

    def _hearing_for(self, question_id: str) -> HearWords | None:
        """The hearing of answers to this question, made ready; ``None`` where there is none."""
        if self._hear is None:
            return None
        hear = self._hear
        try:
            question = self._backend.question(question_id)
        except UnavailableError:
            question = None  # the hearing does without; the answer will wait
        if isinstance(hear, AnswerHearing):
            with self._hearing_lock:
                hear.warm()

        def hear_words(clip: Clip, transcript: Transcript) -> tuple[HeardTerm, ...]:
            with self._hearing_lock:
                return hear(clip, transcript, question)

        return hear_words

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
