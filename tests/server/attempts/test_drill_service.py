from datetime import timedelta
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from server.attempts.service import Service
from server.contract import DrillQuery, DrillReview, PurgeRequest
from server.core.errors import InvalidInputError
from server.core.settings import ServerSettings
from server.web.app import create_app
from tests.server.conftest import START

API = "/api/v1/drills"


def review(item: str = "roce", verdict: str = "mispronounced", **changes: object) -> DrillReview:
    values: dict[str, object] = {
        "review_id": uuid4().hex,
        "item_id": item,
        "drill_set": "acronyms",
        "reviewed_at": START,
        "verdict": verdict,
    }
    return DrillReview.model_validate(values | changes)


@pytest.fixture
def client(service: Service) -> TestClient:
    settings = ServerSettings(database_url="sqlite://")
    return TestClient(create_app(settings, service=service), base_url="http://localhost")


def test_reviewing_schedules(service: Service) -> None:
    done = service.drills.review(review())
    assert done.card is not None
    assert done.card.due == START + timedelta(minutes=1)
    assert service.drills.queue().due == (done.card,)
    assert service.drills.queue(DrillQuery(now=START)).total == 0
    assert service.drills.cards("acronyms") == (done.card,)
    assert service.drills.cards("silent-letters") == ()


def test_an_export_imports_with_its_schedule(service: Service) -> None:
    for n in range(3):
        service.drills.review(review(f"item-{n}"))
    service.drills.review(review("vague", "unclear"))
    cards, archive = service.drills.cards(), service.export_all()
    assert len(archive.drill_reviews) == 4
    purged = service.purge(PurgeRequest(everything=True))
    assert (purged.deleted, purged.drill_reviews) == (0, 4)
    assert service.drills.cards() == ()
    assert service.drills.import_reviews(archive.drill_reviews).imported == 4
    assert service.drills.import_reviews(archive.drill_reviews).skipped == 4
    assert service.drills.cards() == cards
    changed = archive.drill_reviews[0].model_copy(update={"verdict": "correct"})
    assert service.drills.import_reviews([changed]).conflicts == (changed.review_id,)


@pytest.mark.every_database
def test_an_import_with_an_impossible_take_stores_nothing(service: Service) -> None:
    late = review(reviewed_at=START + timedelta(days=900))
    with pytest.raises(InvalidInputError):
        service.drills.import_reviews([review("fine"), late])
    assert service.drills.cards() == ()


def test_purging_attempts_leaves_the_drills(service: Service) -> None:
    service.drills.review(review())
    service.purge(PurgeRequest(before=START + timedelta(days=900)))
    assert len(service.drills.cards()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"review_id": "x"},
        {"item_id": "../etc"},
        {"verdict": "wrong"},
        {"confidence": 2},
        {"reviewed_at": "2026-03-01T12:00:00"},
        {"phones": "A" * 501},
        {"more": 1},
    ],
)
def test_what_is_no_review_is_refused(client: TestClient, change: dict[str, object]) -> None:
    reply = client.post(f"{API}/reviews", json=review().model_dump(mode="json") | change)
    assert reply.status_code == 422
    assert next(iter(change)) in reply.json()["detail"]
