"""Schemathesis asks everything that the API's description allows, and more: nothing breaks.

Bounded: a few examples for each operation, always the same ones, on a database of its own.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from starlette.testclient import TestClient

from server.attempts.service import Service
from tests.server.sharing.test_encoding import sound
from tests.worlds.people import People, people, typed_answer
from tests.worlds.queues import wait_until_over

EXAMPLES: Final = 2
SOUND: Final = {"audio/flac": sound("flac"), "audio/ogg": sound("ogg")}
for media_type, recording in SOUND.items():
    schemathesis.openapi.media_type(
        media_type,
        # a recording, one that breaks off, one that goes on with something else, and no recording
        st.just(recording)
        | st.integers(0, len(recording)).map(lambda end, whole=recording: whole[:end])
        | st.binary(max_size=200).map(lambda rest, whole=recording: whole[:40] + rest)
        | st.binary(max_size=200),
    )
ROLES: Final = ("ana", "cleo", "ed")


@pytest.fixture(scope="module")
def world(new_service: Callable[[], Service]) -> Iterator[People]:
    """With its worker at work."""
    made = people(new_service(), typed_answer())
    with TestClient(made.app, base_url="http://localhost"):
        yield made


def operations(world: People) -> dict[str, Any]:
    description = schemathesis.openapi.from_dict(world.app.openapi())
    description.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    found = {}
    for result in description.get_all_operations():
        assert isinstance(result, Ok), result
        operation = result.ok()
        found[f"{operation.method.upper()} {operation.path}"] = operation
    return found


@pytest.mark.slow
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


def test_whatever_is_uploaded_is_refused_or_prepared_and_no_job_breaks(world: People) -> None:
    ana, queue = world.by_name["ana"].id, world.app.state.context.background.queue
    attempt = world.of("ana").submit(
        world.attempt.submission.model_copy(update={"submission_id": f"{2:032x}"})
    )
    share = {"attempt_id": attempt.id, "cohort_id": world.spring.id, "with_audio": True}
    assert world.client("ana").post("/api/v1/shares", json=share).is_success
    upload = operations(world)["PUT /api/v1/attempts/{attempt_id}/recording"]
    statuses: set[int] = set()
    answer_all(world, upload, statuses, examples=25, who=("ana",), attempt_id=attempt.id)
    assert {202, 422} <= statuses
    address = f"/api/v1/attempts/{attempt.id}/recording"
    assert world.client("ana").put(address, content=SOUND["audio/ogg"]).status_code == 202
    jobs = [job for job in queue.recent(ana, 200) if job.kind == "recording"]
    ends = [wait_until_over(queue, job, ana) for job in jobs]  # most gave way to the next upload
    assert ends[0].state == "done"
    assert {end.problem for end in ends if end.state == "failed"} <= {
        "the recording is no FLAC or Opus file, or it is damaged",
        "the recording has no sound in it",
    }


def answer_all(
    world: People,
    operation: Any,
    statuses: set[int],
    *,
    examples: int = EXAMPLES,
    who: tuple[str, ...] = ROLES,
    **in_path: int,
) -> bool:
    clients = {
        each: TestClient(
            world.app,
            base_url="http://localhost",
            headers={"authorization": f"Bearer {world.tokens[each]}"},
            follow_redirects=False,
            raise_server_exceptions=False,
        )
        for each in who
    }

    @settings(
        max_examples=examples,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), one=st.sampled_from(who))
    def ask(case: Any, one: str) -> None:
        case.path_parameters.update(in_path)
        asked = case.as_transport_kwargs(base_url="http://localhost")
        # those are named as in requests, and the client is httpx's
        asked.pop("cookies", None)  # none is described
        body = asked.pop("data", None)
        if isinstance(body, bytes | str):
            asked["content"] = body
        elif body is not None:
            asked["data"] = body
        reply = clients[one].request(**{k: v for k, v in asked.items() if v is not None})
        statuses.add(reply.status_code)
        assert reply.status_code < 500, f"{operation.label} as {one}: {reply.text[:500]}"

    ask()
    return bool(statuses)
