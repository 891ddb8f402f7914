"""A small bank, a grader that one can predict, and a service over a fresh database."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from pronunciation.terms import Lexicon
from question_bank.models import (
    Bank,
    Faq,
    KeyPhrase,
    PlanWeek,
    Question,
    Role,
    RoundGuide,
    Signal,
)
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.contract import (
    Coverage,
    Delivery,
    Evidence,
    PhraseCoverage,
    Pronunciation,
    Report,
    Submission,
    Transcript,
    Word,
)
from server.core.settings import sqlite_url
from server.db.tables import Base
from server.jobs.job import Kinds
from server.jobs.worker import BEAT_S, SILENT_S
from tests.worlds.new_databases import compiled_once as compiled_once
from tests.worlds.new_databases import quick_new_databases as quick_new_databases
from tests.worlds.queues import ENDS_WITHIN_S, WorkedQueue

if TYPE_CHECKING:
    from tests.worlds.people import People

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def make_question(question_id: str = "kv-cache", **changes: object) -> Question:
    values: dict[str, object] = {
        "id": question_id,
        "role": "ml-engineer",
        "round": "domain-deep-dive",
        "topic": "KV Cache Management",
        "prompt": "How do you size a KV cache?",
        "model_answer": "I page the cache and batch continuously.",
        "key_phrases": (
            KeyPhrase(phrase="paged attention"),
            KeyPhrase(phrase="continuous batching"),
        ),
    }
    return Question.model_validate(values | changes)


def make_bank(*questions: Question, version: str = "bank-1") -> Bank:
    role = Role(
        id="ml-engineer",
        title="ML Engineer",
        summary="Serves models.",
        topics=("KV Cache Management", "Schedulers"),
    )
    return Bank(
        version=version,
        roles=(role,),
        rounds=(
            RoundGuide(id="coding", title="Coding", minutes=(45, 60), tests="Code", prepare="Do"),
            RoundGuide(id="domain-deep-dive", title="Domain deep dive"),
        ),
        signals=(Signal(id="debugging", title="Debugging", description="Finds faults"),),
        plan=(PlanWeek(week=1, title="Begin", focus="Basics", tasks=("Read",)),),
        help=(Faq(id="accent", question="Is my accent judged?", answer="Never."),),
        questions=questions or (make_question(),),
    )


def make_submission(text: str = "I use paged attention", **changes: object) -> Submission:
    values: dict[str, object] = {
        "submission_id": uuid4().hex,
        "question_id": "kv-cache",
        "created_at": START,
        "transcript": Transcript(text=text, engine="faster-whisper", model="base.en"),
        "evidence": Evidence(),
    }
    return Submission.model_validate(values | changes)


def typed(text: str) -> Transcript:
    """A typed answer with its words, which comments point at."""
    words = tuple(Word(text=each) for each in text.split())
    return Transcript(text=text, words=words, engine="text")


def grade(question: Question, submission: Submission, lexicon: Lexicon, version: str) -> Report:
    """Covers a phrase when the text has it to the letter."""
    text = submission.transcript.text
    if "crash the grader" in text:
        raise ZeroDivisionError("planted")
    phrases = tuple(
        PhraseCoverage(phrase=each.phrase, status="covered" if each.phrase in text else "missing")
        for each in question.key_phrases
    )
    covered = sum(phrase.status == "covered" for phrase in phrases)
    return Report(
        question_id=question.id,
        created_at=submission.created_at,
        grader_version="stub-1",
        bank_version=version,
        transcript=submission.transcript,
        coverage=Coverage(score=covered / len(phrases), phrases=phrases),
        pronunciation=Pronunciation(),
        delivery=Delivery(words=len(text.split()), answer_s=12.5, target_s=120),
    )


@dataclass
class Clock:
    """Advances by a second at each look."""

    now: datetime = field(default=START + timedelta(days=1))

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def make() -> SimpleNamespace:
    """Builders of questions, banks and submissions."""
    return SimpleNamespace(question=make_question, bank=make_bank, submission=make_submission)


# Tests marked so run on each of these, and on the databases that the environment names.
DATABASES = ["sqlite", "postgresql", *os.environ.get("ALOUD_TEST_DATABASE_URLS", "").split()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The store's tests, and those of writes that meet, run on every kind; the others on SQLite."""
    marked = metafunc.definition.get_closest_marker("every_database")
    if marked and "store_url" in metafunc.fixturenames:
        metafunc.parametrize("store_url", DATABASES, indirect=True, ids=named)


def named(kind: str) -> str:
    """A parameter's name in the test's."""
    return kind.split(":")[0]


@pytest.fixture(params=DATABASES, ids=named)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without tables, of every kind there is."""
    url: str = request.param
    if url == "sqlite":
        return sqlite_url(tmp_path / "data" / "aloud.db")
    if url == "postgresql":
        fresh: str = request.getfixturevalue("postgresql_empty_url")
        return fresh
    return emptied(url)


@pytest.fixture
def store_url(request: pytest.FixtureRequest, tmp_path: Path, sqlite_template: Path) -> str:
    """A database with today's tables and nothing in them."""
    url: str = getattr(request, "param", "sqlite")
    if url == "sqlite":
        (tmp_path / "data").mkdir()
        path = tmp_path / "data" / "aloud.db"
        shutil.copyfile(sqlite_template, path)
        return sqlite_url(path)
    if url == "postgresql":
        fresh: str = request.getfixturevalue("postgresql_url")
        return fresh
    return emptied(url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with today's tables, to copy: migrating each one takes longer."""
    path = tmp_path_factory.mktemp("template") / "aloud.db"
    Store(sqlite_url(path)).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def emptied(url: str) -> str:
    """A database that the environment names, without its tables."""
    engine = create_engine(url)
    with engine.begin() as connection:
        Base.metadata.drop_all(connection)
        connection.execute(text("DROP TABLE IF EXISTS alembic_version"))
    engine.dispose()
    return url


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with Store(store_url) as opened:
        yield opened


def service_over(store: Store, bank: Bank | None = None, grader: Grader | None = None) -> Service:
    return Service(
        store,
        lambda: bank or make_bank(),
        lambda: Lexicon(version="lexicon-1", terms=()),
        grader=lambda: grader or Grader(grade, "stub-1"),
        clock=Clock(),
    )


@pytest.fixture
def make_service(store: Store) -> Callable[..., Service]:
    """Makes a service over the same store with another bank or grader."""

    def build(bank: Bank | None = None, grader: Grader | None = None) -> Service:
        return service_over(store, bank, grader)

    return build


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    return make_service()


@pytest.fixture(scope="session")
def new_service(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Service]]:
    """Makes a service over a new SQLite database, for tests that need no other kind."""
    made: list[Service] = []

    def new() -> Service:
        path = tmp_path_factory.mktemp("service") / "aloud.db"
        shutil.copyfile(sqlite_template, path)
        made.append(service_over(Store(sqlite_url(path))))
        return made[-1]

    yield new
    for each in made:
        each.close()


@pytest.fixture
def world(new_service: Callable[[], Service], make: SimpleNamespace) -> "People":
    """People over a new database, and an answer of Ana's that is shown to her coach."""
    from tests.worlds.people import people  # it brings the web application

    return people(new_service(), make.submission("I use paged attention"))


@pytest.fixture
def make_queue(store: Store) -> Iterator[Callable[..., WorkedQueue]]:
    """Makes queues over the same database; what they started is stopped at the end.

    The next test has the same PostgreSQL database, emptied, with the same numbers of jobs: a worker
    that outlived its test would write into it, so the fixture ends when the last worker has ended.
    """
    made: list[WorkedQueue] = []

    def build(
        kinds: Kinds,
        *,
        start: bool = True,
        beat_s: float = BEAT_S,
        silent_s: float = SILENT_S,
    ) -> WorkedQueue:
        queue = WorkedQueue(store.database, kinds, beat_s=beat_s, silent_s=silent_s)
        if start:
            queue.worker.start()
        made.append(queue)
        return queue

    yield build
    ended = [queue.worker.stop(ENDS_WITHIN_S) for queue in made]
    assert all(ended), "a worker still runs"
