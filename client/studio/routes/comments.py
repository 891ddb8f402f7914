"""What coaches wrote about an answer, for the candidate; replying to it, deleting it."""

import secrets
from typing import Annotated, Final

from fastapi import APIRouter, Form, Path, Request
from pydantic import ValidationError
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.backend.protocol import BackendError
from client.backend.reviews import add_reply, delete_comment, read_review
from client.studio.state.studio import Studio
from server.contract import MAX_COMMENT_CHARS, AttemptId, NewComment

Id = Annotated[AttemptId, Path()]
_HEX: Final = r"^[0-9a-f]{32}$"
Hex = Annotated[str, Form(pattern=_HEX)]


def router(studio: Studio) -> APIRouter:
    """The pages under ``/attempts/…/comments``."""
    routes = APIRouter(prefix="/attempts/{attempt_id}/comments")

    @routes.get("")
    def page(request: Request, attempt_id: Id) -> HTMLResponse:
        """Comments, scores and corrected verdicts of one answer."""
        return _page(studio, request, attempt_id)

    @routes.post("", response_model=None)
    def reply(
        request: Request,
        attempt_id: Id,
        parent: Hex,
        external_id: Hex,
        text: Annotated[str, Form(max_length=20_000)] = "",
    ) -> Response:
        """Reply to a comment; the same reply sent twice is kept once."""
        try:
            wanted = NewComment(
                external_id=external_id, parent=parent, text=text.replace("\r\n", "\n")
            )
        except ValidationError:
            problem = f"write a reply of 1 to {MAX_COMMENT_CHARS:,} characters"
            return _page(studio, request, attempt_id, problem, text, parent)
        try:
            add_reply(studio.settings, attempt_id, wanted)
        except (BackendError, ValueError) as error:
            return _page(studio, request, attempt_id, str(error), text, parent)
        return RedirectResponse(f"/attempts/{attempt_id}/comments#c-{parent}", 303)

    @routes.post("/{external_id}/delete", response_model=None)
    def delete(
        request: Request, attempt_id: Id, external_id: Annotated[str, Path(pattern=_HEX)]
    ) -> Response:
        """Delete a comment of somebody without an account, with the replies to it."""
        try:
            delete_comment(studio.settings, attempt_id, external_id)
        except BackendError as error:
            return _page(studio, request, attempt_id, str(error))
        return RedirectResponse(f"/attempts/{attempt_id}/comments", 303)

    return routes


def _page(
    studio: Studio,
    request: Request,
    attempt_id: int,
    problem: str | None = None,
    typed: str = "",
    typed_at: str = "",
) -> HTMLResponse:
    attempt = studio.backend.attempt(attempt_id)
    status = 422 if problem else 200
    review = None
    try:
        review = read_review(studio.settings, attempt_id)
    except BackendError as error:
        problem = problem or str(error)
    return studio.page(
        request,
        "comments.html",
        status,
        attempt=attempt,
        words=attempt.report.transcript.tokens,
        review=review,
        can_reply=studio.settings.server is not None,
        new_id=lambda: secrets.token_hex(16),
        most_chars=MAX_COMMENT_CHARS,
        problem=problem,
        typed=typed,
        typed_at=typed_at,
    )
