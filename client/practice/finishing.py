"""Finishes interrupted answers and drill takes: a report for an answer, a verdict for a take.

Terminal and studio are thin over it. However often an answer is finished, it is stored once, as
given when it was spoken, and its recording is linked to it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Self, TypeVar

from client.answering.session import Session, handed_over
from client.answering.submission import Outcome
from client.backend.protocol import (
    QueuedError,
    RejectedError,
    UnavailableError,
)
from client.backend.sending import OutboxBackend
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.journal.entry import Entry, label_of
from client.journal.journal import Journal, Unfinished
from client.journal.kept_answer import KeptAnswer
from client.practice.drills.drill_session import DrillVerdict, HearDrill, drill_hearing, review_of
from client.practice.drills.items import DrillItems, Item
from client.transcription.base import ProgressCallback
from question_bank.models import Question
from server.contract import HistoryQuery

_RECENT: Final = 500
_STORED: Final = "conflict"
"""The server's code: it has this answer, with another transcript."""

T = TypeVar("T")


class NotFinishableError(ClientError):
    """What an answer was meant for is not there; the text says why and what to do."""


@dataclass(frozen=True)
class Offer:
    """An unfinished answer that can be finished or discarded.

    Attributes:
        unfinished: the answer.
        asked: the question's or the item's id; empty if it cannot be finished.
        prompt: what was asked; empty if that is not known.
        problem: why it cannot be finished here, one line; empty if it can.
    """

    unfinished: Unfinished
    asked: str = ""
    prompt: str = ""
    problem: str = ""

    @property
    def name(self) -> str:
        """What it is asked for by."""
        return self.unfinished.name

    @property
    def is_drill(self) -> bool:
        """Whether it is a take of a drill."""
        return self.unfinished.entry.kind == "drill"


@dataclass(frozen=True)
class Finished:
    """The result of finishing it.

    Attributes:
        outcome: of an answer; ``None`` for a take of a drill.
        verdict: of a take of a drill; ``None`` if it was heard before, and for an answer.
        waiting: why it waits in the outbox; empty if it does not.
        notice: what its owner should know; empty if all is well.
    """

    outcome: Outcome | None = None
    verdict: DrillVerdict | None = None
    waiting: str = ""
    notice: str = ""


class Finisher:
    """Offers and finishes what is in a journal; safe to use from several threads.

    Args:
        journal: has the answers.
        backend: the server that is there now.
        session: gives what works on an answer.
        item: gives a drill's item by its id, if it is there.
        hear: hears a take of a drill.
    """

    def __init__(
        self,
        journal: Journal,
        backend: OutboxBackend,
        session: Callable[[], Session],
        item: Callable[[str], Item | None],
        hear: HearDrill,
    ) -> None:
        self._journal = journal
        self._backend = backend
        self._session = session
        self._item = item
        self._hear = hear

    @classmethod
    def of(
        cls,
        settings: ClientSettings,
        backend: OutboxBackend,
        session: Callable[[], Session],
        items: DrillItems | None = None,
    ) -> Self:
        """The finisher of a person, with the drills' own hearing."""
        found = items or DrillItems(lambda: settings)
        return cls(
            Journal.of(settings),
            backend,
            session,
            found.item,
            lambda clip, item: drill_hearing()(clip, item),
        )

    def offers(self) -> tuple[Offer, ...]:
        """Every answer and take that is unfinished, the oldest first."""
        found = self._journal.unfinished()
        if not found:
            return ()
        questions = self._questions() if any(each.entry.kind == "answer" for each in found) else {}
        return tuple(self._offer(each, questions) for each in found)

    def find(self, name: str) -> Offer | None:
        """One of them by its name."""
        return next((each for each in self.offers() if each.name == name), None)

    def finish(
        self,
        offer: Offer,
        *,
        on_progress: ProgressCallback | None = None,
        tell: Callable[[Outcome], None] = lambda _: None,
    ) -> Finished:
        """Transcribe or hear it where that is not done yet, and store it.

        Args:
            offer: what is finished.
            on_progress: takes the share of the transcription that is done, 0 to 1.
            tell: takes the outcome of an answer before its place in the journal is given up.

        Raises:
            NotFinishableError: it cannot be finished here.
            ClientError: no speech, engine or server failed; it stays in the journal, with the
                reason.
        """
        if offer.problem:
            raise NotFinishableError(offer.problem)
        with offer.unfinished.take_up() as kept:
            if offer.is_drill:
                return self._finish_drill(kept)
            return self._finish_answer(kept, offer.asked, on_progress, tell)

    def discard(self, offer: Offer) -> None:
        """Delete it for good, also where it waits in the outbox already.

        Raises:
            RecordingError: another program works on it, or it cannot be deleted.
        """
        offer.unfinished.discard()
        if offer.unfinished.is_for(self._journal.server):
            waiting = self._backend.reviews if offer.is_drill else self._backend.outbox
            waiting.withdraw(offer.unfinished.entry.submission_id)

    def _finish_answer(
        self,
        kept: KeptAnswer,
        question_id: str,
        on_progress: ProgressCallback | None,
        tell: Callable[[Outcome], None],
    ) -> Finished:
        session = self._session()
        submission = kept.entry.submission or session.prepare(
            kept.recording(), question_id, kept=kept, on_progress=on_progress
        )

        def submit() -> Outcome:
            try:
                return session.submit(submission, save=True)
            except RejectedError as error:
                stored = self._stored(submission.submission_id) if error.code == _STORED else None
                if stored is None:
                    raise
                return replace(stored, submission=submission)

        outcome = handed_over(kept, submit)
        tell(outcome)
        return Finished(outcome, waiting=outcome.waiting, notice=kept.stored())

    def _stored(self, submission_id: str) -> Outcome | None:
        """The answer of this id that the server has already, by another transcript of it."""
        for each in self._backend.history(HistoryQuery(limit=_RECENT)).attempts:
            if each.submission_id == submission_id:
                attempt = self._backend.attempt(each.id)
                return Outcome(attempt.submission, attempt.report, attempt.id)
        return None

    def _finish_drill(self, kept: KeptAnswer) -> Finished:
        entry, verdict, waiting = kept.entry, None, ""
        review = entry.review
        if review is None:
            item = self._item(entry.asked)
            if item is None:
                raise NotFinishableError(f"the drill item {entry.asked} no longer exists")
            verdict = self._hear(kept.clip(), item)
            review = review_of(item, verdict, kept.spoken_at, kept.submission_id)
            kept.heard(review)
        try:
            self._backend.drills.review(review)
        except QueuedError as error:
            waiting = str(error)
        kept.stored()
        return Finished(verdict=verdict, waiting=waiting)

    def _questions(self) -> dict[str, Question] | None:
        """By their labels; ``None`` if the server is away."""
        try:
            bank = self._backend.bank()
        except UnavailableError:
            return None
        return {label_of(question.id): question for question in bank.questions}

    def _offer(self, found: Unfinished, questions: dict[str, Question] | None) -> Offer:
        entry = found.entry
        if not found.is_for(self._journal.server):
            return Offer(found, problem=_elsewhere(entry))
        if entry.kind == "drill":
            item = self._item(entry.asked)
            if item is None and entry.review is None:
                return Offer(found, problem=f"the drill item {entry.asked} no longer exists")
            return Offer(found, entry.asked, item.prompt if item else entry.asked)
        if questions is None:
            return Offer(found, entry.asked)
        question = questions.get(entry.label)
        if question is None:
            return Offer(found, problem=f"the bank no longer has a question {entry.asked}")
        return Offer(found, question.id, question.prompt)


def _elsewhere(entry: Entry) -> str:
    if entry.server:
        return (
            f"it was spoken for the server {entry.server}: start Aloud with --server {entry.server}"
        )
    return "it was spoken without a server: start Aloud without --server"
