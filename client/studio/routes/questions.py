"""All questions of the bank, to search and choose from."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from client.practice.choosing import find_questions, in_order
from client.practice.progress import all_attempts, latest_answers
from client.studio.state.studio import Studio

Text = Annotated[str, Query(max_length=200)]


def router(studio: Studio) -> APIRouter:
    """The page of all questions."""
    routes = APIRouter()

    @routes.get("/questions")
    def questions(
        request: Request,
        q: Text = "",
        role: Text = "",
        round: Text = "",
        level: Annotated[str, Query(pattern="^[1-5]?$")] = "",
    ) -> HTMLResponse:
        """Those that fit, the easiest untried first."""
        bank = studio.bank
        latest = latest_answers(all_attempts(studio.backend))
        found = [
            each
            for each in find_questions(bank.questions, q)
            if (not role or each.role == role)
            and (not round or each.round == round)
            and (not level or each.difficulty == int(level))
        ]
        return studio.page(
            request,
            "questions.html",
            questions=in_order(found, {name: each.score for name, each in latest.items()}),
            latest=latest,
            role_titles={each.id: each.title for each in bank.roles},
            round_titles={each.id: each.title for each in bank.rounds},
            chosen={"q": q, "role": role, "round": round, "level": level},
        )

    return routes
