"""Access rules. Everything that is not allowed here is denied.

Pure functions: routes ask through the dependencies of ``server/web/http/gate.py``, and a test walks
every route with every role.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

ActorRole = Literal["anonymous", "guest", "open", "candidate", "coach", "admin"]


@dataclass(frozen=True)
class Actor:
    """The person or client that makes a request.

    Attributes:
        role: ``open``: the one person of a server without accounts; ``guest``: somebody who opened
            a share link and may do what it says; ``anonymous``: anybody else without an account.
        account_id: the account that owns their resources; ``None`` without an account.
        name: the name they sign in with.
        display_name: the name others see.
        coached: the cohorts they are a coach of.
        by_token: a client with a token, not a browser.
        has_second_factor: signing in took more than a password.
        lacks_second_factor: they have to set one up before they manage other people's accounts.
    """

    role: ActorRole
    account_id: int | None = None
    name: str = ""
    display_name: str = ""
    coached: frozenset[int] = frozenset()
    by_token: bool = False
    has_second_factor: bool = False
    lacks_second_factor: bool = False

    @property
    def has_account(self) -> bool:
        """Whether somebody is signed in."""
        return self.role in ("candidate", "coach", "admin")


ANONYMOUS: Final = Actor("anonymous")
OPEN: Final = Actor("open")


class Action(StrEnum):
    """What somebody wants to do; the second group is done to a resource."""

    READ_BANK = "read the question bank"
    PRACTICE = "answer questions and keep the answers"
    OWN_ACCOUNT = "look after their own account"
    COACH = "open the coach pages"
    EDIT_BANK = "edit the question bank"
    MANAGE_ACCOUNTS = "manage accounts, invitations and cohorts"
    SEE_OPERATION = "see how the server is doing"

    READ = "read it"
    HEAR = "hear its recording"
    COMMENT = "comment on it"
    REVIEW = "score it and correct its verdicts"
    CHANGE = "share, change or delete it"


@dataclass(frozen=True)
class Resource:
    """Something that belongs to somebody: an attempt, an interview, a recording, a share, a job.

    Attributes:
        owner_id: the account it belongs to; ``None`` on a server without accounts.
        shown_to: the cohorts whose coaches may see it now: without revoked shares, and without
            cohorts that the owner has left.
        sound_to: those of them that may hear its recording.
    """

    owner_id: int | None
    shown_to: frozenset[int] = frozenset()
    sound_to: frozenset[int] = frozenset()


_EVERYBODY_HERE: Final = frozenset({"open", "candidate", "coach", "admin"})
_WITHOUT_RESOURCE: Final[dict[Action, frozenset[str]]] = {
    Action.READ_BANK: _EVERYBODY_HERE,
    Action.PRACTICE: _EVERYBODY_HERE,
    Action.OWN_ACCOUNT: frozenset({"candidate", "coach", "admin"}),
    Action.COACH: frozenset({"coach"}),
    Action.EDIT_BANK: frozenset({"coach", "admin"}),
    Action.MANAGE_ACCOUNTS: frozenset({"admin"}),
    Action.SEE_OPERATION: frozenset({"open", "admin"}),
}


def may(actor: Actor, action: Action, resource: Resource | None = None) -> bool:
    """Whether this actor may do this (to this resource).

    An admin has no way around sharing: what is not theirs and not shown to a cohort that they
    coach, they cannot read.
    """
    if action is Action.MANAGE_ACCOUNTS and actor.lacks_second_factor:
        return False
    if resource is None:
        return actor.role in _WITHOUT_RESOURCE.get(action, frozenset()) or (
            # an admin who was made coach of a cohort has its pages too
            action is Action.COACH and actor.role == "admin" and bool(actor.coached)
        )
    if actor.role not in _EVERYBODY_HERE:
        return False
    owns = resource.owner_id == actor.account_id
    coaches = actor.has_account and not actor.coached.isdisjoint(resource.shown_to)
    match action:
        case Action.READ | Action.COMMENT:
            return owns or coaches
        case Action.HEAR:
            return owns or (coaches and not actor.coached.isdisjoint(resource.sound_to))
        case Action.REVIEW:
            return coaches and not owns
        case Action.CHANGE:
            return owns
        case _:
            return False
