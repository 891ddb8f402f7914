"""Both Whisper engines on the same real weights, tiny.en."""

import json
from pathlib import Path

import pytest

from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from client.engines.weights import find_weights
from tests.worlds.openai_format import write_openai


@pytest.fixture(scope="session")
def faster() -> Transcriber:
    return load_engine("faster-whisper", EngineOptions("tiny.en", offline=True))


@pytest.fixture(scope="session")
def openai_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same weights in the reference's format; its tests are skipped where it is missing."""
    reason = "install PyTorch and openai-whisper: pip install torch openai-whisper"
    pytest.importorskip("torch", reason=reason)
    pytest.importorskip("whisper", reason=reason)
    folder = find_weights("tiny.en")
    assert folder is not None
    path = tmp_path_factory.mktemp("weights") / "tiny.en.pt"
    write_openai(folder, path)
    return path


@pytest.fixture(scope="session")
def reference(openai_weights: Path) -> Transcriber:
    import torch

    folder = find_weights("tiny.en")
    assert folder is not None
    engine = load_engine("openai-whisper", EngineOptions(str(openai_weights), offline=True))
    # the heads that word times come from: the reference knows them by the names of its own files
    model = engine._whisper  # type: ignore[attr-defined]
    heads = torch.zeros(model.dims.n_text_layer, model.dims.n_text_head, dtype=torch.bool)
    for layer, head in json.loads((folder / "config.json").read_text())["alignment_heads"]:
        heads[layer, head] = True
    model.register_buffer("alignment_heads", heads.to_sparse(), persistent=False)
    return engine
