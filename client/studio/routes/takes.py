"""Recordings that were interrupted: listed, heard, finished or discarded."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from fastapi import APIRouter, HTTPException
from starlette.responses import Response

from client.audio.wav import wav_bytes
from client.studio.state.studio import Studio
from client.studio.state.takes import Finishing, InterruptedTake, NoSuchTakeError
from server.ui.rendering import clock, when

__all__ = ["router"]

T = TypeVar("T")


def router(studio: Studio) -> APIRouter:
    """What the notice of interrupted recordings asks for."""
    routes = APIRouter(prefix="/takes")
    takes = studio.takes

    @routes.get("")
    def state() -> dict[str, Any]:
        """Whether something is being recorded, and what was interrupted."""
        return {
            "recording": takes.running is not None,
            "interrupted": [_shown(take) for take in takes.interrupted()],
            "finishing": [_progress(each) for each in takes.finishing()],
        }

    @routes.get("/{name}/audio")
    def audio(name: str) -> Response:
        """The sound of an interrupted recording."""
        return Response(wav_bytes(_found(lambda: takes.clip(name))), media_type="audio/wav")

    @routes.post("/{name}/finish", status_code=202)
    def finish(name: str) -> dict[str, Any]:
        """Begin to transcribe and grade it."""
        return _progress(_found(lambda: takes.finish(name)))

    @routes.get("/{name}")
    def progress(name: str) -> dict[str, Any]:
        """How far that is."""
        return _progress(_found(lambda: takes.progress(name)))

    @routes.post("/{name}/discard", status_code=204)
    def discard(name: str) -> None:
        """Delete it."""
        _found(lambda: takes.discard(name))

    return routes


def _found(get: Callable[[], T]) -> T:
    try:
        return get()
    except NoSuchTakeError as error:
        raise HTTPException(404, str(error)) from error


def _shown(take: InterruptedTake) -> dict[str, Any]:
    return {
        "name": take.name,
        "started": _moment(take.started_at),
        "length": clock(take.duration_s),
        "question_id": take.question_id,
        "prompt": take.prompt,
        "reason": take.reason,
    }


def _moment(moment: datetime) -> str:
    """The time of day, with the date where it was not today."""
    local = moment.astimezone()
    return f"{local:%H:%M}" if local.date() == datetime.now().date() else when(moment)


def _progress(finishing: Finishing) -> dict[str, Any]:
    attempt_id = finishing.attempt_id
    return {
        "name": finishing.name,
        "state": finishing.state,
        "share": finishing.share,
        "url": None if attempt_id is None else f"/attempts/{attempt_id}",
        "waiting": finishing.waiting,
        "problem": finishing.problem,
    }
