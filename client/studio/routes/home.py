"""The home page: roles, what is due, recent answers.

It is the first page to load, so it does without the framework that the other pages use.
"""

from collections import Counter
from datetime import UTC, datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from client.data.repair import rough_answers
from client.practice.choosing import first_question
from client.practice.progress import all_attempts, due_today
from client.studio.state.microphone_passed import microphone_passed
from client.studio.state.studio import Studio
from client.studio.views.interview import earlier

RECENT: Final = 5


def route(studio: Studio) -> Route:
    """The page."""

    def home(request: Request) -> HTMLResponse:
        """What to do now."""
        bank = studio.bank
        attempts = all_attempts(studio.backend)
        cards = studio.backend.drills.cards()
        interviews = studio.interviews.kept
        begun = (each for each in interviews.all().records if each.ended_at is None)
        return studio.page(
            request,
            "home.html",
            bank=bank,
            open=[earlier(each, {}, interviews.now()) for each in begun],
            questions=Counter(question.role for question in bank.questions),
            due=due_today(bank, attempts, cards, datetime.now(UTC)),
            recent=attempts[:RECENT],
            answers=len(attempts),
            microphone_passed=microphone_passed(studio.settings),
            rough=len(rough_answers(attempts, studio.recordings)),
            first=first_question(bank.questions),
            prompts={question.id: question.prompt for question in bank.questions},
        )

    return Route("/", home)
