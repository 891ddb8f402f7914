"""Two server processes on one database, two client processes that send at once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from server.accounts.service import AccountService
from server.attempts.store import Store
from server.contract import Submission
from server.db.database import Database
from tests.worlds.people import PASSWORD, cheap_passwords
from tests.worlds.ports import free_port

PROJECT = Path(__file__).resolve().parents[3]
STARTS_WITHIN_S = 120
ANSWERS = 5

CLIENT = """
import sys, time
from client.backend.protocol import UnavailableError
from client.backend.remote import RemoteBackend
from server.contract import Submission

server, token, path = sys.argv[1:]

def kept_trying(ask, *arguments):  # as the outbox does: a cold, busy server takes its time
    for _ in range(60):
        try:
            return ask(*arguments)
        except UnavailableError as error:
            late = error
            time.sleep(1)
    raise late

with RemoteBackend(server, token=token) as backend:
    for line in open(path, encoding="utf-8"):
        attempt = kept_trying(backend.submit, Submission.model_validate_json(line))
        assert kept_trying(backend.attempt, attempt.id) == attempt
    print(kept_trying(backend.history).total)
"""


@pytest.fixture
def database(store_url: str) -> Iterator[Database]:
    opened = Database(store_url)
    yield opened
    opened.close()


@pytest.fixture
def server(store_url: str, database: Database, tmp_path: Path) -> Iterator[str]:
    """`aloud serve --workers 2` on a free port."""
    port = free_port()
    command = "from client.cli import main; main()"
    with (tmp_path / "log").open("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", command, "serve", "--port", str(port), "--workers", "2"],
            env=os.environ | {"ALOUD_DATABASE_URL": store_url},
            cwd=PROJECT,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address, process, tmp_path / "log")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(120)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # they would take the next tests' jobs
                process.wait()
                raise


def wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_S
    while True:
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        try:
            if httpx.get(f"{address}/healthz", timeout=60).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.1)


@pytest.mark.slow
def test_several_servers_and_clients_at_once(
    server: str, database: Database, tmp_path: Path, make: SimpleNamespace
) -> None:
    accounts = AccountService(database, passwords=cheap_passwords())
    ana = accounts.add("ana", "candidate")
    token = accounts.tokens.add(ana.id, "x").secret

    known = {"Authorization": f"Bearer {token}"}
    questions = httpx.get(f"{server}/api/v1/bank/questions", headers=known, timeout=120).json()
    question = questions[0]["id"]
    answers = [
        make.submission(f"answer {number}", question_id=question) for number in range(ANSWERS)
    ]
    (tmp_path / "answers").write_text(
        "".join(each.model_dump_json() + "\n" for each in answers), encoding="utf-8"
    )
    # two processes with the same answers of one person: each is stored once
    clients = [
        subprocess.Popen(
            [sys.executable, "-c", CLIENT, server, token, str(tmp_path / "answers")],
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for client in clients:
        out, error = client.communicate(timeout=600)
        assert (client.returncode, out.strip()) == (0, str(ANSWERS)), error
    attempts, _ = Store(database).of(ana.id).archive(0, 100)
    stored: list[Submission] = [attempt.submission for attempt in attempts]
    assert sorted(one.submission_id for one in stored) == sorted(
        one.submission_id for one in answers
    )

    # a session begun in one process holds in all, and ends in all
    accounts.accept(accounts.invitations.invite(ana.id).secret, PASSWORD)
    with httpx.Client(base_url=server, headers={"Accept": "text/html"}, timeout=120) as browser:
        page = browser.get("/sign-in").text
        token = page.partition('name="csrftoken" value="')[2].partition('"')[0]
        sent = {"csrftoken": token, "name": "ana", "password": PASSWORD}
        assert browser.post("/sign-in", data=sent).status_code == 303
        for _ in range(6):
            with httpx.Client(base_url=server, cookies=browser.cookies, timeout=120) as again:
                assert again.get("/account").status_code == 200
        accounts.end_sessions(ana.id)
        for _ in range(6):
            with httpx.Client(base_url=server, cookies=browser.cookies, timeout=120) as again:
                assert again.get("/account").status_code == 401
