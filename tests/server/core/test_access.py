from itertools import product

import pytest

from server.core.access import ANONYMOUS, OPEN, Action, Actor, Resource, may

ANA = Actor("candidate", account_id=1)
CLEO = Actor("coach", account_id=2, coached=frozenset({7}))
DORA = Actor("coach", account_id=3, coached=frozenset({8}))
ED = Actor("admin", account_id=4)
ED_WHO_COACHES = Actor("admin", account_id=4, coached=frozenset({7}))
GUEST = Actor("guest")
ALL = {
    "nobody": ANONYMOUS,
    "guest": GUEST,
    "open": OPEN,
    "ana": ANA,
    "cleo": CLEO,
    "dora": DORA,
    "ed": ED,
    "ed who coaches": ED_WHO_COACHES,
}

MINE = Resource(owner_id=1)
SHOWN = Resource(owner_id=1, shown_to=frozenset({7}))
HEARD = Resource(owner_id=1, shown_to=frozenset({7}), sound_to=frozenset({7}))
NOBODYS = Resource(owner_id=None)

OF_A_RESOURCE = (Action.READ, Action.HEAR, Action.COMMENT, Action.REVIEW, Action.CHANGE)


def who_may(action: Action, resource: Resource | None = None) -> set[str]:
    return {name for name, actor in ALL.items() if may(actor, action, resource)}


@pytest.mark.parametrize(
    ("action", "allowed"),
    [
        (Action.READ_BANK, {"open", "ana", "cleo", "dora", "ed", "ed who coaches"}),
        (Action.PRACTICE, {"open", "ana", "cleo", "dora", "ed", "ed who coaches"}),
        (Action.OWN_ACCOUNT, {"ana", "cleo", "dora", "ed", "ed who coaches"}),
        (Action.COACH, {"cleo", "dora", "ed who coaches"}),
        (Action.EDIT_BANK, {"cleo", "dora", "ed", "ed who coaches"}),
        (Action.MANAGE_ACCOUNTS, {"ed", "ed who coaches"}),
        (Action.SEE_OPERATION, {"open", "ed", "ed who coaches"}),
    ],
)
def test_what_each_may_do(action: Action, allowed: set[str]) -> None:
    assert who_may(action) == allowed


@pytest.mark.parametrize(
    ("resource", "action", "allowed"),
    [
        (MINE, Action.READ, {"ana"}),
        (MINE, Action.CHANGE, {"ana"}),
        (MINE, Action.HEAR, {"ana"}),
        (MINE, Action.REVIEW, set()),
        (SHOWN, Action.READ, {"ana", "cleo", "ed who coaches"}),
        (SHOWN, Action.COMMENT, {"ana", "cleo", "ed who coaches"}),
        (SHOWN, Action.REVIEW, {"cleo", "ed who coaches"}),
        (SHOWN, Action.HEAR, {"ana"}),
        (SHOWN, Action.CHANGE, {"ana"}),
        (HEARD, Action.HEAR, {"ana", "cleo", "ed who coaches"}),
        (HEARD, Action.CHANGE, {"ana"}),
        (NOBODYS, Action.READ, {"open"}),
        (NOBODYS, Action.CHANGE, {"open"}),
        (NOBODYS, Action.REVIEW, set()),
    ],
)
def test_what_each_may_do_to_a_resource(
    resource: Resource, action: Action, allowed: set[str]
) -> None:
    assert who_may(action, resource) == allowed


def test_what_is_not_shown_is_read_by_its_owner_only() -> None:
    for actor, resource in product((CLEO, DORA, ED), (MINE, NOBODYS)):
        assert not any(may(actor, action, resource) for action in OF_A_RESOURCE)


def test_without_its_thing_nothing_is_done_to_it_and_the_other_way_round() -> None:
    for actor in ALL.values():
        assert not any(may(actor, action) for action in OF_A_RESOURCE)
        others = set(Action) - set(OF_A_RESOURCE)
        assert not any(may(actor, action, HEARD) for action in others)
