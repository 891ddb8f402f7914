from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from client.backend.opening import open_backend
from client.backend.protocol import Backend
from client.core.errors import DrillError
from client.core.settings import ClientSettings
from client.practice.drills.session import DrillSession
from client.studio.state.drill_rooms import IDLE_S, MAX_ROOMS, DrillRoom, DrillRooms, RoomGoneError
from client.studio.state.drill_views import coming
from pronunciation.clip import Clip
from tests.client.practice.drills.conftest import Clock, ScriptedHearing, item, sets

CLIP = Clip(np.full(8000, 0.1, dtype=np.float32))


@pytest.fixture
def backend(settings: ClientSettings) -> Iterator[Backend]:
    with open_backend(settings) as opened:
        yield opened


class IdleClock:
    """Seconds since some moment, set by hand."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def room_of(backend: Backend, *verdicts: str, items: int = 3) -> tuple[DrillRoom, ScriptedHearing]:
    hearing = ScriptedHearing(*verdicts)
    rooms = DrillRooms(hearing, clock=Clock())
    these = sets(*(item(f"item-{n}") for n in range(items)))
    session = DrillSession(backend, rooms.hear, these, count=items, clock=Clock())
    return rooms.add(session, "Acronyms"), hearing


def test_a_right_take_brings_the_next_card(backend: Backend) -> None:
    room, _ = room_of(backend, "correct")
    view = room.view()
    assert view.card is not None
    assert (view.position, view.total, view.card.item_id) == (1, 3, "item-0")
    assert view.card.reading.say == "ROCK-ee"
    assert view.card.reading.ipa == "ˈɹɑki"
    assert view.card.sound == "/sound/drill/item-0"
    taken = room.take("t-1", "item-0", CLIP)
    assert (taken.step.words, taken.step.tone, taken.step.undecided) == ("Correct", "good", False)
    assert taken.step.expected is None
    assert taken.room.card is not None
    assert (taken.room.position, taken.room.card.item_id) == (2, "item-1")


def test_a_miss_shows_heard_against_expected_and_comes_back(backend: Backend) -> None:
    room, _ = room_of(backend, "mispronounced", "correct", "correct", "correct")
    step = room.take("t-1", "item-0", CLIP).step
    assert step.heard is not None and step.expected is not None
    assert (step.heard.say, step.expected.say) == ("ROHSS", "ROCK-ee")
    assert step.heard.ipa != step.expected.ipa
    assert (step.tip, step.coming) == ("Not like a rose, item-0.", "in this drill")
    assert (step.from_s, step.to_s) == pytest.approx((0.05, 0.85))
    view = room.view()
    assert view.position == 1, "what comes back has not been done"
    room.take("t-2", "item-1", CLIP)
    view = room.take("t-3", "item-2", CLIP).room
    assert view.card is not None
    assert (view.card.item_id, view.card.again, view.position) == ("item-0", True, 3)
    end = room.take("t-4", "item-0", CLIP).room
    assert end.card is None
    assert [(each.item_id, each.words) for each in end.results] == [
        ("item-0", "right after one miss"),
        ("item-1", "right at once"),
        ("item-2", "right at once"),
    ]
    assert all(each.coming for each in end.results)


@pytest.mark.parametrize("verdict", ["unclear", "something_else", "nothing"])
def test_what_cannot_be_decided_says_so_and_offers_the_same_again(
    backend: Backend, verdict: str
) -> None:
    room, _ = room_of(backend, verdict)
    taken = room.take("t-1", "item-0", CLIP)
    assert (taken.step.undecided, taken.step.sign, taken.step.tone) == (True, "?", "warn")
    assert taken.step.note
    assert (taken.step.heard, taken.step.expected, taken.step.coming) == (None, None, "")
    assert taken.room.card is not None
    assert (taken.room.card.item_id, taken.room.card.again) == ("item-0", False)


def test_a_take_sent_twice_is_heard_once(backend: Backend) -> None:
    room, hearing = room_of(backend, "correct")
    first = room.take("t-1", "item-0", CLIP)
    assert room.take("t-1", "item-0", CLIP) == first
    assert hearing.heard == ["item-0"]
    assert len(backend.export_all().drill_reviews) == 1


def test_a_take_of_another_card_than_the_one_up_is_refused(backend: Backend) -> None:
    room, hearing = room_of(backend, "correct")
    for item_id in ("item-2", "unknown"):
        with pytest.raises(DrillError, match="gone on to “item-0”"):
            room.take("t-1", item_id, CLIP)
        with pytest.raises(DrillError, match="reload"):
            room.skip(item_id)
    assert hearing.heard == []


def test_passing_stores_nothing_and_is_told_at_the_end(backend: Backend) -> None:
    room, _ = room_of(backend, "mispronounced", "correct", items=2)
    assert room.skip("item-0").position == 2
    room.take("t-1", "item-1", CLIP)
    view = room.take("t-2", "item-1", CLIP).room
    assert [(each.item_id, each.words, each.coming) for each in view.results][-1] == (
        "item-0",
        "passed",
        "",
    )
    assert {each.item_id for each in backend.export_all().drill_reviews} == {"item-1"}
    with pytest.raises(DrillError, match="over"):
        room.skip("item-1")


def test_rooms_do_not_disturb_each_other(backend: Backend) -> None:
    one, _ = room_of(backend, "correct")
    two, _ = room_of(backend, "mispronounced")
    one.take("t-1", "item-0", CLIP)
    assert one.view().position == 2
    assert two.view().position == 1


def test_a_room_that_lay_idle_is_gone_and_the_text_says_what_to_do(backend: Backend) -> None:
    idle = IdleClock()
    rooms = DrillRooms(ScriptedHearing(), monotonic=idle)
    session = DrillSession(backend, rooms.hear, sets(item("a")))
    room = rooms.add(session, "A")
    idle.now_s = IDLE_S - 1
    assert rooms.get(room.id) is room
    idle.now_s += IDLE_S - 1
    assert rooms.get(room.id) is room, "looking at it keeps it"
    idle.now_s += IDLE_S
    with pytest.raises(RoomGoneError, match="start again"):
        rooms.get(room.id)


def test_the_room_longest_out_of_use_makes_place(backend: Backend) -> None:
    idle = IdleClock()
    rooms = DrillRooms(ScriptedHearing(), monotonic=idle)
    made = []
    for _ in range(MAX_ROOMS):
        idle.now_s += 1
        made.append(rooms.add(DrillSession(backend, rooms.hear, sets(item("a"))), "A"))
    rooms.get(made[0].id)
    rooms.add(DrillSession(backend, rooms.hear, sets(item("a"))), "A")
    assert rooms.get(made[0].id) is made[0]
    with pytest.raises(RoomGoneError):
        rooms.get(made[1].id)


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
