"""Own questions from a posting, as somebody at a terminal makes them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

POSTING = Path(__file__).parents[2] / "data" / "postings" / "sre.md"
KEYS = (
    ("Keep it?", "y"),
    ("Keep it?", "e"),
    ("Question [", "How would you keep an error budget?"),
    ("Key phrases, with commas [", "error budget, burn rate, freeze releases"),
    ("Keep it?", "y"),
    ("Keep it?", "n"),
    ("Keep it?", "d"),
)
"""What is on the screen, and what is typed then."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_a_person_keeps_edits_and_leaves_out_questions(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    posting = tmp_path / "posting.md"
    posting.write_text(POSTING.read_text().replace("PostgreSQL", "PostgreSQL \x1b]52;c;aGk=\x07"))
    environment = {**os.environ, "ALOUD_HOME": str(tmp_path), "ALOUD_OFFLINE": "1"}
    command = [sys.executable, "-c", "from client.cli import main; main()"]
    aloud = subprocess.Popen(
        [*command, "bank", "import", str(posting)],
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown, read = "", 0
    for waits_for, types in KEYS:
        while waits_for not in shown[read:]:
            shown += os.read(ours, 4096).decode()
        read = len(shown)
        os.write(ours, f"{types}\n".encode())
    assert aloud.wait(60) == 0
    shown += os.read(ours, 65536).decode()
    os.close(ours)
    assert "\x1b]52" not in shown, "what a posting says is no command to the terminal"
    assert "It has nothing for" in shown and "Terms that Aloud can say" in shown
    assert "2 questions kept." in shown
    assert "aloud interview --question own-how-would-you-keep-an-error" in shown
    asked = subprocess.run(
        [*command, "bank", "list", "--json"], env=environment, capture_output=True, check=True
    )
    own = [each for each in json.loads(asked.stdout) if each["id"].startswith("own-")]
    assert [each["prompt"] for each in own][-1] == "How would you keep an error budget?"
    assert len(own) == 2
