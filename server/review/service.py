"""The use cases of coaching on one attempt. Routes check access before they call them."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from sqlalchemy import select, union
from sqlalchemy.orm import Session

from server.attempts.corrections import OWNER_NAME
from server.contract import NewComment, NewCorrection, NewRubricScore, Report, ReviewDocument
from server.core.access import Actor, Resource
from server.core.errors import InvalidInputError
from server.db.database import UseCases, audit, row_of
from server.db.tables import (
    AttemptRow,
    CohortRow,
    CommentRow,
    CorrectionRow,
    RecordingRow,
    ReviewRow,
    RubricScoreRow,
)
from server.grading.corrected_report import places_of
from server.review.models import Author, Review, ReviewState, Rubric
from server.review.store import (
    Written,
    add_comment,
    add_correction,
    own_row,
    put_score,
    review_of,
    rubric_of,
    scores_of,
    writing_review,
)
from server.sharing.recordings import cohorts_open_to, is_under_way
from server.sharing.shown import resource_of_attempt


def author_of(actor: Actor) -> Author:
    """An actor as the author; on a server without accounts, its only user."""
    return Author(actor.account_id, None if actor.has_account else OWNER_NAME)


class ReviewService(UseCases):
    """Comments, scores, corrections and reviewers' progress, over a database."""

    def resource(self, attempt_id: int) -> Resource:
        """An attempt as ``server.core.access`` judges it.

        Raises:
            NotFoundError: there is none.
        """
        return resource_of_attempt(self._database, attempt_id)

    def review(self, attempt_id: int) -> Review:
        """Everything that was written about an attempt.

        Raises:
            NotFoundError: there is no such attempt.
        """
        with (
            self._database.read() as session,
            self._database.readable(f"the review of attempt {attempt_id}"),
        ):
            return review_of(session, attempt_id)

    def document(self, attempt_id: int) -> ReviewDocument:
        """The same as a wire model.

        Raises:
            NotFoundError: there is no such attempt.
        """
        return self.review(attempt_id).document()

    def written_by(self, account_id: int) -> Iterator[tuple[int, ReviewDocument]]:
        """What somebody wrote about other people's answers, by attempt, and nothing else."""
        author = Author(account_id)
        rows = [
            select(table.attempt_id)
            .join(AttemptRow, AttemptRow.id == table.attempt_id)
            .where(table.author_id == account_id, AttemptRow.owner_id.is_distinct_from(account_id))
            for table in (CommentRow, RubricScoreRow, CorrectionRow)
        ]
        with self._database.read() as session:
            attempt_ids = session.scalars(union(*rows)).all()
        for attempt_id in sorted(attempt_ids):
            found = self.review(attempt_id)
            own = found.by(author)
            yield (
                attempt_id,
                ReviewDocument(
                    submission_id=found.submission_id,
                    comments=tuple(each for each in found.comments if each.external_id in own),
                    scores=tuple(each for each in found.scores if each.external_id in own),
                    corrections=tuple(
                        each for each in found.corrections if each.external_id in own
                    ),
                ),
            )

    def comment(self, attempt_id: int, author: Author, wanted: NewComment) -> None:
        """Stores a comment or a reply to one, once.

        Raises:
            NotFoundError, InvalidInputError, ConflictError: as for ``add_comment``.
        """
        now = self._clock()
        with writing_review(self._database, attempt_id, "comment") as session:
            add_comment(session, attempt_id, author, wanted, now)
            _note(session, now, author, "comment.add", attempt_id)

    def edit(self, attempt_id: int, author: Author, external_id: str, text: str) -> None:
        """Changes the text of the author's own comment and records when.

        Raises:
            NotFoundError: there is no such comment.
            NotAllowedError: somebody else wrote it.
        """
        now = self._clock()
        with writing_review(self._database, attempt_id, "comment") as session:
            row = own_row(session, CommentRow, attempt_id, author, external_id)
            if row.text != text:
                row.text, row.edited_at = text, now
                _note(session, now, author, "comment.edit", attempt_id)
        self._database.forget()

    def take_back(self, attempt_id: int, author: Author, external_id: str) -> None:
        """Deletes the author's own comment with the replies to it.

        Raises:
            NotFoundError: there is no such comment.
            NotAllowedError: somebody else wrote it.
        """
        self._take_back(CommentRow, "comment.delete", attempt_id, author, external_id)

    def score(
        self, attempt_id: int, author: Author, given: Sequence[NewRubricScore], rubric: Rubric
    ) -> None:
        """Stores scores by the rubric, replacing the author's earlier ones; all or none.

        Raises:
            InvalidInputError: the rubric has no such criterion, or its scale is shorter.
        """
        criteria = {each.name: each for each in rubric.criteria}
        for wanted in given:
            criterion = criteria.get(wanted.criterion)
            if criterion is None:
                raise InvalidInputError(f"the rubric has no criterion {wanted.criterion!r}")
            if wanted.score > criterion.scale:
                raise InvalidInputError(f"{criterion.name} is scored from 0 to {criterion.scale}")
        now = self._clock()
        with writing_review(self._database, attempt_id, "score") as session:
            for wanted in given:
                put_score(session, attempt_id, author, wanted, now)
            if given:
                _note(session, now, author, "score.put", attempt_id)

    def correct(
        self, attempt_id: int, author: Author, wanted: NewCorrection, report: Report
    ) -> None:
        """Stores a correction of a verdict of this report.

        Raises:
            InvalidInputError: the report has no such term or phrase.
        """
        if not places_of(report, wanted):
            raise InvalidInputError(f"the report has no {wanted.target} {wanted.name!r} there")
        now = self._clock()
        with writing_review(self._database, attempt_id, "correction") as session:
            add_correction(session, attempt_id, author, wanted, now)
            _note(session, now, author, "correction.add", attempt_id)

    def take_back_correction(self, attempt_id: int, author: Author, external_id: str) -> None:
        """Deletes the author's own correction.

        Raises:
            NotFoundError: there is no such correction.
            NotAllowedError: somebody else made it.
        """
        self._take_back(CorrectionRow, "correction.delete", attempt_id, author, external_id)

    def _take_back(
        self, table: type[Written], action: str, attempt_id: int, author: Author, external_id: str
    ) -> None:
        with self._database.write() as session:
            session.delete(own_row(session, table, attempt_id, author, external_id))
            _note(session, self._clock(), author, action, attempt_id)
        self._database.forget()

    def mark(self, attempt_id: int, reviewer_id: int, state: ReviewState) -> None:
        """Records whether a coach is done with an attempt."""
        now = self._clock()
        with self._database.write() as session:
            self._database.alone(session, f"review of {attempt_id}")
            row_of(session, AttemptRow, attempt_id)
            key = {"attempt_id": attempt_id, "reviewer_id": reviewer_id}
            session.merge(ReviewRow(**key, state=state, updated_at=now))
            audit(session, now, reviewer_id, f"review.{state}", f"attempt {attempt_id}")

    def is_done(self, attempt_id: int, reviewer_id: int | None) -> bool:
        with self._database.read() as session:
            row = session.get(ReviewRow, (attempt_id, reviewer_id or 0))
            return row is not None and row.state == "done"

    def has_sound(self, attempt_id: int) -> bool:
        """Whether an attempt has a recording; the caller has checked who may hear it."""
        with self._database.read() as session:
            row = session.execute(
                select(RecordingRow.expires_at).where(RecordingRow.attempt_id == attempt_id)
            ).first()
        return row is not None and (row[0] is None or row[0] > self._clock())

    def awaits_sound(self, attempt_id: int) -> bool:
        """Whether a recording of an attempt has arrived but cannot be played yet."""
        with self._database.read() as session:
            return is_under_way(session, attempt_id)

    def scores_of(self, attempt_id: int, author: Author) -> dict[str, tuple[int, str]]:
        """One reviewer's score and note by criterion."""
        with self._database.read() as session:
            rows = scores_of(session, attempt_id, author)
            return {each.criterion: (each.score, each.note) for each in rows}

    def rubric(self, cohort_ids: Collection[int]) -> Rubric:
        """The criteria of these cohorts together."""
        with self._database.read() as session, self._database.readable("a cohort's rubric"):
            return rubric_of(session, cohort_ids)

    def rubric_of_candidate(self, owner_id: int) -> Rubric:
        """The criteria of the cohorts that somebody is a candidate of."""
        with self._database.read() as session, self._database.readable("a cohort's rubric"):
            cohorts = cohorts_open_to(session, owner_id)
            return rubric_of(session, [each.id for each in cohorts])

    def set_rubric(self, cohort_id: int, rubric: Rubric, by: int | None) -> None:
        """Gives a cohort its rubric; scores that were given before stay.

        Raises:
            NotFoundError: there is no such cohort.
        """
        with self._database.write() as session:
            row = row_of(session, CohortRow, cohort_id)
            row.rubric = rubric.model_dump(mode="json") if rubric.criteria else None
            audit(session, self._clock(), by, "cohort.rubric", f"cohort {cohort_id}")


def _note(session: Session, now: datetime, author: Author, action: str, attempt_id: int) -> None:
    what = f"attempt {attempt_id}"
    if author.link_id is not None:
        what += f" by link {author.link_id}"
    audit(session, now, author.account_id, action, what)
