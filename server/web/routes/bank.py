"""The question bank over HTTP, read only."""

from functools import cache
from typing import Annotated

from fastapi import APIRouter, Path, Query

from question_bank.models import (
    Bank,
    Faq,
    PlanWeek,
    Question,
    Role,
    RoundGuide,
    RoundName,
    Signal,
    Slug,
)
from server.core.access import Action
from server.core.errors import NotFoundError
from server.web.http.gate import AppContext, needs


@cache
def bank_router() -> APIRouter:
    """The routes under ``/bank``."""
    router = APIRouter(prefix="/bank", tags=["bank"], dependencies=[needs(Action.READ_BANK)])

    @router.get("")
    def whole_bank(context: AppContext) -> Bank:
        """Return everything in the bank, with its version."""
        return context.service.bank()

    @router.get("/roles")
    def roles(context: AppContext) -> tuple[Role, ...]:
        """Return the roles one can rehearse for."""
        return context.service.bank().roles

    @router.get("/roles/{role_id}")
    def role(role_id: Annotated[Slug, Path()], context: AppContext) -> Role:
        """Return one role."""
        found = context.service.bank().role(role_id)
        if found is None:
            raise NotFoundError(f"the bank has no role {role_id!r}")
        return found

    @router.get("/questions")
    def questions(
        context: AppContext,
        role: Slug | None = None,
        round: RoundName | None = None,
        topic: Annotated[str | None, Query(max_length=200)] = None,
    ) -> tuple[Question, ...]:
        """Return the questions of a role, a round or a topic, or all."""
        return context.service.questions(role=role, round=round, topic=topic)

    @router.get("/questions/{question_id}")
    def question(question_id: Annotated[Slug, Path()], context: AppContext) -> Question:
        """Return one question with its model answer and key phrases."""
        return context.service.question(question_id)

    @router.get("/rounds")
    def rounds(context: AppContext) -> tuple[RoundGuide, ...]:
        """Return the five interview rounds."""
        return context.service.bank().rounds

    @router.get("/signals")
    def signals(context: AppContext) -> tuple[Signal, ...]:
        """Return the five signals that interviewers look for."""
        return context.service.bank().signals

    @router.get("/plan")
    def plan(context: AppContext) -> tuple[PlanWeek, ...]:
        """Return the study plan, week by week."""
        return context.service.bank().plan

    @router.get("/help")
    def help_texts(context: AppContext) -> tuple[Faq, ...]:
        """Return the answers to frequent questions."""
        return context.service.bank().help

    return router
