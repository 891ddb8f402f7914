"""What somebody might try against the real app: each attack is made, and fails."""

import gzip
import re
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any, Final
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from server.attempts.service import Service
from tests.server.web.test_account import signed_in
from tests.server.web.test_every_route import filled, served
from tests.worlds.people import People, people, typed_answer

PAGE: Final = {"accept": "text/html"}
MARK: Final = "qzx"
HOSTILE: Final = (
    f"{MARK}</textarea></title></script><script>alert(1)</script><img src=x onerror=alert(1)>"
    f'"\'><svg/onload=alert(1)><a href="javascript:alert(1)">{{{{7*7}}}}'
)

HOSTILE_NAME: Final = f'{MARK}"><img src=x onerror=alert(1)>{{{{7*7}}}}'


@pytest.fixture(scope="module")
def lasting_world(new_service: Callable[[], Service]) -> People:
    """One for all requests that must change nothing: making one takes longer than asking it."""
    return people(new_service(), typed_answer())


class Found(HTMLParser):
    """What a browser would run of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.runs: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._script = tag == "script" and values.get("type") != "application/json"
        if MARK in values or (tag in ("img", "svg") and values.get("src") == "x"):
            self.runs.append(f"<{tag}> of the attacker's")
        for name, value in values.items():
            if name.startswith("on"):
                self.runs.append(f"{tag} {name}={value}")
            if re.sub(r"[\s\x00-\x1f]", "", value).lower().startswith("javascript:"):
                self.runs.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self._script and data.strip():
            self.runs.append(f"script: {data[:80]}")

    def handle_endtag(self, tag: str) -> None:
        self._script = False


def runs_in(html: str) -> list[str]:
    parser = Found()
    parser.feed(html)
    return parser.runs


def test_the_check_sees_what_would_run() -> None:
    assert len(runs_in(HOSTILE)) == 5
    assert not runs_in('<script src="/a.js"></script><script type="application/json">{}</script>')
    assert not runs_in('<p title="onload=x">&lt;script&gt;</p><script src="/a.js"></script>')


def plant(world: People, make: SimpleNamespace) -> tuple[int, str]:
    """Hostile text wherever people write something; an attempt's id and a link's secret."""
    accounts, ana = world.accounts, world.by_name["ana"]
    accounts.change(ana.id, role="candidate", display_name=HOSTILE_NAME)
    accounts.cohorts.change(world.spring.id, name=HOSTILE_NAME, audio_days=None)
    accounts.tokens.add(ana.id, HOSTILE_NAME)
    client = world.client("ana")
    archive = client.get("/api/v1/archive").json()
    (attempt,) = archive["attempts"]
    attempt["submission"]["submission_id"] = uuid4().hex
    attempt["submission"]["transcript"]["text"] = HOSTILE
    attempt["question"] |= {"prompt": HOSTILE, "topic": HOSTILE, "model_answer": HOSTILE}
    for stored in attempt["reports"]:
        for phrase in stored["report"]["coverage"]["phrases"]:
            phrase["phrase"] = HOSTILE
    assert client.post("/api/v1/archive", json=archive).json()["imported"] == 1
    newest = max(each["id"] for each in client.get("/api/v1/attempts").json()["attempts"])
    share = {"attempt_id": newest, "cohort_id": world.spring.id}
    share_id = client.post("/api/v1/shares", json=share).json()["id"]
    made = client.post(f"/api/v1/shares/{share_id}/links", json={"label": HOSTILE_NAME})
    link = made.json()["path"]
    for who in ("ana", "cleo"):
        said = world.client(who).post(
            f"/api/v1/attempts/{newest}/comments",
            json={"kind": "answer", "text": HOSTILE, "external_id": uuid4().hex},
        )
        assert said.status_code == 200
    return newest, link


def pages(world: People) -> Iterator[str]:
    for method, path in served(world.app.routes):
        if method == "GET" and not path.startswith(("/api/", "/openapi", "/metrics")):
            yield path


def test_nothing_that_people_write_is_run_on_any_page(world: People, make: SimpleNamespace) -> None:
    newest, link = plant(world, make)
    seen = 0
    guest = world.client(**PAGE)
    for path in (link, f"{link}/attempts/{newest}"):
        reply = guest.get(path)
        assert runs_in(reply.text) == [], path
        seen += MARK in reply.text
    for who in ("ana", "cleo", "ed", None):
        client = world.client(who, **PAGE)
        for pattern in pages(world):
            for attempt_id in (world.attempt.id, newest):
                path = filled(pattern, world)
                if "{attempt_id}" in pattern:
                    path = filled(pattern.replace("{attempt_id}", str(attempt_id)), world)
                reply = client.get(path)
                assert reply.status_code < 500 or path == "/readyz", path
                if reply.headers.get("content-type", "").startswith("text/html"):
                    assert runs_in(reply.text) == [], f"{path} as {who}"
                    seen += MARK in reply.text
                    assert f"{MARK}49" not in reply.text
    assert seen >= 4, "the hostile text stood on hardly any page: nothing was tested"


def test_an_exported_attempt_runs_nothing_either(world: People, make: SimpleNamespace) -> None:
    newest, _ = plant(world, make)
    reply = world.client("ana").get(f"/api/v1/attempts/{newest}/export?format=html")
    assert reply.status_code == 200
    assert MARK in reply.text
    assert runs_in(reply.text) == []


def test_no_change_is_made_for_a_page_of_somebody_else(world: People) -> None:
    """Every route that changes something, with the session's cookie, without the form's token."""
    sessions = {who: signed_in(world, who)[0] for who in ("ana", "ed", "cleo")}
    tried = 0
    for method, pattern in served(world.app.routes):
        if method == "GET" or pattern in ("/sign-in",):
            continue
        path = filled(pattern, world)
        for who, browser in sessions.items():
            bodies: tuple[dict[str, Any], ...] = (
                {"data": {"a": "b"}},
                {"json": {}},
                {"content": b"{}", "headers": {"content-type": "text/plain"}},
            )
            for sent in bodies:
                reply = browser.request(method, path, **sent)
                assert reply.status_code == 403, f"{method} {path} as {who}: {reply.status_code}"
                assert "not from a page of this server" in reply.text, f"{method} {path} as {who}"
                tried += 1
    assert tried > 300


BOMBS: Final = {
    "a thousand million": "\n".join(
        [
            "a0: &a0 [x,x,x,x,x,x,x,x,x]",
            *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)),
        ]
    ),
    "deep": "[" * 20_000,
    "deep in blocks": "".join(f"{' ' * n}- \n" for n in range(900)),
    "an object": "- !!python/object/apply:os.system ['touch /tmp/never']",
    "merge": "a: &a {b: c}\n" + "\n".join(f"x{n}: {{<<: *a}}" for n in range(50_000)),
    "itself": "- &a [*a]",
    "huge number": "- id: " + "9" * 100_000,
    "a time that is none": "- id: 2026-99-99 99:99:99",
    "NUL": "- id: a\0b",
    "half a pair": "- id: \\ud800",
}


@pytest.fixture(scope="module")
def editor(lasting_world: People) -> tuple[TestClient, str]:
    return signed_in(lasting_world, "cleo")


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("field", ["yaml", "lexicon_yaml"])
def test_a_yaml_bomb_is_refused_at_once(
    editor: tuple[TestClient, str], name: str, field: str
) -> None:
    browser, token = editor
    begun_s = time.process_time()
    for action in ("check", "save"):
        sent = {"csrftoken": token, "yaml": "", "lexicon_yaml": "", "do": action}
        reply = browser.post("/coach/bank/edit", data=sent | {field: BOMBS[name]})
        assert reply.status_code < 500
        assert reply.status_code != 303, "it was kept"
    assert time.process_time() - begun_s < 60
    assert browser.get("/healthz").status_code == 200


def test_a_body_that_unpacks_to_more_is_not_unpacked(world: People) -> None:
    bomb = gzip.compress(b'{"a": "' + b"x" * 50_000_000 + b'"}')
    assert len(bomb) < 100_000
    for path in ("/api/v1/attempts", "/api/v1/archive", "/api/v1/grade"):
        reply = world.client("ana").post(
            path,
            content=bomb,
            headers={"content-type": "application/json", "content-encoding": "gzip"},
        )
        assert reply.status_code in (400, 415, 422)


CLIMBS: Final = (
    "../../../../etc/passwd",
    "..%2f..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "..%5c..%5c..%5cetc%5cpasswd",
    "%252e%252e%252fetc%252fpasswd",
    "/etc/passwd",
    "....//....//etc/passwd",
    "..%c0%af..%c0%afetc/passwd",
    "%00/etc/passwd",
    "pyproject.toml%00.css",
)


@pytest.mark.parametrize("climb", CLIMBS)
def test_no_address_leads_to_another_file(lasting_world: People, climb: str) -> None:
    for prefix in (
        *("/static/ui/", "/static/ui/../../", "/api/v1/bank/questions/", "/api/v1/bank/roles/"),
        *("/coach/bank/1/", "/coach/corrections/export.", "/s/", "/invitation/", "/jobs/1/"),
    ):
        for who in (None, "cleo"):
            reply = lasting_world.client(who).get(prefix + climb)
            assert reply.status_code in (303, 401, 403, 404, 405, 422), prefix + climb
            assert "root:" not in reply.text
            assert "[project]" not in reply.text


def test_what_is_not_ones_own_cannot_be_named_in_a_body(world: People) -> None:
    attempt, spring = world.attempt.id, world.spring.id
    before = world.client("ana").get(f"/api/v1/attempts/{attempt}/archive").json()["attempts"]
    for who in ("ben", "dora", "ed"):
        client = world.client(who)
        share = {"attempt_id": attempt, "cohort_id": spring}
        assert client.post("/api/v1/shares", json=share).status_code in (403, 404, 409, 422)
        purged = client.post("/api/v1/purge", json={"attempt_ids": [attempt]})
        assert purged.status_code >= 400 or purged.json()["deleted"] == 0
        comment = {"kind": "answer", "text": "mine", "external_id": uuid4().hex}
        reply = client.post(f"/api/v1/attempts/{attempt}/comments", json=comment)
        assert reply.status_code == 404
    after = world.client("ana").get(f"/api/v1/attempts/{attempt}/archive").json()["attempts"]
    assert after == before


def test_a_candidate_does_not_make_themselves_more(world: People) -> None:
    browser, token = signed_in(world, "ana")
    ana = world.by_name["ana"].id
    for path, fields in (
        (f"/admin/accounts/{ana}/change", {"role": "admin", "display_name": "Ana"}),
        ("/account/password", {"role": "admin", "old": "x", "new": "y" * 12}),
    ):
        reply = browser.post(path, data={"csrftoken": token} | fields)
        assert reply.status_code in (401, 403, 422), path
    assert world.accounts.get(ana).role == "candidate"
