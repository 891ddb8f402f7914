"""The use cases of a shared server, over HTTP."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import quote

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
    HistoryPage,
    HistoryQuery,
    ImportResult,
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
)

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
        self._call = connection.call

    def review(self, review: DrillReview) -> ReviewedDrill:
        """Stores a take of a drill item, once, and schedules the item."""
        return self._call("POST", "drills/reviews", ReviewedDrill, review)

    def queue(self, query: DrillQuery | None = None) -> DrillQueue:
        """What is due now, the longest overdue first."""
        return self._call("GET", "drills/queue", DrillQueue, query=query or DrillQuery())

    def cards(self, drill_set: str | None = None) -> tuple[DrillCard, ...]:
        """All cards, of one set or of all."""
        return self._call("GET", "drills/cards", tuple[DrillCard, ...], drill_set=drill_set)

    def export_all(self) -> tuple[DrillReview, ...]:
        """All reviews, for ``import_reviews``."""
        reviews: list[DrillReview] = []
        after_id: int | None = 0
        while after_id is not None:
            page = self._call(
                "GET", "drills/archive", DrillArchive, timeout=PATIENT, after_id=after_id
            )
            reviews += page.reviews
            after_id = page.next_after_id
        return tuple(reviews)

    def import_reviews(self, reviews: Sequence[DrillReview]) -> DrillImport:
        """Stores exported drill reviews, in batches; those it already has stay as they are."""
        imported = skipped = 0
        conflicts: tuple[str, ...] = ()
        for start in range(0, len(reviews), MAX_PAGE):
            batch = DrillArchive(reviews=tuple(reviews[start : start + MAX_PAGE]))
            result = self._call("POST", "drills/archive", DrillImport, batch, timeout=PATIENT)
            imported += result.imported
            skipped += result.skipped
            conflicts += result.conflicts
        return DrillImport(imported=imported, skipped=skipped, conflicts=conflicts)


class RemoteBackend(ServerConnection):
    """A backend over HTTP. Fields that an older server does not know are left out."""

    _unknown: frozenset[str] = frozenset()

    @property
    def drills(self) -> RemoteDrills:
        """The use cases of its drills."""
        return RemoteDrills(self)

    def bank(self) -> Bank:
        """Everything in the bank."""
        return self.call("GET", "bank", Bank)

    def question(self, question_id: str) -> Question:
        """One question of the bank."""
        return self.call("GET", f"bank/questions/{quote(question_id, safe='')}", Question)

    def questions(
        self,
        *,
        role: str | None = None,
        round: RoundName | None = None,
        topic: str | None = None,
    ) -> tuple[Question, ...]:
        """The bank's questions of one role, round or topic, or all."""
        wanted = tuple[Question, ...]
        return self.call("GET", "bank/questions", wanted, role=role, round=round, topic=topic)

    def grade(self, submission: Submission) -> Report:
        """Grades an answer; nothing is stored."""
        return self._send_answer("grade", Report, submission)

    def submit(self, submission: Submission) -> Attempt:
        """Grades and stores an answer; the same submission is stored only once."""
        return self._send_answer("attempts", Attempt, submission)

    def _send_answer(self, path: str, reply: type[T], submission: Submission) -> T:
        for _ in range(_MOST_REFUSALS):
            try:
                return self.call("POST", path, reply, submission, leave_out=without(self._unknown))
            except RejectedError as refused:
                unknown = unknown_fields(refused.errors)
                if unknown <= self._unknown:
                    raise
                self._unknown |= unknown
                last = refused
        raise last

    def history(self, query: HistoryQuery | None = None) -> HistoryPage:
        """A page of the stored attempts, newest first."""
        return self.call("GET", "attempts", HistoryPage, query=query or HistoryQuery())

    def attempt(self, attempt_id: int) -> Attempt:
        """One attempt with its latest report."""
        return self.call("GET", f"attempts/{attempt_id}", Attempt)

    def confirm(self, attempt_id: int, answer: MeantAnswer) -> Attempt:
        """Keeps whether the candidate meant a phrase that the report asks about."""
        return self.call("PUT", f"attempts/{attempt_id}/meant", Attempt, answer)

    def said_right(self, attempt_id: int, answer: SaidRight) -> Attempt:
        """Keeps that a term was said right where the report says otherwise."""
        return self.call("PUT", f"attempts/{attempt_id}/said-right", Attempt, answer)

    def revise(self, attempt_id: int, revision: Revision) -> Attempt:
        """Grades an answer by another transcript of it, and keeps the earlier report."""
        path = f"attempts/{attempt_id}/transcript"
        return self.call("PUT", path, Attempt, revision)

    def delete(self, attempt_id: int) -> None:
        """Deletes one attempt for good."""
        self.send("DELETE", f"attempts/{attempt_id}", repeat=False)

    def purge(self, request: PurgeRequest) -> PurgeResult:
        """Deletes attempts for good: by id, before a time, or all."""
        return self.call("POST", "purge", PurgeResult, request, repeat=False, timeout=PATIENT)

    def regrade(
        self,
        *,
        dry_run: bool = False,
        question_id: str | None = None,
        progress: Progress | None = None,
    ) -> RegradeResult:
        """Grades stored answers again; the server reports no progress before it is done."""
        request = RegradeRequest(dry_run=dry_run, question_id=question_id)
        return self.call("POST", "regrade", RegradeResult, request, timeout=_REGRADE_TIMEOUT)

    def export_all(self) -> Archive:
        """Everything that is stored."""
        attempts: list[ArchivedAttempt] = []
        after_id: int | None = 0
        while after_id is not None:
            page = self.call("GET", "archive", Archive, timeout=PATIENT, after_id=after_id)
            attempts += page.attempts
            after_id = page.next_after_id
        reviews = self.drills.export_all()
        return page.model_copy(update={"attempts": tuple(attempts), "drill_reviews": reviews})

    def export_one(self, attempt_id: int) -> Archive:
        """One attempt with all its reports."""
        return self.call("GET", f"attempts/{attempt_id}/archive", Archive, timeout=PATIENT)

    def import_attempts(self, attempts: Sequence[ArchivedAttempt]) -> ImportResult:
        """Stores exported attempts, in batches; those it already has stay as they are."""
        imported = skipped = 0
        conflicts: tuple[str, ...] = ()
        for batch in _batches(attempts):
            result = self.call("POST", "archive", ImportResult, batch, timeout=PATIENT)
            imported += result.imported
            skipped += result.skipped
            conflicts += result.conflicts
        return ImportResult(imported=imported, skipped=skipped, conflicts=conflicts)


class RemoteReviews(ServerConnection):
    """What coaches wrote on a shared server, over HTTP."""

    def document(self, attempt_id: int) -> ReviewDocument:
        """Comments, scores and corrected verdicts of one attempt."""
        return self.call("GET", f"attempts/{attempt_id}/review", ReviewDocument)

    def merge(self, document: ReviewDocument) -> MergedReview:
        """Adds what came back in a file, each part once."""
        return self.call("POST", "reviews", MergedReview, document)

    def comment(self, attempt_id: int, wanted: NewComment) -> ReviewDocument:
        """Stores a comment, once, and returns all of them."""
        return self.call("POST", f"attempts/{attempt_id}/comments", ReviewDocument, wanted)

    def delete_comment(self, attempt_id: int, external_id: str) -> None:
        """Deletes a comment of somebody without an account, with its replies."""
        self.send("DELETE", f"attempts/{attempt_id}/comments/{external_id}", repeat=False)


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
