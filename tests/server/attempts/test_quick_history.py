"""The history without SQLAlchemy shows what the store shows, or leaves the page to it."""

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from server.attempts.quick_history import quick_cards, quick_history
from server.attempts.service import Service
from server.contract import DrillReview, HistoryQuery, MeantAnswer
from server.db import HEAD_REVISION
from tests.planted_report import PHRASES, QUESTION, planted_attempt
from tests.server.conftest import START, make_submission

NewService = Callable[[], Service]


@pytest.fixture
def practiced(new_service: NewService) -> Service:
    """Answers to two questions, one of them graded twice."""
    service = new_service()
    for index in range(7):
        service.submit(make_submission(created_at=START + timedelta(hours=index)))
    service.import_attempts([planted_attempt(QUESTION, "f" * 32, PHRASES)])
    first = service.history(HistoryQuery(limit=500)).attempts[-1]
    report = service.attempt(first.id).report
    again = report.model_copy(update={"grader_version": "later"})
    service._store.add_report(first.id, again, START + timedelta(days=1))
    return service


def file_of(service: Service) -> Path:
    return Path(service.database.engine.url.database or "")


@pytest.mark.parametrize(
    "query",
    [
        HistoryQuery(),
        HistoryQuery(limit=3),
        HistoryQuery(limit=3, offset=2),
        HistoryQuery(limit=3, offset=50),
        HistoryQuery(role="ml-engineer"),
        HistoryQuery(round="domain-deep-dive", question_id="kv-cache"),
        HistoryQuery(question_id=QUESTION.id),
        HistoryQuery(question_id="no-such-question"),
        HistoryQuery(since=START + timedelta(hours=2), until=START + timedelta(hours=5)),
    ],
    ids=str,
)
def test_every_page_is_the_stores(practiced: Service, query: HistoryQuery) -> None:
    page = quick_history(file_of(practiced), query)
    assert page == practiced._store.history(query)
    assert page is not None and (page.total > 0) == (query.question_id != "no-such-question")


def test_what_belongs_to_an_account_is_not_listed(practiced: Service) -> None:
    with sqlite3.connect(file_of(practiced)) as database:
        database.execute("UPDATE attempts SET owner_id = 5 WHERE question_id = 'kv-cache'")
    page = quick_history(file_of(practiced), HistoryQuery())
    assert page == practiced._store.history(HistoryQuery())
    assert page is not None and page.total == 1


def test_the_cards_are_the_stores(new_service: NewService) -> None:
    service = new_service()
    assert quick_cards(file_of(service)) == ()
    for days, (item, verdict) in enumerate((("roce", "correct"), ("fsdp", "mispronounced"))):
        service.drills.review(
            DrillReview(
                review_id=f"{days}" * 32,
                drill_set="acronyms",
                item_id=item,
                verdict=verdict,
                reviewed_at=START - timedelta(days=days + 1),
            )
        )
    cards = quick_cards(file_of(service))
    assert cards == service._store.drills.cards()
    assert {each.item_id for each in cards or ()} == {"roce", "fsdp"}
    with sqlite3.connect(file_of(service)) as database:
        database.execute("UPDATE drill_cards SET owner_id = 5 WHERE item_id = 'roce'")
    assert quick_cards(file_of(service)) == service._store.drills.cards()


def test_a_corrected_score_is_left_to_the_store(practiced: Service) -> None:
    query = HistoryQuery(question_id=QUESTION.id)
    (row,) = practiced.history(query).attempts
    practiced.confirm(row.id, MeantAnswer(phrase="continuous batching", meant=True))
    assert quick_history(file_of(practiced), query) is None
    assert quick_history(file_of(practiced), HistoryQuery(question_id="kv-cache")) is not None


def test_another_versions_file_is_left_to_the_store(practiced: Service) -> None:
    file = file_of(practiced)
    assert quick_history(file, HistoryQuery()) is not None
    with sqlite3.connect(file) as database:
        database.execute("UPDATE alembic_version SET version_num = ?", (f"{HEAD_REVISION}x",))
    assert quick_history(file, HistoryQuery()) is None
    assert quick_cards(file) is None


def test_files_without_answers(tmp_path: Path) -> None:
    file = tmp_path / "aloud.db"
    page = quick_history(file, HistoryQuery())
    assert page is not None and page.total == 0
    assert not file.exists()
    file.write_bytes(b"damaged" * 1000)
    assert quick_history(file, HistoryQuery()) is None
