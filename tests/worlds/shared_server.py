"""A shared server in this process, as a client of Ana's sees it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np

from client.backend.remote import RemoteBackend, RemoteReviews
from client.data.sharing import RemoteSharing
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.terms import Lexicon
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.contract import Submission
from server.core.settings import sqlite_url
from tests.server.conftest import Clock, grade, make_bank, make_submission
from tests.worlds.people import People, people
from tests.worlds.queues import do_all

SERVER = "http://localhost"


@contextmanager
def server_with_people(
    folder: Path, submission: Submission | None = None, *, shared: bool = False
) -> Iterator[People]:
    """The people of the server's tests. No worker runs.

    Args:
        folder: where the database is.
        submission: what Ana answered.
        shared: whether she shows it to her cohort, as ``people`` does; else she shares nothing yet.
    """
    with Store(sqlite_url(folder / "server.db")) as store:
        service = Service(
            store,
            make_bank,
            lambda: Lexicon(version="lexicon-1", terms=()),
            grader=lambda: Grader(grade, "stub-1"),
            clock=Clock(),
        )
        made = people(service, submission or make_submission("I use paged attention"))
        if not shared:
            made.client("ana").delete(f"/api/v1/shares/{made.share_id}")
        yield made


def network_to(world: People, fails: Callable[[], bool] = lambda: False) -> httpx.MockTransport:
    """Leads to the server, which is away where ``fails`` says so."""
    app = world.client()

    def answer(request: httpx.Request) -> httpx.Response:
        if fails():
            raise httpx.ConnectError("refused")
        reply = app.request(
            request.method, str(request.url), content=request.read(), headers=dict(request.headers)
        )
        return httpx.Response(reply.status_code, headers=dict(reply.headers), content=reply.content)

    return httpx.MockTransport(answer)


def remote_to(world: People, fails: Callable[[], bool] = lambda: False) -> RemoteSharing:
    """Ana's client of the server for sharing."""
    return RemoteSharing(SERVER, token=world.tokens["ana"], transport=network_to(world, fails))


def backend_of(world: People) -> RemoteBackend:
    """Ana's client of the server, without an outbox."""
    return RemoteBackend(SERVER, token=world.tokens["ana"], transport=network_to(world))


def reviews_on(world: People) -> RemoteReviews:
    """Ana's client of the server for what coaches write."""
    return RemoteReviews(SERVER, token=world.tokens["ana"], transport=network_to(world))


def work_off(world: People) -> None:
    """Does here and now what waits in the server's queue."""
    do_all(world.app.state.context.background.worker)


def tone(seconds: float) -> Clip:
    """A sound."""
    times = np.arange(int(SAMPLE_RATE_HZ * seconds)) / SAMPLE_RATE_HZ
    return Clip((0.4 * np.sin(2 * np.pi * 330 * times)).astype(np.float32))
