"""Takes of drills through every backend: none is lost while a server is away."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from client.backend.protocol import RejectedError, open_backend
from client.backend.review_outbox import ReviewOutbox
from client.backend.sending import OutboxBackend, ReviewWaitsError
from client.core.settings import ClientSettings
from server.contract import DrillQuery, DrillReview, PurgeRequest

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def review(item: str = "roce", **changes: object) -> DrillReview:
    values: dict[str, object] = {
        "review_id": uuid4().hex,
        "item_id": item,
        "drill_set": "acronyms",
        "reviewed_at": START,
        "verdict": "mispronounced",
        "phones": "R OW1 S",
        "confidence": 0.97,
    }
    return DrillReview.model_validate(values | changes)


@pytest.fixture(params=["embedded", "shared"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> ClientSettings:
    if request.param == "embedded":
        return ClientSettings(home=tmp_path / "home")
    server = request.getfixturevalue("loopback_server")
    return ClientSettings(home=tmp_path / "home", server=server.url)


def test_every_use_case(settings: ClientSettings) -> None:
    with open_backend(settings) as backend:
        sent = [review("roce"), review("debt", drill_set="silent-letters")]
        cards = [backend.review_drill(each).card for each in sent]
        assert backend.review_drill(sent[0]).card == cards[0]  # stored once
        assert sorted(backend.drill_cards(), key=lambda card: card.item_id) == [cards[1], cards[0]]
        assert backend.drill_cards("silent-letters") == (cards[1],)
        queue = backend.drill_queue(DrillQuery(drill_set="acronyms"))
        assert (queue.total, queue.due, queue.known) == (1, (cards[0],), ("roce",))
        assert backend.drill_queue(DrillQuery(now=START)).total == 0
        archive = backend.export_all()
        assert archive.drill_reviews == tuple(sent)
        assert backend.purge(PurgeRequest(everything=True)).drill_reviews == 2
        assert backend.drill_cards() == ()
        assert backend.import_reviews(archive.drill_reviews).imported == 2
        assert backend.import_reviews(archive.drill_reviews).skipped == 2
        assert len(backend.drill_cards()) == 2


def test_takes_wait_while_the_server_is_away(loopback_server: Any, tmp_path: Path) -> None:
    settings = ClientSettings(home=tmp_path / "home", server=loopback_server.url)
    takes = [review(reviewed_at=START + timedelta(minutes=n)) for n in range(3)]
    with open_backend(settings) as backend:
        backend.review_drill(takes[0])
        loopback_server.stop()
        for take in takes[1:]:
            with pytest.raises(ReviewWaitsError, match="kept and will be sent later"):
                backend.review_drill(take)
    with open_backend(settings) as backend:  # a new client, the server is still away
        assert isinstance(backend, OutboxBackend)
        assert backend.reviews.pending() == tuple(takes[1:])
    loopback_server.start()
    with open_backend(settings) as backend:
        assert backend.export_all().drill_reviews == tuple(takes)
        (card,) = backend.drill_cards()
        assert card.reps == 3
        assert isinstance(backend, OutboxBackend)
        assert backend.reviews.pending() == ()


def test_a_refused_take_does_not_block_the_rest(tmp_path: Path) -> None:
    outbox = ReviewOutbox(tmp_path)
    takes = [review(item) for item in ("one", "bad", "three")]
    for take in takes:
        outbox.add(take)
    outbox.add(takes[0])
    stored: list[str] = []

    def send(each: DrillReview) -> None:
        if each.item_id == "bad":
            raise RejectedError("no such thing", "invalid-input")
        stored.append(each.item_id)

    done = outbox.flush(send)
    assert (done.sent, done.waiting, stored) == (2, 0, ["one", "three"])
    assert [(each.item_id, reason) for each, reason in done.rejected] == [("bad", "no such thing")]
    assert "no such thing" in (tmp_path / "reviews-rejected.jsonl").read_text(encoding="utf-8")
    assert outbox.pending() == ()


def test_what_was_sent_before_an_unexpected_error_is_not_sent_again(tmp_path: Path) -> None:
    outbox = ReviewOutbox(tmp_path)
    for item in ("one", "two"):
        outbox.add(review(item))

    def send(each: DrillReview) -> None:
        if each.item_id == "two":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        outbox.flush(send)
    assert [each.item_id for each in outbox.pending()] == ["two"]


def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    outbox = ReviewOutbox(tmp_path)
    (tmp_path / "reviews.json").write_text("[{", encoding="utf-8")
    assert outbox.pending() == ()
    outbox.add(review())
    assert len(outbox.pending()) == 1
    assert (tmp_path / "reviews-damaged.json").read_text(encoding="utf-8") == "[{"


def test_discarding(tmp_path: Path) -> None:
    outbox = ReviewOutbox(tmp_path)
    outbox.add(review())
    assert outbox.discard() == 1
    assert outbox.pending() == ()
