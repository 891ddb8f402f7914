"""The use cases, without the web: what people can do with answers, reports and the bank."""

import logging
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from platformdirs import user_cache_dir

from pronunciation.lexicon_loader import load_lexicon, read_own_readings, with_own_readings
from pronunciation.terms import Lexicon
from question_bank.errors import UnknownNameError
from question_bank.loader import load_bank
from question_bank.models import Bank, Question, RoundName
from server.attempts.drill_service import DrillService
from server.attempts.grading_data import Grader, GradingData
from server.contract import (
    Archive,
    ArchivedAttempt,
    ArchivedReport,
    Attempt,
    FollowUpAnswer,
    HistoryPage,
    HistoryQuery,
    ImportResult,
    LanguageRequest,
    MeantAnswer,
    PurgeRequest,
    PurgeResult,
    RegradeChange,
    RegradeFailure,
    RegradeResult,
    Report,
    Revision,
    SaidRight,
    Submission,
    Transcript,
    all_pages,
)
from server.contract.transcript import MOST_KEPT
from server.core.clock import utc_now
from server.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    ServerError,
    UnreadableError,
)
from server.core.settings import ServerSettings

if TYPE_CHECKING:
    from server.attempts.read_reports import StoredAttempt
    from server.attempts.store import Store
    from server.db.database import Database


logger = logging.getLogger(__name__)

# Attempts in one page of an export: at the contract's largest answers a page stays under 100 MB.
ARCHIVE_PAGE = 20


class Service:
    """The use cases of one owner, over a store, a bank, a lexicon and a grader.

    Bank, lexicon and grader are given as functions and loaded at first use; so may the store be.
    """

    def __init__(
        self,
        store: "Store | Callable[[], Store]",
        bank: Callable[[], Bank],
        lexicon: Callable[[], Lexicon],
        *,
        grader: Callable[[], Grader],
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Opens nothing."""
        self._opening = Lock()
        self._open_store = store if callable(store) else lambda: store
        self._grading_data = GradingData(bank, lexicon, grader)
        self._clock = clock

    @cached_property
    def _store(self) -> "Store":
        with self._opening:  # a background sender may be the first, or beside it
            if "_store" not in self.__dict__:
                self.__dict__["_store"] = self._open_store()
            store: Store = self.__dict__["_store"]
            return store

    @cached_property
    def drills(self) -> DrillService:
        """The use cases of the same owner's drills."""
        return DrillService(lambda: self._store.drills, self._clock)

    def of(self, owner_id: int | None) -> "Service":
        """The same over what belongs to this owner; ``None``: no account, as when embedded."""
        other = copy(self)
        other._store = self._store.of(owner_id)
        other.drills = DrillService(lambda: other._store.drills, self._clock)
        return other

    @property
    def database(self) -> "Database":
        """The database, for the services over other tables."""
        return self._store.database

    @property
    def grading_data(self) -> GradingData:
        """What answers are graded with; all owners' services share it."""
        return self._grading_data

    def grade_with(self, grading_data: GradingData) -> None:
        """Grades with this from now on; call it before ``of`` makes other owners' services."""
        self._grading_data = grading_data

    def bank(self) -> Bank:
        return self._grading_data.bank

    def warm(self) -> None:
        """Loads what is otherwise loaded at first use, so that a broken bank shows at startup."""
        self._grading_data.warm()

    def close(self) -> None:
        """Closes the database, for every owner."""
        if "_store" in self.__dict__:
            self._store.close()

    def check(self) -> None:
        """Raises a ``StoreError`` if the database does not answer."""
        self._store.check()

    def question(self, question_id: str) -> Question:
        """One question of the bank.

        Raises:
            NotFoundError: the bank has no such question.
        """
        try:
            return self.bank().known_question(question_id)
        except UnknownNameError as error:
            raise NotFoundError(str(error)) from error

    def questions(
        self, *, role: str | None = None, round: RoundName | None = None, topic: str | None = None
    ) -> tuple[Question, ...]:
        """The bank's questions, of one role, round or topic (whatever its case) where given.

        Raises:
            NotFoundError: the bank has no such role.
        """
        try:
            return self.bank().asked(role=role, round=round, topic=topic)
        except UnknownNameError as error:
            raise NotFoundError(str(error)) from error

    def grade(self, submission: Submission, language: LanguageRequest | None = None) -> Report:
        """Grades an answer and stores nothing; with ``language`` its English is looked at too.

        Raises:
            NotFoundError: the bank has no such question.
            InvalidInputError: there is nothing to grade.
            ServerError: the grader refuses the answer or breaks on it.
        """
        _check(submission)
        question = self.question(submission.question_id)
        report = self._grading_data.grade(question, submission).report
        if language is None:
            return report
        try:
            return self._grading_data.language(report, language.mother_tongue)
        except Exception:  # what is graded is worth having without the remarks on its English
            logger.exception("the English of an answer could not be looked at")
            return report

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer, once: sent again, the stored attempt comes back.

        Raises:
            ConflictError: the submission's id was used with another content.
            NotFoundError, InvalidInputError, ServerError: as for ``grade``.
            StoreError: the database cannot be used.
        """
        _check(submission)
        found = self._store.find(submission)
        if found is not None:
            return found
        question = self.question(submission.question_id)
        graded = self._grading_data.grade(question, submission)
        now = self._clock()
        report = ArchivedReport(graded_at=now, report=graded.report)
        attempt, _ = self._store.add(submission, question, (report,), now, sense=graded.vectors)
        return attempt

    def history(self, query: HistoryQuery | None = None) -> HistoryPage:
        """A page of the stored attempts, newest first."""
        return self._store.history(query or HistoryQuery())

    def attempt(self, attempt_id: int) -> Attempt:
        """A stored attempt with its latest report, as its reviewers corrected it.

        Raises:
            NotFoundError: there is no such attempt.
        """
        return self._store.get(attempt_id).attempt

    def confirm(self, attempt_id: int, answer: MeantAnswer) -> Attempt:
        """Keeps what the candidate says about a key phrase of this answer; it counts at once.

        Raises:
            NotFoundError: there is no such attempt.
            InvalidInputError: the grader does not ask about this phrase, and no words of the
                answer are named that say it.
        """
        graded = self._store.get(attempt_id).graded
        phrases = {each.phrase: each for each in graded.coverage.phrases}
        found = phrases.get(answer.phrase)
        words = " ".join(answer.words.split()) if answer.meant else ""
        if words and not graded.transcript.places_of(words):
            raise InvalidInputError(
                f"“{words}” is not in the transcript: choose the words as they are written there"
            )
        if words and found is not None and found.is_said:
            raise InvalidInputError(f"{answer.phrase!r} counts as said already")
        is_open = bool(words) or answer.meant is None
        if found is None or not (found.status == "possible" or is_open):
            raise InvalidInputError(
                f"the report of this answer does not ask about {answer.phrase!r}"
            )
        verdict = None if answer.meant is None else "covered" if answer.meant else "missing"
        now = self._clock()
        self._store.put_own_answer(attempt_id, "phrase", answer.phrase, verdict, words, now)
        return self.attempt(attempt_id)

    def language(self, attempt_id: int, request: LanguageRequest) -> Attempt:
        """Looks at the English of an answer, if nobody has yet with this tongue; takes seconds.

        Raises:
            NotFoundError: there is no such attempt.
        """
        graded = self._store.get(attempt_id).graded
        looked_at = self._grading_data.language(graded, request.mother_tongue)
        if looked_at is not graded:
            self._store.keep_language(attempt_id, looked_at)
        return self.attempt(attempt_id)

    def said_right(self, attempt_id: int, answer: SaidRight) -> Attempt:
        """Keeps that the candidate said a term right where the report says otherwise.

        Raises:
            NotFoundError: there is no such attempt.
            InvalidInputError: the report does not say that the term was mispronounced.
        """
        graded = self._store.get(attempt_id).graded
        verdicts = {each.verdict for each in graded.pronunciation.terms if each.term == answer.term}
        if answer.right and "mispronounced" not in verdicts:
            raise InvalidInputError(
                f"the report of this answer does not say that {answer.term!r} was mispronounced"
            )
        verdict = "correct" if answer.right else None
        self._store.put_own_answer(attempt_id, "term", answer.term, verdict, "", self._clock())
        return self.attempt(attempt_id)

    def revise(self, attempt_id: int, revision: Revision) -> Attempt:
        """Grades an answer by another transcript of it; the report so far stays beside the new one.

        Raises:
            NotFoundError: there is no such attempt.
            InvalidInputError: there is nothing to grade, or no transcript to correct.
            ServerError: the grader refuses the answer or breaks on it.
        """
        stored = self._store.get(attempt_id)
        answer = stored.answer.model_copy(
            update={"transcript": revision.transcript, "evidence": revision.evidence}
        )
        if answer == stored.answer:
            return stored.attempt
        _check(answer)
        question = self._question_of(stored)
        graded = self._grading_data.grade(question, answer)
        self._store.add_report(
            attempt_id,
            graded.report,
            self._clock(),
            sense=graded.vectors,
            revised=revision.evidence,
        )
        return self.attempt(attempt_id)

    def follow_up(self, attempt_id: int, answer: FollowUpAnswer) -> Attempt:
        """Keeps what was said to a follow-up, once, and grades the whole answer with it.

        Raises:
            NotFoundError: there is no such attempt.
            InvalidInputError: there is nothing to grade, or the answer has too many follow-ups.
            ServerError: the grader refuses the answer or breaks on it.
        """
        _check_words(answer.transcript)
        stored = self._store.get(attempt_id)
        known = stored.answer.follow_ups
        if any(each.submission_id == answer.submission_id for each in known):
            return stored.attempt
        if len(known) >= MOST_KEPT:
            raise InvalidInputError(f"an answer keeps at most {MOST_KEPT} follow-ups")
        whole = stored.answer.model_copy(update={"follow_ups": (*known, answer)})
        question = self._question_of(stored)
        graded = self._grading_data.grade(question, whole, stored.sense)
        self._store.add_report(
            attempt_id,
            self._with_known_language(stored.graded, graded.report),
            self._clock(),
            sense=graded.vectors,
            follow_ups=whole.follow_ups,
        )
        return self.attempt(attempt_id)

    def delete(self, attempt_id: int) -> None:
        """Deletes one attempt for good.

        Raises:
            NotFoundError: there is no such attempt.
        """
        if self._store.delete((attempt_id,)) == 0:
            raise NotFoundError(f"there is no attempt {attempt_id}")
        self._store.forget()

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good: by id, before a time, or all; with all, the drills too."""
        drill_reviews = self.drills.purge() if request.everything else 0
        if request.attempt_ids:
            deleted = self._store.delete(request.attempt_ids)
        else:
            deleted = self._store.delete_before(request.before)
        self._store.forget()
        return PurgeResult(deleted=deleted, drill_reviews=drill_reviews)

    def regrade(
        self,
        *,
        dry_run: bool = False,
        question_id: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> RegradeResult:
        """Grades stored answers again with today's grader, and with bank and lexicon read again.

        A question no longer in the bank is graded as it was when the answer came in. One
        answer that cannot be graded keeps its report and does not stop the rest. Verdicts that
        reviewers corrected stay corrected; the changes reported are those of the grader's own.

        Args:
            dry_run: only report what would change.
            question_id: only answers to this question.
            progress: called with (done, total) after each attempt.
        """
        changes: list[RegradeChange] = []
        failures: list[RegradeFailure] = []
        self._grading_data.reload()
        ids = self._store.ids(question_id)
        graded = 0
        for done, attempt_id in enumerate(ids, 1):
            try:
                change = self._regrade_one(attempt_id, dry_run=dry_run)
            except NotFoundError:  # deleted in the meantime
                continue
            except UnreadableError as error:
                failures.append(
                    RegradeFailure(attempt_id=attempt_id, question_id="", reason=str(error))
                )
            except _AttemptError as error:
                failures.append(error.failure)
            else:
                graded += 1
                if change is not None:
                    changes.append(change)
            if progress is not None:
                progress(done, len(ids))
        return RegradeResult(
            dry_run=dry_run, graded=graded, changes=tuple(changes), failures=tuple(failures)
        )

    def export_page(self, *, after_id: int = 0, limit: int = ARCHIVE_PAGE) -> Archive:
        """A page of everything that is stored, for ``import_attempts``."""
        attempts, next_after_id = self._store.archive(after_id, limit)
        return Archive(
            exported_at=self._clock(), attempts=tuple(attempts), next_after_id=next_after_id
        )

    def export_pages(self) -> Iterator[Archive]:
        """Everything that is stored, page by page."""
        return all_pages(lambda after_id: self.export_page(after_id=after_id))

    def export_all(self) -> Archive:
        """Everything that is stored, for ``import_attempts`` and the drills' ``import_reviews``."""
        return Archive(
            exported_at=self._clock(),
            attempts=tuple(each for page in self.export_pages() for each in page.attempts),
            drill_reviews=tuple(e for page in self.drills.export_pages() for e in page.reviews),
        )

    def export_one(self, attempt_id: int) -> Archive:
        """One attempt with all its reports, for ``import_attempts``.

        Raises:
            NotFoundError: there is no such attempt.
        """
        wanted = self._store.get(attempt_id).attempt.submission
        attempts, _ = self._store.archive(attempt_id - 1, 1)
        if not attempts or attempts[0].submission != wanted:  # deleted in the meantime
            raise NotFoundError(f"there is no attempt {attempt_id}")
        return Archive(exported_at=self._clock(), attempts=tuple(attempts))

    def import_attempts(self, attempts: Sequence[ArchivedAttempt]) -> ImportResult:
        """Stores exported attempts with their reports and what was corrected in them.

        What is there already is left as it is: a correction taken back does not come back.
        """
        imported = skipped = 0
        conflicts: list[str] = []
        for each in attempts:
            _check(each.submission)
        for each in attempts:
            try:
                _, new = self._store.add(
                    each.submission, each.question, each.reports, each.received_at, each.corrections
                )
            except ConflictError:
                conflicts.append(each.submission.submission_id)
            else:
                imported, skipped = imported + new, skipped + (not new)
        return ImportResult(imported=imported, skipped=skipped, conflicts=tuple(conflicts))

    def _question_of(self, stored: "StoredAttempt") -> Question:
        """The question of an answer as the bank has it now, or as it was if it is gone."""
        return self.bank().question(stored.answer.question_id) or stored.question

    def _with_known_language(self, before: Report, after: Report) -> Report:
        """A new report with what was found in the English, if the words are the same."""
        if after.transcript != before.transcript or before.language.pending:
            return after
        return self._grading_data.with_language(after, before.language)

    def _regrade_one(self, attempt_id: int, *, dry_run: bool) -> RegradeChange | None:
        stored = self._store.get(attempt_id)
        before = stored.graded
        submission = stored.answer
        question = self._question_of(stored)
        try:
            graded = self._grading_data.grade(question, submission, stored.sense)
        except ServerError as error:
            raise _AttemptError(
                RegradeFailure(
                    attempt_id=attempt_id, question_id=submission.question_id, reason=str(error)
                )
            ) from error
        after = self._with_known_language(before, graded.report)
        if after != before and not dry_run:
            self._store.add_report(attempt_id, after, self._clock(), sense=graded.vectors)
        elif not dry_run and graded.vectors != stored.sense:
            self._store.keep_sense(attempt_id, graded.vectors)
        return RegradeChange.between(attempt_id, before, after)


class _AttemptError(Exception):
    def __init__(self, failure: RegradeFailure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def _check(submission: Submission) -> None:
    created_at = submission.created_at
    if created_at.tzinfo is None:
        raise InvalidInputError("created_at has no time zone; write it as 2026-01-31T09:00:00Z")
    try:
        created_at.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(f"created_at {created_at} is out of range") from None
    _check_words(submission.transcript)


def _check_words(transcript: Transcript) -> None:
    if not transcript.text.strip() and not any(word.text.strip() for word in transcript.words):
        raise InvalidInputError("no speech: the transcript is empty, there is nothing to grade")


def create_service(
    settings: ServerSettings, *, before_opening: Callable[[], None] | None = None
) -> Service:
    """The service that the settings describe; opens the database, and loads the rest at first use.

    Args:
        settings: name database, bank and lexicon.
        before_opening: if given, the database is also opened at first use, after calling this; the
            bank and grading do not need it.

    Raises:
        StoreError: the database cannot be used.
    """

    def bank() -> Bank:
        own = settings.own_questions
        banks = settings.bank if own is None or not own.exists() else (*settings.bank, own)
        return load_bank(banks, settings.cache, settings.own_aliases, stories=settings.stories)

    def lexicon() -> Lexicon:
        loaded = load_lexicon(settings.lexicon, settings.cache)
        if settings.own_readings is not None and settings.own_readings.exists():
            loaded = with_own_readings(loaded, read_own_readings(settings.own_readings))
        return loaded

    def store() -> "Store":
        from server.attempts.store import Store

        if before_opening is not None:
            before_opening()
        return Store(settings.database_url, busy_timeout_s=settings.busy_timeout_s)

    def grader() -> Grader:
        kept = settings.cache or Path(user_cache_dir("aloud"))
        return current_grader(kept / "language")

    return Service(store() if before_opening is None else store, bank, lexicon, grader=grader)


def current_grader(language_model: Path | None = None) -> Grader:
    """The grader of this version; rules alone find errors if there is no folder for the model."""
    from server.grading.grader import GRADER_VERSION, answer_vectors, grade, prepare
    from server.grading.language import find_errors, with_language

    find = partial(find_errors, language_model)
    return Grader(grade, GRADER_VERSION, answer_vectors, prepare, find, with_language)
