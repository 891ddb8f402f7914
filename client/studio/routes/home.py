"""The home page: today's plan, roles, recent answers.

It is the first page to load, so it does without the framework that the other pages use.
"""

from collections import Counter
from datetime import date
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from client.core.preferences import MINUTES
from client.data.repair import rough_answers
from client.practice.choosing import first_question
from client.practice.planning.my_plan import my_plan
from client.practice.progress import all_attempts
from client.studio.state.studio import Studio, microphone_passed
from client.studio.views.interview import earlier
from client.studio.views.progress import today_of

RECENT: Final = 5


def route(studio: Studio) -> Route:
    """The page."""

    def home(request: Request) -> HTMLResponse:
        bank = studio.bank
        attempts = all_attempts(studio.backend)
        studio.catch_up()
        now, preferences = date.today(), studio.settings.preferences
        plan = my_plan(
            studio.settings, studio.backend, now, attempts, studio.reports.errors(attempts)
        )
        interviews = studio.interviews.kept
        begun = (each for each in interviews.all().records if each.ended_at is None)
        return studio.page(
            request,
            "home.html",
            bank=bank,
            open=[earlier(each, {}, interviews.now()) for each in begun],
            questions=Counter(question.role for question in bank.questions),
            today=today_of(plan, studio.backend, attempts, bank, now),
            form={
                "role": plan.goal.role if plan else "",
                "interview": "",
                "minutes": str(preferences.plan_minutes),
            },
            was={"role": preferences.role, "minutes": str(preferences.plan_minutes)},
            chosen=plan is not None and bool(preferences.role or preferences.interview_date),
            limits=MINUTES,
            recent=attempts[:RECENT],
            answers=len(attempts),
            microphone_passed=microphone_passed(studio.settings),
            rough=len(rough_answers(attempts, studio.recordings)),
            first=first_question(bank.questions),
            prompts={question.id: question.prompt for question in bank.questions},
        )

    return Route("/", home)
