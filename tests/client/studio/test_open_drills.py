from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from client.backend.protocol import Backend
from client.practice.drills.drill_session import DrillSession
from client.studio.state.open_drills import OpenDrill, OpenDrills
from client.studio.views.drill import coming
from pronunciation.clip import Clip
from tests.client.practice.drills.conftest import Clock, ScriptedHearing, item, sets

CLIP = Clip(np.full(8000, 0.1, dtype=np.float32))


def drill_of(backend: Backend, *verdicts: str, items: int = 3) -> tuple[OpenDrill, ScriptedHearing]:
    hearing = ScriptedHearing(*verdicts)
    open_drills = OpenDrills(hearing, clock=Clock())
    these = sets(*(item(f"item-{n}") for n in range(items)))
    session = DrillSession(backend, open_drills.hear, these, count=items, clock=Clock())
    return open_drills.add(session, "Acronyms"), hearing


def test_a_miss_shows_heard_against_expected_and_comes_back(backend: Backend) -> None:
    drill, _ = drill_of(backend, "mispronounced", "correct", "correct", "correct")
    step = drill.take("t-1", "item-0", CLIP).step
    assert step.heard is not None and step.expected is not None
    assert (step.heard.say, step.expected.say) == ("ROHSS", "ROCK-ee")
    assert step.heard.ipa != step.expected.ipa
    assert step.heard.sound == "/sound/reading?term=item-0&phones=R+OW1+S"
    assert step.expected.sound == "/sound/reading?term=item-0&phones=R+AA1+K+IY0"
    assert (step.tip, step.coming) == ("Not like a rose, item-0.", "in this drill")
    assert (step.from_s, step.to_s) == pytest.approx((0.05, 0.85))
    view = drill.view()
    assert view.position == 1, "what comes back has not been done"
    drill.take("t-2", "item-1", CLIP)
    view = drill.take("t-3", "item-2", CLIP).drill
    assert view.card is not None
    assert (view.card.item_id, view.card.again, view.position) == ("item-0", True, 3)
    end = drill.take("t-4", "item-0", CLIP).drill
    assert end.card is None
    assert [(each.item_id, each.words) for each in end.results] == [
        ("item-0", "right after one miss"),
        ("item-1", "right at once"),
        ("item-2", "right at once"),
    ]
    assert all(each.coming for each in end.results)


def test_a_take_sent_twice_is_heard_once(backend: Backend) -> None:
    drill, hearing = drill_of(backend, "correct")
    first = drill.take("t-1", "item-0", CLIP)
    assert drill.take("t-1", "item-0", CLIP) == first
    assert hearing.heard == ["item-0"]
    assert len(backend.export_all().drill_reviews) == 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-90_000, "now"),
        (30, "now"),
        (61, "in 1 minute"),
        (600, "in 10 minutes"),
        (4 * 3600, "later today"),
        (24 * 3600, "tomorrow"),
        (5 * 24 * 3600, "in 5 days"),
    ],
)
def test_when_an_item_comes_again_is_said_as_people_say_it(seconds: float, text: str) -> None:
    noon = datetime.now(UTC).astimezone().replace(hour=12, minute=0, second=0)
    assert coming(noon + timedelta(seconds=seconds), noon) == text
