"""Finishes answers: those just spoken, and those that something interrupted.

Terminal and studio are thin over it. However often an answer is finished, it is stored once, as
given when it was spoken, and its recording is linked to it.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from client.answer.answer import Answer, Entry, Outcome, label_of, why_unfinished
from client.answer.journal import Journal
from client.answer.session import Session
from client.audio.files import SoundFile
from client.backend.protocol import QueuedError, RejectedError, UnavailableError
from client.backend.sending import OutboxBackend
from client.core.errors import AudioFileError, ClientError
from pronunciation.errors import PronunciationError
from question_bank.models import Question
from server.contract import DrillReview, HistoryQuery, Submission

logger = logging.getLogger(__name__)

_RECENT: Final = 500
_STORED: Final = "conflict"
"""The server's code: it has this answer, with another transcript."""
_REMEMBERED: Final = 20
_GONE: Final = (
    "there is no such interrupted recording; it may have been finished or discarded in another tab"
)


class NoSuchAnswerError(ClientError):
    """There is no unfinished answer with this name."""


class NotFinishableError(NoSuchAnswerError):
    """What an answer was meant for is not there; the text says why and what to do."""


class DrillItems(Protocol):
    """What knows the items that takes of drills are about."""

    def prompt(self, item_id: str) -> str | None:
        """What is to be said; ``None``: there is no such item any more."""

    def review(self, answer: Answer) -> DrillReview:
        """Hear a take of an item that is there."""


class Answers:
    """The answers of one person on their way to the history; safe to use from several threads.

    Args:
        journal: has those that are not stored yet.
        backend: the server that is there now.
        session: gives what works on an answer, with the engine that is there now.
        items: the drills' items.
    """

    def __init__(
        self,
        journal: Journal,
        backend: OutboxBackend,
        session: Callable[[], Session],
        items: DrillItems,
    ) -> None:
        self.journal = journal
        self._backend = backend
        self._session = session
        self._items = items
        self._lock = threading.Lock()
        self._taken_up: dict[str, Answer] = {}
        self._subscribers: list[Callable[[Answer], None]] = []

    def subscribe(self, subscriber: Callable[[Answer], None]) -> None:
        """Have a function called with every answer that ends, in the thread that worked on it.

        It is stored, or waits in the outbox (``outcome``), failed (``problem``) or is discarded.
        """
        self._subscribers.append(subscriber)

    def unfinished(self) -> tuple[Answer, ...]:
        """Every answer and take that nobody works on, the oldest first, with prompt or obstacle."""
        found = [each for each in self.journal.unfinished() if not self.is_at_work(each.name)]
        if not found:
            return ()
        questions = None if all(each.is_drill for each in found) else self._questions()
        for each in found:
            self._describe(each, questions)
        return tuple(found)

    def find(self, name: str) -> Answer:
        """One of them by its name.

        Raises:
            NoSuchAnswerError: there is none, or it is being finished.
        """
        if self.is_at_work(name):
            raise NoSuchAnswerError("this recording is being finished; it cannot be changed now")
        for each in self.unfinished():
            if each.name == name:
                return each
        raise NoSuchAnswerError(_GONE)

    def taken_up(self, name: str = "") -> tuple[Answer, ...]:
        """What this process is finishing, or has finished lately; of this name, or all."""
        with self._lock:
            return tuple(each for key, each in self._taken_up.items() if name in ("", key))

    def is_at_work(self, name: str) -> bool:
        """Whether an answer is being finished here, until all know how that ended."""
        with self._lock:
            return name in self._taken_up and self._taken_up[name].at_work

    def is_there(self, name: str) -> bool:
        """Whether an answer is being finished, or is there to be finished."""
        return self.is_at_work(name) or self.journal.has(name)

    def finish(
        self,
        answer: Answer,
        words: Callable[[], Submission] | None = None,
        *,
        save: bool = True,
    ) -> Answer:
        """Transcribe or hear an answer where that is not done yet, and store it.

        Args:
            answer: one that was just spoken, or that ``unfinished`` has found.
            words: waits for what is sent of an answer that was worked on while it was spoken.
            save: store it in the history; else it is only graded.

        Returns:
            The answer, with its outcome.

        Raises:
            NotFinishableError: it cannot be finished here.
            ClientError: no speech, engine or server failed; it stays, with the reason.
        """
        if answer.obstacle:
            raise NotFinishableError(answer.obstacle)
        self._take_up(answer)
        is_ours = words is not None  # what was just spoken is claimed already
        try:
            if not is_ours:
                answer.claim()
                is_ours = True
            if answer.is_drill:
                self._store_take(answer)
            else:
                self._store(answer, words, save=save)
        except BaseException as error:
            answer.problem = why_unfinished(error)
            if is_ours:
                answer.leave(answer.problem)
            self.tell(answer)
            raise
        # told before it leaves the journal: after a crash in between it is told again
        self.tell(answer)
        answer.stored()
        return answer

    def finish_later(self, answer: Answer, words: Callable[[], Submission] | None = None) -> Answer:
        """Do the same on a separate thread; what it returns has the progress.

        Raises:
            NotFinishableError: it cannot be finished here.
        """
        if answer.obstacle:
            raise NotFinishableError(answer.obstacle)
        known = self._take_up(answer)
        if known is not answer:
            return known  # another tab was first

        def work() -> None:
            try:
                self.finish(answer, words)
            except (ClientError, PronunciationError) as error:
                logger.info("an answer got no report: %s", error)
            except Exception:
                logger.exception("an answer got no report")

        threading.Thread(target=work, name="aloud-finish", daemon=True).start()
        return answer

    def discard(self, answer: Answer) -> None:
        """Delete it for good, also where it waits in the outbox already.

        Raises:
            RecordingError: another program works on it, or it cannot be deleted.
        """
        answer.discard()
        if answer.is_for(self.journal.server):
            waiting = self._backend.reviews if answer.is_drill else self._backend.outbox
            waiting.withdraw(answer.submission_id)
        self.tell(answer)

    def bring(self, sound: Path, question_id: str) -> Answer:
        """Take a recording that was made elsewhere as an unfinished answer to a question.

        What can be read of a damaged file is taken; what is missing is reported with it.

        Raises:
            AudioFileError: it cannot be read; RecordingError: the folder cannot be written.
        """
        try:
            brought = SoundFile(sound, allow_truncated=True)
        except AudioFileError as error:  # whoever sent it knows no path of this machine
            raise AudioFileError(str(error).replace(str(sound), "the file")) from error
        answer = self.journal.answer(question_id)
        answer.copy(brought)
        answer.leave(f"it came as a file and has no report yet{_what_is_missing(brought)}")
        return answer

    def tell(self, answer: Answer) -> None:
        """Call every subscriber; one that fails stops neither the others nor the answer."""
        for subscriber in self._subscribers:
            try:
                subscriber(answer)
            except Exception:
                logger.exception("an answer has ended, but a subscriber failed")
        answer.at_work = False

    def _take_up(self, answer: Answer) -> Answer:
        """The answer, or the one of this name that is being finished already."""
        with self._lock:
            known = self._taken_up.get(answer.name, answer)
            if known.at_work:
                return known
            answer.at_work = True
            answer.problem = ""
            self._taken_up[answer.name] = answer
            over = [name for name, each in self._taken_up.items() if not each.at_work]
            for name in over[: max(0, len(self._taken_up) - _REMEMBERED)]:
                del self._taken_up[name]
            return answer

    def _store(self, answer: Answer, words: Callable[[], Submission] | None, *, save: bool) -> None:
        def note(share: float) -> None:
            answer.share = share

        session = self._session()
        if words is not None:
            submission = words()
        else:
            submission = answer.entry.submission or session.prepare(
                answer.recording(), answer.asked, answer=answer, on_progress=note
            )
        try:
            answer.outcome = session.submit(submission, save=save, answer=answer)
        except RejectedError as error:
            stored = self._stored(submission.submission_id) if error.code == _STORED else None
            if stored is None:
                raise
            answer.outcome = replace(stored, submission=submission)
        answer.waiting = answer.outcome.waiting

    def _stored(self, submission_id: str) -> Outcome | None:
        """The answer of this id that the server has already, by another transcript of it."""
        for each in self._backend.history(HistoryQuery(limit=_RECENT)).attempts:
            if each.submission_id == submission_id:
                attempt = self._backend.attempt(each.id)
                return Outcome(attempt.submission, attempt.report, attempt.id)
        return None

    def _store_take(self, answer: Answer) -> None:
        if answer.entry.review is None:
            answer.heard(self._items.review(answer))
        assert answer.entry.review is not None
        try:
            self._backend.drills.review(answer.entry.review)
        except QueuedError as error:
            answer.waiting = str(error)

    def _questions(self) -> dict[str, Question] | None:
        """By their labels; ``None`` if the server is away."""
        try:
            bank = self._backend.bank()
        except UnavailableError:
            return None
        return {label_of(question.id): question for question in bank.questions}

    def _describe(self, answer: Answer, questions: dict[str, Question] | None) -> None:
        entry = answer.entry
        if not answer.is_for(self.journal.server):
            answer.obstacle = _elsewhere(entry)
        elif answer.is_drill:
            prompt = self._items.prompt(entry.asked)
            answer.prompt = prompt or entry.asked
            if prompt is None and entry.review is None:
                answer.obstacle = f"the drill item {entry.asked} no longer exists"
        elif questions is not None:
            question = questions.get(entry.label)
            if question is None:
                answer.obstacle = f"the bank no longer has a question {entry.asked}"
            else:
                asked = entry.follow_up
                answer.prompt = question.prompt if asked is None else asked.ask
                # an old file name has only the label of what was asked
                answer.entry = entry.model_copy(update={"asked": question.id})


def _elsewhere(entry: Entry) -> str:
    if entry.server:
        return (
            f"it was spoken for the server {entry.server}: start Aloud with --server {entry.server}"
        )
    return "it was spoken without a server: start Aloud without --server"


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
