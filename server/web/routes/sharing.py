"""Sharing over HTTP: an owner shows an attempt or an interview, makes links, takes both back."""

from typing import Annotated

from fastapi import APIRouter, Path, status

from server.contract import (
    AttemptId,
    LinkRequest,
    NewShareLink,
    Shared,
    ShareRequest,
    Sharing,
)
from server.core.access import Action, Actor
from server.core.errors import NotAllowedError
from server.sharing.service import SharingService
from server.web.http.gate import CurrentActor, needs

Number = Annotated[int, Path(ge=1, le=2**63 - 1)]


def sharing_router(sharing: SharingService) -> APIRouter:
    """The routes for your own shares; those of others are reported as not found."""
    router = APIRouter(tags=["sharing"], dependencies=[needs(Action.PRACTICE)])

    @router.get("/shares")
    def shares(actor: CurrentActor) -> tuple[Shared, ...]:
        """List everything one shows now, the latest first."""
        return sharing.shares.all(owner_of(actor))

    @router.post("/shares", status_code=status.HTTP_201_CREATED)
    def share(wanted: ShareRequest, actor: CurrentActor) -> Shared:
        """Show an attempt or an interview to a cohort's coaches, or (no cohort) by links."""
        return sharing.shares.share(owner_of(actor), wanted)

    @router.delete("/shares/{share_id}", status_code=status.HTTP_204_NO_CONTENT)
    def revoke(share_id: Number, actor: CurrentActor) -> None:
        """Take a share back; recordings that nothing else shows are deleted."""
        sharing.shares.revoke(owner_of(actor), share_id)

    @router.post("/shares/{share_id}/links", status_code=status.HTTP_201_CREATED)
    def add_link(share_id: Number, wanted: LinkRequest, actor: CurrentActor) -> NewShareLink:
        """Make a link for somebody without an account; its address is shown only once."""
        return sharing.links.add(owner_of(actor), share_id, wanted)

    @router.delete("/share-links/{link_id}", status_code=status.HTTP_204_NO_CONTENT)
    def revoke_link(link_id: Number, actor: CurrentActor) -> None:
        """Revoke a link."""
        sharing.links.revoke(owner_of(actor), link_id)

    @router.get("/attempts/{attempt_id}/sharing")
    def of_attempt(attempt_id: Annotated[AttemptId, Path()], actor: CurrentActor) -> Sharing:
        """Tell what one shows of an attempt, and to whom one could."""
        return sharing.shares.of_attempt(owner_of(actor), attempt_id)

    return router


def owner_of(actor: Actor) -> int:
    """The account whose things are shared.

    Raises:
        NotAllowedError: on a server without accounts there is nobody to share with.
    """
    if actor.account_id is None:
        raise NotAllowedError(
            "this server has no accounts, so there is nobody to share with; "
            "`aloud bundle export` makes a file for a coach"
        )
    return actor.account_id
