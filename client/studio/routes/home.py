"""The home page: roles, what is due, recent answers, and the engine with its weights."""

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Request
from starlette.responses import HTMLResponse

from client.data.repair import rough_answers
from client.practice.choosing import first_question
from client.practice.progress import all_attempts, due_today
from client.studio.routes.microphone import microphone_passed
from client.studio.state.studio import Studio

RECENT: Final = 5


def router(studio: Studio) -> APIRouter:
    """The page and what its engine panel asks for."""
    routes = APIRouter()

    @routes.get("/")
    def home(request: Request) -> HTMLResponse:
        """What to do now."""
        bank = studio.bank
        attempts = all_attempts(studio.backend)
        cards = studio.backend.drills.cards()
        return studio.page(
            request,
            "home.html",
            bank=bank,
            questions=Counter(question.role for question in bank.questions),
            due=due_today(bank, attempts, cards, datetime.now(UTC)),
            recent=attempts[:RECENT],
            answers=len(attempts),
            microphone_passed=microphone_passed(studio.settings),
            rough=len(rough_answers(attempts, studio.recordings)),
            first=first_question(bank.questions),
            prompts={question.id: question.prompt for question in bank.questions},
        )

    @routes.get("/engine")
    def engine() -> dict[str, Any]:
        """What the engine is doing, and how far a download is."""
        return asdict(studio.engine.status())

    @routes.post("/engine/fetch")
    def fetch(model: Annotated[str, Body(embed=True, max_length=100)]) -> dict[str, Any]:
        """Begin to download weights."""
        studio.engine.fetch(model)
        return asdict(studio.engine.status())

    return routes
