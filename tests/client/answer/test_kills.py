"""The short version of ``scripts/kills.py``: kills wherever an answer can be."""

import subprocess
import sys
from pathlib import Path

import pytest

KILLS = 4
WITHIN_S = 150.0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
def test_nothing_is_lost_or_doubled_wherever_it_is_killed() -> None:
    # in a process of its own: this one has threads, and is not to be forked
    command = [sys.executable, "-m", "scripts.kills", "--kills", str(KILLS), "--seed", "11"]
    done = subprocess.run(
        [*command, "--within", str(WITHIN_S)],
        capture_output=True,
        text=True,
        timeout=280,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    kills = int(done.stdout.split(" kills", 1)[0])
    assert kills >= 2, "a machine so slow says nothing"
    assert "\n0 faults" in done.stdout
