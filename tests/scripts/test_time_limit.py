"""The quick check ends in time and says what it left out."""

import subprocess
import sys
from pathlib import Path


def test_what_is_not_begun_in_time_is_counted(tmp_path: Path, project_root: Path) -> None:
    (tmp_path / "test_two.py").write_text("def test_a(): pass\n\ndef test_b(): pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.time_limit", "-p", "no:cacheprovider"]
    limits = ["--stop-after", "0", "-n", "2", str(tmp_path)]
    done = subprocess.run(
        [*command, *limits], cwd=project_root, capture_output=True, text=True, check=True
    )
    assert "2 skipped" in done.stdout
    assert "not begun within 0 s: 2 tests of 1 files" in done.stdout, done.stdout
