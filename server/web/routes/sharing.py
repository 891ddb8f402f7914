"""Sharing: owners share an answer or an interview, create links, revoke both; pages behind a link.

Owners upload recordings for a share, and those they share with can play them.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Request, status
from starlette.exceptions import HTTPException
from starlette.responses import Response

from server.contract import AttemptId, LinkRequest, NewShareLink, Shared, ShareRequest, Sharing
from server.core.access import Action, Actor
from server.core.errors import NotAllowedError, NotFoundError
from server.jobs.job import Job
from server.review.models import Author, GuestKey, Rubric
from server.review.service import ReviewService
from server.sharing.links import Guest
from server.sharing.recordings import MAX_RECORDING_BYTES, receive
from server.sharing.shown import resource_of_attempt
from server.web.http.context import AppContext, PageVisit, Reviews, Visit
from server.web.http.gate import CurrentActor, demand, needs
from server.web.http.responses import sound_response
from server.web.routes.attempt_review import (
    AttemptReview,
    add_review_routes,
    review_page,
    signature,
)

Id = Annotated[AttemptId, Path()]
Number = Annotated[int, Path(ge=1, le=2**63 - 1)]


@cache
def sharing_router() -> APIRouter:
    """The routes for your own shares; those of others are reported as not found."""
    router = APIRouter(tags=["sharing"], dependencies=[needs(Action.PRACTICE)])

    @router.get("/shares")
    def shares(actor: CurrentActor, context: AppContext) -> tuple[Shared, ...]:
        """List everything you share now, the latest first."""
        return context.sharing.shares.all(owner_of(actor))

    @router.post("/shares", status_code=status.HTTP_201_CREATED)
    def share(wanted: ShareRequest, actor: CurrentActor, context: AppContext) -> Shared:
        """Show an attempt or an interview to a cohort's coaches, or (no cohort) by links."""
        return context.sharing.shares.share(owner_of(actor), wanted)

    @router.delete("/shares/{share_id}", status_code=status.HTTP_204_NO_CONTENT)
    def revoke(share_id: Number, actor: CurrentActor, context: AppContext) -> None:
        """Revoke a share; recordings that no other share shows are deleted."""
        context.sharing.shares.revoke(owner_of(actor), share_id)

    @router.post("/shares/{share_id}/links", status_code=status.HTTP_201_CREATED)
    def add_link(
        share_id: Number, wanted: LinkRequest, actor: CurrentActor, context: AppContext
    ) -> NewShareLink:
        """Create a link for somebody without an account; its address is shown only once."""
        return context.sharing.links.add(owner_of(actor), share_id, wanted)

    @router.delete("/share-links/{link_id}", status_code=status.HTTP_204_NO_CONTENT)
    def revoke_link(link_id: Number, actor: CurrentActor, context: AppContext) -> None:
        """Revoke a link."""
        context.sharing.links.revoke(owner_of(actor), link_id)

    @router.get("/attempts/{attempt_id}/sharing")
    def of_attempt(attempt_id: Id, actor: CurrentActor, context: AppContext) -> Sharing:
        """Return the shares of an attempt, and the cohorts it could be shared with."""
        return context.sharing.shares.of_attempt(owner_of(actor), attempt_id)

    return router


def owner_of(actor: Actor) -> int:
    """The account that owns what is shared.

    Raises:
        NotAllowedError: on a server without accounts there is nobody to share with.
    """
    if actor.account_id is None:
        raise NotAllowedError(
            "this server has no accounts, so there is nobody to share with; "
            "`aloud bundle export` makes a file for a coach"
        )
    return actor.account_id


_UPLOAD: Final = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in ("audio/flac", "audio/ogg")
        },
    }
}
_SOUND: Final[dict[int | str, dict[str, object]]] = {
    200: {"description": "The recording", "content": {"audio/flac": {}, "audio/ogg": {}}},
    206: {"description": "A part of it", "content": {"audio/flac": {}, "audio/ogg": {}}},
    416: {"description": "The range lies behind its end"},
}


async def _uploaded(request: Request) -> bytes:
    """The body, read up to the largest size of a recording."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_RECORDING_BYTES:
            raise HTTPException(413, f"a recording has at most {MAX_RECORDING_BYTES:,} bytes")
        parts.append(part)
    return b"".join(parts)


@cache
def recordings_router() -> APIRouter:
    """The routes under ``/attempts/…/recording``."""
    router = APIRouter(
        prefix="/attempts/{attempt_id}/recording",
        tags=["sharing"],
        dependencies=[needs(Action.PRACTICE)],
    )

    @router.put("", openapi_extra=_UPLOAD, status_code=status.HTTP_202_ACCEPTED)
    def put(
        attempt_id: Id,
        actor: CurrentActor,
        context: AppContext,
        content: Annotated[bytes, Depends(_uploaded)],
    ) -> Job:
        """Upload the recording of an attempt shared with audio: FLAC or Opus.

        It can be played once the job has decoded and re-encoded it.
        """
        return receive(
            context.sharing.recordings,
            context.background.queue,
            owner_of(actor),
            attempt_id,
            content,
        )

    @router.get("", response_class=Response, responses=_SOUND)
    def get(request: Request, attempt_id: Id, actor: CurrentActor, context: AppContext) -> Response:
        """Return a recording, your own or one shared with audio; whole or by ranges."""
        resource = resource_of_attempt(context.service.database, attempt_id)
        demand(actor, Action.HEAR, resource)
        return sound_response(request, context.sharing.recordings.get(attempt_id))

    @router.delete("", status_code=status.HTTP_204_NO_CONTENT)
    def delete(attempt_id: Id, actor: CurrentActor, context: AppContext) -> None:
        """Delete a recording from the server for good, and one that is being prepared."""
        context.sharing.recordings.delete(owner_of(actor), attempt_id)

    return router


Secret = Annotated[str, Path(max_length=200)]

_IN_SESSION: Final = "guest"
_ACTIONS: Final = frozenset({Action.READ, Action.COMMENT, Action.REVIEW})
"""What people may do through a link; its share says whether they may also listen."""


@dataclass(frozen=True)
class _GuestReview(AttemptReview):
    guest: Guest
    secret: str
    session: MutableMapping[str, Any]

    @property
    def recording_url(self) -> str:
        return f"{self.address}/recording"

    def sign(self, signed: str) -> Author:
        """A name is typed once; the browser's session keeps it."""
        name = signature(signed.strip() or self.author.guest_name or "")
        self.session[_IN_SESSION] = self.session[_IN_SESSION] | {"name": name}
        return replace(self.author, guest_name=name)

    def rubric(self) -> Rubric:
        return self.reviews.rubric_of_candidate(self.guest.owner_id)

    def values(self) -> dict[str, Any]:
        ids = [each.id for each in self.guest.attempts]
        following = ids[ids.index(self.attempt_id) + 1 :]
        return {
            "guest": self.guest,
            "guest_name": self.author.guest_name,
            "candidate": self.guest.owner_name,
            "index": f"/s/{self.secret}" if len(ids) > 1 else None,
            "next_address": f"/s/{self.secret}/attempts/{following[0]}" if following else None,
            "done": False,
            "others": (),
        }


@cache
def links_router() -> APIRouter:
    """The pages under ``/s/…``; the secret in the address lets people in."""
    router = APIRouter(prefix="/s/{secret}", include_in_schema=False)

    def review(visit: PageVisit, secret: Secret, attempt_id: Id, reviews: Reviews) -> AttemptReview:
        """An answer that the link shows, for anybody with the link."""
        guest = visit.context.sharing.links.open(secret)
        return _review(visit, reviews, guest, secret, attempt_id)

    @router.get("")
    def first(visit: PageVisit, secret: Secret, reviews: Reviews) -> Response:
        """Show the answer, or list those of an interview."""
        guest = visit.context.sharing.links.open(secret)
        if len(guest.attempts) == 1:
            only = guest.attempts[0].id
            return review_page(visit.request, _review(visit, reviews, guest, secret, only))
        page = visit.page("sharing/interview.html", guest=guest, address=f"/s/{secret}")
        page.headers["X-Robots-Tag"] = "noindex"
        return page

    @router.get("/attempts/{attempt_id}/recording")
    def recording(visit: PageVisit, secret: Secret, attempt_id: Id) -> Response:
        """Return the recording, if it is shared."""
        sharing = visit.context.sharing
        guest = sharing.links.open(secret)
        guest.demand(attempt_id)
        if not guest.with_audio:
            raise NotFoundError("there is no recording of this answer here")
        return sound_response(visit.request, sharing.recordings.get(attempt_id))

    answers = APIRouter(prefix="/attempts/{attempt_id}")
    add_review_routes(answers, review)
    router.include_router(answers)
    return router


def _review(
    visit: Visit, reviews: ReviewService, guest: Guest, secret: str, attempt_id: int
) -> AttemptReview:
    guest.demand(attempt_id)
    session = visit.request.session
    return _GuestReview(
        own=visit.context.service.of(guest.owner_id),
        pages=visit.context.pages,
        reviews=reviews,
        attempt_id=attempt_id,
        address=f"/s/{secret}/attempts/{attempt_id}",
        author=_author(session, guest),
        actions=_ACTIONS | ({Action.HEAR} if guest.with_audio else frozenset()),
        turn=partial(visit.context.grading.turn_of, 0),
        guest=guest,
        secret=secret,
        session=session,
    )


def _author(session: MutableMapping[str, Any], guest: Guest) -> Author:
    """The author who opened the link, from the signed session of their browser."""
    kept = session.get(_IN_SESSION)
    if not isinstance(kept, dict) or not isinstance(kept.get("key"), str):
        kept = session[_IN_SESSION] = {"key": GuestKey.new().secret}
    name = kept.get("name")
    return Author(
        guest_name=name if isinstance(name, str) else None,
        link_id=guest.link_id,
        key=GuestKey(kept["key"]),
    )
