"""The quick check ends in time and says what it left out."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("seconds", "processes", "skipped"), [("0", "2", 2), ("600", "0", 0)])
def test_what_is_not_begun_in_time_is_counted(
    tmp_path: Path, project_root: Path, seconds: str, processes: str, skipped: int
) -> None:
    (tmp_path / "test_two.py").write_text("def test_a(): pass\n\ndef test_b(): pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.time_limit", "-p", "no:cacheprovider"]
    limits = ["--stop-after", seconds, "-n", processes, str(tmp_path)]
    done = subprocess.run(
        [*command, *limits], cwd=project_root, capture_output=True, text=True, check=True
    )
    assert (f"{skipped} skipped" in done.stdout) is (skipped > 0)
    left = f"not begun within {seconds} s: {skipped} tests of 1 files" in done.stdout
    assert left is (skipped > 0), done.stdout
