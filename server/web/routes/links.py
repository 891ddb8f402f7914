"""The pages behind a share link: reviewing the shared answers without an account."""

from collections.abc import MutableMapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from server.contract import AttemptId
from server.core.access import Action
from server.core.errors import NotFoundError
from server.review.models import Author, GuestKey, Rubric
from server.review.service import ReviewService
from server.sharing.links import Guest
from server.web.http.context import AppContext, Context, Reviews
from server.web.http.downloads import sound_response
from server.web.routes.attempt_review import AttemptReview, add_review_routes, review_page
from server.web.routes.review_forms import signature

Secret = Annotated[str, Path(max_length=200)]
Id = Annotated[AttemptId, Path()]

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

    def review(
        request: Request, secret: Secret, attempt_id: Id, context: AppContext, reviews: Reviews
    ) -> AttemptReview:
        """An answer that the link shows, for anybody with the link."""
        return _review(
            request, context, reviews, context.sharing.links.open(secret), secret, attempt_id
        )

    @router.get("")
    def first(request: Request, secret: Secret, context: AppContext, reviews: Reviews) -> Response:
        """Show the answer, or list those of an interview."""
        guest = context.sharing.links.open(secret)
        if len(guest.attempts) == 1:
            only = guest.attempts[0].id
            return review_page(request, _review(request, context, reviews, guest, secret, only))
        page = context.pages.page(
            request, "sharing/interview.html", guest=guest, address=f"/s/{secret}"
        )
        page.headers["X-Robots-Tag"] = "noindex"
        return page

    @router.get("/attempts/{attempt_id}/recording")
    def recording(
        request: Request, secret: Secret, attempt_id: Id, context: AppContext
    ) -> Response:
        """Return the recording, if it is shared."""
        guest = context.sharing.links.open(secret)
        guest.demand(attempt_id)
        if not guest.with_audio:
            raise NotFoundError("there is no recording of this answer here")
        return sound_response(request, context.sharing.recordings.get(attempt_id))

    answers = APIRouter(prefix="/attempts/{attempt_id}")
    add_review_routes(answers, review)
    router.include_router(answers)
    return router


def _review(
    request: Request,
    context: Context,
    reviews: ReviewService,
    guest: Guest,
    secret: str,
    attempt_id: int,
) -> AttemptReview:
    guest.demand(attempt_id)
    return _GuestReview(
        context=context,
        reviews=reviews,
        attempt_id=attempt_id,
        owner_id=guest.owner_id,
        address=f"/s/{secret}/attempts/{attempt_id}",
        author=_author(request.session, guest),
        actions=_ACTIONS | ({Action.HEAR} if guest.with_audio else frozenset()),
        guest=guest,
        secret=secret,
        session=request.session,
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
