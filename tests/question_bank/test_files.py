"""The compiled copy of a bank: the same bank, without reading YAML, and never out of date."""

import shutil
import stat
import sys
from pathlib import Path

import pytest

from question_bank import loader
from question_bank.errors import BankError
from question_bank.loader import load_bank

EXTRA = """
- id: my-question
  round: behavioral
  topic: Teamwork
  prompt: {prompt}
  model_answer: We split the work.
  key_phrases:
  - phrase: split the work
"""


@pytest.fixture(autouse=True)
def _read_once() -> None:
    """Here copies are kept on the disk."""


@pytest.fixture
def extra(tmp_path: Path) -> Path:
    file = tmp_path / "own.yaml"
    file.write_text(EXTRA.format(prompt="How do you share work?"), encoding="utf-8")
    return file


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "home" / "cache"


def test_the_copy_is_the_bank(cache: Path, extra: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = load_bank((extra,), cache)
    assert made == load_bank((extra,))
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(loader, "_load", lambda extra: pytest.fail("the YAML is read again"))
    again = load_bank((extra,), cache)
    assert again == made
    assert again.version == made.version


def test_a_changed_file_is_read_again(cache: Path, extra: Path) -> None:
    load_bank((extra,), cache)
    extra.write_text(EXTRA.format(prompt="How do you divide work?"), encoding="utf-8")
    question = load_bank((extra,), cache).question("my-question")
    assert question is not None and question.prompt == "How do you divide work?"


def test_a_fault_keeps_its_place_however_often_it_is_read(cache: Path, extra: Path) -> None:
    load_bank((extra,), cache)
    extra.write_text(EXTRA.format(prompt="''"), encoding="utf-8")
    for _ in range(2):
        with pytest.raises(BankError) as caught:
            load_bank((extra,), cache)
        assert [(fault.line, fault.column) for fault in caught.value.faults] == [(5, 3)]
    with pytest.raises(BankError, match="no such file"):
        load_bank((extra.with_name("missing.yaml"),), cache)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\x00", b'{"version": 1}'])
def test_a_damaged_copy_is_made_again(cache: Path, extra: Path, content: bytes) -> None:
    made = load_bank((extra,), cache)
    (copy,) = cache.iterdir()
    whole = copy.read_bytes()
    copy.write_bytes(content)
    assert load_bank((extra,), cache) == made
    assert copy.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path, extra: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    assert load_bank((extra,), tmp_path / "home" / "cache").question("my-question") is not None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the user's folder by ACL")
def test_copies_are_for_their_owner_only_and_old_ones_go(cache: Path, extra: Path) -> None:
    for index in range(11):
        extra.write_text(EXTRA.format(prompt=f"Prompt {index}?"), encoding="utf-8")
        load_bank((extra,), cache)
    copies = list(cache.iterdir())
    assert len(copies) == 9
    for path, mode in ((cache.parent, 0o700), (cache, 0o700), (copies[0], 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode
    shutil.rmtree(cache)
    load_bank((extra,), cache)
    assert len(list(cache.iterdir())) == 1
