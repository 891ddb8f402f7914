"""What stands in the logs, and what must never."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError
from starlette.requests import Request

from server.attempts.service import Service
from server.core.errors import ConflictError, UnreadableError
from server.operations.logs import FIELDS, set_up_logs
from tests.worlds.people import PASSWORD, People, people

PLANTED = "zanzibar keeps its quokkas in paged attention"


class Logs:
    """What was logged."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]

    def of(self, route: str) -> dict[str, Any]:
        (found,) = [line for line in self.lines if line.get("route") == route]
        return found


@pytest.fixture
def logs() -> Iterator[Logs]:
    made = Logs()
    handler = set_up_logs("DEBUG", made.stream)
    yield made
    root = logging.getLogger()
    root.removeHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("server").setLevel(logging.NOTSET)
    logging.getLogger("uvicorn.access").disabled = False
    logging.captureWarnings(False)


@pytest.fixture
def world(new_service: Callable[[], Service], make: SimpleNamespace) -> People:
    return people(new_service(), make.submission(PLANTED))


def test_a_request_is_told_by_its_route_and_nothing_that_is_secret(
    world: People, logs: Logs
) -> None:
    attempt = world.client("ana").get(f"/api/v1/attempts/{world.attempt.id}")
    line = logs.of("/api/v1/attempts/{attempt_id}")
    assert line["method"] == "GET"
    assert line["status"] == 200
    assert line["account"] == world.by_name["ana"].id
    assert line["duration_ms"] > 0
    assert line["request_id"] == attempt.headers["x-request-id"]


def test_a_link_and_an_invitation_are_not_in_the_logs(world: People, logs: Logs) -> None:
    world.client().get(f"/invitation/{world.invitation}", headers={"accept": "text/html"})
    world.client().get(f"/s/{world.link}", headers={"accept": "text/html"})
    world.client().get(f"/nothing-here/{world.link}", headers={"accept": "text/html"})
    assert logs.of("/invitation/{secret}")["status"] == 200
    assert world.invitation not in logs.text
    assert world.link not in logs.text


def test_no_answer_password_or_token_gets_into_the_logs(
    world: People, make: SimpleNamespace, logs: Logs
) -> None:
    @world.app.get("/api/v1/breaks")
    def breaks() -> None:
        raise RuntimeError(f"cannot work with {PLANTED}")

    @world.app.get("/api/v1/breaks-in-the-database")
    def breaks_there() -> None:
        raise DBAPIError(f"INSERT {PLANTED}", {"text": PLANTED}, ValueError(PLANTED))

    @world.app.get("/api/v1/damaged")
    def damaged() -> None:
        raise UnreadableError(f"attempt 1 is damaged ({PLANTED})")

    logging.getLogger("server.jobs").error("it broke: %s", ValueError(PLANTED))
    logging.getLogger("asyncio").error("Task exception was never retrieved\n%s", PLANTED)
    logging.getLogger("server.store").warning("again: %s", ConflictError("the id was used before"))
    client = world.client("ana")
    client.get("/api/v1/attempts")
    answer = make.submission(f"crash the grader {PLANTED}").model_dump(mode="json")
    assert client.post("/api/v1/grade", json=answer).status_code == 500
    broken = {"transcript": {"text": PLANTED, "words": PLANTED}}
    assert client.post("/api/v1/attempts", json=broken).status_code == 422
    for path in ("breaks", "breaks-in-the-database"):
        with pytest.raises((RuntimeError, DBAPIError)):
            client.get(f"/api/v1/{path}")
    assert client.get("/api/v1/damaged").status_code == 500
    form = {"name": "ana", "password": PASSWORD}
    world.client().post("/sign-in", data=form)
    assert "zanzibar" not in logs.text
    assert "quokkas" not in logs.text
    assert PASSWORD not in logs.text
    for token in world.tokens.values():
        assert token not in logs.text
    assert "the id was used before" in logs.text


def test_a_failure_is_told_with_its_type_and_place(world: People, logs: Logs) -> None:
    @world.app.get("/api/v1/breaks")
    def breaks(request: Request) -> None:
        raise RuntimeError(PLANTED)

    with pytest.raises(RuntimeError):
        world.client("ana").get("/api/v1/breaks")
    (failed,) = [line for line in logs.lines if line["message"] == "the request failed"]
    assert failed["errors"][0]["type"] == "builtins.RuntimeError"
    assert "breaks" in failed["errors"][0]["at"][-1]
    assert failed["request_id"] == logs.of("/api/v1/breaks")["request_id"]


def test_every_line_is_one_json_object_with_the_fields_given(logs: Logs) -> None:
    logging.getLogger("server.x").info("two\nlines", extra={FIELDS: {"count": 2}})
    (line,) = logs.lines
    assert line["message"] == "two\nlines"
    assert line["count"] == 2
    assert line["level"] == "info"
