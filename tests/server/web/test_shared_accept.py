"""Several processes on one socket: each gets its share of the connections, and none is lost."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from server.web.http.shared_accept import Tally
from tests.ports import free_port

PROJECT = Path(__file__).resolve().parents[3]
PROCESSES = 3
CONNECTIONS = 24
WITHIN_S = 60

# uvicorn's supervisor may ask a process just as it is killed, and then waits for the answer as long
# as for one that hangs
SERVE = """
import sys, uvicorn
uvicorn.run(
    "tests.server.web.test_shared_accept:process_id", port=int(sys.argv[1]), workers=3, ws="none",
    timeout_worker_healthcheck=20, log_level="warning", lifespan="off",
    loop="server.web.http.shared_accept:SharingLoop",
    http="server.web.http.shared_accept:SharedRequests",
)
"""


async def process_id(scope, receive, send):  # type: ignore[no-untyped-def]
    """An app that says which process it runs in."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"process %d;" % os.getpid()})


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Three processes that accept connections here."""
    port = free_port()
    parent = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(port)],
        cwd=PROJECT,
        env=os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)},
    )
    try:
        deadline_s = time.monotonic() + WITHIN_S
        while len(processes(port)) < PROCESSES:
            assert parent.poll() is None and time.monotonic() < deadline_s
        yield port
    finally:
        parent.terminate()
        parent.wait(WITHIN_S)


def processes(port: int) -> Counter[int]:
    """How many of many connections that are open at once each process has."""
    with ExitStack() as stack:
        try:
            opened = [
                stack.enter_context(socket.create_connection(("127.0.0.1", port), WITHIN_S))
                for _ in range(CONNECTIONS)
            ]
            return Counter(asked(each) for each in opened)
        except ConnectionError:  # none of them listens yet
            return Counter()


def asked(connection: socket.socket) -> int:
    connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    received = b""
    while b";" not in received:
        received += connection.recv(1000)
    return int(received.partition(b"process ")[2].partition(b";")[0])


@pytest.mark.slow
def test_connections_are_shared_evenly_and_wait_for_no_process_that_hangs(port: int) -> None:
    shares = processes(port)
    assert sum(shares.values()) == CONNECTIONS
    assert min(shares.values()) >= CONNECTIONS / PROCESSES / 2, shares

    hung, killed, _ = shares
    os.kill(hung, signal.SIGSTOP)
    try:
        begun_s = time.monotonic()
        left = processes(port)
        assert hung not in left and sum(left.values()) == CONNECTIONS
        assert time.monotonic() - begun_s < 10
    finally:
        os.kill(hung, signal.SIGCONT)

    os.kill(killed, signal.SIGKILL)  # uvicorn starts another
    deadline_s = time.monotonic() + WITHIN_S
    while killed in (shares := processes(port)) or len(shares) < PROCESSES:
        assert sum(shares.values()) == CONNECTIONS
        assert time.monotonic() < deadline_s


def test_a_process_knows_which_others_have_fewer_connections(tmp_path: Path) -> None:
    first, second, third = Tally(tmp_path), Tally(tmp_path), Tally(tmp_path)
    for _ in range(2):
        first.opened()
    second.opened()
    assert (len(first.with_fewer()), len(second.with_fewer()), third.with_fewer()) == (2, 1, {})
    before = first.with_fewer()
    second.closed()
    third.opened()
    after = first.with_fewer()
    assert [place for place in before if before[place] != after[place]] == [2]
