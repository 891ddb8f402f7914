"""The use cases of a shared server, over HTTP."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

import httpx

from client.backend.connection import PATIENT, ServerConnection
from client.backend.protocol import Progress, RejectedError
from question_bank.models import Bank, Question, RoundName
from server.contract import (
    MAX_PAGE,
    Archive,
    ArchivedAttempt,
    Attempt,
    DrillArchive,
    DrillCard,
    DrillImport,
    DrillQuery,
    DrillQueue,
    DrillReview,
    FollowUpAnswer,
    HistoryPage,
    HistoryQuery,
    ImportResult,
    LanguageRequest,
    MeantAnswer,
    MergedReview,
    NewComment,
    PurgeRequest,
    PurgeResult,
    RegradeRequest,
    RegradeResult,
    Report,
    ReviewDocument,
    ReviewedDrill,
    Revision,
    SaidRight,
    Submission,
    all_pages,
    use_cases,
)
from server.contract.answers import PageT
from server.contract.use_cases import UseCase

T = TypeVar("T")

_REGRADE_TIMEOUT: Final = httpx.Timeout(None, connect=3.0)
"""Grading everything again takes as long as it takes (5 ms for each answer)."""

_IMPORT_BATCH_BYTES: Final = 4 * 1024 * 1024
"""Half of the server's default limit for a request."""

_MOST_REFUSALS: Final = 3
"""A server names twenty faults at most: an answer may have more kinds of them."""


class RemoteDrills:
    """The drills of a shared server."""

    def __init__(self, connection: ServerConnection) -> None:
        self._ask = connection.ask

    def review(self, review: DrillReview) -> ReviewedDrill:
        return self._ask(use_cases.REVIEW_DRILL, review)

    def queue(self, query: DrillQuery | None = None) -> DrillQueue:
        return self._ask(use_cases.DRILL_QUEUE, query=query or DrillQuery())

    def cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        return self._ask(use_cases.DRILL_CARDS, drill_set=drill_set)

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        imported = skipped = 0
        conflicts: tuple[str, ...] = ()
        for start in range(0, len(reviews), MAX_PAGE):
            batch = DrillArchive(reviews=tuple(reviews[start : start + MAX_PAGE]))
            result = self._ask(use_cases.IMPORT_DRILLS, batch, timeout=PATIENT)
            imported += result.imported
            skipped += result.skipped
            conflicts += result.conflicts
        return DrillImport(imported=imported, skipped=skipped, conflicts=conflicts)


class RemoteBackend(ServerConnection):
    """A backend over HTTP, as ``Backend`` describes it.

    Fields that an older server does not know are left out. Archives come and go in pieces.
    """

    _unknown: frozenset[str] = frozenset()

    @property
    def drills(self) -> RemoteDrills:
        return RemoteDrills(self)

    def bank(self) -> Bank:
        return self.ask(use_cases.BANK)

    def question(self, question_id: str) -> Question:
        return self.ask(use_cases.QUESTION, question_id=question_id)

    def questions(
        self, *, role: str | None = None, round: RoundName | None = None, topic: str | None = None
    ) -> tuple[Question, ...]:
        return self.ask(use_cases.QUESTIONS, role=role, round=round, topic=topic)

    def grade(self, submission: Submission, language: LanguageRequest | None = None) -> Report:
        return self._send_answer(use_cases.GRADE, submission, language)

    def submit(self, submission: Submission) -> Attempt:
        return self._send_answer(use_cases.SUBMIT, submission)

    def _send_answer(
        self, use_case: UseCase[T], submission: Submission, query: LanguageRequest | None = None
    ) -> T:
        for _ in range(_MOST_REFUSALS):
            try:
                return self.ask(use_case, submission, query=query, leave_out=without(self._unknown))
            except RejectedError as refused:
                unknown = unknown_fields(refused.errors)
                if unknown <= self._unknown:
                    raise
                self._unknown |= unknown
                last = refused
        raise last

    def history(self, query: HistoryQuery | None = None) -> HistoryPage:
        return self.ask(use_cases.HISTORY, query=query or HistoryQuery())

    def attempt(self, attempt_id: int) -> Attempt:
        return self.ask(use_cases.ATTEMPT, attempt_id=attempt_id)

    def confirm(self, attempt_id: int, answer: MeantAnswer) -> Attempt:
        return self.ask(use_cases.CONFIRM, answer, attempt_id=attempt_id)

    def language(self, attempt_id: int, request: LanguageRequest) -> Attempt:
        return self.ask(use_cases.LANGUAGE, request, timeout=PATIENT, attempt_id=attempt_id)

    def said_right(self, attempt_id: int, answer: SaidRight) -> Attempt:
        return self.ask(use_cases.SAID_RIGHT, answer, attempt_id=attempt_id)

    def revise(self, attempt_id: int, revision: Revision) -> Attempt:
        return self.ask(use_cases.REVISE, revision, attempt_id=attempt_id)

    def follow_up(self, attempt_id: int, answer: FollowUpAnswer) -> Attempt:
        return self.ask(use_cases.FOLLOW_UP, answer, attempt_id=attempt_id)

    def purge(self, request: PurgeRequest) -> PurgeResult:
        return self.ask(use_cases.PURGE, request, repeat=False, timeout=PATIENT)

    def regrade(
        self,
        *,
        dry_run: bool = False,
        question_id: str | None = None,
        progress: Progress | None = None,
    ) -> RegradeResult:
        request = RegradeRequest(dry_run=dry_run, question_id=question_id)
        return self.ask(use_cases.REGRADE, request, timeout=_REGRADE_TIMEOUT)

    def export_all(self) -> Archive:
        def pages(wanted: UseCase[PageT]) -> list[PageT]:
            return list(all_pages(lambda after: self.ask(wanted, timeout=PATIENT, after_id=after)))

        attempts, drills = pages(use_cases.EXPORT), pages(use_cases.EXPORT_DRILLS)
        return attempts[-1].model_copy(
            update={
                "attempts": tuple(each for page in attempts for each in page.attempts),
                "drill_reviews": tuple(each for page in drills for each in page.reviews),
            }
        )

    def export_one(self, attempt_id: int) -> Archive:
        return self.ask(use_cases.EXPORT_ONE, timeout=PATIENT, attempt_id=attempt_id)

    def import_attempts(self, attempts: Sequence[ArchivedAttempt]) -> ImportResult:
        imported = skipped = 0
        conflicts: tuple[str, ...] = ()
        for batch in _batches(attempts):
            result = self.ask(use_cases.IMPORT, batch, timeout=PATIENT)
            imported += result.imported
            skipped += result.skipped
            conflicts += result.conflicts
        return ImportResult(imported=imported, skipped=skipped, conflicts=conflicts)


class RemoteReviews(ServerConnection):
    """What coaches wrote on a shared server, over HTTP."""

    def document(self, attempt_id: int) -> ReviewDocument:
        return self.ask(use_cases.REVIEW, attempt_id=attempt_id)

    def merge(self, document: ReviewDocument) -> MergedReview:
        return self.ask(use_cases.MERGE_REVIEW, document)

    def comment(self, attempt_id: int, wanted: NewComment) -> ReviewDocument:
        return self.ask(use_cases.COMMENT, wanted, attempt_id=attempt_id)

    def delete_comment(self, attempt_id: int, external_id: str) -> None:
        self.ask(
            use_cases.DELETE_COMMENT, repeat=False, attempt_id=attempt_id, external_id=external_id
        )


def _batches(attempts: Sequence[ArchivedAttempt]) -> list[Archive]:
    batches: list[list[ArchivedAttempt]] = []
    room = 0
    for each in attempts:
        # follows from the rest, and would make the largest answers too large for a request
        attempt = each.model_copy(update={"corrected": None})
        size = len(attempt.model_dump_json())
        if size > room or not batches:
            batches.append([])
            room = _IMPORT_BATCH_BYTES
        batches[-1].append(attempt)
        room -= size
    now = max((attempt.received_at for attempt in attempts), default=None)
    return [Archive(exported_at=now, attempts=tuple(batch)) for batch in batches if now]


_UNKNOWN: Final = re.compile(r"body\.([\w.]+): Extra inputs are not permitted")
"""What a server says of a field that it does not know: since 0.1.0, one line for each."""


def unknown_fields(errors: Iterable[str]) -> frozenset[str]:
    """The fields that a server named as unknown; empty if it refused for any other reason.

    Places in a list become ``*``: a field that one word may not have, none may have.
    """
    found = [(line, _UNKNOWN.fullmatch(line)) for line in errors]
    # a server names no more than twenty faults
    matches = [match for line, match in found if not re.fullmatch(r"and \d+ more", line)]
    if not all(matches):
        return frozenset()
    return frozenset(re.sub(r"\.\d+(?=\.)", ".*", match[1]) for match in matches if match)


def without(fields: Iterable[str]) -> dict[str, Any]:
    """These fields as pydantic's ``exclude``."""
    tree: dict[str, Any] = {}
    for field in fields:
        *above, last = field.replace("*", "__all__").split(".")
        here = tree
        for name in above:
            here = here.setdefault(name, {})
        here[last] = True
    return tree
