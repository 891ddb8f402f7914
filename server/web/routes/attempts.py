"""Answers and drills over HTTP: grade, store, list, delete, regrade, export and import."""

from functools import cache, partial
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from server.attempts.drill_service import DRILL_ARCHIVE_PAGE
from server.attempts.service import ARCHIVE_PAGE
from server.contract import (
    Archive,
    Attempt,
    AttemptId,
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
    PurgeRequest,
    PurgeResult,
    RegradeRequest,
    ReviewedDrill,
    Revision,
    SaidRight,
    SentAnswer,
    SetId,
    use_cases,
)
from server.core.access import Action
from server.web.http.context import AppContext, OwnService, answered_by, graded_by, served
from server.web.http.gate import CurrentActor, needs
from server.web.http.limits import check_length


def _is_own(attempt_id: Annotated[AttemptId, Path()], service: OwnService) -> None:
    """Checked before the body is read; for anybody else, there is no such attempt."""
    service.attempt(attempt_id)


def _check_length(answer: SentAnswer) -> None:
    check_length(answer.transcript, answer.evidence)
    for each in answer.follow_ups:
        check_length(each.transcript, each.evidence)


@cache
def attempts_router() -> APIRouter:
    """The routes for answers and what is kept of them."""
    router = APIRouter(tags=["attempts"], dependencies=[needs(Action.PRACTICE)])

    @served(router, use_cases.GRADE)
    async def grade(
        answer: SentAnswer,
        service: OwnService,
        actor: CurrentActor,
        context: AppContext,
        mother_tongue: Annotated[str | None, Query(max_length=100)] = None,
    ) -> Response:
        """Grade an answer and keep nothing of it; with a mother tongue (or "") its English too."""
        _check_length(answer)
        language = None if mother_tongue is None else LanguageRequest(mother_tongue=mother_tongue)
        return await graded_by(context, actor, 200, service.grade, answer.submission, language)

    @served(router, use_cases.SUBMIT)
    async def submit(
        answer: SentAnswer, service: OwnService, actor: CurrentActor, context: AppContext
    ) -> Response:
        """Grade and store an answer; the same submission is stored only once."""
        _check_length(answer)
        return await graded_by(context, actor, 201, service.submit, answer.submission)

    @served(router, use_cases.HISTORY)
    def history(query: Annotated[HistoryQuery, Query()], service: OwnService) -> HistoryPage:
        """List the stored attempts, newest first."""
        return service.history(query)

    @served(router, use_cases.ATTEMPT)
    def attempt(attempt_id: Annotated[AttemptId, Path()], service: OwnService) -> Attempt:
        """Return one attempt with its latest report."""
        return service.attempt(attempt_id)

    @served(router, use_cases.CONFIRM, dependencies=[Depends(_is_own)])
    def confirm(
        attempt_id: Annotated[AttemptId, Path()], answer: MeantAnswer, service: OwnService
    ) -> Attempt:
        """Answer "Did you mean …?" about a key phrase, and return the attempt as it then reads."""
        return service.confirm(attempt_id, answer)

    @served(router, use_cases.LANGUAGE, dependencies=[Depends(_is_own)])
    async def language(
        attempt_id: Annotated[AttemptId, Path()],
        request: LanguageRequest,
        service: OwnService,
        actor: CurrentActor,
        context: AppContext,
    ) -> Response:
        """Look at the English, if nobody has yet with this mother tongue; return the attempt."""
        return await graded_by(context, actor, 200, service.language, attempt_id, request)

    @served(router, use_cases.SAID_RIGHT, dependencies=[Depends(_is_own)])
    def said_right(
        attempt_id: Annotated[AttemptId, Path()], answer: SaidRight, service: OwnService
    ) -> Attempt:
        """Say that a term was said right, and return the attempt as it then reads."""
        return service.said_right(attempt_id, answer)

    @served(router, use_cases.REVISE, dependencies=[Depends(_is_own)])
    async def revise(
        attempt_id: Annotated[AttemptId, Path()],
        revision: Revision,
        service: OwnService,
        actor: CurrentActor,
        context: AppContext,
    ) -> Response:
        """Grade an answer by another transcript of it, and keep the report so far beside."""
        check_length(revision.transcript, revision.evidence)
        return await graded_by(context, actor, 200, service.revise, attempt_id, revision)

    @served(router, use_cases.FOLLOW_UP, dependencies=[Depends(_is_own)])
    async def follow_up(
        attempt_id: Annotated[AttemptId, Path()],
        answer: FollowUpAnswer,
        service: OwnService,
        actor: CurrentActor,
        context: AppContext,
    ) -> Response:
        """Keep what was said to a follow-up, once, and grade the whole answer with it."""
        check_length(answer.transcript, answer.evidence)
        return await graded_by(context, actor, 200, service.follow_up, attempt_id, answer)

    @served(router, use_cases.DELETE)
    def delete(attempt_id: Annotated[AttemptId, Path()], service: OwnService) -> None:
        """Delete one attempt for good."""
        service.delete(attempt_id)

    @served(router, use_cases.EXPORT_ONE)
    def export_one(attempt_id: Annotated[AttemptId, Path()], service: OwnService) -> Archive:
        """Return one attempt with all its reports, to be imported again."""
        return service.export_one(attempt_id)

    @served(router, use_cases.PURGE)
    def purge(request: PurgeRequest, service: OwnService) -> PurgeResult:
        """Delete attempts for good: by id, before a time, or all."""
        return service.purge(request)

    @served(router, use_cases.REGRADE)
    async def regrade(
        request: RegradeRequest, service: OwnService, context: AppContext
    ) -> Response:
        """Grade all stored answers again with today's grader and bank."""
        wanted = partial(service.regrade, dry_run=request.dry_run, question_id=request.question_id)
        return await answered_by(context.regrading, 200, wanted)

    @served(router, use_cases.EXPORT)
    def export(
        service: OwnService,
        after_id: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0,
        limit: Annotated[int, Query(ge=1, le=100)] = ARCHIVE_PAGE,
    ) -> Archive:
        """Return a page of everything that is stored."""
        return service.export_page(after_id=after_id, limit=limit)

    @served(router, use_cases.IMPORT)
    def import_(archive: Archive, service: OwnService) -> ImportResult:
        """Store exported attempts and drill reviews; existing ones are left unchanged."""
        result = service.import_attempts(archive.attempts)
        drills = service.drills.import_reviews(archive.drill_reviews)
        return result.model_copy(update={"drills": drills})

    return router


@cache
def drills_router() -> APIRouter:
    """The routes under ``/drills``."""
    router = APIRouter(prefix="/drills", tags=["drills"], dependencies=[needs(Action.PRACTICE)])

    @served(router, use_cases.REVIEW_DRILL)
    def review(review: DrillReview, service: OwnService) -> ReviewedDrill:
        """Store how an item was said, and schedule it; the same review is stored only once."""
        return service.drills.review(review)

    @served(router, use_cases.DRILL_QUEUE)
    def queue(query: Annotated[DrillQuery, Query()], service: OwnService) -> DrillQueue:
        """List what is due, the longest overdue first."""
        return service.drills.queue(query)

    @served(router, use_cases.DRILL_CARDS)
    def cards(service: OwnService, drill_set: SetId | None = None) -> tuple[DrillCard, ...]:
        """Return all cards, of one set or over all."""
        return service.drills.cards(drill_set)

    @served(router, use_cases.EXPORT_DRILLS)
    def export(
        service: OwnService,
        after_id: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0,
        limit: Annotated[int, Query(ge=1, le=DRILL_ARCHIVE_PAGE)] = DRILL_ARCHIVE_PAGE,
    ) -> DrillArchive:
        """Return a page of all reviews."""
        return service.drills.export_page(after_id=after_id, limit=limit)

    @served(router, use_cases.IMPORT_DRILLS)
    def import_(archive: DrillArchive, service: OwnService) -> DrillImport:
        """Store exported reviews; existing ones are left unchanged."""
        return service.drills.import_reviews(archive.reviews)

    return router
