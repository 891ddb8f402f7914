"""``aloud demo`` shows what it promises, with nothing but what is installed."""

import json
from functools import partial

import pytest

from client.engines import engine_process
from client.engines.engine_process import EngineProcess
from tests.client.cli.conftest import Run, run
from tests.worlds.scripted_child import WITHOUT_WEIGHTS

__all__ = ["run"]


@pytest.mark.parametrize(
    ("loader", "engine"),
    [(engine_process._LOADER, "faster-whisper"), (WITHOUT_WEIGHTS, "pocketsphinx")],
)
def test_two_phrases_are_missing_and_one_term_is_said_wrong(
    run: Run, monkeypatch: pytest.MonkeyPatch, loader: str, engine: str
) -> None:
    monkeypatch.setattr("client.cli.loading.EngineProcess", partial(EngineProcess, loader=loader))
    result = run("demo", "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["transcript"]["engine"] == engine
    assert 40 <= report["transcript"]["duration_s"] <= 50
    statuses = {p["phrase"]: p["status"] for p in report["coverage"]["phrases"]}
    assert {p for p, status in statuses.items() if status != "covered"} == {
        "adaptive routing",
        "pause storms",
    }
    said_wrong = [t for t in report["pronunciation"]["terms"] if t["verdict"] == "mispronounced"]
    assert [(t["term"], t["phones"], t["source"]) for t in said_wrong] == [
        ("RoCE", "R OW1 CH", "acoustic")
    ]
    assert said_wrong[0]["heard"], "the reading heard, respelled for people"
    assert json.loads(run("history", "--json").stdout)["total"] == 0, "the demo is not an attempt"
