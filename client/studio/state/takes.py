"""The takes of one studio: the one being recorded, and those that were interrupted."""

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from filelock import FileLock, Timeout

from client.answering.session import Session
from client.answering.submission import Outcome
from client.answering.worker import Caption
from client.audio.files import SoundFile
from client.backend.protocol import UnavailableError
from client.backend.sending import OutboxBackend
from client.core.errors import AudioFileError, ClientError, RecordingError
from client.core.settings import ClientSettings
from client.journal.journal import Journal
from client.journal.kept_answer import why_unfinished
from client.practice.drills.items import DrillItems
from client.practice.finishing import Finisher, NotFinishableError, Offer
from client.studio.state.running_take import RunningTake
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.errors import PronunciationError

logger = logging.getLogger(__name__)

DEFAULT_TARGET_S: Final = 120.0
"""Used if the server is away, so that the question's own target is not known."""
_REMEMBERED: Final = 20


class TakeBusyError(ClientError):
    """Another tab, window or program is recording; the text says what to do."""


class NoSuchTakeError(ClientError):
    """There is no unfinished recording with this name."""


@dataclass(frozen=True)
class TakeEnd:
    """The result of a recorded answer.

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
class FinishedTake:
    """The result of a take; ``notice``: what its owner should know, empty if all is well."""

    outcome: Outcome
    notice: str = ""


@dataclass(frozen=True)
class Finishing:
    """How far an interrupted take is on its way to a report.

    Attributes:
        share: of the transcription that is done, 0 to 1.
        attempt_id: its number in the history, once it is done.
        waiting: why it waits in the outbox instead.
        problem: why it failed; the take is still there.
        verdict: of a take of a drill, once it is heard.
    """

    name: str
    state: Literal["running", "done", "failed"]
    share: float = 0.0
    attempt_id: int | None = None
    waiting: str = ""
    problem: str = ""
    verdict: str = ""


class Takes:
    """Begins takes, one at a time, and finishes or discards interrupted ones.

    Args:
        settings: where takes are recorded to.
        backend: knows the questions.
        session: gives what works on an answer, with the engine that is there now.
        items: the drills' items.
    """

    def __init__(
        self,
        settings: ClientSettings,
        backend: OutboxBackend,
        session: Callable[[], Session],
        items: DrillItems | None = None,
    ) -> None:
        self._settings = settings
        self._backend = backend
        self._session = session
        self._journal = Journal.of(settings)
        self._finisher = Finisher.of(settings, backend, session, items)
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

    def is_at_work(self, name: str) -> bool:
        """Whether an answer that was just spoken is being graded, until all know its end."""
        with self._lock:
            return name in self._at_work

    def is_kept(self, name: str) -> bool:
        """Whether a recording is being worked on, or is there to be finished."""
        if self.is_at_work(name):
            return True
        return self._is_finishing(name) or self._journal.has(name)

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
                kept = self._journal.answer(question_id)
                live = session.listen(question_id, kept=kept, on_caption=on_caption)
                try:
                    writer = kept.open(SAMPLE_RATE_HZ)
                except RecordingError:
                    live.cancel()
                    raise
                self._running = RunningTake(
                    writer,
                    live,
                    kept,
                    target_s,
                    on_end=self._let_go(claim.pop_all()),
                )
                return self._running

    def complete(self, take: RunningTake, question_id: str) -> FinishedTake:
        """Have a stopped take graded, and tell the subscribers the result.

        Raises:
            ClientError: no speech, or engine or server failed; the take is left unfinished.
        """
        self._take_up(take)
        try:
            outcome = take.finish()
        except Exception as error:
            self.tell(TakeEnd(take.name, question_id, problem=why_unfinished(error)))
            raise
        # reported before it leaves the journal: after a crash in between it is reported again
        self.tell(TakeEnd(take.name, question_id, outcome))
        return FinishedTake(outcome, take.keep())

    def complete_later(self, take: RunningTake, question_id: str) -> None:
        """Do the same on a separate thread."""
        self._take_up(take)

        def work() -> None:
            try:
                self.complete(take, question_id)
            except ClientError as error:
                logger.info("an answer got no report: %s", error)
            except Exception:
                logger.exception("an answer got no report")

        threading.Thread(target=work, name="aloud-complete", daemon=True).start()

    def _take_up(self, take: RunningTake) -> None:
        with self._lock:
            self._at_work.add(take.name)

    def _let_go(self, claim: ExitStack) -> Callable[[], None]:
        def end() -> None:
            with self._lock:
                self._running = None
            claim.close()

        return end

    def interrupted(self) -> tuple[Offer, ...]:
        """What is unfinished and nobody is finishing, the oldest first."""
        return tuple(each for each in self._finisher.offers() if not self._is_finishing(each.name))

    def finishing(self) -> tuple[Finishing, ...]:
        """What is being finished, or was lately."""
        with self._lock:
            return tuple(self._finishing.values())

    def clip(self, name: str) -> Clip:
        """The sound of an unfinished answer, at 16 kHz.

        Raises:
            NoSuchTakeError, RecordingError: there is none, or it cannot be read.
        """
        found = self._journal.find(name)
        if found is None:
            raise NoSuchTakeError(_GONE)
        with found.take_up() as kept:
            return kept.clip()

    def discard(self, name: str) -> None:
        """Delete an unfinished answer.

        Raises:
            NoSuchTakeError: there is none with this name; RecordingError: it cannot be deleted.
        """
        if self._is_finishing(name):
            raise NoSuchTakeError("this recording is being finished; it cannot be discarded now")
        found = self._finisher.find(name)
        if found is None:
            raise NoSuchTakeError(_GONE)
        self._finisher.discard(found)
        self.tell(TakeEnd(name, found.unfinished.entry.asked))

    def bring(self, sound: Path, question_id: str) -> str:
        """Take a recording that was made elsewhere as an unfinished answer to a question.

        Returns:
            Its name, for ``finish``.

        What can be read of a damaged file is taken; what is missing is reported with it.

        Raises:
            AudioFileError: it cannot be read; RecordingError: the folder cannot be written.
        """
        try:
            brought = SoundFile(sound, allow_truncated=True)
        except AudioFileError as error:  # whoever sent it knows no path of this machine
            raise AudioFileError(str(error).replace(str(sound), "the file")) from error
        kept = self._journal.answer(question_id)
        kept.copy(brought)
        kept.let_go(f"it came as a file and has no report yet{_what_is_missing(brought)}")
        return kept.name

    def finish(self, name: str) -> Finishing:
        """Begin to transcribe or hear an unfinished answer, and to store it.

        Raises:
            NoSuchTakeError: there is none with this name; NotFinishableError: what it was meant for
                is gone.
        """
        if self._is_finishing(name):
            return self.progress(name)
        offer = self._finisher.find(name)
        if offer is None:
            raise NoSuchTakeError(_GONE)
        if offer.problem:
            raise NotFinishableError(offer.problem)
        with self._lock:
            known = self._finishing.get(name)
            if known is not None and known.state == "running":
                return known
            begun = self._finishing[name] = Finishing(name, "running")
        threading.Thread(target=self._work, args=(offer,), name="aloud-finish", daemon=True).start()
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

    def _work(self, offer: Offer) -> None:
        name = offer.name

        def tell(outcome: Outcome) -> None:
            self.tell(TakeEnd(name, offer.asked, outcome))

        try:
            finished = self._finisher.finish(
                offer,
                on_progress=lambda share: self._note(Finishing(name, "running", share)),
                tell=tell,
            )
        except Exception as error:  # shown on the page: nobody waits for this thread
            problem = why_unfinished(error)
            if not isinstance(error, ClientError | PronunciationError):
                logger.exception("an interrupted recording was not finished")
            self.tell(TakeEnd(name, offer.asked, problem=problem))
            self._note(Finishing(name, "failed", problem=problem))
        else:
            attempt_id = finished.outcome.attempt_id if finished.outcome else None
            verdict = finished.verdict.verdict if finished.verdict else ""
            self._note(Finishing(name, "done", 1.0, attempt_id, finished.waiting, verdict=verdict))

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


_GONE: Final = (
    "there is no such interrupted recording; it may have been finished or discarded in another tab"
)


def _what_is_missing(sound: SoundFile) -> str:
    """What cannot be read of a file that was brought; empty if all can."""
    lost_s = sum(end_s - start_s for start_s, end_s in sound.missing)
    parts = []
    if sound.breaks_off:
        of_s = f" of {sound.declared_s:.1f} s" if sound.declared_s else ""
        parts.append(f"the file breaks off: {sound.duration_s:.1f} s{of_s} can be read")
    if lost_s:
        or_more = " or more" if sound.misses_more else ""
        parts.append(f"{lost_s:.1f} s{or_more} in the middle of the file cannot be read")
    return f"; {', '.join(parts)}" if parts else ""
