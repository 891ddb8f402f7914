"""``aloud plan`` and ``aloud today``: what to practice on which day, until the interview."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.backend.protocol import Backend
from client.cli.common import command, errors, fail, out, print_json
from client.cli.loading import open_server
from client.core.preferences import change_preferences, load_preferences
from client.core.settings import ClientSettings
from client.practice.planning.my_plan import (
    countdown,
    day_text,
    my_plan,
    plan_settings,
    steps_of,
    still_missing,
    what_fits,
)
from client.practice.planning.plan import Day, Plan
from client.practice.progress import ReportReader, all_attempts
from question_bank.models import Bank
from server.contract import AttemptSummary

_PANEL = "Practice"
_DAY_METAVAR = "DATE"
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"must be a date such as 2027-03-01, not {text!r}") from None


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "plan", _PANEL)(plan)
    command(app, "today", _PANEL)(today)


def plan(
    settings: ClientSettings,
    start: Annotated[
        date | None,
        typer.Option(
            "--start", metavar=_DAY_METAVAR, parser=_day, help="First day; default: today."
        ),
    ] = None,
    interview: Annotated[
        date | None,
        typer.Option(
            "--interview", metavar=_DAY_METAVAR, parser=_day, help="The day of the interview."
        ),
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option("--minutes", metavar="N", min=5, max=240, help="For a day; default: 15."),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option("--role", metavar="R", help="The role's ID; default: the one practiced last."),
    ] = None,
    ics: Annotated[
        Path | None,
        typer.Option("--ics", metavar="FILE", help="Write the days as a calendar file."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show your plan day by day until the interview; the options change it and are remembered."""
    now = date.today()
    with open_server(settings, reading=True) as backend:
        bank = backend.bank()
        if any(each is not None for each in (start, interview, minutes, role)):
            changes = plan_settings(
                settings.preferences,
                bank,
                now,
                role=role,
                interview=interview,
                start=start,
                minutes=minutes,
            )
            change_preferences(settings.home, changes)
            settings = replace(settings, preferences=load_preferences(settings.home))
        mine, attempts = _plan(settings, backend, now)
        if ics is not None:
            # icalendar takes a fifth of a second to import, which `aloud today` need not wait for
            from client.practice.planning.calendar_file import to_calendar

            try:
                ics.write_bytes(to_calendar(mine, bank, datetime.now(UTC)))
            except OSError as error:
                raise fail(f"{ics} cannot be written: {error.strerror}") from error
            errors().print(f"wrote {ics}", markup=False, soft_wrap=True)
            return
        if as_json:
            print_json(mine)
            return
        _print_head(mine, bank, now)
        for past in mine.past:
            said = f"{past.answers} answered" if past.answers else "–"
            out().print(Text(f"{past.date:%a %d %b}  {said}", "dim"))
        for day in mine.days:
            if day.date == now:
                out().print(Text(f"{day.date:%a %d %b}  today: {day.minutes} minutes", "bold"))
                _print_steps(day, backend, attempts, bank, mine.goal.role)
            else:
                text = f"{day.date:%a %d %b}  {day.minutes:3} min  "
                text += day_text(day, bank, mine.goal.role)
                out().print(Text(text), soft_wrap=True)
        for line in what_fits(mine):
            out().print(Text(line, "dim"), soft_wrap=True)
        if weeks := bank.field_of(mine.goal.role).plan:
            titles = "; ".join(week.title for week in weeks)
            out().print(Text(f"What to read up on: {titles}", "dim"), soft_wrap=True)


def today(settings: ClientSettings, as_json: JsonOption = False) -> None:
    """Show what to practice today, ticked as you do it; when all is done, one step ahead."""
    now = date.today()
    with open_server(settings, reading=True) as backend:
        bank = backend.bank()
        mine, attempts = _plan(settings, backend, now)
        day = mine.today
        if as_json:
            print_json({"today": day, "ahead": mine.ahead})
            return
        _print_head(mine, bank, now)
        if day is None:
            return
        if day.date > now:
            out().print(f"Your plan begins on {day.date:%A, %d %B}.")
            return
        out().print(Text(f"Today: {day.minutes} minutes", "bold"))
        _print_steps(day, backend, attempts, bank, mine.goal.role)
        if not day.left:
            out().print(Text("Done for today.", "green"))
            for step in steps_of([mine.ahead] if mine.ahead else [], bank, mine.goal.role):
                out().print(Text.assemble(("One step ahead: ", "bold"), step.text))
                out().print(Text(f"    {step.command}", "dim"))


def _plan(
    settings: ClientSettings, backend: Backend, now: date
) -> tuple[Plan, list[AttemptSummary]]:
    attempts = all_attempts(backend)
    mine = my_plan(settings, backend, now, attempts, ReportReader(backend).errors(attempts))
    if mine is None:
        roles = ", ".join(each.id for each in backend.bank().roles)
        raise fail(f"name your role: aloud plan --role ROLE --interview DATE; there are {roles}")
    return mine, attempts


def _print_head(mine: Plan, bank: Bank, now: date) -> None:
    role = bank.role(mine.goal.role)
    line = Text(role.title if role else mine.goal.role, "bold cyan")
    if left := countdown(mine, now):
        line.append(f" · {left}")
    else:
        line.append(" · no date yet: aloud plan --interview DATE", "dim")
    out().print(line, soft_wrap=True)


def _print_steps(
    day: Day,
    backend: Backend,
    attempts: list[AttemptSummary],
    bank: Bank,
    role: str,
) -> None:
    for step in steps_of(day.items, bank, role):
        ticked = Text("  ✓ ", "green") if step.item.done else Text("  ☐ ", "yellow")
        out().print(Text.assemble(ticked, step.text, (f"  {step.note}", "dim")), soft_wrap=True)
        if step.item.kind == "retry" and not step.item.done:
            missing = still_missing(backend, attempts, step.item.name)
            if missing:
                out().print(Text(f"      say: {', '.join(missing)}", "dim"), soft_wrap=True)
        if not step.item.done:
            out().print(Text(f"      {step.command}", "dim"), soft_wrap=True)
