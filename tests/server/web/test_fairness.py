"""One account's worst does not keep another one waiting."""

import asyncio
from types import SimpleNamespace
from typing import Any

from starlette.types import Message

from server.contract import Transcript, Word
from server.core.access import OPEN, Actor
from server.web.http.context import Graders
from server.web.http.limits import (
    AT_ONCE,
    CHANGES,
    MAX_ANSWER_BYTES,
    MAX_ANSWER_WORDS,
    REQUESTS,
    BodyLimit,
    Fairness,
)
from tests.worlds.people import People


class Served:
    """The middleware over an app that counts, with a clock that stands still."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.running = 0
        self.go_on = asyncio.Event()
        self.app = Fairness(self._app, clock_s=lambda: self.now_s)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.running += 1
        await self.go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def ask(self, actor: Actor, method: str = "GET") -> tuple[int, str | None]:
        sent: list[Message] = []
        scope = {
            "type": "http",
            "method": method,
            "path": "/api/v1/attempts",
            "query_string": b"",
            "headers": [],
            "client": ("198.51.100.7", 1),
            "state": {"actor": actor},
        }

        async def send(message: Message) -> None:
            sent.append(message)

        await self.app(scope, None, send)  # type: ignore[arg-type]
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], headers.get("retry-after")


ANA, BEN = Actor("candidate", 1), Actor("candidate", 2)


def test_an_account_has_a_stock_of_requests_that_fills_up_again() -> None:
    async def asking() -> None:
        served = Served()
        served.go_on.set()
        for _ in range(REQUESTS.stock):
            assert (await served.ask(ANA))[0] == 200
        assert await served.ask(ANA) == (429, "1")
        assert (await served.ask(BEN))[0] == 200
        served.now_s += 2 / REQUESTS.per_s
        assert [(await served.ask(ANA))[0] for _ in range(3)] == [200, 200, 429]

    asyncio.run(asking())


def test_grading_and_storing_have_a_smaller_stock() -> None:
    async def asking() -> None:
        served = Served()
        served.go_on.set()
        statuses = [(await served.ask(ANA, "POST"))[0] for _ in range(CHANGES.stock + 1)]
        assert statuses == [200] * CHANGES.stock + [429]
        assert (await served.ask(ANA))[0] == 200, "reading goes on"
        served.now_s += 1 / CHANGES.per_s
        assert (await served.ask(ANA, "POST"))[0] == 200

    asyncio.run(asking())


def test_only_so_many_requests_of_an_account_run_at_once() -> None:
    async def asking() -> None:
        served = Served()
        waiting = [asyncio.create_task(served.ask(ANA)) for _ in range(AT_ONCE)]
        await asyncio.sleep(0)
        assert served.running == AT_ONCE
        assert (await served.ask(ANA))[0] == 429
        others = asyncio.create_task(served.ask(BEN))
        await asyncio.sleep(0)
        served.go_on.set()
        assert {(await each)[0] for each in (*waiting, others)} == {200}
        assert (await served.ask(ANA))[0] == 200

    asyncio.run(asking())


def test_the_one_person_of_a_server_without_accounts_has_no_limit() -> None:
    async def asking() -> None:
        served = Served()
        served.go_on.set()
        assert {(await served.ask(OPEN))[0] for _ in range(REQUESTS.stock + 50)} == {200}

    asyncio.run(asking())


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async def asking() -> list[Message]:
        sent: list[Message] = []

        async def reading(scope: Any, receive: Any, send: Any) -> None:
            while (await receive()).get("more_body"):
                pass

        parts = [{"type": "http.request", "body": b"{", "more_body": True}]

        async def receive() -> Message:
            return parts.pop() if parts else await asyncio.Event().wait()  # type: ignore[return-value]

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {"type": "http", "path": "/api/v1/purge", "headers": []}
        await BodyLimit(reading, max_bytes=100, within_s=0.05)(scope, receive, send)
        return sent

    start, body = asyncio.run(asking())
    assert start["status"] == 408
    assert b"too-slow" in body["body"]


def test_an_answer_longer_than_speech_is_refused_with_the_limit(
    world: People, make: SimpleNamespace
) -> None:
    client = world.client("ana")
    longest = make.submission(" ".join(["word"] * MAX_ANSWER_WORDS))
    words = tuple(Word(text="word") for _ in range(MAX_ANSWER_WORDS + 1))
    for transcript, size in (
        (Transcript(text=" ".join(["word"] * (MAX_ANSWER_WORDS + 1))), "3,001 words, 15,004 "),
        (Transcript(text="x" * 20_001), "(1 word, 20,001 characters)"),
        (Transcript(text="short", words=words), "(3,001 words, 5 characters)"),
    ):
        sent = make.submission(transcript=transcript).model_dump_json()
        for method, path in (("POST", "grade"), ("POST", "attempts")):
            reply = client.request(method, f"/api/v1/{path}", content=sent, headers=JSON)
            assert (reply.status_code, reply.json()["code"]) == (422, "answer-too-long")
            assert size in reply.json()["detail"]
            assert "up to 3,000 words and 20,000 characters" in reply.json()["detail"]
    stored = client.post("/api/v1/attempts", content=longest.model_dump_json(), headers=JSON)
    assert stored.status_code == 201
    revised = {"transcript": {"text": "x " * 3_001}}
    path = f"/api/v1/attempts/{world.attempt.id}/transcript"
    assert client.put(path, json=revised).json()["code"] == "answer-too-long"


def test_an_answer_of_many_bytes_is_refused_before_it_is_parsed(world: People) -> None:
    sent = b"[" * (MAX_ANSWER_BYTES + 1)
    reply = world.client("ana").post("/api/v1/attempts", content=sent, headers=JSON)
    assert (reply.status_code, reply.json()["code"]) == (413, "too-large")


JSON = {"Content-Type": "application/json"}


def test_an_account_grades_one_answer_at_a_time_and_no_other_waits_for_it() -> None:
    async def asking() -> None:
        graders, began, ends = Graders(), list[str](), asyncio.Event()

        async def grade(who: str, account_id: int | None) -> None:
            async with graders.turn_of(account_id) as threads, threads:
                began.append(who)
                await ends.wait()

        tasks = [asyncio.create_task(grade(f"ana {number}", 1)) for number in range(5)]
        tasks.append(asyncio.create_task(grade("ben", 2)))
        await asyncio.sleep(0.01)
        assert began == ["ana 0", "ben"]
        ends.set()
        await asyncio.gather(*tasks)
        assert began == ["ana 0", "ben", "ana 1", "ana 2", "ana 3", "ana 4"]

    asyncio.run(asking())
