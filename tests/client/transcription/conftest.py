"""The small checkpoint as both Whisper engines load it."""

from pathlib import Path

import pytest

from tests.checkpoint import export


@pytest.fixture(scope="session")
def ctranslate2_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export.write_ctranslate2(tmp_path_factory.mktemp("weights") / "tiny", export.load())


@pytest.fixture(scope="session")
def openai_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reason = "install PyTorch and openai-whisper: pip install torch openai-whisper"
    pytest.importorskip("torch", reason=reason)
    pytest.importorskip("whisper", reason=reason)
    return export.write_openai(tmp_path_factory.mktemp("weights") / "tiny.pt", export.load())
