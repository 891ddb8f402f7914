"""Practice: a question is asked, the answer recorded and graded; interrupted recordings."""

import random
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Form, HTTPException, Query, Request, WebSocket
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.answer.answer import Answer
from client.answer.answers import NoSuchAnswerError
from client.audio.wav import wav_bytes
from client.backend.protocol import Backend
from client.practice.choosing import choose_questions
from client.practice.interviews import last_practiced
from client.studio.state.answer_socket import AnswerSocket
from client.studio.state.page_recording import limit_s_for
from client.studio.state.studio import Studio
from question_bank.models import Question, RoundName
from server.contract import MAX_TEXT_CHARS, HistoryQuery, Transcript, again_s, duration
from server.ui.rendering import when

PREPARATION_S: Final = (0, 10, 30, 60)
"""Seconds to think that the page offers; 0: recording begins when the question has been asked."""
MOST_FILE_BYTES: Final = 512 << 20
"""A quarter of an hour of video; sound alone is far smaller."""

T = TypeVar("T")
Text = Annotated[str | None, Query(max_length=200)]


def router(studio: Studio) -> APIRouter:
    """The pages, the WebSocket that takes an answer, and the notice of interrupted recordings."""
    routes = APIRouter()
    answers = studio.answers

    @routes.get("/practice")
    def choose(
        role: Text = None, round: Text = None, topic: Text = None, after: Text = None
    ) -> RedirectResponse:
        """The next question: first those never practiced, then those practiced longest ago."""
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
        round: Text = None,
        topic: Text = None,
        aim: Annotated[int | None, Query(ge=1)] = None,
    ) -> HTMLResponse:
        """One question; the engine loads while it is asked. ``aim``: of this earlier answer."""
        question = studio.backend.question(question_id)
        aimed = None if aim is None else studio.backend.attempt(aim).report.aim
        studio.warm_up()
        studio.speak_ahead(question.prompt)
        answered = studio.backend.history(HistoryQuery(question_id=question.id, limit=1))
        return studio.page(
            request,
            "practice.html",
            question=question,
            aim=aimed,
            target_s=again_s(question.answer_seconds) if aimed else question.answer_seconds,
            role=studio.bank.role(role or question.role or ""),
            limit_s=limit_s_for(question.answer_seconds),
            answered=answered.total,
            last=answered.attempts[0] if answered.attempts else None,
            preparation_s=_offered_s(studio.settings.preferences.thinking_s),
            most_chars=MAX_TEXT_CHARS,
            next_url="/practice" + _query(role=role, round=round, topic=topic, after=question.id),
        )

    @routes.websocket("/ws/answer")
    async def answer(socket: WebSocket) -> None:
        """One answer, see ``AnswerSocket``."""
        await AnswerSocket(
            socket, studio.microphone, answers, studio.interviews.kept, studio.say_into_cache
        ).serve()

    @routes.post("/practice/{question_id}/typed")
    def typed(question_id: str, text: Annotated[str, Form(max_length=MAX_TEXT_CHARS)]) -> Response:
        """Grade a typed answer and keep it."""
        if not text.strip():
            raise HTTPException(422, "there is no text to grade")
        question = studio.backend.question(question_id)
        outcome = studio.session.read(Transcript(text=text.strip()), question.id)
        if outcome.unsaved:  # the text is still in the browser's form
            raise HTTPException(507, outcome.unsaved)
        shown = "/history" if outcome.attempt_id is None else f"/attempts/{outcome.attempt_id}"
        return RedirectResponse(shown, 303)

    @routes.post("/practice/{question_id}/file", status_code=201)
    async def file(request: Request, question_id: str) -> dict[str, str]:
        """Take a recording that was made elsewhere; it is finished like an interrupted one."""
        question = await run_in_threadpool(studio.backend.question, question_id)
        with tempfile.TemporaryDirectory(prefix="aloud-") as folder:
            path = Path(folder) / "sound"
            with path.open("wb") as sound:
                async for block in request.stream():
                    if sound.tell() + len(block) > MOST_FILE_BYTES:
                        limit_mb = MOST_FILE_BYTES >> 20
                        raise HTTPException(413, f"the file is larger than {limit_mb} MB")
                    sound.write(block)
            brought = await run_in_threadpool(answers.bring, path, question.id)
        return {"name": brought.name}

    @routes.get("/takes")
    def state() -> dict[str, Any]:
        """Whether something is being recorded, and what was interrupted."""
        return {
            "recording": studio.microphone.recording is not None,
            "interrupted": [_shown(each) for each in answers.unfinished()],
            "finishing": [_progress(each) for each in answers.taken_up()],
        }

    @routes.get("/takes/{name}/audio")
    def audio(name: str) -> Response:
        """The sound of an interrupted recording."""
        with _found(lambda: answers.find(name)).claim() as answer:
            return Response(wav_bytes(answer.clip()), media_type="audio/wav")

    @routes.post("/takes/{name}/finish", status_code=202)
    def finish(name: str) -> dict[str, Any]:
        """Begin to transcribe and grade it."""
        if answers.is_at_work(name):
            return progress(name)
        return _progress(_found(lambda: answers.finish_later(answers.find(name))))

    @routes.get("/takes/{name}")
    def progress(name: str) -> dict[str, Any]:
        found = answers.taken_up(name)
        if not found:
            raise HTTPException(404, "no such recording is being finished")
        return _progress(found[0])

    @routes.post("/takes/{name}/discard", status_code=204)
    def discard(name: str) -> None:
        _found(lambda: answers.discard(answers.find(name)))

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
    """The question to practice next, or ``None`` if there is none of this kind.

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
    last = last_practiced(backend)
    if after is not None:
        last[after] = datetime.now(UTC)  # asked, even where it was not answered
    return choose_questions(others, last, 1, rng)[0]


def _found(get: Callable[[], T]) -> T:
    try:
        return get()
    except NoSuchAnswerError as error:
        raise HTTPException(404, str(error)) from error


def _shown(answer: Answer) -> dict[str, Any]:
    return {
        "name": answer.name,
        "kind": answer.entry.kind,
        "started": _moment(answer.spoken_at),
        "length": duration(answer.duration_s),
        "question_id": "" if answer.obstacle else answer.asked,
        "prompt": answer.prompt,
        "reason": answer.entry.reason,
        "problem": answer.obstacle,
    }


def _moment(moment: datetime) -> str:
    """The time of day, with the date if it was not today."""
    local = moment.astimezone()
    return f"{local:%H:%M}" if local.date() == datetime.now().date() else when(moment)


def _progress(answer: Answer) -> dict[str, Any]:
    state = "running" if answer.at_work else "failed" if answer.problem else "done"
    attempt_id, review = answer.attempt_id, answer.entry.review
    return {
        "name": answer.name,
        "state": state,
        "share": answer.share,
        "url": None if attempt_id is None else f"/attempts/{attempt_id}",
        "waiting": answer.waiting,
        "problem": answer.problem,
        "verdict": "" if review is None else review.verdict,
    }


def _offered_s(chosen_s: int | None) -> list[int]:
    """The seconds to think that the page offers, with those of the settings."""
    return sorted({*PREPARATION_S, *([] if chosen_s is None else [chosen_s])})


def _query(**values: str | None) -> str:
    given = {name: value for name, value in values.items() if value}
    return f"?{urlencode(given)}" if given else ""
