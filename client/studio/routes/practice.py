"""Practice: a question is asked, the answer is recorded and graded."""

import random
from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request, WebSocket
from starlette.responses import HTMLResponse, RedirectResponse

from client.backend.protocol import Backend
from client.practice.choosing import choose_questions
from client.studio.state.answer_socket import AnswerSocket
from client.studio.state.running_take import limit_s_for
from client.studio.state.studio import Studio
from question_bank.models import Question, RoundName
from server.contract import HistoryQuery

__all__ = ["next_question", "router"]

PREPARATION_S: Final = (0, 10, 30, 60)
"""Seconds to think that the page offers; 0: recording begins when the question has been asked."""
_HISTORY_PAGE: Final = 500

Text = Annotated[str | None, Query(max_length=200)]
Round = Annotated[RoundName | None, Query()]


def router(studio: Studio) -> APIRouter:
    """The pages, and the WebSocket that takes an answer."""
    routes = APIRouter()
    takes = studio.takes

    @routes.get("/practice")
    def choose(
        role: Text = None, round: Round = None, topic: Text = None, after: Text = None
    ) -> RedirectResponse:
        """The next question: never practised before long ago before lately."""
        question = next_question(
            studio.backend, random.Random(), role=role, round=round, topic=topic, after=after
        )
        if question is None:
            wanted = ", ".join(part for part in (role, round, topic) if part) or "an empty bank"
            raise HTTPException(404, f"the bank has no question for {wanted}")
        return RedirectResponse(
            f"/practice/{question.id}{_query(role=role, round=round, topic=topic)}", 303
        )

    @routes.get("/practice/{question_id}")
    def practice(
        request: Request,
        question_id: str,
        role: Text = None,
        round: Round = None,
        topic: Text = None,
    ) -> HTMLResponse:
        """One question; the engine loads while it is asked."""
        question = studio.backend.question(question_id)
        studio.warm_up()
        answered = studio.backend.history(HistoryQuery(question_id=question.id, limit=1))
        return studio.page(
            request,
            "practice.html",
            question=question,
            role=studio.bank.role(role or question.role or ""),
            limit_s=limit_s_for(question.answer_seconds),
            answered=answered.total,
            last=answered.attempts[0] if answered.attempts else None,
            preparation_s=PREPARATION_S,
            next_url="/practice" + _query(role=role, round=round, topic=topic, after=question.id),
        )

    @routes.websocket("/ws/answer")
    async def answer(socket: WebSocket) -> None:
        """One answer, see ``AnswerSocket``."""
        await AnswerSocket(socket, takes).serve()

    return routes


def next_question(
    backend: Backend,
    rng: random.Random,
    *,
    role: str | None = None,
    round: RoundName | None = None,
    topic: str | None = None,
    after: str | None = None,
) -> Question | None:
    """The question to practise next, or ``None`` where there is none of this kind.

    Args:
        backend: gives the questions and the history.
        rng: breaks ties.
        role: of this role only; so ``round`` and ``topic``.
        round: see ``role``.
        topic: see ``role``.
        after: the question that was just asked, which does not come again unless it is the only
            one.
    """
    there = backend.questions(role=role, round=round, topic=topic)
    if not there:
        return None
    others = [question for question in there if question.id != after] or there
    page = backend.history(HistoryQuery(role=role, limit=_HISTORY_PAGE))
    last = {each.question_id: each.created_at for each in reversed(page.attempts)}
    if after is not None:
        last[after] = datetime.now(UTC)  # asked, even where it was not answered
    return choose_questions(others, last, 1, rng)[0]


def _query(**values: str | None) -> str:
    given = {name: value for name, value in values.items() if value}
    return f"?{urlencode(given)}" if given else ""
