"""The plan: its form, today, the days until the interview, the calendar file; and progress."""

from datetime import UTC, date, datetime
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.core.errors import SettingsError
from client.core.preferences import MINUTES
from client.practice.planning.my_plan import (
    countdown,
    day_text,
    my_plan,
    plan_settings,
    to_calendar,
    what_fits,
)
from client.practice.progress import all_attempts, drill_lines, is_learned, question_lines
from client.practice.progress_over_time import (
    day_deliveries,
    day_scores,
    graded_before,
    kind_lines,
    mastered,
    own_ranges,
    spread_of,
)
from client.studio.routes.bodies import download
from client.studio.state.studio import Studio
from client.studio.views.progress import (
    Choice,
    day_chart,
    delivery_charts,
    dimensions_of,
    score_points,
    spoken_terms,
    today_of,
)
from question_bank.exercises import FIELD as EXERCISES

_FIELDS: Final = ("role", "interview", "start", "minutes")
_CALENDAR: Final = "aloud-plan.ics"


def router(studio: Studio) -> APIRouter:
    """The page, its form and the file."""
    routes = APIRouter(prefix="/plan")

    @routes.get("")
    def show(request: Request, role: Annotated[str, Query(max_length=200)] = "") -> HTMLResponse:
        """The plan as it stands today; ``role``: what the form begins with."""
        return _page(studio, request, wanted=role)

    @routes.post("")
    async def change(request: Request) -> Response:
        """Make a plan, or change it; what was changed elsewhere since the form was opened stays."""
        form = await request.form(max_files=0)
        typed = {name: str(form.get(name) or "").strip() for name in _FIELDS}
        changed = {name: text for name, text in typed.items() if form.get(f"was-{name}") != text}
        studio.catch_up()
        try:
            changes = plan_settings(
                studio.settings.preferences,
                studio.bank,
                date.today(),
                role=changed.get("role"),
                interview=_date(changed.get("interview", ""), "the interview"),
                start=_date(changed.get("start", ""), "the first day"),
            )
            if changed.get("interview") == "":
                changes["interview_date"] = None
            if "minutes" in changed:
                changes["plan_minutes"] = changed["minutes"]
            studio.choose(changes)
        except SettingsError as error:
            return _page(studio, request, typed=typed, problem=str(error))
        return RedirectResponse("/plan", 303)

    @routes.get(f"/{_CALENDAR}")
    def calendar() -> Response:
        """The days, for a calendar program."""
        errors = studio.reports.errors()
        plan = my_plan(studio.settings, studio.backend, date.today(), errors=errors)
        if plan is None:
            raise HTTPException(404, "there is no plan yet")
        return download(_CALENDAR, to_calendar(plan, studio.bank, datetime.now(UTC)))

    return routes


def _page(
    studio: Studio,
    request: Request,
    typed: dict[str, str] | None = None,
    problem: str = "",
    wanted: str = "",
) -> HTMLResponse:
    studio.catch_up()
    bank, now = studio.bank, date.today()
    attempts = all_attempts(studio.backend)
    preferences = studio.settings.preferences
    plan = my_plan(studio.settings, studio.backend, now, attempts, studio.reports.errors(attempts))
    role = plan.goal.role if plan else ""
    over = _over(preferences.interview_date, now)
    shown = {
        "role": preferences.role,
        "interview": "" if over else str(preferences.interview_date or ""),
        "start": str(preferences.plan_start or ""),
        "minutes": str(preferences.plan_minutes),
    }
    return studio.page(
        request,
        "plan.html",
        422 if problem else 200,
        bank=bank,
        plan=plan,
        chosen=plan is not None and bool(preferences.role or preferences.interview_date),
        role=bank.role(role),
        reading=bank.field_of(role).plan if role else (),
        today=today_of(plan, studio.backend, attempts, bank, now),
        countdown=countdown(plan, now) if plan else "",
        over=over,
        notes=what_fits(plan) if plan else [],
        texts={day.date: day_text(day, bank, role) for day in (plan.days if plan else ())},
        now=now,
        problem=problem,
        limits=MINUTES,
        form=typed or {**shown, "role": wanted if bank.role(wanted) else role},
        was=shown | {"interview": str(preferences.interview_date or "")},
    )


def _over(interview: date | None, now: date) -> date | None:
    """The day of an interview that is over."""
    return interview if interview is not None and interview < now else None


def _date(text: str, what: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise SettingsError(f"{what} must be a date such as 2027-03-01, not {text!r}") from None


def progress_router(studio: Studio) -> APIRouter:
    """The page."""
    routes = APIRouter()

    @routes.get("/progress")
    def progress(
        request: Request,
        role: str = "",
        in_round: Annotated[str, Query(alias="round")] = "",
        topic: str = "",
        signal: str = "",
    ) -> HTMLResponse:
        """How answers and drills went."""
        bank = studio.bank
        everything = all_attempts(studio.backend)
        choice = Choice(role, in_round, topic, signal)
        signals = {each.id: each.signals for each in bank.questions}
        attempts = [
            each for each in everything if choice.fits(each, signals.get(each.question_id, ()))
        ]
        cards = studio.backend.drills.cards()
        sets = studio.drill_items.sets()
        days, reports = day_scores(attempts), studio.reports.recent(attempts)
        spread, now = spread_of(days), date.today()
        if grading := (before := graded_before(everything)) > studio.not_gradable:
            studio.grade_again()
        plan = my_plan(
            studio.settings, studio.backend, now, everything, studio.reports.errors(everything)
        )
        return studio.page(
            request,
            "progress.html",
            choice=choice,
            choices=dimensions_of(everything, bank),
            total=len(everything),
            attempts=attempts,
            questions=question_lines(attempts),
            bank_size=sum(
                choice.fits(each, each.signals)
                for each in bank.questions
                if each.field != EXERCISES
            ),
            prompts={each.id: each.prompt for each in bank.questions},
            days=days,
            chart=day_chart(
                score_points(days),
                "Score by day",
                "{:.0%}".format,
                "days",
                top=1.0,
                spread=(spread.low, spread.high) if spread else None,
            ),
            spread=spread,
            graded_before=before,
            grading=grading,
            delivery=delivery_charts(day_deliveries(reports)),
            mastered=mastered(reports),
            ranges=own_ranges(reports),
            kinds=kind_lines(reports),
            errors=studio.reports.errors(attempts),
            today=today_of(plan, studio.backend, everything, bank, now),
            dimensions=dimensions_of(attempts, bank),
            terms=spoken_terms(studio.lexicon, reports, () if choice.any else cards, sets),
            drills=drill_lines(cards, datetime.now(UTC)),
            learned=sum(map(is_learned, cards)),
            sets=sets,
        )

    return routes
