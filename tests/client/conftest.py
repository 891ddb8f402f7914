"""Answers and a scripted server for the tests of backends and outbox."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
import uvicorn
from fastapi import FastAPI

from client.backend.opening import open_backend
from client.backend.sending import OutboxBackend
from client.core.settings import ClientSettings
from pronunciation.terms import Lexicon
from question_bank.models import Bank, KeyPhrase, Question, RoundGuide
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.contract import (
    Attempt,
    Coverage,
    Delivery,
    PhraseCoverage,
    Pronunciation,
    Report,
    Submission,
    Transcript,
)
from server.core.settings import ServerSettings, sqlite_url
from server.web.app import create_app
from tests.worlds.fake_judge import FakeJudge
from tests.worlds.new_databases import quick_new_databases as quick_new_databases
from tests.worlds.new_databases import quick_new_homes as quick_new_homes
from tests.worlds.ports import listening

if TYPE_CHECKING:
    from client.terminal.interview import InterviewOptions

STUB_SERVER = Path(__file__).parents[1] / "worlds" / "stub_server.py"


def make_submission(text: str = "paged attention", **changes: object) -> Submission:
    values: dict[str, object] = {
        "submission_id": uuid4().hex,
        "question_id": "kv-cache",
        "created_at": datetime(2026, 3, 1, 12, tzinfo=UTC),
        "transcript": Transcript(text=text, engine="fake"),
    }
    return Submission.model_validate(values | changes)


def one_question() -> "InterviewOptions":
    """An interview in the terminal: one question, nothing spoken, stopped by keys only."""
    from client.terminal.interview import InterviewOptions

    return InterviewOptions(
        role="ml-engineer",
        round=None,
        questions=1,
        only=(),
        device=None,
        prepare_s=0,
        auto_stop=False,
        speak=False,
        save=True,
    )


def make_question(question_id: str = "kv-cache") -> Question:
    return Question(
        id=question_id,
        role="ml-engineer",
        round="coding",
        topic="Caches",
        prompt="Why?",
        model_answer="Because.",
        key_phrases=(KeyPhrase(phrase="paged attention"),),
    )


def make_report(submission: Submission, version: str = "stub-1") -> Report:
    covered = "paged attention" in submission.transcript.text
    phrase = PhraseCoverage(phrase="paged attention", status="covered" if covered else "missing")
    return Report(
        question_id=submission.question_id,
        created_at=submission.created_at,
        grader_version=version,
        bank_version="bank-1",
        transcript=submission.transcript,
        coverage=Coverage(score=float(covered), phrases=(phrase,)),
        pronunciation=Pronunciation(),
        delivery=Delivery(words=len(submission.transcript.text.split()), target_s=120),
    )


def make_attempt(submission: Submission, attempt_id: int = 1) -> Attempt:
    return Attempt(id=attempt_id, submission=submission, report=make_report(submission))


def make_app(database: Path) -> tuple[FastAPI, Service]:
    """A server on this database that knows one question; the service is the caller's to close."""
    bank = Bank(
        version="bank-1",
        roles=(),
        rounds=tuple(
            RoundGuide(id=each, title=each.capitalize()) for each in ("coding", "behavioral")
        ),
        signals=(),
        plan=(),
        help=(),
        questions=(make_question(),),
    )
    service = Service(
        Store(sqlite_url(database)),
        lambda: bank,
        lambda: Lexicon(version="1", terms=()),
        grader=lambda: Grader(lambda question, submission, *_: make_report(submission), "stub-1"),
    )
    settings = ServerSettings(database_url=sqlite_url(database), max_body_bytes=100_000)
    return create_app(settings, service=service), service


class LoopbackServer:
    """A real server on loopback that can be stopped and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self.database = folder / "server.db"
        self.port = 0
        self._end: Callable[[], None] = lambda: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        app, service = make_app(self.database)
        listener = listening(self.port)
        listener.listen()
        self.port = listener.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()

        def end() -> None:
            server.should_exit = True
            thread.join()
            listener.close()
            service.close()

        self._end = end

    def start_dying(self) -> "subprocess.Popen[str]":
        """Starts one in a process of its own that dies before it answers a POST."""
        process = subprocess.Popen(
            [sys.executable, str(STUB_SERVER), str(self.database), str(self.port)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "listening\n"
        process.stdout.close()
        return process

    def stop(self) -> None:
        self._end()
        self._end = lambda: None

    def stored(self) -> list[str]:
        """The answers' texts in the order they were stored, read from the database itself."""
        connection = sqlite3.connect(self.database)
        rows = connection.execute(
            "SELECT json_extract(submission, '$.transcript.text') FROM attempts ORDER BY id"
        ).fetchall()
        connection.close()
        return [text for (text,) in rows]


@pytest.fixture
def loopback_server(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A running server; ``stop`` and ``start`` it as the test needs."""
    server = LoopbackServer(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def fake_judge() -> Iterator[FakeJudge]:
    """A chat API on loopback; a test says what it replies."""
    judge = FakeJudge()
    yield judge
    judge.close()


@pytest.fixture
def make() -> SimpleNamespace:
    """Builders of submissions, questions, reports and attempts."""
    return SimpleNamespace(
        submission=make_submission, question=make_question, report=make_report, attempt=make_attempt
    )


@pytest.fixture
def settings(tmp_path: Path) -> ClientSettings:
    """A home of the test's own, the built-in bank, the embedded server."""
    return ClientSettings(home=tmp_path / "home")


@pytest.fixture
def backend(settings: ClientSettings) -> Iterator[OutboxBackend]:
    """The server that the settings name, with its outbox."""
    with open_backend(settings) as opened:
        yield opened
