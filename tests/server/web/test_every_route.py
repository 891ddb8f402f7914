"""Every route of the app with everybody: what is not allowed is denied.

A new route goes into ``tests/data/routes.txt``; one that is missing there fails the first test.
What a role gets is recognized by the error's code: ``out`` (not signed in), ``forbidden``,
``missing`` (to them there is no such thing), or ``in``: whatever then becomes of the request.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

import httpx
import pytest
from starlette.routing import Mount, Route

from server.accounts.credentials import digest
from server.attempts.service import Service
from tests.worlds.people import People, people, typed_answer

Outcome = Literal["in", "out", "forbidden", "missing"]
Expected = dict[str, Outcome]

STRANGERS: Final = ("anonymous", "revoked", "guest")
PEOPLE: Final = ("ana", "ben", "cleo", "dora", "ed")


def rule(strangers: Outcome, others: Outcome, **special: Outcome) -> Expected:
    """What everybody gets: strangers, people with accounts, and some of them by name."""
    return (
        dict.fromkeys(STRANGERS, strangers) | dict.fromkeys(PEOPLE, others) | special  # type: ignore[return-value]
    )


OPEN: Final = rule("in", "in")
NONE_BY_LINK: Final = rule("missing", "missing")
ACCOUNT: Final = rule("out", "in")
ANAS: Final = rule("out", "missing", ana="in")
"""The API for your own things finds nothing even for a coach to whom it is shown."""
ADMIN: Final = rule("out", "forbidden", ed="in")
EDITORS: Final = rule("out", "forbidden", cleo="in", dora="in", ed="in")
NO_SUCH_VERSION: Final = rule("out", "forbidden", cleo="missing", dora="missing", ed="missing")
COACHES: Final = rule("out", "forbidden", cleo="in", dora="in")
NONE_FOR_COACHES: Final = rule("out", "forbidden", cleo="missing", dora="missing")
SPRINGS_COACH: Final = rule("out", "forbidden", cleo="in", dora="missing")
SHOWN: Final = rule("out", "missing", ana="in", cleo="in")
"""Ana's attempt, which she shows to the coaches of her cohort."""
NO_SUCH_COMMENT: Final = rule("out", "missing", cleo="forbidden")

TABLE: Final = Path(__file__).parents[2] / "data" / "routes.txt"
"""A line for each route: its method, its path, the name of the rule above."""
ROUTES: Final[dict[tuple[str, str], Expected]] = {
    (method, path): globals()[name]
    for method, path, name in map(str.split, TABLE.read_text("utf-8").splitlines())
}

ANAS_WORDS: Final = "I use paged attention for the zebrafish"
HERS_ALONE: Final = "zebrafish"
"""A word of Ana's answer that stands nowhere else."""

MAY_READ: Final = ("ana", "cleo")
"""Those who may read it; and whoever has her share link, at the link's own addresses."""

BODIES: Final[dict[str, dict[str, Any]]] = {
    "/api/v1/shares/{share_id}/links": {"label": "my coach"},
    "/api/v1/reviews": {"submission_id": typed_answer().submission_id},
}
"""Where nobody would get as far as the thing itself with an empty one."""

ALLOWED_LAST: Final = ("ana", "ed", "cleo")
"""Who may change the thing asks last, so that it is still there for the others."""


def served(routes: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The method and path of every route, of included routers too."""
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from served(included.routes, prefix + route.include_context.prefix)
        elif isinstance(route, Mount):
            assert route.path == "/static/ui", f"nobody said who may reach {route.path}"
        else:
            assert isinstance(route, Route), route
            for method in (route.methods or set()) - {"HEAD"}:
                yield method, prefix + route.path


@pytest.fixture
def world(new_service: Callable[[], Service]) -> People:
    return people(new_service(), typed_answer(ANAS_WORDS))


@pytest.fixture(scope="module")
def lasting_world(new_service: Callable[[], Service]) -> People:
    """One for all requests that change nothing: making one takes longer than asking it."""
    return people(new_service(), typed_answer(ANAS_WORDS))


def filled(path: str, world: People) -> str:
    """The path to Ana's things."""
    values = {
        "attempt_id": world.attempt.id,
        "token_id": world.extra["token_id"],
        "account_id": world.by_name["ana"].id,
        "cohort_id": world.spring.id,
        "share_id": world.share_id,
        "link_id": world.extra["link_id"],
        "secret": world.link if path.startswith("/s/") else world.invitation,
        "role_id": "ml-engineer",
        "question_id": "kv-cache",
        "job_id": world.extra["job_id"],
        "number": 1,
        "part": "bank",
        "other_id": world.attempt.id,
        "external_id": "0" * 32,
        "correction_id": 1,
        "kind": "csv",
    }
    return path.format_map(values)


def outcome(reply: httpx.Response) -> Outcome:
    # no worker runs in these tests, and /readyz says so
    assert reply.status_code < 500 or reply.url.path == "/readyz", reply.text
    if not reply.headers.get("content-type", "").startswith("application/problem+json"):
        return "in"
    codes: dict[str, Outcome] = {
        "not-signed-in": "out",
        "not-allowed": "forbidden",
        "not-found": "missing",
    }
    return codes.get(reply.json()["code"], "in")


def test_the_table_has_every_route_and_no_other(world: People) -> None:
    assert set(served(world.app.routes)) == set(ROUTES)


def who_gets_in(world: People, method: str, path: str) -> Expected:
    expected = ROUTES[method, path]
    found: Expected = {}
    for who in sorted(expected, key=lambda name: name in ALLOWED_LAST):
        client = world.client(None if who in ("anonymous", "guest") else who)
        posted = path.startswith("/api/") and method == "POST"
        json: dict[str, Any] | None = BODIES.get(path, {}) if posted else None
        reply = client.request(method, filled(path, world), json=json)
        found[who] = outcome(reply)
        assert_nothing_leaks(reply, who, path, world)
    return found


def assert_nothing_leaks(reply: httpx.Response, who: str, path: str, world: People) -> None:
    """Not a word of Ana's to others, and nobody's credentials to anybody."""
    shown = reply.text + str(reply.headers)
    if who not in MAY_READ and not path.startswith("/s/"):
        assert HERS_ALONE not in shown, f"{who} reads Ana's answer at {path}"
    kept = {world.accounts.secret(), "$argon2", digest(world.link), digest(world.invitation)}
    others = {token for name, token in world.tokens.items() if name != who}
    if not path.startswith("/s/"):
        others.add(world.link)
    for secret in kept | others:
        assert secret not in shown, f"{who} gets a secret at {path}"


@pytest.mark.parametrize("path", [path for method, path in ROUTES if method == "GET"])
def test_everybody_sees_what_the_table_says(lasting_world: People, path: str) -> None:
    assert who_gets_in(lasting_world, "GET", path) == ROUTES["GET", path]


@pytest.mark.parametrize(
    ("method", "path"), [each for each in ROUTES if each[0] != "GET"], ids=lambda value: value
)
def test_everybody_changes_what_the_table_says(world: People, method: str, path: str) -> None:
    assert who_gets_in(world, method, path) == ROUTES[method, path]


@pytest.mark.parametrize("path", ["/coach/nothing", "/s", "/account/../admin", "//admin", "/api"])
def test_what_does_not_exist_is_not_told_to_strangers(lasting_world: People, path: str) -> None:
    for who in (None, "revoked"):
        assert lasting_world.client(who).get(path).status_code == 401


def test_the_static_files_are_open_and_nothing_beside_them(lasting_world: People) -> None:
    client = lasting_world.client()
    assert client.get("/static/ui/aloud.css").status_code == 200
    for path in ("/static/ui/../rendering.py", "/static/ui/%2e%2e/rendering.py", "/static/ui/"):
        assert client.get(path).status_code in (401, 404)


def test_a_disabled_account_is_a_stranger(world: People) -> None:
    client = world.client("ana")
    assert client.get("/api/v1/attempts").status_code == 200
    world.accounts.disable(world.by_name["ana"].id)
    assert outcome(client.get("/api/v1/attempts")) == "out"
    world.accounts.enable(world.by_name["ana"].id)
    assert client.get("/api/v1/attempts").json()["total"] == 1


def test_purging_everything_leaves_what_belongs_to_others(world: People) -> None:
    for who in ("ben", "cleo", "ed"):
        reply = world.client(who).post("/api/v1/purge", json={"everything": True})
        assert reply.json()["deleted"] == 0
    assert world.of("ana").history().total == 1
