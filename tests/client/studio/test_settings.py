"""The settings page, and what each setting does to the studio."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from client.core.preferences import change_preferences, load_preferences
from client.practice.drills.items import HARD_SOUNDS
from client.speaking.voices import NaturalVoice
from client.studio.state.engine_state import EngineState
from client.studio.state.studio import Studio

HTML = {"Accept": "text/html"}
FORM = {
    "voice": "system",
    "speed": "1.5",
    "theme": "dark",
    "microphone": "Headset",
    "engine": "pocketsphinx",
    "model": "",
    "thinking_s": "45",
    "mother_tongue": "German",
    "interview_date": "2027-03-01",
    "keys": "off",
}


def html(client: TestClient, path: str) -> str:
    page = client.get(path, headers=HTML)
    assert page.status_code == 200, page.text
    return page.text


def root_attributes(page: str) -> dict[str, str]:
    """Those of the ``html`` element."""
    found = re.search(r"<html\b([^>]*)>", page)
    assert found is not None
    return {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', found[1])}


def choose(client: TestClient, name: str, value: str) -> None:
    assert client.post(f"/settings/{name}", json={"value": value}).status_code == 200


def test_the_form_is_stored_and_shown_again(client: TestClient, studio: Studio) -> None:
    page = client.post("/settings", data=FORM, headers=HTML)
    assert "Saved" in page.text
    stored = load_preferences(studio.settings.home, {})
    assert studio.settings.preferences == stored
    assert (stored.voice, stored.speed, stored.thinking_s) == ("system", 1.5, 45)
    assert 'value="2027-03-01"' in page.text
    assert re.search(r'<option value="dark" selected>', page.text)
    client.post("/settings/reset", headers=HTML)
    assert studio.settings.preferences.voice == "natural"


def test_a_setting_of_a_terminal_applies_to_the_next_page(
    client: TestClient, studio: Studio
) -> None:
    html(client, "/settings")
    change_preferences(studio.settings.home, {"theme": "dark", "microphone": "Headset"})
    assert root_attributes(html(client, "/drills"))["data-microphone"] == "Headset"
    assert '<option value="Headset" selected>' in html(client, "/settings")


def test_what_is_kept_and_does_nothing_is_doubted_beside_it(client: TestClient) -> None:
    known = client.post("/settings", data=FORM | {"mother_tongue": "german"}, headers=HTML).text
    assert "notice warn" not in known
    form = FORM | {"mother_tongue": "Klingon", "model": "nonsense", "engine": "auto"}
    page = client.post("/settings", data=form, headers=HTML).text
    assert "Saved" in page
    assert "Drills know no hard sounds of Klingon. They do for" in page
    assert "These weights cannot be used: no Whisper model &#39;nonsense&#39;" in page


def test_what_cannot_be_used_is_said_beside_it_and_the_rest_is_kept(
    client: TestClient, studio: Studio
) -> None:
    page = client.post("/settings", data=FORM | {"speed": "9"}, headers=HTML)
    assert page.status_code == 422
    assert "speed must be a number from 0.5 to 2, not &#39;9&#39;" in page.text
    assert 'value="9"' in page.text
    assert (studio.settings.preferences.speed, studio.settings.preferences.theme) == (1.0, "dark")


def test_what_the_environment_decides_is_named(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALOUD_THEME", "light")
    choose(client, "theme", "dark")
    page = html(client, "/settings")
    assert "ALOUD_THEME in the environment decides this" in page
    assert studio.settings.preferences.theme == "light"


def test_one_choice_can_be_made_from_another_page(client: TestClient, studio: Studio) -> None:
    choose(client, "thinking_s", "45")
    assert '<option value="45" selected>' in html(client, "/practice/what-the-kv-cache-costs")
    choose(client, "thinking_s", "")
    assert studio.settings.preferences.thinking_s is None
    assert client.post("/settings/colour", json={"value": "x"}).status_code == 404
    assert client.post("/settings/keys", json={"value": "x"}).status_code == 422


@pytest.mark.parametrize(
    ("theme", "scheme", "dark"),
    [
        ("system", "light dark", 'media="(prefers-color-scheme: dark)"'),
        ("dark", "dark", 'media="all"'),
        ("light", "light", None),
    ],
)
def test_the_theme(client: TestClient, theme: str, scheme: str, dark: str | None) -> None:
    choose(client, "theme", theme)
    page = html(client, "/")
    assert f'<meta name="color-scheme" content="{scheme}">' in page
    assert ("/static/ui/dark.css" in page) == (dark is not None)
    assert dark is None or dark in page
    assert "--page" in client.get("/static/ui/dark.css").text


def test_keys_and_microphone_reach_every_page(client: TestClient) -> None:
    assert not {"data-keys", "data-microphone"} & root_attributes(html(client, "/")).keys()
    choose(client, "keys", "off")
    choose(client, "microphone", 'a "good" one')
    root = root_attributes(html(client, "/microphone"))
    assert root["data-keys"] == "off"
    assert root["data-microphone"] == 'a "good" one'


def test_voice_and_speed_are_those_of_the_next_question(studio: Studio) -> None:
    studio.choose({"speed": "1.5"})
    [first, *_] = studio._speaker_here(studio.lexicon)._voices
    assert first.key == NaturalVoice(1.5).key
    studio.choose({"voice": "system"})
    [first, *_] = studio._speaker_here(studio.lexicon)._voices
    assert first.name == "system"


def test_a_voice_can_be_tried_before_it_is_chosen(client: TestClient, studio: Studio) -> None:
    sounds = {
        name: client.get("/sound/voice", params={"name": name, "speed": 1})
        for name in ("natural", "system")
    }
    rates = {name: int.from_bytes(each.content[24:28], "little") for name, each in sounds.items()}
    assert rates == {"natural": 24_000, "system": 22_050}
    assert studio.settings.preferences.voice == "natural"
    assert client.get("/sound/voice?name=robot&speed=1").status_code == 422


def test_another_engine_is_loaded_next_unless_an_option_named_one(studio: Studio) -> None:
    engine = EngineState(studio.settings)
    studio.choose({"engine": "pocketsphinx"})
    engine.choose(studio.settings.preferences)
    assert engine.status().name == "pocketsphinx"
    by_option = EngineState(studio.settings, "openai-whisper")
    by_option.choose(studio.settings.preferences)
    assert by_option.status().name == "openai-whisper"


def test_drills_begin_with_what_the_mother_tongue_makes_hard(
    client: TestClient, studio: Studio
) -> None:
    before = studio.drill_items.sets().sets["minimal-pairs"]
    choose(client, "mother_tongue", "Japanese")
    after = studio.drill_items.sets().sets["minimal-pairs"]
    hard = [item.confuses(HARD_SOUNDS["japanese"]) for item in after]
    assert 3 <= sum(hard) < len(hard)
    assert hard == sorted(hard, reverse=True)
    assert {item.id for item in after} == {item.id for item in before}
    choose(client, "mother_tongue", "Klingon")
    assert studio.drill_items.sets().sets["minimal-pairs"] == before
