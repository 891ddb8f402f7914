"""Grading stored answers again, in the background.

The difference is computed and stored before any answer is changed, so that a crash cannot lose part
of it. The price is that each answer is graded twice.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sqlalchemy import func, select

from question_bank.models import Slug
from server.attempts.service import Service
from server.contract import RegradeChange, RegradeResult, Wire
from server.db.tables import AttemptRow
from server.jobs.job import MadeFile, Outcome, Task, Work

REGRADE: Final = "regrade"

LISTED: Final = 500
"""Changes that the job itself lists; its file has all of them."""


class RegradeOrder(Wire):
    """What to grade again: the owner's answers, or those of everybody on the server.

    ``everybody`` is for the bank's editors, after a version of the bank became active. They may
    not see whose answers changed, so they get the difference by question only.
    """

    scope: Literal["own", "everybody"] = "own"
    question_id: Slug | None = None
    dry_run: bool = False


class PhraseShift(Wire):
    """How a phrase's status changed, and in how many answers."""

    phrase: str
    before: str | None
    after: str | None
    answers: int


class QuestionShift(Wire):
    """What changed for one question, over all answers to it that changed."""

    question_id: str
    answers: int
    score_before: float
    score_after: float
    phrases: tuple[PhraseShift, ...]


class RegradeOutcome(Wire):
    """What a regrade changed. ``own`` lists each attempt, and only of the owner's own regrade."""

    dry_run: bool
    graded: int
    changed: int
    failed: int
    questions: tuple[QuestionShift, ...] = ()
    own: RegradeResult | None = None


def regrading(service: Service) -> Task:
    """The task for ``RegradeOrder`` payloads, over this service's database."""

    def regrade(work: Work) -> Outcome:
        order = RegradeOrder.model_validate(work.payload)
        counts = _owners(service, work.owner_id, order)
        answers = sum(counts.values())
        steps = _Steps(work, answers if order.dry_run else 2 * answers)
        if work.checkpoint is None:
            found = _Found()
            for owner_id in counts:
                found.add(_run(service, owner_id, order, dry_run=True, steps=steps))
            work.save(found.state(order))
            kept = found.state(order)
        else:
            kept = work.checkpoint
            steps.skip(answers)
        if not order.dry_run:
            for owner_id in counts:
                _run(service, owner_id, order, dry_run=False, steps=steps)
        return _outcome(kept)

    return regrade


@dataclass
class _Steps:
    """Combines the progress of several regrades."""

    work: Work
    total: int
    before: int = 0

    def callback(self) -> Callable[[int, int], None]:
        start = self.before

        def progress(done: int, total: int) -> None:
            self.before = start + done
            self.work.progress(min(self.before, self.total), self.total)

        return progress

    def skip(self, steps: int) -> None:
        self.before += steps


@dataclass
class _Found:
    graded: int = 0
    failed: int = 0
    results: list[RegradeResult] = field(default_factory=list)

    def add(self, result: RegradeResult) -> None:
        self.graded += result.graded
        self.failed += len(result.failures)
        self.results.append(result)

    def state(self, order: RegradeOrder) -> dict[str, Any]:
        changes = [change for result in self.results for change in result.changes]
        outcome = RegradeOutcome(
            dry_run=order.dry_run,
            graded=self.graded,
            changed=len(changes),
            failed=self.failed,
            questions=_shifts(changes),
            own=self._own(order),
        )
        return outcome.model_dump(mode="json")

    def _own(self, order: RegradeOrder) -> RegradeResult | None:
        if order.scope != "own":
            return None
        return RegradeResult(
            dry_run=order.dry_run,
            graded=self.graded,
            changes=tuple(change for result in self.results for change in result.changes),
            failures=tuple(failure for result in self.results for failure in result.failures),
        )


def _run(
    service: Service, owner_id: int | None, order: RegradeOrder, *, dry_run: bool, steps: _Steps
) -> RegradeResult:
    steps.work.check()
    return service.of(owner_id).regrade(
        dry_run=dry_run, question_id=order.question_id, progress=steps.callback()
    )


def _owners(service: Service, owner_id: int | None, order: RegradeOrder) -> dict[int | None, int]:
    """The owners of the answers, with the number of answers of each."""
    counted = select(AttemptRow.owner_id, func.count()).group_by(AttemptRow.owner_id)
    if order.question_id is not None:
        counted = counted.where(AttemptRow.question_id == order.question_id)
    if order.scope == "own":
        counted = counted.where(AttemptRow.owner_id == owner_id)
    with service.database.read() as session:
        return {owner: count for owner, count in session.execute(counted)}


def _shifts(changes: Iterable[RegradeChange]) -> tuple[QuestionShift, ...]:
    by_question: dict[str, list[RegradeChange]] = defaultdict(list)
    for change in changes:
        by_question[change.question_id].append(change)
    return tuple(_shift(name, by_question[name]) for name in sorted(by_question))


def _shift(question_id: str, changes: list[RegradeChange]) -> QuestionShift:
    phrases = Counter(
        (each.phrase, each.before, each.after) for change in changes for each in change.phrases
    )
    return QuestionShift(
        question_id=question_id,
        answers=len(changes),
        score_before=sum(change.score_before for change in changes) / len(changes),
        score_after=sum(change.score_after for change in changes) / len(changes),
        phrases=tuple(
            PhraseShift(phrase=phrase, before=before, after=after, answers=answers)
            for (phrase, before, after), answers in phrases.most_common()
        ),
    )


def _outcome(kept: dict[str, Any]) -> Outcome:
    """Everything as a file, and as much as a page can show in the job."""
    whole = RegradeOutcome.model_validate(kept)
    shown = whole
    if whole.own is not None:
        own = whole.own.model_copy(
            update={"changes": whole.own.changes[:LISTED], "failures": whole.own.failures[:LISTED]}
        )
        shown = whole.model_copy(update={"own": own})
    file = MadeFile("regrade.json", (whole.model_dump_json(indent=2) + "\n").encode())
    return Outcome(shown.model_dump(mode="json"), file)
