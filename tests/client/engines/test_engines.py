import subprocess
import sys
from pathlib import Path

import pytest

from client.core.errors import EngineError, EngineUnavailable, WeightsError
from client.engines import engines, weights
from client.engines.base import assemble
from client.engines.engines import ENGINES, EngineOptions, load_engine
from server.contract import MAX_TEXT_CHARS, MAX_WORDS, Transcript, Word

NO_CONNECTION = "no connection to the hub"


class Scripted:
    """Stands in for an engine; remembers what it was loaded with."""

    def __init__(self, name: str, options: EngineOptions) -> None:
        self.name = name
        self.model = options.model or ""


@pytest.fixture(autouse=True)
def scripted_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALOUD_OFFLINE", raising=False)
    monkeypatch.setattr(engines, "_load", Scripted)


@pytest.fixture
def notes() -> list[str]:
    return []


def installed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    found = {name: Path(name) for name in names}
    monkeypatch.setattr(weights, "_cached", lambda known: found.get(known.name))


def test_auto_takes_the_weights_on_disk(monkeypatch: pytest.MonkeyPatch, notes: list[str]) -> None:
    installed(monkeypatch, "tiny.en", "small.en")

    engine = load_engine("auto", EngineOptions(notify=notes.append))

    assert (engine.name, engine.model) == ("faster-whisper", "small.en")
    assert notes == []


def test_auto_fetches_the_default_and_shows_progress(
    monkeypatch: pytest.MonkeyPatch, notes: list[str]
) -> None:
    installed(monkeypatch)
    monkeypatch.setattr(engines, "connection_problem", lambda: None)
    progress: list[tuple[int, int]] = []

    def pull(name: str, on_progress: weights.DownloadProgress | None) -> Path:
        assert name == "base.en"
        assert on_progress is not None
        on_progress(1, 2)
        return Path(name)

    monkeypatch.setattr(engines, "pull", pull)

    engine = load_engine(
        "auto",
        EngineOptions(
            notify=notes.append, on_download=lambda done, total: progress.append((done, total))
        ),
    )

    assert (engine.name, engine.model) == ("faster-whisper", "base.en")
    assert progress == [(1, 2)]
    assert len(notes) == 1


def test_auto_without_connection_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, notes: list[str]
) -> None:
    installed(monkeypatch)
    monkeypatch.setattr(engines, "connection_problem", lambda: NO_CONNECTION)

    engine = load_engine("auto", EngineOptions(notify=notes.append))

    assert engine.name == "pocketsphinx"
    (line,) = notes
    assert NO_CONNECTION in line
    assert "rough" in line
    assert "aloud models pull base.en" in line
    assert "\n" not in line


@pytest.mark.parametrize("by_environment", [True, False])
def test_auto_offline_does_not_even_ask(
    monkeypatch: pytest.MonkeyPatch, notes: list[str], by_environment: bool
) -> None:
    installed(monkeypatch)
    monkeypatch.setattr(engines, "connection_problem", lambda: pytest.fail("asked the network"))
    if by_environment:
        monkeypatch.setenv("ALOUD_OFFLINE", "1")

    engine = load_engine("auto", EngineOptions(offline=not by_environment, notify=notes.append))

    assert engine.name == "pocketsphinx"
    assert "offline" in notes[0]


def test_named_weights_are_never_replaced_by_a_rougher_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed(monkeypatch)

    engine = load_engine("auto", EngineOptions(model="small.en", offline=True))

    assert (engine.name, engine.model) == ("faster-whisper", "small.en")


class TestRealRegistry:
    @pytest.fixture(autouse=True)
    def scripted_engines(self) -> None:
        """Overrides the module's: the real registry is used here."""

    def test_an_unknown_engine(self) -> None:
        with pytest.raises(EngineError, match="known are auto, faster-whisper"):
            load_engine("siri", EngineOptions())

    def test_every_engine_can_be_imported_without_its_package(self) -> None:
        code = (
            "import sys, importlib\n"
            "for target in "
            + repr([target.partition(":")[0] for target in ENGINES.values()])
            + ": importlib.import_module(target)\n"
            "heavy = {'torch', 'whisper', 'faster_whisper', 'ctranslate2', 'pocketsphinx', "
            "'onnxruntime', 'av'} & set(sys.modules)\n"
            "assert not heavy, heavy\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

        assert done.returncode == 0, done.stderr

    def test_a_missing_extra_names_the_remedy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "whisper", None)

        with pytest.raises(EngineUnavailable, match=r"pip install 'aloud\[openai-whisper\]'"):
            load_engine("openai-whisper", EngineOptions(offline=True))

    def test_weights_that_are_not_there_offline(self, monkeypatch: pytest.MonkeyPatch) -> None:
        installed(monkeypatch)

        with pytest.raises(WeightsError, match=r"aloud models pull base\.en"):
            load_engine("faster-whisper", EngineOptions(offline=True))

    def test_a_folder_that_holds_no_weights(self, tmp_path: Path) -> None:
        with pytest.raises(WeightsError, match=r"model\.bin.*missing"):
            load_engine("faster-whisper", EngineOptions(str(tmp_path)))

    def test_broken_weights(self, tmp_path: Path) -> None:
        for name in ("config.json", "model.bin", "tokenizer.json"):
            (tmp_path / name).write_bytes(b"{}")

        with pytest.raises(WeightsError, match="cannot be loaded") as caught:
            load_engine("faster-whisper", EngineOptions(str(tmp_path)))
        assert str(caught.value).endswith(f"delete {tmp_path} and fetch them again")

    def test_a_download_that_was_cut_short_names_all_that_is_to_be_deleted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The hub's cache keeps the bytes in ``blobs``, and never fetches them twice."""
        repository = tmp_path / "models--Systran--faster-whisper-base.en"
        snapshot = repository / "snapshots" / "abc"
        for folder in (snapshot, repository / "blobs", repository / "refs"):
            folder.mkdir(parents=True)
        (repository / "refs" / "main").write_text("abc")
        for name in ("config.json", "model.bin", "tokenizer.json"):
            (repository / "blobs" / name).write_bytes(b"{}")
            (snapshot / name).symlink_to(f"../../blobs/{name}")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))

        with pytest.raises(WeightsError, match="cannot be loaded") as caught:
            load_engine("faster-whisper", EngineOptions("base.en", offline=True))
        remedy = f"delete {repository} and fetch them again: aloud models pull base.en"
        assert str(caught.value).endswith(remedy)


def put_together(text: str, count: int) -> Transcript:
    words = [Word(text=text, start_s=0.0, end_s=0.1)] * count
    return assemble(words, engine="test", model="", duration_s=10_800.0)


def test_three_hours_of_speech_are_one_answer() -> None:
    spoken = put_together("paged", 30_000)  # 170 words a minute
    assert (len(spoken.words), len(spoken.text)) == (30_000, 179_999)


@pytest.mark.parametrize(
    ("text", "count"), [("a", MAX_WORDS + 1), ("fragmentation", MAX_TEXT_CHARS // 14 + 1)]
)
def test_more_words_than_an_answer_has_are_one_clear_line(text: str, count: int) -> None:
    with pytest.raises(EngineError, match=f"has {count:,} words; .* assess it in parts"):
        put_together(text, count)
