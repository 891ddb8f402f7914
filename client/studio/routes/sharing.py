"""Sharing an answer with a coach, by a shared server or as a file, and the coach's comments."""

import secrets
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Form, HTTPException, Path, Request
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Message

from client.backend.opening import open_remote, open_reviews, read_review
from client.backend.protocol import BackendError
from client.core.errors import AudioFileError, ClientError
from client.data.bundle import (
    MOST_FILE_BYTES,
    BundleError,
    bundle_of,
    merge_each,
    news_of,
    parse_review,
)
from client.data.sharing import NoSharingError, interview_of, open_sharing
from client.data.sharing import share as share_answer
from client.studio.routes.bodies import download
from client.studio.state.studio import Studio
from server.contract import (
    MAX_COMMENT_CHARS,
    MAX_LINK_DAYS,
    AttemptId,
    LinkRequest,
    MergedReview,
    NewComment,
)

Id = Annotated[AttemptId, Path()]
Number = Annotated[int, Form(ge=1, le=2**63 - 1)]

_MOST_FILES = 20
_MOST_FIELDS = 10
_MOST_FRAMING_BYTES = 64 * 1024
"""What a form has around its files."""


@dataclass(frozen=True)
class Upload:
    """One file: its name on the sender's disk, for messages only, and its content."""

    name: str
    content: bytes


async def _came_back(request: Request) -> list[Upload]:
    """The files of the form; a field that was left empty has none.

    Raises:
        HTTPException: 413, more than that; 400, no such form.
    """
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await request.receive()
        received += len(message.get("body", b""))
        if received > MOST_FILE_BYTES + _MOST_FRAMING_BYTES:
            raise HTTPException(
                413, f"at most {MOST_FILE_BYTES // (1024 * 1024)} MB can be sent at once"
            )
        return message

    form = Request(request.scope, limited).form(max_files=_MOST_FILES, max_fields=_MOST_FIELDS)
    async with form as sent:
        return [
            Upload(each.filename or "", await each.read())
            for each in sent.getlist("files")
            if isinstance(each, UploadFile) and each.filename
        ]


def router(studio: Studio) -> APIRouter:
    """The pages under ``/attempts/…/share``."""
    routes = APIRouter(prefix="/attempts/{attempt_id}/share")

    @routes.get("")
    def page(request: Request, attempt_id: Id) -> HTMLResponse:
        """Show who sees this answer, and who could."""
        return _page(studio, request, attempt_id)

    @routes.post("")
    def share(
        request: Request,
        attempt_id: Id,
        cohort_id: Annotated[int | None, Form(ge=1, le=2**63 - 1)] = None,
        label: Annotated[str, Form(max_length=500)] = "",
        days: Annotated[int, Form()] = 14,
        audio: Annotated[bool, Form()] = False,
        whole: Annotated[bool, Form()] = False,
    ) -> Response:
        """Show it to a cohort, or make a link, which the page shows only once.

        With ``whole``, all answers of its interview.
        """
        submission_id = studio.backend.attempt(attempt_id).submission.submission_id
        try:
            link = LinkRequest(label=label, days=days) if cohort_id is None else None
        except ValidationError:
            problem = f"write who the link is for; it can work for 1 to {MAX_LINK_DAYS} days"
            return _page(studio, request, attempt_id, 422, problem=problem)
        try:
            with open_sharing(studio.settings) as sharing:
                address = share_answer(
                    sharing,
                    studio.recordings,
                    attempt_id,
                    submission_id,
                    interview_of(studio.settings, submission_id) if whole else None,
                    cohort_id=cohort_id,
                    link=link,
                    with_audio=audio,
                )
        except (BackendError, AudioFileError, NoSharingError) as error:
            return _page(studio, request, attempt_id, 422, problem=str(error))
        if address is None:
            return RedirectResponse(f"/attempts/{attempt_id}/share", 303)
        return _page(studio, request, attempt_id, address=address)

    @routes.get("/bundle")
    def bundle(request: Request, attempt_id: Id, audio: bool = False) -> Response:
        """The answer as one file for a coach without any server."""
        try:
            with open_reviews(studio.settings) as reviews:
                packed = bundle_of(
                    studio.backend, reviews, studio.recordings, attempt_id, with_audio=audio
                )
        except (AudioFileError, NoSharingError) as error:
            return _page(studio, request, attempt_id, 422, problem=str(error))
        return download(packed.name, packed.content)

    @routes.post("/comments")
    def merge(
        request: Request, attempt_id: Id, files: Annotated[list[Upload], Depends(_came_back)]
    ) -> HTMLResponse:
        """Add what came back in files: comments that a bundle's page saved, or whole bundles."""
        added: list[tuple[str, MergedReview, str]] = []
        try:
            if not files:
                raise BundleError("choose the file that your coach sent back")
            # one bad file, and nothing is merged
            documents = [(each.name, parse_review(each.name, each.content)) for each in files]
            with open_reviews(studio.settings) as reviews:
                for name, merged in merge_each(reviews, documents):
                    added.append((name, merged, news_of(merged)))
        except (BackendError, BundleError) as error:
            return _page(studio, request, attempt_id, 422, problem=str(error), added=added)
        return _page(studio, request, attempt_id, added=added)

    @routes.post("/stop")
    def stop(attempt_id: Id, share_id: Number) -> RedirectResponse:
        """Take a share back."""
        with open_sharing(studio.settings) as sharing:
            sharing.revoke(share_id)
        return RedirectResponse(f"/attempts/{attempt_id}/share", 303)

    @routes.post("/stop-link")
    def stop_link(attempt_id: Id, link_id: Number) -> RedirectResponse:
        with open_sharing(studio.settings) as sharing:
            sharing.revoke_link(link_id)
        return RedirectResponse(f"/attempts/{attempt_id}/share", 303)

    return routes


def _page(
    studio: Studio, request: Request, attempt_id: int, status: int = 200, **values: Any
) -> HTMLResponse:
    attempt = studio.backend.attempt(attempt_id)
    shown: dict[str, Any] = {"problem": None, "address": None, "added": ()} | values
    sharing = None
    if studio.settings.server is not None:
        try:
            with open_sharing(studio.settings) as remote:
                sharing = remote.sharing(attempt_id)
        except ClientError as error:
            shown["problem"] = shown["problem"] or str(error)
    return studio.page(
        request,
        "share.html",
        status,
        attempt=attempt,
        recorded=studio.recordings.path_of(attempt.submission.submission_id).is_file(),
        server=studio.settings.server,
        interview=interview_of(studio.settings, attempt.submission.submission_id),
        sharing=sharing,
        most_days=MAX_LINK_DAYS,
        **shown,
    )


_HEX: Final = r"^[0-9a-f]{32}$"
Hex = Annotated[str, Form(pattern=_HEX)]


def comments_router(studio: Studio) -> APIRouter:
    """The pages under ``/attempts/…/comments``."""
    routes = APIRouter(prefix="/attempts/{attempt_id}/comments")

    @routes.get("")
    def page(request: Request, attempt_id: Id) -> HTMLResponse:
        """Comments, scores and corrected verdicts of one answer."""
        return _comments_page(studio, request, attempt_id)

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
            return _comments_page(studio, request, attempt_id, problem, text, parent)
        try:
            with open_remote(studio.settings) as remote:
                remote.comment(attempt_id, wanted)
        except (BackendError, ValueError) as error:
            return _comments_page(studio, request, attempt_id, str(error), text, parent)
        return RedirectResponse(f"/attempts/{attempt_id}/comments#c-{parent}", 303)

    @routes.post("/{external_id}/delete", response_model=None)
    def delete(
        request: Request, attempt_id: Id, external_id: Annotated[str, Path(pattern=_HEX)]
    ) -> Response:
        """Delete a comment of somebody without an account, with the replies to it."""
        try:
            with open_reviews(studio.settings) as reviews:
                reviews.delete_comment(attempt_id, external_id)
        except BackendError as error:
            return _comments_page(studio, request, attempt_id, str(error))
        return RedirectResponse(f"/attempts/{attempt_id}/comments", 303)

    return routes


def _comments_page(
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
