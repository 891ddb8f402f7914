"""``aloud progress``: how practice goes."""

from contextlib import suppress
from datetime import UTC, datetime
from statistics import fmean
from typing import Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from client.backend.protocol import BackendError
from client.cli.common import checked, command, out, print_json
from client.cli.loading import open_server
from client.cli.progress_bars import counting
from client.core.settings import ClientSettings
from client.practice.drills.items import load_items
from client.practice.drills.phrases import PHRASE_SETS
from client.practice.progress import (
    DrillLine,
    ScoreLine,
    TermLine,
    all_attempts,
    drill_lines,
    recent_reports,
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
from server.contract import HistoryQuery

_PANEL = "Your own data"
DAYS_PRINTED: Final = 14
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "progress", _PANEL)(progress)


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
        reports = recent_reports(backend, attempts)
        cards = backend.drills.cards()
    days, deliveries = day_scores(attempts), day_deliveries(reports)
    drilled = [
        (names.get(card.item_id, card.item_id), card)
        for card in cards
        if card.drill_set not in PHRASE_SETS
    ]
    roles = score_lines(attempts, lambda each: each.role)
    topics = score_lines(attempts, lambda each: each.topic)
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
    if not ranges:
        return
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
    if not lines:
        return
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
    if not lines:
        return
    table = _table("term", "mispronounced", "of")
    for line in lines:
        table.add_row(Text(line.term, "bold"), str(line.mispronounced), str(line.said))
    _print_section("Terms most often mispronounced", table)


def _print_drills(lines: list[DrillLine]) -> None:
    if not lines:
        return
    table = _table("drill set", "items", "due", "said", "missed", "last")
    for line in lines:
        table.add_row(
            Text(line.name, "bold"),
            *(str(line.items), str(line.due), str(line.takes), str(line.misses)),
            f"{line.last_at.astimezone():%Y-%m-%d}",
        )
    _print_section("Drills", table)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
    for number, column in enumerate(columns):
        table.add_column(column, overflow="fold", justify="left" if number == 0 else "right")
    return table


def _print_section(title: str, table: Table) -> None:
    out().print(Text(title, "bold cyan"))
    out().print(table)
    out().print()
