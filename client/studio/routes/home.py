"""The first page: roles, what is due, recent attempts, the engine."""

from collections import Counter
from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from client.progress import due_today
from client.studio.microphone_state import microphone_passed
from client.studio.studio import Studio
from server.contract import HistoryQuery

__all__ = ["router"]

RECENT: Final = 5


def router(studio: Studio) -> APIRouter:
    """The page."""
    routes = APIRouter()

    @routes.get("/")
    def home(request: Request) -> HTMLResponse:
        """What one can do now."""
        bank = studio.bank
        recent = studio.backend.history(HistoryQuery(limit=RECENT))
        return studio.page(
            request,
            "home.html",
            bank=bank,
            questions=Counter(question.role for question in bank.questions),
            due=due_today(studio.backend, datetime.now(UTC)),
            recent=recent,
            microphone_passed=microphone_passed(studio.settings),
            prompts={question.id: question.prompt for question in bank.questions},
        )

    return routes
