"""A valid question to plant faults in, and a folder to put banks in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from question_bank.errors import BankError
from question_bank.loader import load_bank

WriteBank = Callable[[dict[str, Any]], Path]


def problems_of(bank: Path) -> tuple[str, ...]:
    """The lines about a bank that is at fault."""
    with pytest.raises(BankError) as caught:
        load_bank([bank])
    return tuple(map(str, caught.value.faults))


@pytest.fixture
def question() -> dict[str, Any]:
    """A question without a role, valid as it stands."""
    return {
        "id": "own-question",
        "round": "coding",
        "topic": "Anything",
        "prompt": "What is a barrier?",
        "model_answer": "A barrier is a point that every rank has to reach.",
        "key_phrases": [{"phrase": "barrier", "aliases": ["sync point"]}, {"phrase": "rank"}],
    }


@pytest.fixture
def write_bank(tmp_path: Path) -> WriteBank:
    """Writes ``{"roles/x.yaml": data or text}`` into its own folder and returns the folder."""
    folder = tmp_path / "bank"
    folder.mkdir()

    def write(files: dict[str, Any]) -> Path:
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            # By way of JSON, or YAML would write an anchor for an object that appears twice.
            plain = json.loads(json.dumps(data))
            text = data if isinstance(data, str) else yaml.safe_dump(plain, allow_unicode=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return write
