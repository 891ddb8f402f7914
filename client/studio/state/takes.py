"""The takes of one studio: the one being recorded, and those that were interrupted."""

import logging
import re
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from filelock import FileLock, Timeout, lock_descriptor

from client.answering.session import Session
from client.answering.submission import Outcome
from client.answering.worker import Caption
from client.audio import UnfinishedTake, read_take, unfinished_recordings
from client.audio.files import read_audio
from client.audio.resample import to_clip
from client.audio.take_file import TakeWriter
from client.backend.protocol import Backend, UnavailableError
from client.core.errors import AudioFileError, ClientError, RecordingError
from client.core.settings import ClientSettings
from client.data.own_recordings import OwnRecordings
from client.studio.state.running_take import (
    FinishedTake,
    RunningTake,
    keep_recording,
    why_ungraded,
)
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from question_bank.models import Question

logger = logging.getLogger(__name__)

DEFAULT_TARGET_S: Final = 120.0
"""Where the server is away, so that nobody knows the question's own."""
_REMEMBERED: Final = 20
_LABEL_CHARS: Final = 60
"""`TakeWriter` cuts a label here."""


class TakeBusyError(ClientError):
    """Another tab, window or program is recording; the text says what to do."""


class NoSuchTakeError(ClientError):
    """There is no unfinished recording of this name."""


@dataclass(frozen=True)
class TakeEnd:
    """What became of a recorded answer.

    Attributes:
        take: the recording's name while it was unfinished.
        question_id: what was asked.
        outcome: the answer has been graded, or waits for its server; ``None``: it has not.
        problem: why not; the recording is kept. Empty without an outcome: it was discarded.
    """

    take: str
    question_id: str
    outcome: Outcome | None = None
    problem: str = ""


@dataclass(frozen=True)
class InterruptedTake:
    """An unfinished take as pages show it.

    Attributes:
        name: its file's name.
        started_at: when it began (UTC).
        duration_s: how much of it is there.
        question_id: what it answers; empty where the bank no longer has the question.
        prompt: the question; empty where it is not known.
        reason: why it is unfinished; empty where that is not known.
    """

    name: str
    started_at: datetime
    duration_s: float
    question_id: str
    prompt: str
    reason: str = ""


@dataclass(frozen=True)
class Finishing:
    """How far an interrupted take is on its way to a report.

    Attributes:
        share: of the transcription that is done, 0 to 1.
        attempt_id: its number in the history, once it is done.
        waiting: why it waits in the outbox instead.
        problem: why it failed; the take is still there.
    """

    name: str
    state: Literal["running", "done", "failed"]
    share: float = 0.0
    attempt_id: int | None = None
    waiting: str = ""
    problem: str = ""


class Takes:
    """Begins takes, one at a time, and finishes or discards interrupted ones.

    Args:
        settings: where takes are recorded to.
        backend: knows the questions.
        session: gives what works on an answer, with the engine that is there now.
    """

    def __init__(
        self, settings: ClientSettings, backend: Backend, session: Callable[[], Session]
    ) -> None:
        self._settings = settings
        self._backend = backend
        self._session = session
        self._recordings = OwnRecordings(settings.recordings)
        self._lock = threading.Lock()
        self._running: RunningTake | None = None
        self._finishing: dict[str, Finishing] = {}
        self._at_work: set[str] = set()
        self._subscribers: list[Callable[[TakeEnd], None]] = []

    @property
    def running(self) -> RunningTake | None:
        """The take that is being recorded now."""
        return self._running

    def subscribe(self, subscriber: Callable[[TakeEnd], None]) -> None:
        """Have a function called with every answer's end, in the thread that worked on it."""
        self._subscribers.append(subscriber)

    def tell(self, end: TakeEnd) -> None:
        """Call every subscriber; one that fails stops neither the others nor the answer."""
        for subscriber in self._subscribers:
            try:
                subscriber(end)
            except Exception:
                logger.exception("an answer has ended, but a subscriber failed")
        with self._lock:
            self._at_work.discard(end.take)

    def is_kept(self, name: str) -> bool:
        """Whether a recording is being worked on, or is there to be finished."""
        with self._lock:
            if name in self._at_work:
                return True
        return self._is_finishing(name) or (self._settings.recordings / name).exists()

    def begin(
        self, question_id: str, on_caption: Callable[[Caption], None] | None = None
    ) -> RunningTake:
        """Begin to record an answer.

        Raises:
            TakeBusyError: something else is recording.
            RejectedError: the bank has no such question.
            RecordingError: the folder cannot be written.
        """
        try:
            target_s = float(self._backend.question(question_id).answer_seconds)
        except UnavailableError:
            target_s = DEFAULT_TARGET_S  # the answer will wait in the outbox
        session = self._session()
        with self._lock:
            if self._running is not None:
                raise TakeBusyError(
                    f"another tab is recording an answer ({self._running.recorded_s:.0f} s so "
                    "far): stop it there, then record here"
                )
            with ExitStack() as claim:
                path = self._settings.home / "recording.lock"
                try:
                    claim.enter_context(FileLock(path, blocking=False, thread_local=False))
                except Timeout as error:
                    raise TakeBusyError(
                        "another Aloud on this machine is recording an answer: stop it there, "
                        "then record here"
                    ) from error
                live = session.listen(question_id, on_caption=on_caption)
                try:
                    writer = TakeWriter(self._settings.recordings, SAMPLE_RATE_HZ, question_id)
                except RecordingError:
                    live.cancel()
                    raise
                self._running = RunningTake(
                    writer,
                    live,
                    self._recordings,
                    target_s,
                    on_end=self._let_go(claim.pop_all()),
                )
                self._at_work.add(self._running.name)
                return self._running

    def complete(self, take: RunningTake, question_id: str) -> FinishedTake:
        """Have a take graded that was stopped, and tell what became of it.

        Raises:
            ClientError: no speech, or engine or server failed; the take is left unfinished.
        """
        try:
            finished = take.finish()
        except Exception as error:
            self.tell(TakeEnd(take.name, question_id, problem=why_ungraded(error)))
            raise
        self.tell(TakeEnd(take.name, question_id, finished.outcome))
        return finished

    def complete_later(self, take: RunningTake, question_id: str) -> None:
        """Do the same in a thread of its own."""

        def work() -> None:
            try:
                self.complete(take, question_id)
            except ClientError as error:
                logger.info("an answer got no report: %s", error)
            except Exception:
                logger.exception("an answer got no report")

        threading.Thread(target=work, name="aloud-complete", daemon=True).start()

    def _let_go(self, claim: ExitStack) -> Callable[[], None]:
        def end() -> None:
            with self._lock:
                self._running = None
            claim.close()

        return end

    def interrupted(self) -> tuple[InterruptedTake, ...]:
        """The unfinished takes that nobody is finishing, the oldest first."""
        takes = unfinished_recordings(self._settings.recordings)
        questions = self._questions() if takes else {}
        return tuple(
            _shown(take, questions)
            for take in takes
            if take.duration_s > 0 and not self._is_finishing(take.path.name)
        )

    def finishing(self) -> tuple[Finishing, ...]:
        """What is being finished, or was lately."""
        with self._lock:
            return tuple(self._finishing.values())

    def clip(self, name: str) -> Clip:
        """The sound of an unfinished take, at 16 kHz.

        Raises:
            NoSuchTakeError, RecordingError: there is none, or it cannot be read.
        """
        return to_clip(*read_take(self._find(name).path))

    def discard(self, name: str) -> None:
        """Delete an unfinished take.

        Raises:
            NoSuchTakeError: there is none of this name.
        """
        if self._is_finishing(name):
            raise NoSuchTakeError("this recording is being finished; it cannot be discarded now")
        take = self._find(name)
        take.discard()
        self.tell(TakeEnd(name, take.label))

    def bring(self, sound: Path, question_id: str) -> str:
        """Take a recording that was made elsewhere as an unfinished take of a question.

        Returns:
            Its name, for ``finish``.

        Raises:
            AudioFileError: it cannot be read; RecordingError: the folder cannot be written.
        """
        try:
            clip = read_audio(sound)
        except AudioFileError as error:  # whoever sent it knows no path of this machine
            raise AudioFileError(str(error).replace(str(sound), "the file")) from error
        writer = TakeWriter(self._settings.recordings, clip.sample_rate_hz, question_id)
        try:
            writer.append(clip.samples)
        except RecordingError:
            writer.discard()
            raise
        writer.abandon("it came as a file and has no report yet")
        return writer.part_path.name

    def finish(self, name: str) -> Finishing:
        """Begin to transcribe and grade an unfinished take as an answer to its question.

        Raises:
            NoSuchTakeError: there is none of this name, or its question is gone from the bank.
        """
        if self._is_finishing(name):
            return self.progress(name)
        take = self._find(name)
        question_id = _shown(take, self._questions()).question_id
        if not question_id:
            raise NoSuchTakeError(f"the bank has no question {take.label} any more")
        with self._lock:
            known = self._finishing.get(name)
            if known is not None and known.state == "running":
                return known
            begun = self._finishing[name] = Finishing(name, "running")
        threading.Thread(
            target=self._work, args=(take, question_id), name="aloud-finish", daemon=True
        ).start()
        return begun

    def progress(self, name: str) -> Finishing:
        """How far ``finish`` is.

        Raises:
            NoSuchTakeError: it was not called for this name.
        """
        with self._lock:
            if name not in self._finishing:
                raise NoSuchTakeError("no such recording is being finished")
            return self._finishing[name]

    def _work(self, take: UnfinishedTake, question_id: str) -> None:
        name = take.path.name
        try:
            # locked as by its recorder, so that no other program finishes it at the same time; not
            # by a FileLock, which on Windows deletes its file on release
            with take.path.open("a+b") as file:
                if not lock_descriptor(file.fileno(), blocking=False):
                    raise NoSuchTakeError("another program has this recording open")
                outcome = self._session().answer(
                    to_clip(*read_take(take.path)),
                    question_id,
                    on_progress=lambda share: self._note(Finishing(name, "running", share)),
                )
            keep_recording(self._recordings, take.finish, outcome)
        except Exception as error:  # shown on the page: nobody waits for this thread
            problem = why_ungraded(error)
            if not isinstance(error, ClientError):
                logger.exception("an interrupted recording was not finished")
            take.note(problem)
            self.tell(TakeEnd(name, question_id, problem=problem))
            self._note(Finishing(name, "failed", problem=problem))
        else:
            self.tell(TakeEnd(name, question_id, outcome))
            done = Finishing(name, "done", 1.0, outcome.attempt_id, outcome.waiting)
            self._note(done)

    def _note(self, finishing: Finishing) -> None:
        with self._lock:
            self._finishing[finishing.name] = finishing
            over = [each.name for each in self._finishing.values() if each.state != "running"]
            for name in over[: max(0, len(self._finishing) - _REMEMBERED)]:
                del self._finishing[name]

    def _is_finishing(self, name: str) -> bool:
        with self._lock:
            known = self._finishing.get(name)
            return known is not None and known.state == "running"

    def _find(self, name: str) -> UnfinishedTake:
        """By comparing names of what is there: a name never becomes a path."""
        for take in unfinished_recordings(self._settings.recordings):
            if take.path.name == name:
                return take
        raise NoSuchTakeError(
            "there is no such interrupted recording; it may have been finished or discarded "
            "in another tab"
        )

    def _questions(self) -> dict[str, Question] | None:
        """By the label that a take of theirs has; ``None`` where the server is away."""
        try:
            bank = self._backend.bank()
        except UnavailableError:
            return None
        return {_label(question.id): question for question in bank.questions}


def _label(question_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "-", question_id).strip("-")[:_LABEL_CHARS]


def _shown(take: UnfinishedTake, questions: dict[str, Question] | None) -> InterruptedTake:
    shown = InterruptedTake(
        take.path.name,
        take.started_at.astimezone(UTC),
        take.duration_s,
        take.label,
        "",
        take.reason,
    )
    if questions is None:
        return shown
    question = questions.get(take.label)
    if question is None:
        return replace(shown, question_id="")
    return replace(shown, question_id=question.id, prompt=question.prompt)
