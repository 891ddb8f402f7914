"""Better transcripts: the engine and its weights; answers transcribed again or corrected."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Body, Form, Path, Request
from starlette.responses import HTMLResponse, RedirectResponse

from client.data.repair import correct_words, earlier_version, restore_words, rough_answers
from client.practice.progress import all_attempts
from client.studio.state.studio import Studio
from server.contract import MAX_TEXT_CHARS, AttemptId
from server.ui.report_view import Sounds, view_report

Id = Annotated[AttemptId, Path()]


def router(studio: Studio) -> APIRouter:
    """What the engine's panel and the report's buttons ask for."""
    routes = APIRouter()

    @routes.get("/engine")
    def engine() -> dict[str, Any]:
        """What the engine is doing, and how far a download is."""
        return asdict(studio.engine.status())

    @routes.post("/engine/fetch")
    def fetch(model: Annotated[str, Body(embed=True, max_length=100)]) -> dict[str, Any]:
        """Begin to download weights."""
        studio.engine.fetch(model)
        return asdict(studio.engine.status())

    @routes.get("/repairs")
    def status() -> dict[str, Any]:
        """How far the work is, and how many rough answers are left."""
        found = studio.repairs.status()
        rough = len(rough_answers(all_attempts(studio.backend), studio.recordings))
        return asdict(found) | {"total": found.total, "rough": rough}

    @routes.post("/repairs")
    def all_rough() -> dict[str, Any]:
        """Begin to transcribe all rough answers again."""
        rough = rough_answers(all_attempts(studio.backend), studio.recordings)
        studio.repairs.start(each.id for each in rough)
        return status()

    @routes.post("/attempts/{attempt_id}/transcribe")
    def one(attempt_id: Id) -> dict[str, Any]:
        """Begin to transcribe one answer again."""
        studio.repairs.start([studio.backend.attempt(attempt_id).id])
        return status()

    @routes.post("/attempts/{attempt_id}/words")
    def words(
        attempt_id: Id, text: Annotated[str, Form(max_length=MAX_TEXT_CHARS)] = ""
    ) -> RedirectResponse:
        """The candidate's words in place of the engine's."""
        correct_words(studio.backend, studio.session, studio.recordings, attempt_id, text)
        return RedirectResponse(f"/attempts/{attempt_id}#answer-title", 303)

    @routes.post("/attempts/{attempt_id}/words/restore")
    def restore(attempt_id: Id) -> RedirectResponse:
        """The engine's words again."""
        restore_words(studio.backend, attempt_id)
        return RedirectResponse(f"/attempts/{attempt_id}#answer-title", 303)

    @routes.get("/attempts/{attempt_id}/versions/{version}")
    def version(
        request: Request, attempt_id: Id, version: Annotated[int, Path(ge=1)]
    ) -> HTMLResponse:
        """An earlier report of an answer, as the grader wrote it."""
        newest = studio.backend.attempt(attempt_id)
        shown = earlier_version(studio.backend, attempt_id, version)
        return studio.page(
            request,
            "version.html",
            attempt=shown,
            newest=newest,
            question=studio.question_of(newest)[0],
            view=view_report(shown.report, to_owner=True),
            sounds=Sounds(),
        )

    return routes
