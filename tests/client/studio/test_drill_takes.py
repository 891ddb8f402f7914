"""The sound of a drill's take is in the journal while it is spoken."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from client.answer.journal import Journal
from client.backend.outbox import OutboxError
from client.core.settings import ClientSettings
from client.practice.drills.drill_session import DrillSession
from client.studio.state import open_drills
from client.studio.state.studio import Studio
from pronunciation.clip import decode_pcm16
from tests.client.practice.drills.conftest import ScriptedHearing
from tests.client.studio.test_drills import PCM, SOUND, opened, take
from tests.client.studio.test_drills import hearing as hearing
from tests.worlds.studio_answering import wait_for

QUARTER = len(SOUND) // 4


def piece(client: TestClient, drill: dict[str, Any], at: int, take_id: str = "t") -> int:
    query = {"item": drill["card"]["item_id"], "take": take_id, "at": at}
    content = SOUND[at : at + QUARTER]
    address = f"/drills/open/{drill['id']}/sound"
    return client.post(address, params=query, content=content, headers=PCM).status_code


def unfinished(settings: ClientSettings) -> list[tuple[str, float]]:
    return [(e.entry.kind, round(e.duration_s, 2)) for e in Journal.of(settings).unfinished()]


def test_a_page_that_goes_while_somebody_speaks_leaves_what_was_said(
    client: TestClient,
    hearing: ScriptedHearing,
    settings: ClientSettings,
    studio: Studio,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_drills, "LEFT_AFTER_S", 0.3)
    drill = opened(client)
    assert piece(client, drill, 0) == piece(client, drill, QUARTER) == 204
    wait_for(lambda: unfinished(settings) == [("drill", 0.5)])

    (shown,) = client.get("/takes").json()["interrupted"]
    assert (shown["kind"], shown["prompt"]) == ("drill", drill["card"]["prompt"])
    hearing.verdicts = ["correct"]
    client.post(f"/takes/{shown['name']}/finish")
    wait_for(lambda: client.get(f"/takes/{shown['name']}").json()["state"] == "done")
    assert client.get(f"/takes/{shown['name']}").json()["verdict"] == "correct"
    (review,) = studio.backend.export_all().drill_reviews
    assert review.item_id == drill["card"]["item_id"]
    assert list(settings.recordings.iterdir()) == []


def test_the_whole_take_makes_up_for_pieces_that_were_lost(
    client: TestClient,
    hearing: ScriptedHearing,
    settings: ClientSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drill = opened(client)
    piece(client, drill, 0)
    piece(client, drill, 2 * QUARTER)  # the second one never arrived
    kept: list[Any] = []
    true_take = DrillSession.take

    def look(session: DrillSession, clip: Any, place: Any) -> Any:
        kept.append((clip, place.clip(), place.entry.state))
        return true_take(session, clip, place)

    monkeypatch.setattr(DrillSession, "take", look)
    hearing.verdicts = ["correct"]
    assert take(client, drill).status_code == 200
    ((clip, on_disk, state),) = kept
    assert (on_disk.samples == clip.samples).all()
    assert (clip.samples == decode_pcm16(SOUND)).all()
    assert state == "recorded"
    assert piece(client, drill, 0, "t") in (204, 422), "a late piece changes nothing"
    assert unfinished(settings) == []


def test_a_take_that_could_not_be_stored_is_sent_again_and_stored_once(
    client: TestClient,
    hearing: ScriptedHearing,
    settings: ClientSettings,
    studio: Studio,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> object:
        raise OutboxError("the disk is full")

    hearing.verdicts = ["correct", "correct"]
    drill = opened(client)
    with monkeypatch.context() as patch:
        patch.setattr(type(studio.backend.drills), "review", fail)
        assert take(client, drill).status_code >= 400
    assert unfinished(settings) == [("drill", 1.0)]
    assert take(client, drill).status_code == 200
    assert unfinished(settings) == []
    assert len(studio.backend.export_all().drill_reviews) == 1


def test_a_take_without_sound_is_dropped(
    client: TestClient, hearing: ScriptedHearing, settings: ClientSettings
) -> None:
    drill = opened(client)
    piece(client, drill, 0)
    address = f"/drills/open/{drill['id']}/drop"
    assert client.post(address, params={"take": "t"}).status_code == 204
    assert list(settings.recordings.iterdir()) == []
