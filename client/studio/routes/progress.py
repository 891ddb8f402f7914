"""Progress over time, and the study plan with what is done of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from client.practice.drills.items import ItemSets
from client.practice.progress import (
    ReportReader,
    ScoreLine,
    TermLine,
    all_attempts,
    drill_lines,
    is_learnt,
    next_step,
    planned_rounds,
    question_lines,
    score_lines,
    score_lines_by,
    term_lines,
)
from client.practice.progress_over_time import TermTake, term_takes, week_scores
from client.studio.state.studio import Studio
from client.studio.views.week_chart import week_chart
from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question
from server.contract import AttemptSummary, DrillCard, Report

__all__ = ["Choice", "Dimension", "SpokenTerm", "router"]

TERMS_SHOWN: Final = 20
TAKES_SHOWN: Final = 8
"""A row of signs that still fits beside a term on a telephone."""


@dataclass(frozen=True)
class Choice:
    """What is looked at: answers of one role, round, topic or signal; empty means all."""

    role: str = ""
    round: str = ""
    topic: str = ""
    signal: str = ""

    @property
    def any(self) -> bool:
        """Whether not all answers are looked at."""
        return bool(self.role or self.round or self.topic or self.signal)

    def fits(self, each: AttemptSummary | Question, signals: Iterable[str]) -> bool:
        """Whether an answer or a question, which looks for these signals, was chosen."""
        return (
            self.role in ("", each.role)
            and self.round in ("", each.round)
            and self.topic in ("", each.topic)
            and (not self.signal or self.signal in signals)
        )


@dataclass(frozen=True)
class Dimension:
    """The scores under the headings of one kind, and how the headings are written for people."""

    name: str
    title: str
    lines: tuple[ScoreLine, ...]
    titles: dict[str, str]


@dataclass(frozen=True)
class SpokenTerm:
    """A term that was said wrong.

    Attributes:
        line: how often.
        say: its respelling; empty where the lexicon lacks it.
        takes: the latest places in answers where it was said, the oldest first.
        drill_set: the set that drills it; empty where none does.
    """

    line: TermLine
    say: str
    takes: tuple[TermTake, ...]
    drill_set: str


def router(studio: Studio) -> APIRouter:
    """The two pages."""
    routes = APIRouter()
    reader = ReportReader(studio.backend)

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
        weeks = week_scores(attempts)
        return studio.page(
            request,
            "progress.html",
            choice=choice,
            choices=_dimensions(everything, bank),
            total=len(everything),
            attempts=attempts,
            questions=question_lines(attempts),
            bank_size=sum(choice.fits(each, each.signals) for each in bank.questions),
            prompts={each.id: each.prompt for each in bank.questions},
            weeks=weeks,
            chart=week_chart(weeks),
            dimensions=_dimensions(attempts, bank),
            terms=_terms(
                studio.lexicon, reader.recent(attempts), () if choice.any else cards, sets
            ),
            drills=drill_lines(cards, datetime.now(UTC)),
            learnt=sum(map(is_learnt, cards)),
            sets=sets,
        )

    @routes.get("/plan")
    def plan(request: Request) -> HTMLResponse:
        """The study plan."""
        bank = studio.bank
        attempts = all_attempts(studio.backend)
        return studio.page(
            request,
            "plan.html",
            weeks=bank.plan,
            rounds=planned_rounds(bank.plan, attempts),
            guides={each.id: each for each in bank.rounds},
            step=next_step(bank.plan, attempts),
            # the role practised last is the one that the links go on with
            role=next((bank.role(each.role) for each in attempts if each.role), None),
        )

    return routes


def _dimensions(attempts: Sequence[AttemptSummary], bank: Bank) -> list[Dimension]:
    signals = {each.id: each.signals for each in bank.questions}
    headings: list[tuple[str, str, list[ScoreLine], dict[str, str]]] = [
        (
            "role",
            "Roles",
            score_lines(attempts, lambda each: each.role),
            {each.id: each.title for each in bank.roles},
        ),
        (
            "round",
            "Rounds",
            score_lines(attempts, lambda each: each.round),
            {each.id: each.title for each in bank.rounds},
        ),
        ("topic", "Topics", score_lines(attempts, lambda each: each.topic), {}),
        (
            "signal",
            "Signals",
            score_lines_by(attempts, lambda each: signals.get(each.question_id, ())),
            {each.id: each.title for each in bank.signals},
        ),
    ]
    return [Dimension(name, title, tuple(lines), titles) for name, title, lines, titles in headings]


def _terms(
    lexicon: Lexicon,
    reports: Sequence[Report],
    cards: Iterable[DrillCard],
    sets: ItemSets,
) -> list[SpokenTerm]:
    """The terms said wrong most often, in answers and (where all is looked at) in drills."""
    items = {item.id: item for item in sets.of(None)}
    drilled_in = {item.term.casefold(): item.set for item in items.values()}
    drilled = [
        (items[card.item_id].term if card.item_id in items else card.item_id, card)
        for card in cards
    ]
    takes = term_takes(reports)
    shown = []
    for line in term_lines(reports, drilled)[:TERMS_SHOWN]:
        entry = lexicon.get(line.term)
        shown.append(
            SpokenTerm(
                line=line,
                say=entry.say if entry else "",
                takes=takes.get(line.term, ())[-TAKES_SHOWN:],
                drill_set=drilled_in.get(line.term.casefold(), ""),
            )
        )
    return shown
