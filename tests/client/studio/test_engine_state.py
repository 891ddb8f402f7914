"""The engine behind the pages: loaded once, fetched only when asked, its troubles shown."""

import threading
import time
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from client.core.errors import EngineError, WeightsError
from client.core.settings import ClientSettings
from client.studio.app import create_studio
from client.studio.state import engine_state
from client.studio.state.engine_state import EngineState
from tests.worlds.studio_parts import ORIGIN, ScriptedTranscriber, make_studio


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Which engines were loaded, one entry each."""
    asked: list[object] = []

    def load(name: str, model: str | None, **options: object) -> ScriptedTranscriber:
        asked.append((name, model, options["offline"]))
        return ScriptedTranscriber()

    monkeypatch.setattr(engine_state, "EngineProcess", load)
    return asked


def until(condition: Callable[[], bool]) -> None:
    give_up_s = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.005)


def test_it_is_loaded_once_and_fetches_nothing(
    settings: ClientSettings, loads: list[object]
) -> None:
    engine = EngineState(settings)
    assert engine.status().state == "waiting"
    assert engine.load() is engine.load()
    assert loads == [("auto", None, True)]
    assert engine.status().state == "ready"


def test_a_failure_to_load_is_shown_and_tried_again(
    settings: ClientSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise EngineError("no engine 'x'")

    monkeypatch.setattr(engine_state, "EngineProcess", fail)
    engine = EngineState(settings, "x")
    for _ in range(2):
        with pytest.raises(EngineError):
            engine.load()
    assert engine.status().state == "failed"
    assert "no engine" in engine.status().problem


def test_fetched_weights_are_used_by_the_next_answer(
    settings: ClientSettings, loads: list[object]
) -> None:
    go_on = threading.Event()

    def fetch(model: str, tell: Callable[[int, int], None]) -> None:
        tell(50, 100)
        assert go_on.wait(60)

    engine = EngineState(settings, fetch=fetch)
    first = engine.load()
    engine.fetch("base.en")
    until(lambda: engine.status().fetching.done_bytes == 50)  # type: ignore[union-attr]
    with pytest.raises(WeightsError, match="is being fetched"):
        engine.fetch("small.en")
    go_on.set()
    until(lambda: engine.status().fetching.state == "done")  # type: ignore[union-attr]
    assert engine.load() is not first


def test_no_page_waits_while_the_engine_loads(
    settings: ClientSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(ScriptedTranscriber):
        def warm(self) -> None:
            begun.set()
            assert go_on.wait(60)

    monkeypatch.setattr(engine_state, "EngineProcess", lambda *_, **__: Slow())
    engine = EngineState(settings, fetch=lambda *_: None)
    loading = threading.Thread(target=engine.load)
    loading.start()
    assert begun.wait(60)

    engine.fetch("base.en")
    assert engine.status().state == "loading"
    go_on.set()
    loading.join()
    until(lambda: engine.status().state == "waiting")  # the next answer takes what was fetched


def test_a_fetch_that_breaks_off_says_why_and_can_be_repeated(settings: ClientSettings) -> None:
    def fetch(*_: object) -> None:
        raise WeightsError("no connection")

    engine = EngineState(settings, fetch=fetch)
    for _ in range(2):
        engine.fetch("base.en")
        until(lambda: engine.status().fetching.state == "failed")  # type: ignore[union-attr]
        assert engine.status().fetching.problem == "no connection"  # type: ignore[union-attr]


def test_the_page_offers_the_weights_and_follows_the_fetch(settings: ClientSettings) -> None:
    engine = EngineState(settings, "pocketsphinx", fetch=lambda *_: None)
    studio = make_studio(settings, engine=engine)
    with TestClient(create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        assert 'data-fetch="base.en"' in client.get("/").text
        refused = client.post("/engine/fetch", json={"model": "none"})
        assert refused.status_code == 422
        assert "no Whisper model" in refused.json()["detail"]
        assert client.post("/engine/fetch", json={"model": "base.en"}).status_code == 200
        until(lambda: client.get("/engine").json()["fetching"]["state"] == "done")
