"""Progress over time."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from client.practice.progress import (
    ReportReader,
    all_attempts,
    drill_lines,
    is_learned,
    question_lines,
)
from client.practice.progress_over_time import week_scores
from client.studio.state.studio import Studio
from client.studio.views.progress import Choice, dimensions_of, spoken_terms, week_chart


def router(studio: Studio) -> APIRouter:
    """The page."""
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
            choices=dimensions_of(everything, bank),
            total=len(everything),
            attempts=attempts,
            questions=question_lines(attempts),
            bank_size=sum(choice.fits(each, each.signals) for each in bank.questions),
            prompts={each.id: each.prompt for each in bank.questions},
            weeks=weeks,
            chart=week_chart(weeks),
            dimensions=dimensions_of(attempts, bank),
            terms=spoken_terms(
                studio.lexicon, reader.recent(attempts), () if choice.any else cards, sets
            ),
            drills=drill_lines(cards, datetime.now(UTC)),
            learned=sum(map(is_learned, cards)),
            sets=sets,
        )

    return routes
