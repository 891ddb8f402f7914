"""Progress over time."""

from datetime import UTC, date, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from client.practice.planning.my_plan import my_plan
from client.practice.progress import (
    all_attempts,
    drill_lines,
    is_learned,
    question_lines,
)
from client.practice.progress_over_time import (
    day_deliveries,
    day_scores,
    graded_before,
    kind_lines,
    mastered,
    own_ranges,
    spread_of,
)
from client.studio.state.studio import Studio
from client.studio.views.plan import today_of
from client.studio.views.progress import (
    Choice,
    day_chart,
    delivery_charts,
    dimensions_of,
    score_points,
    spoken_terms,
)
from question_bank.exercises import FIELD as EXERCISES


def router(studio: Studio) -> APIRouter:
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
            today=today_of(plan, studio.backend, everything, bank, now),
            dimensions=dimensions_of(attempts, bank),
            terms=spoken_terms(studio.lexicon, reports, () if choice.any else cards, sets),
            drills=drill_lines(cards, datetime.now(UTC)),
            learned=sum(map(is_learned, cards)),
            sets=sets,
        )

    return routes
