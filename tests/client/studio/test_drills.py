import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from client.audio.wav import read_wav
from client.core.errors import SpeakingError
from client.core.settings import ClientSettings
from client.practice.drills.own_items import OwnItem, write_own_items
from client.practice.drills.phrases import own_errors
from client.studio.state.studio import Studio
from pronunciation.errors import HearingError
from pronunciation.terms import Mistake
from server.contract import Language, LanguageRequest
from tests.client.conftest import make_submission
from tests.client.practice.drills.conftest import ScriptedHearing
from tests.client.practice.test_own_errors import DEPENDS

ERRORS = (
    "The informations was not enough. It depends of the size. I am agree that it is more cheaper. "
    "If I would have more time, I would measure it. He don't know how much machines are there. "
    "I have measured it yesterday. We need to can scale it. I made a research since two weeks."
)
HTML = {"Accept": "text/html"}
PCM = {"Content-Type": "application/octet-stream"}
SOUND = (np.sin(np.arange(16_000) / 10) * 8000).astype("<i2").tobytes()


@pytest.fixture
def hearing(monkeypatch: pytest.MonkeyPatch) -> ScriptedHearing:
    """Stands in for the hearing; the first verdict goes to the one that loads it ahead."""
    scripted = ScriptedHearing()
    monkeypatch.setattr("client.studio.routes.drills.drill_hearing", lambda: scripted)
    monkeypatch.setattr("client.practice.drills.drill_session.drill_hearing", lambda: scripted)
    monkeypatch.setattr("client.studio.routes.drills._warm", lambda *_: None)
    return scripted


def opened(client: TestClient, name: str = "all", items: int = 3) -> dict[str, Any]:
    page = client.get(f"/drills/{name}", params={"items": items}, headers=HTML)
    assert page.status_code == 200, page.text
    found = re.search(r'<script type="application/json" id="drill">(.*?)</script>', page.text, re.S)
    assert found is not None
    drill = json.loads(found[1])
    assert isinstance(drill, dict)
    return drill


def take(client: TestClient, drill: dict[str, Any], take_id: str = "t", **changes: Any) -> Any:
    query = {"item": drill["card"]["item_id"], "take": take_id} | changes.pop("params", {})
    address = f"/drills/open/{drill['id']}/takes"
    return client.post(address, params=query, content=changes.pop("content", SOUND), headers=PCM)


def test_the_sets_are_listed_with_what_is_due_and_new(client: TestClient) -> None:
    page = client.get("/drills", headers=HTML)
    assert page.status_code == 200
    for title in ("Acronyms", "Silent letters", "Word stress", "Minimal pairs"):
        assert title in page.text
    assert "0 due · 70 new · 0 of 70 learned" in page.text


def test_what_was_said_is_no_longer_new(
    client: TestClient, hearing: ScriptedHearing, studio: Studio
) -> None:
    hearing.verdicts = ["correct", "mispronounced"]
    drill = opened(client, "acronyms")
    for number in range(2):
        drill = take(client, drill, str(number)).json()["drill"]
    page = client.get("/drills", headers=HTML).text
    assert "68 new" in page
    cards = {card.item_id: card for card in studio.backend.drills.cards()}
    assert {card.last_verdict for card in cards.values()} == {"correct", "mispronounced"}


def test_each_tab_has_a_drill_of_its_own(client: TestClient, hearing: ScriptedHearing) -> None:
    hearing.verdicts = ["correct"]
    one, two = opened(client), opened(client)
    assert one["id"] != two["id"]
    after = take(client, one).json()
    assert (after["drill"]["position"], after["step"]["sign"]) == (2, "✓")
    page = client.get("/drills/all", params={"drill": two["id"]}, headers=HTML)
    assert '"position": 1' in page.text


def test_a_drill_that_is_gone_says_so_and_links_to_a_new_one(
    client: TestClient, hearing: ScriptedHearing
) -> None:
    page = client.get("/drills/acronyms", params={"drill": "gone", "items": 5}, headers=HTML)
    assert page.status_code == 404
    assert "Every take is kept" in page.text
    assert 'href="/drills/acronyms?items=5"' in page.text
    drill = opened(client) | {"id": "gone"}
    answer = take(client, drill)
    assert answer.status_code == 404
    assert "start again" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("content", "status", "text"),
    [
        (b"", 422, "no sound"),
        (b"\x00\x01\x02", 422, "16-bit"),
        (bytes(2 * 16_000 * 21), 413, "at most 20 s"),
    ],
)
def test_a_take_that_is_none_is_refused(
    client: TestClient, hearing: ScriptedHearing, content: bytes, status: int, text: str
) -> None:
    answer = take(client, opened(client), content=content)
    assert answer.status_code == status
    assert text in answer.json()["detail"]
    assert hearing.heard == []


def test_a_take_that_cannot_be_heard_leaves_the_card_up(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, hearing: ScriptedHearing
) -> None:
    def fail(*_: object) -> object:
        raise HearingError("the clip is too short to hear anything in")

    drill = opened(client)
    monkeypatch.setattr("client.studio.routes.drills.drill_hearing", lambda: fail)
    answer = take(client, drill)
    assert answer.status_code == 422
    assert answer.json()["detail"] == "the clip is too short to hear anything in"
    page = client.get("/drills/all", params={"drill": drill["id"]}, headers=HTML)
    assert '"position": 1' in page.text


def test_skipping_brings_the_next_card(client: TestClient, hearing: ScriptedHearing) -> None:
    drill = opened(client)
    address = f"/drills/open/{drill['id']}/skip"
    after = client.post(address, params={"item": drill["card"]["item_id"]}).json()
    assert after["position"] == 2
    again = client.post(address, params={"item": drill["card"]["item_id"]})
    assert again.status_code == 422
    assert "moved on to" in again.json()["detail"]
    late = take(client, drill)  # of the card before
    assert late.status_code == 422
    assert hearing.heard == []


def test_when_all_is_learned_the_page_says_when_to_come_back(
    client: TestClient, hearing: ScriptedHearing, settings: ClientSettings
) -> None:
    own = OwnItem(
        id="own-etcd",
        term="etcd",
        prompt="etcd <b>",
        say="ET-see-dee",
        readings=("EH1 T S IY0 D IY0",),
        mistakes=(Mistake(phones="EH1 T K D", tip="Not et-kd."),),
    )
    write_own_items(settings.own_drills, [own])
    hearing.verdicts = ["correct"]
    drill = opened(client, "own")
    assert drill["card"]["prompt"] == "etcd <b>"
    assert take(client, drill).json()["drill"]["card"] is None
    page = client.get("/drills/own", headers=HTML).text
    assert "Nothing is due and nothing is new here. The next one is due in" in page
    assert "next in" in client.get("/drills", headers=HTML).text


def test_the_model_is_said_by_the_items_own_readings(
    client: TestClient, studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    speaker = studio.speaker
    monkeypatch.setattr(
        studio, "speaker", lambda lexicon: asked.append(lexicon) or speaker(lexicon)
    )
    answer = client.get("/sound/drill/minimal-pairs-cash")
    assert answer.headers["content-type"] == "audio/wav"
    (tmp_path / "said.wav").write_bytes(answer.content)
    assert read_wav(tmp_path / "said.wav").duration_s > 0
    assert [term.readings for lexicon in asked for term in lexicon.terms] == [("K AE1 SH",)]
    assert client.get("/sound/drill/no-such-item").status_code == 404


def test_a_voice_that_does_not_work_names_the_remedy(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mute:
        def clip(self, text: str) -> object:
            raise SpeakingError("no voice", "install one")

    monkeypatch.setattr(studio, "speaker", lambda lexicon: Mute())
    answer = client.get("/sound/drill/minimal-pairs-cash")
    assert (answer.status_code, answer.json()["detail"]) == (422, "no voice: install one")


def test_a_remark_on_an_answer_is_said_right(
    client: TestClient, hearing: ScriptedHearing, studio: Studio, make: SimpleNamespace
) -> None:
    report = make.report(make.submission())
    errors = own_errors([report.model_copy(update={"language": Language(notes=(DEPENDS,))})])
    studio.reports.errors = lambda: errors  # type: ignore[method-assign]
    assert "Say it right" in client.get("/drills", headers=HTML).text
    drill = opened(client, "language")
    card = drill["card"]
    assert card["sentence"] == "You said “depends of the load”."
    assert (card["prompt"], card["ways"]) == (DEPENDS.sentence, None)
    assert (card["reading"]["say"], card["reading"]["ipa"]) == (DEPENDS.better, "")
    assert (card["silence_stop_s"], card["time_limit_s"]) == (1.5, 12.0)
    hearing.verdicts = ["correct"]
    assert take(client, drill).json()["step"]["words"] == "Said right"
    [stored] = studio.backend.drills.cards("language")
    assert stored.item_id == errors[0].id
    again = client.post("/drills/item", data={"name": errors[0].id}, headers=HTML)
    assert again.status_code == 200 and DEPENDS.sentence in again.text
    assert client.post("/drills/item", data={"name": "language-0"}).status_code == 404


def test_what_no_voice_here_can_read_is_not_offered_to_be_said(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = make_submission(ERRORS, question_id="speak-incident-report")
    number = studio.backend.submit(answer).id
    studio.backend.language(number, LanguageRequest())
    assert 'data-sound="/sound/text?text=' in client.get("/progress", headers=HTML).text
    assert client.get(f"/attempts/{number}", headers=HTML).text.count("Say it right") > 1

    def unreadable(words: str) -> tuple[str, ...]:
        raise HearingError(words)

    monkeypatch.setattr("client.practice.drills.items.readings_of", unreadable)
    page = client.get(f"/attempts/{number}", headers=HTML).text
    assert "Say it right" not in page and "How it is said" in page


def test_a_collocation_is_asked_without_its_verb(client: TestClient, hearing: object) -> None:
    card = opened(client, "collocations")["card"]
    assert card["ask"] == "I … a pull request as soon as the tests pass."
    assert card["reading"]["say"] == "open a pull request"


def test_speaking_exercises_stand_below_the_sets_and_are_practiced_as_questions(
    client: TestClient, studio: Studio
) -> None:
    drills = client.get("/drills", headers=HTML).text
    role = "/roles/ai-infrastructure-architect"
    assert f'href="{role}#vocabulary"' in drills
    terms = client.get(role, headers=HTML).text
    for page, name, seconds in (
        (drills, "speak-incident-report", 60),
        (terms, "define-kv-cache", 20),
        (terms, "define-vllm", 20),
    ):
        assert f'href="/practice/{name}"' in page
        assert client.get(f"/practice/{name}", headers=HTML).status_code == 200
        number = studio.backend.submit(make_submission(ERRORS, question_id=name)).id
        studio.backend.language(number, LanguageRequest())
        report = client.get(f"/attempts/{number}", headers=HTML).text
        assert f"Again, {seconds} seconds" in report and "report · Incident" not in report
        assert "Not shown: 1 more remark, of less weight." in report
