import asyncio
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from fastapi.testclient import TestClient

from server.attempts.service import Service
from server.contract import Attempt, Problem, Report
from server.core.errors import ServerError, StoreError
from server.core.settings import ServerSettings, sqlite_url
from server.web import app as web_app
from server.web.app import create_app
from tests.worlds.new_databases import on_sqlite as on_sqlite

API = "/api/v1"


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    app = create_app(
        ServerSettings(database_url="sqlite://", max_body_bytes=50_000), service=service
    )
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def body(submission: Any) -> dict[str, Any]:
    document: dict[str, Any] = submission.model_dump(mode="json")
    return document


def problem(reply: Any, status: int, code: str) -> Problem:
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    message = Problem.model_validate_json(reply.content)
    assert (message.status, message.code) == (status, code)
    assert "\n" not in message.detail
    return message


def test_the_bank(client: TestClient, service: Service) -> None:
    bank = service.bank().model_dump(mode="json")
    assert client.get(f"{API}/bank").json() == bank
    for path, part in [
        ("roles", bank["roles"]),
        ("roles/ml-engineer", bank["roles"][0]),
        ("questions", bank["questions"]),
        ("questions?role=ml-engineer&round=domain-deep-dive", bank["questions"]),
        ("questions?round=coding", []),
        ("questions?topic=Schedulers", []),
        ("questions/kv-cache", bank["questions"][0]),
        ("rounds", bank["rounds"]),
        ("signals", bank["signals"]),
        ("plan", bank["plan"]),
        ("help", bank["help"]),
    ]:
        reply = client.get(f"{API}/bank/{path}")
        assert (reply.status_code, reply.json()) == (200, part), path


def test_an_unknown_address_is_told_apart(client: TestClient) -> None:
    problem(client.get("/nothing/here"), 404, "no-such-address")
    problem(client.put(f"{API}/grade"), 405, "method-not-allowed")


@pytest.mark.parametrize(
    "path",
    [
        "bank/questions?round=Lunch%20Time",
        "bank/questions?role=%00",
        "bank/roles/Not%20A%20Slug",
        "attempts?limit=0",
        "attempts?limit=501",
        "attempts?offset=-1",
        "attempts?since=yesterday",
        "attempts?since=2026-01-01T00:00:00",
        "attempts?color=red",
        "attempts/0",
        "attempts/9223372036854775808",
        "attempts/one",
    ],
)
def test_an_invalid_request_names_the_field(client: TestClient, path: str) -> None:
    message = problem(client.get(f"{API}/{path}"), 422, "invalid-request")
    assert message.errors


def test_grade_and_submit(client: TestClient, make: SimpleNamespace) -> None:
    submission = make.submission("paged attention")
    graded = client.post(f"{API}/grade", json=body(submission))
    report = Report.model_validate_json(graded.content)
    assert report.coverage.score == 0.5
    assert client.get(f"{API}/attempts").json() == {"total": 0, "attempts": []}

    first = client.post(f"{API}/attempts", json=body(submission))
    assert first.status_code == 201
    attempt = Attempt.model_validate_json(first.content)
    assert attempt.submission == submission
    assert attempt.report == report
    again = client.post(f"{API}/attempts", json=body(submission))
    assert again.json() == first.json()
    assert client.get(f"{API}/attempts/{attempt.id}").json() == first.json()
    other = make.submission("else", submission_id=submission.submission_id)
    problem(client.post(f"{API}/attempts", json=body(other)), 409, "conflict")


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"submission_id": "x"}',
        b"\xff\xfe",
        b"[" * 40_000,
        b'{"\\ud800": NaN, "submission_id": NaN, "transcript": "\\ud800"}',
    ],
    ids=["empty", "cut", "list", "null", "fields", "bytes", "deep", "surrogates"],
)
def test_a_body_that_is_no_submission_is_a_client_error(client: TestClient, content: bytes) -> None:
    reply = client.post(f"{API}/attempts", content=content, headers=JSON)
    assert 400 <= reply.status_code < 500
    assert reply.headers["content-type"] == "application/problem+json"
    Problem.model_validate_json(reply.content)


def test_an_error_names_the_field_and_does_not_repeat_the_answer(
    client: TestClient, make: SimpleNamespace
) -> None:
    document = body(make.submission("a very private answer"))
    document["evidence"] = {"answer_start_s": -1}
    document["transcript"]["color"] = "a very private answer"
    message = problem(client.post(f"{API}/grade", json=document), 422, "invalid-request")
    assert any("evidence.answer_start_s" in line for line in message.errors)
    assert "private" not in message.model_dump_json()


def test_a_large_body_is_refused_whether_it_says_so_or_not(
    client: TestClient, make: SimpleNamespace
) -> None:
    content = json.dumps(body(make.submission("word " * 12_000))).encode()
    problem(client.post(f"{API}/grade", content=content, headers=JSON), 413, "too-large")

    def chunks() -> Iterator[bytes]:
        for start in range(0, len(content), 4096):
            yield content[start : start + 4096]

    reply = client.post(f"{API}/grade", content=chunks(), headers=JSON)
    assert reply.status_code == 413
    assert Problem.model_validate_json(reply.content).status == 413


def test_a_form_of_another_page_cannot_post(client: TestClient, make: SimpleNamespace) -> None:
    # A page elsewhere can send text/plain without asking the browser's leave (CORS).
    content = make.submission().model_dump_json()
    reply = client.post(f"{API}/attempts", content=content, headers={"Content-Type": "text/plain"})
    assert reply.status_code == 422
    assert client.get(f"{API}/attempts").json()["total"] == 0


def test_an_unexpected_error_says_nothing_of_the_inside(
    client: TestClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(service, "history", fail)
    reply = client.get(f"{API}/attempts")
    problem(reply, 500, "internal-error")
    assert "secret" not in reply.text


def test_a_database_that_fails_is_unavailable(
    client: TestClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(service, "check", fail)
    assert problem(client.get("/healthz"), 503, "store-unusable").detail == StoreError.public


def test_health(client: TestClient) -> None:
    assert client.get("/healthz").json() == {
        "app": "aloud",
        "status": "ok",
        "bank_version": "bank-1",
    }


def test_openapi_is_typed(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    assert len(operations) >= 18
    for path, method, operation in operations:
        good = [reply for code, reply in operation["responses"].items() if code.startswith("2")]
        assert good, (path, method)
        assert operation["summary"]
        if "204" not in operation["responses"]:
            for kind, content in [each for reply in good for each in reply["content"].items()]:
                # a file says of what kind it is, JSON of what form
                assert kind != "application/json" or content["schema"], (path, method)
            assert all(reply["content"] for reply in good), (path, method)
        assert "default" in operation["responses"]


def test_the_app_makes_and_closes_its_own_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: Service
) -> None:
    closed: list[bool] = []
    made: list[ServerSettings] = []

    def create(settings: ServerSettings) -> Service:
        made.append(settings)
        return service

    monkeypatch.setattr("server.web.app.create_service", create)
    monkeypatch.setattr(service, "close", lambda: closed.append(True))
    settings = ServerSettings(database_url=sqlite_url(tmp_path / "a.db"))
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        assert client.get("/healthz").status_code == 200
        assert closed == []
    assert (made, closed) == ([settings], [True])


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:8000", 200),
        ("Aloud.Example.org:443", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example:80", 421),
        ("", 421),
    ],
)
def test_a_page_elsewhere_cannot_pretend_to_be_this_machine(
    service: Service, host: str, status: int
) -> None:
    settings = ServerSettings(database_url="sqlite://", hosts=("aloud.example.org",))
    with TestClient(create_app(settings, service=service)) as client:
        reply = client.get("/healthz", headers={"Host": host})
    assert reply.status_code == status
    if status == 421:
        problem(reply, 421, "wrong-host")


def test_any_host_where_the_settings_say_so(service: Service) -> None:
    settings = ServerSettings(database_url="sqlite://", hosts=("*",))
    with TestClient(create_app(settings, service=service)) as client:
        assert client.get("/healthz", headers={"Host": "any.example"}).status_code == 200


DOCS = Path(__file__).parents[3] / "docs" / "maintainers" / "server.md"


def test_the_docs_name_every_route_and_no_other(client: TestClient) -> None:
    served = {
        (method.upper(), path.removeprefix(API))
        for path, methods in client.get("/openapi.json").json()["paths"].items()
        for method in methods
    }
    message = set()
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        if line.startswith(("| `GET ", "| `POST ", "| `PUT ", "| `DELETE ")):
            method = "GET"
            for code in re.findall(r"`([^`]+)`", line.split("|")[1]):
                *named, path = code.split(" ")
                method = named[0] if named else method
                message.add((method, path.split("?")[0]))
    assert {(method, re.sub(r"{\w+}", "{id}", path)) for method, path in served} == message - {
        ("GET", "/api/v1")
    }


def kinds(base: type[ServerError]) -> Iterator[type[ServerError]]:
    yield base
    for kind in base.__subclasses__():
        yield from kinds(kind)


def test_the_docs_name_every_error_code() -> None:
    text = DOCS.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.search(r"\| [45]\d\d \|", line)]
    message = {code for line in rows for code in re.findall(r"`([a-z-]+)`", line.split("|")[1])}
    assert {kind.code for kind in kinds(ServerError)} - {"server-error"} <= message


PROXY = "10.0.0.5"


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Tells which address the server counts for a request, started as ``aloud serve`` does."""
    how: list[dict[str, Any]] = []
    monkeypatch.setattr(uvicorn, "run", lambda app, **options: how.append(options))
    monkeypatch.setattr(web_app, "set_up_logs", lambda level: None)
    settings = ServerSettings(database_url=sqlite_url(tmp_path / "aloud.db"))
    web_app.run(settings, host="127.0.0.1", port=0, workers=1, tell=lambda line: None)

    def address(peer: str, forwarded: str | None) -> str:
        found: list[str] = []

        async def app(scope: Any, receive: Any, send: Any) -> None:
            found.append(scope["client"][0])

        config = uvicorn.Config(app, **how[0])
        config.load()
        headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded is not None else []
        scope = {"type": "http", "client": (peer, 4711), "scheme": "http", "headers": headers}

        async def ask() -> None:
            await config.loaded_app(scope, None, None)

        # A thread of its own: the browser tests leave a loop running in this one.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(ask())).result()
        return found[0]

    return address


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        (PROXY, None, PROXY),
        (PROXY, "203.0.113.9", "203.0.113.9"),
        # what a client wrote itself stands before what the proxy adds
        (PROXY, "127.0.0.1, 203.0.113.9", "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1", "127.0.0.1"),
    ],
)
def test_only_the_configured_proxy_is_believed(
    seen: Any, monkeypatch: pytest.MonkeyPatch, peer: str, forwarded: str | None, counted: str
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", PROXY)
    assert seen(peer, forwarded) == counted


def test_without_a_configured_proxy_only_this_machine_is_believed(
    seen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert seen(PROXY, "198.51.100.1") == PROXY
    assert seen("203.0.113.9", "127.0.0.1") == "203.0.113.9"
    assert seen("127.0.0.1", "198.51.100.1") == "198.51.100.1"
