"""``aloud plan``, ``today``, ``progress``: what to practice until the interview; how it goes."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import fmean
from typing import Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from client.backend.protocol import Backend, BackendError
from client.cli.commands import commands
from client.cli.common import checked, command, errors, fail, out, plain_table, print_json, writing
from client.cli.loading import open_server
from client.cli.options import JsonOption, day
from client.cli.progress_bars import counting
from client.core.preferences import change_preferences, load_preferences
from client.core.settings import ClientSettings
from client.practice.drills.items import load_items
from client.practice.drills.phrases import PHRASE_SETS
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
from client.practice.progress import (
    DrillLine,
    ReportReader,
    ScoreLine,
    TermLine,
    all_attempts,
    drill_lines,
    score_lines,
    term_lines,
)
from client.practice.progress_over_time import (
    DayDelivery,
    DayScore,
    KindLine,
    Mastered,
    OwnRange,
    day_deliveries,
    day_scores,
    graded_before,
    kind_lines,
    mastered,
    own_ranges,
    spread_of,
)
from question_bank.models import Bank
from server.contract import AttemptSummary, HistoryQuery

app = commands()


@command(app, "plan")
def plan(
    settings: ClientSettings,
    start: Annotated[
        date | None,
        typer.Option("--start", metavar="DATE", parser=day, help="First day; default: today."),
    ] = None,
    interview: Annotated[
        date | None,
        typer.Option("--interview", metavar="DATE", parser=day, help="The day of the interview."),
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
            from client.practice.planning.my_plan import to_calendar

            with writing(ics):
                ics.write_bytes(to_calendar(mine, bank, datetime.now(UTC)))
            errors().print(f"wrote {ics}", markup=False, soft_wrap=True)
            return
        if as_json:
            print_json(mine)
            return
        _print_head(mine, bank, now)
        for past in mine.past:
            said = f"{past.answers} answered" if past.answers else "–"
            out().print(Text(f"{past.date:%a %d %b}  {said}", "dim"))
        for each in mine.days:
            if each.date == now:
                out().print(Text(f"{each.date:%a %d %b}  today: {each.minutes} minutes", "bold"))
                _print_steps(each, backend, attempts, bank, mine.goal.role)
            else:
                text = f"{each.date:%a %d %b}  {each.minutes:3} min  "
                text += day_text(each, bank, mine.goal.role)
                out().print(Text(text), soft_wrap=True)
        for line in what_fits(mine):
            out().print(Text(line, "dim"), soft_wrap=True)
        if weeks := bank.field_of(mine.goal.role).plan:
            titles = "; ".join(week.title for week in weeks)
            out().print(Text(f"What to read up on: {titles}", "dim"), soft_wrap=True)


@command(app, "today")
def today(settings: ClientSettings, as_json: JsonOption = False) -> None:
    """Show what to practice today, ticked as you do it; when all is done, one step ahead."""
    now = date.today()
    with open_server(settings, reading=True) as backend:
        bank = backend.bank()
        mine, attempts = _plan(settings, backend, now)
        first = mine.today
        if as_json:
            print_json({"today": first, "ahead": mine.ahead})
            return
        _print_head(mine, bank, now)
        if first is None:
            return
        if first.date > now:
            out().print(f"Your plan begins on {first.date:%A, %d %B}.")
            return
        out().print(Text(f"Today: {first.minutes} minutes", "bold"))
        _print_steps(first, backend, attempts, bank, mine.goal.role)
        if not first.left:
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
    day: Day, backend: Backend, attempts: list[AttemptSummary], bank: Bank, role: str
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


DAYS_PRINTED: Final = 14


@command(app, "progress")
def progress(
    settings: ClientSettings,
    role: Annotated[str | None, typer.Option("--role", help="Only this role's answers.")] = None,
    terms: Annotated[
        int, typer.Option("--terms", metavar="N", min=1, max=500, help="Number of terms to list.")
    ] = 10,
    as_json: JsonOption = False,
) -> None:
    """Show how answers and drills went over time, and which terms to work on."""
    checked(HistoryQuery, role=role)
    names = {item.id: item.term for item in load_items(settings).of(None)}
    with open_server(settings, reading=True) as backend:
        attempts = all_attempts(backend, role)
        if graded_before(attempts):  # only scores of one grading can be compared
            with suppress(BackendError), counting("grading again") as shown:
                backend.regrade(progress=shown)
            attempts = all_attempts(backend, role)
        reports = ReportReader(backend).recent(attempts)
        cards = backend.drills.cards()
    days, deliveries = day_scores(attempts), day_deliveries(reports)
    drilled = [
        (names.get(card.item_id, card.item_id), card)
        for card in cards
        if card.drill_set not in PHRASE_SETS
    ]
    roles = score_lines(attempts, lambda each: [each.role])
    topics = score_lines(attempts, lambda each: [each.topic])
    worst = term_lines(reports, drilled if role is None else ())[:terms]
    drills = drill_lines(cards, datetime.now(UTC))
    kinds, ranges = kind_lines(reports), own_ranges(reports)
    if as_json:
        print_json(
            {
                "days": days,
                "spread": spread_of(days),
                "delivery": deliveries,
                "mastered": mastered(reports),
                "ranges": ranges,
                "language": kinds,
                "roles": roles,
                "topics": topics,
                "terms": worst,
                "drills": drills,
            }
        )
        return
    if not attempts and not cards:
        nothing = "Nothing practiced yet." if role is None else f"Nothing practiced for {role!r}."
        out().print(f"{nothing} Begin with: aloud interview --role ROLE")
        return
    _print_days(days, deliveries)
    _print_ranges(ranges)
    _print_mastered(mastered(reports))
    _print_kinds(kinds)
    _print_scores("Roles", "role", roles)
    _print_scores("Topics", "topic", topics)
    _print_terms(worst)
    _print_drills(drills)
    out().print(Text("What to do next: aloud today", "bold"))


def _print_days(days: list[DayScore], deliveries: list[DayDelivery]) -> None:
    if not days:
        return
    said = {each.day: each for each in deliveries}
    table = _table("day", "first answers", "repeats", "words/min", "fillers/min", "notes/100 words")
    for each in days[-DAYS_PRINTED:]:
        how = said.get(each.day)
        measured = (how.words_per_minute, how.fillers, how.notes) if how else (None, None, None)
        scores = (f"{fmean(s):.0%} ({len(s)})" if s else "–" for s in (each.firsts, each.repeats))
        table.add_row(
            Text(f"{each.day}", "bold"),
            *scores,
            *(
                "–" if value is None else f"{value:.{digits}f}"
                for value, digits in zip(measured, (0, 1, 1), strict=True)
            ),
        )
    _print_section("Day by day", table)
    if spread := spread_of(days):
        text = (
            f"The days of a speaker who doesn't change would lie between {spread.low:.0%} and "
            f"{spread.high:.0%}, going by the spread of {spread.answers} first answers. Only days "
            "outside that show a change.\n"
        )
        out().print(Text(text, "dim"))


def _print_ranges(ranges: list[OwnRange]) -> None:
    table = _table("measure", "median", "from", "to", "latest", "answers")
    for each in ranges:
        values = (each.median, each.low, each.high, each.latest)
        table.add_row(Text(each.name, "bold"), *map(each.text, values), str(each.answers))
    _print_section("Your own range", table)


def _print_mastered(done: Mastered) -> None:
    lines = []
    if done.terms:
        lines.append(f"terms: {', '.join(done.terms)}")
    if done.phrases_missed:
        lines.append(f"key phrases once missing: {len(done.phrases)} of {done.phrases_missed}")
    if done.errors:
        lines.append(f"language: {', '.join(done.errors)}")
    if lines:
        out().print(Text("Mastered", "bold cyan"))
        for line in lines:
            out().print(Text(f"  {line}"), soft_wrap=True)
        out().print()


def _print_kinds(lines: list[KindLine]) -> None:
    if not lines:
        return
    table = _table("remark", "noted", "/100 words before", "now", "to say right", "said right")
    for line in lines:
        rates = ("–" if rate is None else f"{rate:.1f}" for rate in (line.before, line.now))
        done = " ✓" if line.mastered else ""
        counts = str(line.open), str(line.said_right)
        table.add_row(Text(line.kind + done, "bold"), str(line.notes), *rates, *counts)
    _print_section("Language", table)
    out().print(Text("Say them right: aloud drill language\n", "dim"))


def _print_scores(title: str, heading: str, lines: list[ScoreLine]) -> None:
    table = _table(heading, "questions", "answers", "first", "now", "change", "last")
    for line in lines:
        change = round(line.now * 100) - round(line.first * 100)
        style = "green" if change > 0 else "red" if change < 0 else "dim"
        table.add_row(
            Text(line.name, "bold"),
            str(line.questions),
            str(line.attempts),
            f"{line.first:.0%}",
            f"{line.now:.0%}",
            Text(f"{change:+d}" if change else "–", style),
            f"{line.last_at.astimezone():%Y-%m-%d}",
        )
    _print_section(title, table)


def _print_terms(lines: list[TermLine]) -> None:
    table = _table("term", "mispronounced", "of")
    for line in lines:
        table.add_row(Text(line.term, "bold"), str(line.mispronounced), str(line.said))
    _print_section("Terms most often mispronounced", table)


def _print_drills(lines: list[DrillLine]) -> None:
    table = _table("drill set", "items", "due", "said", "missed", "last")
    for line in lines:
        table.add_row(
            Text(line.name, "bold"),
            *(str(line.items), str(line.due), str(line.takes), str(line.misses)),
            f"{line.last_at.astimezone():%Y-%m-%d}",
        )
    _print_section("Drills", table)


def _table(*columns: str) -> Table:
    table = plain_table(*columns, indent=2)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _print_section(title: str, table: Table) -> None:
    if not table.row_count:
        return
    out().print(Text(title, "bold cyan"))
    out().print(table)
    out().print()
