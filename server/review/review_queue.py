"""The review queue: what candidates show to a coach's cohorts, oldest first."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select, true
from sqlalchemy.orm import Session, aliased

from server.attempts.read_reports import StoredScore, newest_report_id, read_scores
from server.core.errors import NotFoundError
from server.db.database import Database
from server.db.tables import (
    AccountRow,
    AnswerFactsRow,
    AttemptRow,
    CohortMemberRow,
    CommentRow,
    ReportRow,
    ReviewRow,
)
from server.review.models import QueueEntry
from server.sharing.shown import shown_ids

PAGE: Final = 50


@dataclass(frozen=True)
class QueueFilter:
    """What a coach wants to see; ``state`` open: none of the cohort's coaches is done."""

    state: Literal["open", "done", "all"] = "open"
    cohort_id: int | None = None
    candidate_id: int | None = None
    topic: str = ""
    page: int = 1


@dataclass(frozen=True)
class QueuePage:
    """A page of the queue, and the choices of its filters."""

    entries: tuple[QueueEntry, ...]
    total: int
    candidates: tuple[tuple[int, str], ...]
    topics: tuple[str, ...]

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PAGE))


class ReviewQueue:
    """The queue of a coach of these cohorts (``Actor.coached``)."""

    def __init__(self, database: Database, coached: Collection[int], account_id: int) -> None:
        self._database = database
        self._coached = frozenset(coached)
        self._account_id = account_id

    def page(self, wanted: QueueFilter) -> QueuePage:
        cohorts = self._cohorts(wanted.cohort_id)
        facts = AnswerFactsRow
        of_page = (
            select(facts.attempt_id)
            .where(self._readable(cohorts), *self._chosen(wanted, cohorts))
            .order_by(facts.created_at, facts.attempt_id)
            .offset((wanted.page - 1) * PAGE)
            .limit(PAGE)
        )
        with self._database.read() as session:
            entries = (
                self._entries(cohorts)
                .where(AttemptRow.id.in_(session.scalars(of_page).all()))
                .order_by(AttemptRow.created_at, AttemptRow.id)
            )
            return QueuePage(
                self._listed(session, entries), *self._counted(session, wanted, cohorts)
            )

    def next_after(self, attempt_id: int | None) -> int | None:
        """The next open attempt, or else the oldest open one; ``None``: all are done."""
        cohorts, facts = self._coached, AnswerFactsRow
        open_ones = (
            select(facts.attempt_id)
            .where(
                self._readable(cohorts),
                *self._chosen(QueueFilter(), cohorts),
                facts.attempt_id != (attempt_id or 0),
            )
            .order_by(facts.created_at, facts.attempt_id)
            .limit(1)
        )
        with self._database.read() as session:
            here = session.get(facts, attempt_id) if attempt_id is not None else None
            if here is not None:
                later = open_ones.where(
                    or_(
                        facts.created_at > here.created_at,
                        and_(
                            facts.created_at == here.created_at, facts.attempt_id > here.attempt_id
                        ),
                    )
                )
                found = session.scalar(later)
                if found is not None:
                    return found
            return session.scalar(open_ones)

    def others(self, attempt_id: int) -> tuple[QueueEntry, ...]:
        """The same candidate's other answers to the same question that are shared, newest first."""
        with self._database.read() as session:
            here = session.get(AttemptRow, attempt_id)
            if here is None:
                raise NotFoundError(f"there is no attempt {attempt_id}")
            entries = (
                self._entries(self._coached)
                .where(
                    AttemptRow.id.in_(shown_ids(self._coached)),
                    AttemptRow.owner_id != self._account_id,
                    AttemptRow.owner_id == here.owner_id,
                    AttemptRow.question_id == here.question_id,
                    AttemptRow.id != here.id,
                )
                .order_by(AttemptRow.created_at.desc(), AttemptRow.id.desc())
                .limit(PAGE)
            )
            return self._listed(session, entries)

    def _cohorts(self, cohort_id: int | None) -> frozenset[int]:
        if cohort_id is None:
            return self._coached
        if cohort_id not in self._coached:
            raise NotFoundError("there is no such cohort, or you do not coach it")
        return frozenset({cohort_id})

    def _readable(self, cohorts: Collection[int]) -> ColumnElement[bool]:
        """Shown to the cohorts, except the coach's own, which coaches do not review themselves."""
        return and_(
            AnswerFactsRow.attempt_id.in_(shown_ids(cohorts)),
            AnswerFactsRow.owner_id != self._account_id,
        )

    def _chosen(self, wanted: QueueFilter, cohorts: Collection[int]) -> list[ColumnElement[bool]]:
        chosen: list[ColumnElement[bool]] = []
        if wanted.state != "all":
            done = AnswerFactsRow.attempt_id.in_(
                select(ReviewRow.attempt_id).where(_is_done_in(cohorts))
            )
            chosen.append(done if wanted.state == "done" else ~done)
        if wanted.candidate_id is not None:
            chosen.append(AnswerFactsRow.owner_id == wanted.candidate_id)
        if wanted.topic:
            chosen.append(AnswerFactsRow.topic == wanted.topic)
        return chosen

    def _entries(self, cohorts: Collection[int]) -> Select[Any]:
        comments = (
            select(func.count())
            .where(CommentRow.attempt_id == AttemptRow.id)
            .correlate(AttemptRow)
            .scalar_subquery()
        )
        reviewer = aliased(AccountRow)
        done_by = (
            select(reviewer.display_name)
            .join(ReviewRow, ReviewRow.reviewer_id == reviewer.id)
            .where(ReviewRow.attempt_id == AttemptRow.id, _is_done_in(cohorts))
            .correlate(AttemptRow)
            .order_by(ReviewRow.updated_at)
            .limit(1)
            .scalar_subquery()
        )
        entries: Select[Any] = select(
            AttemptRow.id,
            AccountRow.display_name,
            AttemptRow.question,
            AttemptRow.topic,
            AttemptRow.created_at,
            comments,
            done_by,
            ReportRow.id,
            ReportRow.score,
        )
        return entries.join(AccountRow, AccountRow.id == AttemptRow.owner_id).join(
            ReportRow, ReportRow.id == newest_report_id()
        )

    def _listed(self, session: Session, wanted: Select[Any]) -> tuple[QueueEntry, ...]:
        rows = session.execute(wanted).all()
        stored = {row[0]: StoredScore(row[7], row[8]) for row in rows}
        with self._database.readable("a correction"):
            scores = read_scores(session, stored, {})
        return tuple(
            QueueEntry(
                attempt_id=row[0],
                candidate=row[1],
                prompt=str(row[2].get("prompt", "")),
                topic=row[3],
                created_at=row[4],
                score=scores[row[0]].score,
                graded_score=scores[row[0]].graded,
                comments=row[5],
                done_by=row[6],
            )
            for row in rows
        )

    def _counted(
        self, session: Session, wanted: QueueFilter, cohorts: Collection[int]
    ) -> tuple[int, tuple[tuple[int, str], ...], tuple[str, ...]]:
        """How many are chosen; the candidates and topics of everything that can be read."""
        facts = AnswerFactsRow
        chosen = self._chosen(wanted, cohorts)
        if cohorts != self._coached:
            chosen.append(self._readable(cohorts))
        there = session.execute(
            select(facts.owner_id, facts.topic, func.count(case((and_(true(), *chosen), 1))))
            .where(self._readable(self._coached))
            .group_by(facts.owner_id, facts.topic)
        ).all()
        people = session.execute(
            select(AccountRow.id, AccountRow.display_name)
            .where(
                AccountRow.id.in_(
                    select(CohortMemberRow.account_id).where(
                        CohortMemberRow.cohort_id.in_(self._coached),
                        CohortMemberRow.as_role == "candidate",
                    )
                )
            )
            .order_by(AccountRow.display_name)
        ).all()
        owners = {row[0] for row in there}
        return (
            sum(row[2] for row in there),
            tuple((row[0], row[1]) for row in people if row[0] in owners),
            tuple(sorted({row[1] for row in there})),
        )


def _is_done_in(cohorts: Collection[int]) -> ColumnElement[bool]:
    """Whether any coach of these cohorts is done with the attempt of a review."""
    coaches = select(CohortMemberRow.account_id).where(
        CohortMemberRow.cohort_id.in_(cohorts), CohortMemberRow.as_role == "coach"
    )
    return and_(ReviewRow.state == "done", ReviewRow.reviewer_id.in_(coaches))
