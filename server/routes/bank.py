"""The question bank over HTTP, read only."""

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
from server.errors import NotFoundError
from server.service import Service

__all__ = ["bank_router"]


def bank_router(service: Service) -> APIRouter:
    """The routes under ``/bank``."""
    router = APIRouter(prefix="/bank", tags=["bank"])

    @router.get("")
    def whole_bank() -> Bank:
        """Return everything in the bank, with its version."""
        return service.bank

    @router.get("/roles")
    def roles() -> tuple[Role, ...]:
        """Return the roles one can rehearse for."""
        return service.bank.roles

    @router.get("/roles/{role_id}")
    def role(role_id: Annotated[Slug, Path()]) -> Role:
        """Return one role."""
        found = service.bank.role(role_id)
        if found is None:
            raise NotFoundError(f"the bank has no role {role_id!r}")
        return found

    @router.get("/questions")
    def questions(
        role: Slug | None = None,
        round: RoundName | None = None,
        topic: Annotated[str | None, Query(max_length=200)] = None,
    ) -> tuple[Question, ...]:
        """Return the questions of a role, a round or a topic, or all."""
        return service.questions(role=role, round=round, topic=topic)

    @router.get("/questions/{question_id}")
    def question(question_id: Annotated[Slug, Path()]) -> Question:
        """Return one question with its model answer and key phrases."""
        return service.question(question_id)

    @router.get("/rounds")
    def rounds() -> tuple[RoundGuide, ...]:
        """Return the five interview rounds."""
        return service.bank.rounds

    @router.get("/signals")
    def signals() -> tuple[Signal, ...]:
        """Return the five signals that interviewers look for."""
        return service.bank.signals

    @router.get("/plan")
    def plan() -> tuple[PlanWeek, ...]:
        """Return the study plan, week by week."""
        return service.bank.plan

    @router.get("/help")
    def help_texts() -> tuple[Faq, ...]:
        """Return the answers to frequent questions."""
        return service.bank.help

    return router
