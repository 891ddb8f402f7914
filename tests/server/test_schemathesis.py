"""Schemathesis asks everything that the API's description allows, and more: nothing breaks.

Bounded: a few examples for each operation, always the same ones, on a database of its own.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from starlette.testclient import TestClient

from server.contract import Submission, Transcript
from server.service import Service
from tests.server.people import People, people

EXAMPLES: Final = 4
SOUND: Final = {"audio/flac", "audio/ogg"}
ROLES: Final = ("ana", "cleo", "ed")


@pytest.fixture(scope="module")
def world(new_service: Callable[[], Service]) -> Iterator[People]:
    """With its worker at work."""
    made = people(
        new_service(),
        Submission(
            submission_id=f"{1:032x}",
            question_id="kv-cache",
            created_at=datetime(2026, 3, 1, tzinfo=UTC),
            transcript=Transcript(text="I use paged attention", engine="typed"),
        ),
    )
    with TestClient(made.app, base_url="http://localhost"):
        yield made


def operations(world: People) -> dict[str, Any]:
    description = schemathesis.openapi.from_dict(world.app.openapi())
    description.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    found = {}
    for result in description.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        if {each.media_type for each in operation.body} & SOUND:
            continue  # has tests of its own: tests/server/sharing
        found[f"{operation.method.upper()} {operation.path}"] = operation
    return found


def test_nothing_that_the_description_allows_breaks_the_server(world: People) -> None:
    found = operations(world)
    assert len(found) > 40, "the description lost operations"
    answered: dict[str, set[int]] = {}
    for name, operation in found.items():
        assert answer_all(world, operation, answered.setdefault(name, set()))
    broken = {
        name: statuses
        for name, statuses in answered.items()
        if any(status >= 500 for status in statuses)
    }
    assert not broken
    worked = [name for name, statuses in answered.items() if any(s < 300 for s in statuses)]
    assert len(worked) > len(found) / 3, "hardly anything was asked that the server could answer"


def answer_all(world: People, operation: Any, statuses: set[int]) -> bool:
    clients = {
        who: TestClient(
            world.app,
            base_url="http://localhost",
            headers={"authorization": f"Bearer {world.tokens[who]}"},
            follow_redirects=False,
            raise_server_exceptions=False,
        )
        for who in ROLES
    }

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), who=st.sampled_from(ROLES))
    def ask(case: Any, who: str) -> None:
        asked = case.as_transport_kwargs(base_url="http://localhost")
        # those are named as in requests, and the client is httpx's
        asked.pop("cookies", None)  # none is described
        body = asked.pop("data", None)
        if isinstance(body, bytes | str):
            asked["content"] = body
        elif body is not None:
            asked["data"] = body
        reply = clients[who].request(**{k: v for k, v in asked.items() if v is not None})
        statuses.add(reply.status_code)
        assert reply.status_code < 500, f"{operation.label} as {who}: {reply.text[:500]}"

    ask()
    return bool(statuses)
