"""What somebody without an account sees by a link: the answers shared by it, and comments."""

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Request
from pydantic import TypeAdapter, ValidationError
from starlette.responses import RedirectResponse, Response

from server.context import Context
from server.contract import AttemptId
from server.errors import ConflictError, InvalidInputError, NotFoundError
from server.review_contract import NewComment, PersonName
from server.routes.gate import AppContext
from server.routes.ranges import sound_response
from server.sharing.links import Guest
from server.sharing.service import SharingService
from server.ui.report_view import Sounds, view_report

__all__ = ["links_router"]

Secret = Annotated[str, Path(max_length=200)]
Id = Annotated[AttemptId, Path()]
_NAME: TypeAdapter[str] = TypeAdapter(PersonName)


def links_router(sharing: SharingService) -> APIRouter:
    """The pages under ``/s/…``; the secret in the address is what lets people in."""
    router = APIRouter(prefix="/s/{secret}", include_in_schema=False)

    @router.get("")
    def first(request: Request, secret: Secret, context: AppContext) -> Response:
        """Show the answer, or list those of an interview."""
        guest = sharing.links.open(secret)
        if len(guest.attempts) == 1:
            return _answer(request, context, sharing, secret, guest, guest.attempts[0].id)
        return context.pages.page(
            request, "sharing/interview.html", guest=guest, address=f"/s/{secret}"
        )

    @router.get("/attempts/{attempt_id}")
    def answer(request: Request, secret: Secret, attempt_id: Id, context: AppContext) -> Response:
        """Show one answer with its report and comments."""
        return _answer(request, context, sharing, secret, sharing.links.open(secret), attempt_id)

    @router.get("/attempts/{attempt_id}/recording")
    def recording(request: Request, secret: Secret, attempt_id: Id) -> Response:
        """Return the sound, where it is shared."""
        guest = sharing.links.open(secret)
        guest.demand(attempt_id)
        if not guest.with_audio:
            raise NotFoundError("there is no recording of this answer here")
        return sound_response(request, sharing.recordings.get(attempt_id))

    @router.post("/attempts/{attempt_id}/comments")
    def comment(
        request: Request,
        secret: Secret,
        attempt_id: Id,
        context: AppContext,
        name: Annotated[str, Form(max_length=2000)] = "",
        text: Annotated[str, Form(max_length=20_000)] = "",
        external_id: Annotated[str, Form(max_length=100)] = "",
        word_from: Annotated[str, Form(max_length=20)] = "",
        word_to: Annotated[str, Form(max_length=20)] = "",
    ) -> Response:
        """Keep a comment under the name that was given."""
        guest = sharing.links.open(secret)
        guest.demand(attempt_id)
        typed = {"name": name, "text": text, "word_from": word_from, "word_to": word_to}
        try:
            sharing.guests.comment(
                guest, attempt_id, *_comment(name, text, external_id, word_from, word_to)
            )
        except (InvalidInputError, ConflictError) as error:
            return _answer(
                request,
                context,
                sharing,
                secret,
                guest,
                attempt_id,
                error.status,
                problem=str(error),
                typed=typed,
            )
        return RedirectResponse(f"/s/{secret}/attempts/{attempt_id}#comments", 303)

    return router


def _answer(
    request: Request,
    context: Context,
    sharing: SharingService,
    secret: str,
    guest: Guest,
    attempt_id: int,
    status: int = 200,
    **values: Any,
) -> Response:
    guest.demand(attempt_id)
    archived = context.service.of(guest.owner_id).export_one(attempt_id).attempts[0]
    view = view_report(archived.reports[-1].report)
    address = f"/s/{secret}/attempts/{attempt_id}"
    heard = guest.with_audio and sharing.recordings.info(attempt_id) is not None
    shown: dict[str, Any] = {"problem": None, "typed": {}}
    page = context.pages.page(
        request,
        "sharing/answer.html",
        status,
        guest=guest,
        address=address,
        index=f"/s/{secret}" if len(guest.attempts) > 1 else None,
        question=archived.question,
        created_at=archived.submission.created_at,
        view=view,
        words=[each.text for each in archived.submission.transcript.words],
        sounds=Sounds(recording_url=f"{address}/recording" if heard else None),
        comments=sharing.guests.comments(guest, attempt_id),
        new_id=secrets.token_hex(16),
        **(shown | values),
    )
    page.headers["X-Robots-Tag"] = "noindex"
    return page


def _comment(
    name: str, text: str, external_id: str, word_from: str, word_to: str
) -> tuple[str, NewComment]:
    """What was typed, words counted from 1 as people count them.

    Raises:
        InvalidInputError: in one line what is wrong with it.
    """
    try:
        signed = _NAME.validate_python(name)
    except ValidationError:
        raise InvalidInputError("write your name, in one line of up to 80 characters") from None
    place: dict[str, object] = {"kind": "answer"}
    try:
        if word_from:
            first = int(word_from)
            last = int(word_to or word_from)
            place = {"kind": "word", "word_from": first - 1}
            if last != first:
                place = {"kind": "span", "word_from": first - 1, "word_to": last - 1}
    except ValueError:
        raise InvalidInputError("the words are numbers, counted from 1") from None
    values = {"external_id": external_id or secrets.token_hex(16), "text": text.replace("\r", "")}
    try:
        return signed, NewComment.model_validate(values | place)
    except ValidationError as error:
        fields = {str(each["loc"][0]) for each in error.errors() if each["loc"]}
        if "text" in fields:
            raise InvalidInputError("write a comment of 1 to 5,000 characters") from None
        raise InvalidInputError("the words are numbers, counted from 1, the first first") from None
