"""All questions of the bank, to search and choose from."""

from typing import Annotated, Final, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from client.practice.choosing import find_questions, in_order
from client.practice.progress import all_attempts, latest_answers
from client.studio.state.studio import Studio
from question_bank.models import RoundName

PAGE: Final = 20

Text = Annotated[str, Query(max_length=200)]


def router(studio: Studio) -> APIRouter:
    """The page of all questions."""
    routes = APIRouter()

    @routes.get("/questions")
    def questions(
        request: Request,
        q: Text = "",
        role: Text = "",
        round: RoundName | Literal[""] = "",
        level: Annotated[str, Query(pattern="^[1-5]?$")] = "",
        page: Annotated[int, Query(ge=1, le=1000)] = 1,
    ) -> HTMLResponse:
        """Those that fit, the easiest untried first."""
        bank = studio.bank
        latest = latest_answers(all_attempts(studio.backend))
        found = [
            each
            for each in find_questions(bank.questions, q)
            if each.asked_in(role or None, round or None)
            and (not level or each.difficulty == int(level))
        ]
        ordered = in_order(found, {name: each.score for name, each in latest.items()})
        chosen = {"q": q, "role": role, "round": round, "level": level}
        return studio.page(
            request,
            "questions.html",
            questions=ordered[(page - 1) * PAGE : page * PAGE],
            total=len(ordered),
            page=page,
            pages=max(1, -(-len(ordered) // PAGE)),
            query=urlencode({name: value for name, value in chosen.items() if value}),
            latest=latest,
            role_titles={each.id: each.title for each in bank.roles},
            round_titles={each.id: each.title for each in bank.rounds},
            chosen=chosen,
        )

    return routes
