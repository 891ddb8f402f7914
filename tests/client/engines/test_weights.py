import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from huggingface_hub import constants

from client.core.errors import WeightsError
from client.engines import weights
from client.engines.weights import (
    KNOWN_MODELS,
    WeightsStatus,
    connection_problem,
    find_weights,
    first_installed,
    list_models,
    pull,
)

REPO = "models--Systran--faster-whisper-base.en"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr("huggingface_hub.file_download.constants.HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(weights, "_failed_connection", None)
    for name in ("ALOUD_OFFLINE", "HF_HUB_OFFLINE", "http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return cache


def put_into_cache(cache: Path, *names: str) -> Path:
    """Files as the hub's own client lays them down."""
    snapshot = cache / REPO / "snapshots" / "0123abcd"
    snapshot.mkdir(parents=True)
    (cache / REPO / "refs").mkdir()
    (cache / REPO / "refs" / "main").write_text("0123abcd")
    for name in names:
        (snapshot / name).write_bytes(b"x")
    return snapshot


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[type["Hub"]]:
    """A hub on this machine that answers every question with ``Hub.status``."""
    Hub.status, Hub.delay_s, Hub.asked = 200, 0.0, 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    yield Hub
    server.shutdown()
    server.server_close()


class Hub(BaseHTTPRequestHandler):
    status = 200
    delay_s = 0.0
    asked = 0

    def do_HEAD(self) -> None:
        Hub.asked += 1
        time.sleep(Hub.delay_s)
        self.send_response(Hub.status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_weights_in_the_cache_are_found(own_cache: Path) -> None:
    snapshot = put_into_cache(own_cache, "config.json", "model.bin", "tokenizer.json")

    assert find_weights("base.en") == snapshot
    assert first_installed() == KNOWN_MODELS["base.en"]
    assert [status.weights.name for status in list_models() if status.folder] == ["base.en"]


def test_a_file_that_breaks_off_is_named_with_the_folder_to_delete(own_cache: Path) -> None:
    snapshot = put_into_cache(own_cache, "config.json", "model.bin", "tokenizer.json")
    model = snapshot / "model.bin"

    def status() -> WeightsStatus:
        return next(each for each in list_models() if each.folder)

    os.truncate(model, 145_217_607)  # sparse: takes no room
    assert not status().is_cut_short
    os.truncate(model, 143_000_000)
    assert status().is_cut_short
    assert status().remedy == f"delete {own_cache / REPO}, then run: aloud models pull base.en"


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    for name in ("config.json", "model.bin", "tokenizer.json"):
        (tmp_path / name).touch()

    assert find_weights(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("name", ["huge.en", "/no/such/folder"])
def test_an_unknown_name_lists_the_known(name: str) -> None:
    with pytest.raises(WeightsError, match=r"known are tiny\.en"):
        find_weights(name)
    with pytest.raises(WeightsError, match=r"known are tiny\.en"):
        pull(name)


def test_a_hub_that_answers_is_a_connection(hub: type[Hub]) -> None:
    assert connection_problem() is None
    assert hub.asked == 1


def test_a_hub_that_refuses_is_named(hub: type[Hub]) -> None:
    hub.status = 503

    problem = connection_problem()

    assert problem is not None
    assert "503" in problem


def test_a_hub_that_hangs_is_given_up_in_time_and_asked_once(hub: type[Hub]) -> None:
    hub.delay_s = 20.0
    started_s = time.monotonic()

    first, second = connection_problem(timeout_s=1.0), connection_problem(timeout_s=1.0)

    assert time.monotonic() - started_s < 10.0
    assert first is not None
    assert second == first
    assert hub.asked == 1


def test_no_hub_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")

    with pytest.raises(WeightsError, match=r"cannot fetch base\.en \(145 MB\): no connection"):
        pull("base.en")


@pytest.mark.parametrize("variable", ["ALOUD_OFFLINE", "HF_HUB_OFFLINE"])
def test_pulling_while_offline(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "1")

    with pytest.raises(WeightsError, match="switched off"):
        pull("base.en")


def test_a_pull_reports_bytes_as_they_arrive(
    own_cache: Path, hub: type[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    def snapshot_download(repo_id: str, **_: object) -> str:
        blobs = own_cache / REPO / "blobs"
        blobs.mkdir(parents=True)
        (blobs / "abc.incomplete").write_bytes(bytes(1000))
        time.sleep(0.6)
        return str(put_into_cache(own_cache, "config.json", "model.bin", "tokenizer.json"))

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    seen: list[tuple[int, int]] = []

    folder = pull("base.en", lambda done, total: seen.append((done, total)))

    assert (folder / "model.bin").is_file()
    assert (1000, 145_000_000) in seen
    assert seen[-1] == (145_000_000, 145_000_000)
    assert seen == sorted(seen)


def test_a_pull_that_breaks_off_says_how_to_go_on(
    hub: type[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    def snapshot_download(repo_id: str, **_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)

    with pytest.raises(
        WeightsError, match=r"No space left on device.*run again: aloud models pull base\.en"
    ):
        pull("base.en")
