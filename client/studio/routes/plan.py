"""The plan: its form, today, the days until the interview, and the calendar file."""

from datetime import UTC, date, datetime
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.core.errors import SettingsError
from client.core.preferences import MINUTES
from client.practice.planning.calendar_file import to_calendar
from client.practice.planning.my_plan import (
    countdown,
    day_text,
    my_plan,
    plan_settings,
    what_fits,
)
from client.practice.progress import all_attempts
from client.studio.routes.downloads import download
from client.studio.state.studio import Studio
from client.studio.views.plan import today_of

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
