"""Takes of drills through every backend: none is lost while a server is away."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from client.backend.opening import open_backend
from client.backend.outbox import AnswerOutbox, ReviewOutbox
from client.backend.protocol import QueuedError, UnavailableError
from client.backend.sending import with_outbox
from client.core.settings import ClientSettings
from server.contract import Attempt, DrillReview, ReviewedDrill, Submission

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


def test_takes_wait_while_the_server_is_away(loopback_server: Any, tmp_path: Path) -> None:
    settings = ClientSettings(home=tmp_path / "home", server=loopback_server.url)
    takes = [review(reviewed_at=START + timedelta(minutes=n)) for n in range(3)]
    with open_backend(settings) as backend:
        backend.drills.review(takes[0])
        loopback_server.stop()
        for take in takes[1:]:
            with pytest.raises(QueuedError, match="kept and will be sent later"):
                backend.drills.review(take)
    with open_backend(settings) as backend:  # a new client, the server is still away
        assert [each.read() for each in backend.reviews.pending()] == takes[1:]
    loopback_server.start()
    with open_backend(settings) as backend:
        assert backend.export_all().drill_reviews == tuple(takes)
        (card,) = backend.drills.cards()
        assert card.reps == 3
        assert backend.reviews.pending() == []


def test_a_damaged_file_of_0_1_0_stays_and_stops_nothing(tmp_path: Path) -> None:
    old = tmp_path / "reviews.json"
    old.write_text("[{]", encoding="utf-8")
    outbox = ReviewOutbox(tmp_path / "reviews")
    outbox.add(review())
    assert len(outbox.pending()) == 1
    assert old.read_text(encoding="utf-8") == "[{]"


def test_answers_go_out_before_reviews_and_each_in_the_order_given(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    sent: list[str] = []

    class Server:
        """Notes what arrives; is away at first."""

        is_away = True

        @property
        def drills(self) -> "Server":
            return self

        def submit(self, submission: Submission) -> Attempt:
            self._arrives(submission.transcript.text)
            attempt: Attempt = make.attempt(submission)
            return attempt

        def review(self, each: DrillReview) -> ReviewedDrill:
            self._arrives(each.item_id)
            return ReviewedDrill(review=each, card=None)

        def _arrives(self, what: str) -> None:
            if self.is_away:
                raise UnavailableError("the server cannot be reached")
            sent.append(what)

    server = Server()
    backend = with_outbox(server, AnswerOutbox(tmp_path))  # type: ignore[arg-type]
    for n in range(1, 12):
        with pytest.raises(QueuedError):
            backend.drills.review(review(f"take-{n}"))
        with pytest.raises(QueuedError):
            backend.submit(make.submission(f"answer {n}"))
    server.is_away = False
    assert backend.send_waiting(within_s=20).problem == ""
    assert backend.reviews.pending() == []
    assert sent == [f"answer {n}" for n in range(1, 12)] + [f"take-{n}" for n in range(1, 12)]
