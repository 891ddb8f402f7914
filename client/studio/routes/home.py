"""The first page: roles, what is due, recent attempts, the engine."""

from collections import Counter
from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from client.practice.progress import all_attempts, due_today
from client.studio.state.microphone_state import microphone_passed
from client.studio.state.studio import Studio

__all__ = ["router"]

RECENT: Final = 5


def router(studio: Studio) -> APIRouter:
    """The page."""
    routes = APIRouter()

    @routes.get("/")
    def home(request: Request) -> HTMLResponse:
        """What one can do now."""
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
            prompts={question.id: question.prompt for question in bank.questions},
        )

    return routes
