"""Improves stored transcripts, with a better engine or the candidate's corrections.

Recording and hearing are on this machine; the server keeps each transcript as a version of its own.
``Repairs`` does it in the background, one answer after another, while the studio keeps working.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from client.answer.session import Session
from client.audio.files import SoundFile
from client.backend.protocol import Backend
from client.core.errors import ClientError
from client.data.own_recordings import OwnRecordings
from client.engines.base import ProgressCallback
from server.contract import EDGES, ROUGH_ENGINES, Attempt, AttemptSummary, Revision, Transcript


class RepairError(ClientError):
    """This transcript cannot be made again or corrected this way; the text says why."""


def rough_answers(
    attempts: Iterable[AttemptSummary], recordings: OwnRecordings
) -> list[AttemptSummary]:
    """Those of the history that a better engine can transcribe again.

    Their transcript is rough, the candidate has not corrected it, and the recording is here.
    """
    return [
        each
        for each in attempts
        if each.engine in ROUGH_ENGINES
        and not each.corrections
        and each.submission_id
        and recordings.path_of(each.submission_id).is_file()
    ]


def transcribe_again(
    backend: Backend,
    session: Session,
    recordings: OwnRecordings,
    attempt_id: int,
    on_progress: ProgressCallback | None = None,
) -> Attempt:
    """Transcribe a kept recording again, and have it graded; corrected words give way.

    Args:
        backend: has the answer.
        session: transcribes and hears.
        recordings: have its sound.
        attempt_id: the answer.
        on_progress: takes the share of the transcription that is done, 0 to 1.

    Raises:
        RepairError: the recording is not here, or the engine is no better than a rough one.
        NoSpeech, EngineError, WeightsError, BackendError: what does the work failed.
    """
    attempt = backend.attempt(attempt_id)
    sound = _recording(recordings, attempt)
    if sound is None:
        raise RepairError(f"there is no recording of attempt {attempt_id} on this machine")
    if session.warm().name in ROUGH_ENGINES:
        raise RepairError(
            "there are no Whisper weights on this machine, so the transcript would not get better: "
            "fetch them with `aloud models pull base.en`"
        )
    revision = session.transcribe_again(sound, attempt.submission, on_progress)
    return backend.revise(attempt_id, revision)


def correct_words(
    backend: Backend, session: Session, recordings: OwnRecordings, attempt_id: int, text: str
) -> Attempt:
    """Put the candidate's words in place of the engine's, and have the answer graded.

    Where the recording is here, the terms among the new words are heard in it.

    Args:
        backend: has the answer.
        session: hears.
        recordings: have its sound.
        attempt_id: the answer.
        text: the whole transcript as it should read; with the engine's words these are restored.

    Raises:
        RepairError: the answer was typed, or nothing would be left of it.
        BackendError: the server refused.
    """
    raw = transcribed(backend, attempt_id)
    try:
        revision = raw.with_words(text)
    except ValueError as error:  # a word longer than any engine writes
        raise RepairError("one of these words is too long to be a word") from error
    if not revision.transcript.words:
        raise RepairError("no word would be left: to remove the answer, delete it")
    if revision == raw:
        return backend.revise(attempt_id, raw)
    attempt = backend.attempt(attempt_id)
    sound = _recording(recordings, attempt)
    if sound is not None:
        revision = session.hear_again(sound, attempt.report.question_id, revision)
    return backend.revise(attempt_id, revision)


def restore_words(backend: Backend, attempt_id: int) -> Attempt:
    """Put the engine's words back in place of the candidate's.

    Raises:
        RepairError: the answer was typed.
        BackendError: the server refused.
    """
    return backend.revise(attempt_id, transcribed(backend, attempt_id))


def transcribed(backend: Backend, attempt_id: int) -> Revision:
    """The newest transcript that an engine wrote, without corrections.

    Raises:
        RepairError: the answer was typed.
        BackendError: there is no such answer.
    """
    raw = backend.export_one(attempt_id).attempts[0].as_transcribed
    if not raw.transcript.words:
        raise RepairError("this answer was typed: there is no transcript to correct")
    return raw


def earlier_version(backend: Backend, attempt_id: int, version: int) -> Attempt:
    """An answer with an earlier report, as the grader wrote it.

    Raises:
        RepairError: it has no such report.
        BackendError: there is no such answer.
    """
    attempt = backend.attempt(attempt_id)
    reports = backend.export_one(attempt_id).attempts[0].reports
    if version > len(reports):
        has = f"{len(reports)} report{'' if len(reports) == 1 else 's'}"
        raise RepairError(f"attempt {attempt_id} has {has}, so there is no report {version}")
    return attempt.model_copy(update={"report": reports[version - 1].report, "version": version})


def replaced(transcript: Transcript, was: str, now: str) -> str:
    """The transcript's text with other words in one place; what ends the last one stays.

    Args:
        transcript: whose text.
        was: words of it; case and punctuation do not matter.
        now: what was said in their place; empty: nothing.

    Raises:
        RepairError: the words are nowhere in it, or in several places.
    """
    places = transcript.places_of(was)
    if not places:
        raise RepairError(f"“{was}” is not in the transcript: name words as they are written there")
    if len(places) > 1:
        raise RepairError(
            f"“{was}” is in the transcript {len(places)} times: name words beside it too"
        )
    tokens, place = transcript.tokens, places[0]
    last = tokens[place[-1]]
    mark = last[len(last.rstrip(EDGES)) :]
    words = now.split()
    if words and words[-1] == words[-1].rstrip(EDGES):
        words[-1] += mark
    return " ".join([*tokens[: place.start], *words, *tokens[place.stop :]])


def _recording(recordings: OwnRecordings, attempt: Attempt) -> SoundFile | None:
    path = recordings.path_of(attempt.submission.submission_id)
    return SoundFile(path) if path.is_file() else None


logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RepairProblem:
    """An answer that could not be transcribed again, and why; it keeps its report."""

    attempt_id: int
    problem: str


@dataclass(frozen=True)
class RepairStatus:
    """The progress of the work, or the result of the last one.

    Attributes:
        running: whether anything is left to do.
        attempt_ids: the answers, in order.
        done: how many are finished.
        share: of the next one, 0 to 1.
        problems: which of them failed.
    """

    running: bool = False
    attempt_ids: tuple[int, ...] = ()
    done: int = 0
    share: float = 0.0
    problems: tuple[RepairProblem, ...] = ()

    @property
    def total(self) -> int:
        """How many answers there are."""
        return len(self.attempt_ids)


class Repairs:
    """Transcribes kept recordings again; safe to use from several threads.

    Args:
        backend: has the answers.
        session: gives what transcribes them, by the engine that is there now.
        recordings: have their sound.
    """

    def __init__(
        self, backend: Backend, session: Callable[[], Session], recordings: OwnRecordings
    ) -> None:
        self._backend = backend
        self._session = session
        self._recordings = recordings
        self._lock = threading.Lock()
        self._waiting: deque[int] = deque()
        self._status = RepairStatus()

    def status(self) -> RepairStatus:
        return self._status

    def start(self, attempt_ids: Iterable[int]) -> None:
        """Begin with these answers, or queue them after the waiting ones; returns at once."""
        with self._lock:
            running = self._status.running
            known = set(self._waiting)
            new = [each for each in dict.fromkeys(attempt_ids) if each not in known]
            if not new:
                return
            before = self._status if running else RepairStatus()
            self._waiting.extend(new)
            self._status = replace(before, running=True, attempt_ids=(*before.attempt_ids, *new))
        if not running:
            threading.Thread(target=self._work, name="aloud-repairs", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._status = replace(self._status, running=False)
                    return
                attempt_id = self._waiting.popleft()
            problem = self._repair(attempt_id)
            with self._lock:
                status = self._status
                problems = (*status.problems, *([problem] if problem else ()))
                self._status = replace(status, done=status.done + 1, share=0.0, problems=problems)

    def _repair(self, attempt_id: int) -> RepairProblem | None:
        try:
            transcribe_again(
                self._backend, self._session(), self._recordings, attempt_id, self._progress
            )
        except Exception as error:  # shown on the page: nobody waits for this thread
            logger.info("attempt %d could not be transcribed again: %s", attempt_id, error)
            return RepairProblem(attempt_id, str(error))
        return None

    def _progress(self, share: float) -> None:
        with self._lock:
            self._status = replace(self._status, share=share)
