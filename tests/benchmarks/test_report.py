"""The document of all benchmarks: what it shows, what it measures again; reading weights."""

import struct
from pathlib import Path

import numpy as np
import pytest

from benchmarks import report
from benchmarks.parts.reference_weights import read_model
from benchmarks.parts.tables import Table

TABLE = Table("Speed", ("engine", "s"), [["a|b", 0.123456], ["c", 1234.5], ["d", 7]], ("Busy.",))


def found(**changes: object) -> dict[str, object]:
    return {
        "quick": True, "code": report._code(), "machine": "a machine", "took_s": 12.3,
        "tables": [TABLE.to_json()],
    } | changes  # fmt: skip


def test_a_table_comes_back_and_shows_three_digits_that_count() -> None:
    again = Table.from_json(TABLE.to_json())
    assert again.to_markdown().splitlines() == [
        "### Speed", "", "| engine | s |", "| --- | --- |", "| a\\|b | 0.123 |",
        "| c | 1,234 |", "| d | 7 |", "", "Busy.",
    ]  # fmt: skip


def test_the_document_names_what_was_not_measured() -> None:
    shown = report.document({"startup": found(), "server": found(problem="took longer", tables=[])})
    assert "## Start-up\n\n### Speed" in shown
    assert "## The server under load\n\nNot measured: took longer." in shown
    assert "## Growth" not in shown
    assert "on a machine" in shown and "Python 3" in shown


@pytest.mark.parametrize(
    ("stored", "quick", "there"),
    [
        (None, True, False),
        (found(), True, True),
        (found(), False, False),
        (found(quick=False), True, True),
        (found(problem="failed"), True, False),
        (found(code="other"), True, False),
    ],
    ids=["nothing", "quick", "quick is not enough", "whole", "failed", "of other code"],
)
def test_what_is_measured_again(stored: dict[str, object], quick: bool, there: bool) -> None:
    assert report._is_there(stored, quick) == there


def test_every_part_is_a_module_with_a_title() -> None:
    folder = Path(report.__file__).parent / "parts"
    others = {"__init__", "tables", "reference_weights"}
    assert {path.stem for path in folder.glob("*.py")} - others == set(report.PARTS)


def test_weights_are_read_as_they_were_written(tmp_path: Path) -> None:
    def text(value: str) -> bytes:
        return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"

    array = np.arange(6, dtype=np.float16).reshape(2, 3)
    written = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<II", 3, 1)
    written += text("a/weight") + struct.pack("<BII", 2, 2, 3) + struct.pack("<BI", 4, 12)
    written += array.tobytes() + struct.pack("<I", 1) + text("b/weight") + text("a/weight")
    (tmp_path / "model.bin").write_bytes(written)
    arrays = read_model(tmp_path / "model.bin")
    assert set(arrays) == {"a/weight", "b/weight"}
    np.testing.assert_array_equal(arrays["b/weight"], array)
    (tmp_path / "model.bin").write_bytes(struct.pack("<I", 5))
    with pytest.raises(ValueError, match="version 5"):
        read_model(tmp_path / "model.bin")
