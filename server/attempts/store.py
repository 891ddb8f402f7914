"""Reading and writing attempts; every method is one transaction."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Literal, Self

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from question_bank.models import Question
from server.attempts.answer_facts import keep_facts
from server.attempts.corrections import keep_corrections, move_places, put_own_answer
from server.attempts.drill_store import DrillStore
from server.attempts.read_reports import (
    ReadScore,
    StoredAttempt,
    StoredScore,
    archived_attempt,
    latest,
    newest_report_id,
    read_reports,
    read_scores,
    report_values,
    stored_attempt,
)
from server.contract import (
    ArchivedAttempt,
    ArchivedReport,
    Attempt,
    AttemptSummary,
    Correction,
    Evidence,
    FollowUpAnswer,
    HistoryPage,
    HistoryQuery,
    Report,
    Submission,
    Transcript,
)
from server.core.errors import ConflictError, NotFoundError
from server.db.database import IDS_PER_STATEMENT, MAX_ID, Database
from server.db.tables import AttemptRow, ReportRow, without_nul


class Store:
    """The attempts of one owner in a database. Safe to use from several threads and processes.

    No method sees or changes what belongs to another owner: to it, that does not exist.

    Attributes:
        database: the database, for the stores of other tables.
        drills: the same owner's drills.
        owner_id: the owner; ``None``: the one user of an embedded server.
    """

    def __init__(
        self, database: str | Database, owner_id: int | None = None, *, busy_timeout_s: float = 5.0
    ) -> None:
        """Opens the database of a URL, bringing its tables up to date, or takes an open one.

        Raises:
            StoreError: the database cannot be used; the text says why and what to do.
        """
        if isinstance(database, str):
            database = Database(database, busy_timeout_s=busy_timeout_s)
        self.database = database
        self._corrected_scores: dict[str, ReadScore] = {}
        self.drills = DrillStore(database, owner_id)
        self.owner_id = owner_id

    @cached_property
    def _owned(self) -> ColumnElement[bool]:
        # made when asked for: every request has a store of its own
        return AttemptRow.owner_id == self.owner_id

    def of(self, owner_id: int | None) -> "Store":
        """The store of this owner; ``None``: the one user of an embedded server."""
        return Store(self.database, owner_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the database, for every owner."""
        self.database.close()

    def check(self) -> None:
        """Sends a query to the database.

        Raises:
            StoreError: it does not answer.
        """
        with self.database.read() as session:
            session.scalar(select(func.count()).select_from(AttemptRow).where(AttemptRow.id < 0))

    def add(
        self,
        submission: Submission,
        question: Question,
        reports: tuple[ArchivedReport, ...],
        received_at: datetime,
        corrections: Sequence[Correction] = (),
        sense: dict[str, object] | None = None,
    ) -> tuple[Attempt, bool]:
        """Stores an answer with its reports and what reviewers corrected in them, once.

        Returns:
            The attempt, and whether it is new: a submission that is there already with the same
            content is left as it is.

        Raises:
            ConflictError: the submission's id is there with another content.
        """
        graded = report = reports[-1].report
        topic = without_nul(question.topic)
        values = {
            "owner_id": self.owner_id,
            "submission_id": submission.submission_id,
            "question_id": question.id,
            "role": question.role,
            "round": question.round,
            "topic": topic,
            "engine": without_nul(graded.transcript.engine),
            "created_at": submission.created_at,
            "received_at": received_at,
            "submission": submission.model_dump(mode="json"),
            "question": question.model_dump(mode="json"),
            "sense": sense,
        }
        try:
            with self.database.insert() as connection:
                adding = insert(AttemptRow).values(values).returning(AttemptRow.id)
                attempt_id = connection.execute(adding).scalar_one()
                for each in reports:
                    added = insert(ReportRow).values(report_values(attempt_id, each))
                    report_id = connection.execute(added.returning(ReportRow.id)).scalar_one()
                keep_facts(
                    connection,
                    attempt_id,
                    report_id,
                    graded,
                    owner_id=self.owner_id,
                    created_at=submission.created_at,
                    topic=topic,
                    is_new=True,
                )
                if corrections:
                    with Session(connection) as session:
                        row = session.get_one(AttemptRow, attempt_id)
                        keep_corrections(session, row, corrections)
                        session.flush()
                        report = read_reports(session, {attempt_id: graded})[attempt_id].report
        except IntegrityError:  # it is there already
            found = self.find(submission)
            if found is None:
                raise
            return found, False
        attempt = Attempt(
            id=attempt_id,
            submission=submission,
            report=report,
            role=question.role,
            round=question.round,
            topic=topic,
            version=len(reports),
        )
        return attempt, True

    def find(self, submission: Submission) -> Attempt | None:
        """The attempt already stored for this submission.

        Raises:
            ConflictError: its id is there with another content.
        """
        with (
            self.database.read() as session,
            self.database.readable(f"the stored submission {submission.submission_id}"),
        ):
            known = AttemptRow.submission_id == submission.submission_id
            found = latest(session, known, self._owned)
            if found is None:
                return None
            attempt = stored_attempt(session, *found).attempt
        if attempt.submission.alone != submission.alone:
            raise ConflictError(
                f"submission {submission.submission_id} is already stored with different content"
            )
        return attempt

    def get(self, attempt_id: int) -> StoredAttempt:
        """One attempt with its latest report.

        Raises:
            NotFoundError: there is no such attempt.
        """
        with self.database.read() as session:
            known = attempt_id <= MAX_ID
            with self.database.readable(f"attempt {attempt_id}"):
                found = latest(session, AttemptRow.id == attempt_id, self._owned) if known else None
                if found is not None:
                    return stored_attempt(session, *found)
        raise NotFoundError(f"there is no attempt {attempt_id}")

    def ids(self, question_id: str | None = None) -> list[int]:
        """The ids of all attempts, or of those at one question, oldest first."""
        wanted = select(AttemptRow.id).where(self._owned).order_by(AttemptRow.id)
        if question_id is not None:
            wanted = wanted.where(AttemptRow.question_id == question_id)
        with self.database.read() as session:
            return list(session.scalars(wanted))

    def history(self, query: HistoryQuery) -> HistoryPage:
        """A page of attempts, newest first."""
        conditions = [self._owned]
        conditions += [
            column == value
            for column, value in (
                (AttemptRow.role, query.role),
                (AttemptRow.round, query.round),
                (AttemptRow.question_id, query.question_id),
            )
            if value is not None
        ]
        if query.since is not None:
            conditions.append(AttemptRow.created_at >= query.since)
        if query.until is not None:
            conditions.append(AttemptRow.created_at < query.until)
        page = (
            select(
                AttemptRow.id,
                AttemptRow.question_id,
                AttemptRow.created_at,
                AttemptRow.role,
                AttemptRow.round,
                AttemptRow.topic,
                ReportRow.words,
                ReportRow.answer_s,
                AttemptRow.engine,
                ReportRow.id.label("report_id"),
                ReportRow.score,
                ReportRow.grader_version,
                ReportRow.corrections,
                AttemptRow.submission_id,
            )
            .join(ReportRow, ReportRow.id == newest_report_id())
            .where(*conditions)
            .order_by(AttemptRow.created_at.desc(), AttemptRow.id.desc())
            .limit(query.limit)
            .offset(query.offset)
        )
        with self.database.read() as session, self.database.readable("a correction"):
            total = session.scalar(select(func.count()).select_from(AttemptRow).where(*conditions))
            rows = [dict(each) for each in session.execute(page).mappings()]
            stored = {
                each["id"]: StoredScore(each.pop("report_id"), each.pop("score")) for each in rows
            }
            read = read_scores(session, stored, self._corrected_scores)
        for each in rows:
            score = read[each["id"]]
            each |= {"score": score.score, "graded_score": score.graded, "report_tag": score.tag}
        return HistoryPage(
            total=total or 0, attempts=tuple(AttemptSummary.model_validate(each) for each in rows)
        )

    def add_report(
        self,
        attempt_id: int,
        report: Report,
        graded_at: datetime,
        *,
        sense: dict[str, object] | None = None,
        revised: Evidence | None = None,
        follow_ups: tuple[FollowUpAnswer, ...] | None = None,
    ) -> None:
        """Makes this the attempt's latest report; older ones are kept.

        Args:
            attempt_id: the attempt.
            report: of its newest transcript, or of another one.
            graded_at: the time.
            sense: what the grader made of the words.
            revised: goes with the report's transcript, where that is another one. What people
                wrote about single words moves to where these stand now.
            follow_ups: what was said to follow-ups, where the answer has got another one.

        Raises:
            NotFoundError: there is no such attempt (any more).
        """
        try:
            with self.database.write() as session:
                self.database.alone(session, f"review of {attempt_id}")
                found = latest(session, AttemptRow.id == attempt_id, self._owned)
                if found is None:
                    raise NotFoundError(f"there is no attempt {attempt_id}")
                row, newest = found
                evidence = newest.evidence
                if revised is not None:
                    before = Transcript.model_validate(newest.report["transcript"])
                    move_places(session, attempt_id, before, report.transcript)
                    evidence = revised.model_dump(mode="json")
                archived = ArchivedReport(graded_at=graded_at, report=report)
                values = report_values(attempt_id, archived) | {"evidence": evidence}
                added = insert(ReportRow).values(values).returning(ReportRow.id)
                report_id = session.connection().execute(added).scalar_one()
                keep_facts(
                    session.connection(),
                    attempt_id,
                    report_id,
                    report,
                    owner_id=row.owner_id,
                    created_at=row.created_at,
                    topic=row.topic,
                )
                if follow_ups is not None:
                    kept = [each.model_dump(mode="json") for each in follow_ups]
                    row.submission = {**row.submission, "follow_ups": kept}
                row.engine = without_nul(report.transcript.engine)
                row.sense = sense
        except IntegrityError:  # deleted since we looked (PostgreSQL)
            raise NotFoundError(f"there is no attempt {attempt_id}") from None

    def keep_language(self, attempt_id: int, report: Report) -> None:
        """Stores the remarks on the English, and the summary with them, in the newest report.

        Does nothing if meanwhile it was graded again, corrected, looked at as well, or deleted.
        """
        with self.database.write() as session:
            self.database.alone(session, f"review of {attempt_id}")
            found = latest(session, AttemptRow.id == attempt_id, self._owned)
            if found is None:
                return
            newest = found[1]
            stored = Report.model_validate(newest.report)
            graded = {"grader_version", "transcript"}
            is_same = stored.model_dump(include=graded) == report.model_dump(include=graded)
            if is_same and stored.language.waits_for(report.language.mother_tongue or ""):
                new = report.model_dump(mode="json", include={"language", "summary"})
                newest.report = dict(newest.report) | new

    def keep_sense(self, attempt_id: int, sense: dict[str, object] | None) -> None:
        """Stores the vectors of an attempt; does nothing if the attempt no longer exists."""
        with self.database.write() as session:
            session.execute(
                update(AttemptRow)
                .where(AttemptRow.id == attempt_id, self._owned)
                .values(sense=sense)
            )

    def put_own_answer(
        self,
        attempt_id: int,
        target: Literal["phrase", "term"],
        name: str,
        verdict: str | None,
        words: str,
        now: datetime,
    ) -> None:
        """Keeps what the candidate says about a phrase or a term; ``None`` takes it back.

        Args:
            attempt_id: the attempt.
            target: what it is about.
            name: the key phrase or the term.
            verdict: one of its target.
            words: those of the answer that say it, where the candidate named them.
            now: the time of the answer.

        Raises:
            NotFoundError: there is no such attempt (any more).
        """
        with self.database.write() as session:
            self.database.alone(session, f"review of {attempt_id}")
            row = session.scalar(select(AttemptRow).where(AttemptRow.id == attempt_id, self._owned))
            if row is None:
                raise NotFoundError(f"there is no attempt {attempt_id}")
            put_own_answer(session, row, target, name, verdict, words, now)

    def delete(self, attempt_ids: Sequence[int]) -> int:
        """Deletes these attempts with all their reports; returns how many there were."""
        deleted = 0
        ids = [each for each in attempt_ids if each <= MAX_ID]
        with self.database.write() as session:
            for start in range(0, len(ids), IDS_PER_STATEMENT):
                wanted = AttemptRow.id.in_(ids[start : start + IDS_PER_STATEMENT])
                there = session.scalars(select(AttemptRow.id).where(wanted, self._owned))
                deleted += len(there.all())
                session.execute(delete(AttemptRow).where(wanted, self._owned))
        return deleted

    def delete_before(self, before: datetime | None) -> int:
        """Deletes the attempts made before a time, or all; returns how many there were."""
        chosen = self._owned
        if before is not None:
            chosen = chosen & (AttemptRow.created_at < before)
        with self.database.write() as session:
            count = session.scalar(select(func.count()).select_from(AttemptRow).where(chosen))
            session.execute(delete(AttemptRow).where(chosen))
        return count or 0

    def forget(self) -> None:
        """Overwrites deleted data in SQLite's write-ahead log too."""
        self.database.forget()

    def archive(self, after_id: int, limit: int) -> tuple[list[ArchivedAttempt], int | None]:
        """Attempts with their reports, by ID, and the ID to continue after (``None``: the end)."""
        with self.database.read() as session:
            ids = session.scalars(
                select(AttemptRow.id)
                .where(AttemptRow.id > after_id, self._owned)
                .order_by(AttemptRow.id)
                .limit(limit + 1)
            ).all()
            archived = []
            for attempt_id in ids[:limit]:
                with self.database.readable(f"attempt {attempt_id}"):
                    each = archived_attempt(session, attempt_id)
                if each is not None:
                    archived.append(each)
        return archived, ids[limit - 1] if len(ids) > limit else None
