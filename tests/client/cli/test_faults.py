"""Faults of the machine, each with its outcome: a full disk, a folder that can only be read."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from client.data import demo

_ALOUD = [sys.executable, "-c", "from client.cli import main; main()"]
_UNSHARE = shutil.which("unshare")
Aloud = Callable[..., "subprocess.CompletedProcess[str]"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts and /dev/full are Linux's")


@pytest.fixture(scope="module")
def home_with_an_answer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one answer in it; every test has a copy."""
    folder = tmp_path_factory.mktemp("answered")
    text = folder / "answer.txt"
    text.write_text("RoCE needs priority flow control.")
    home = folder / "home"
    done = subprocess.run(
        [*_ALOUD, "grade", "--question", demo.QUESTION_ID, "--transcript", str(text), "--save"],
        env=_environment(home),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture
def home(home_with_an_answer: Path, tmp_path: Path) -> Path:
    return shutil.copytree(home_with_an_answer, tmp_path / "disk" / "home")


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "ALOUD_HOME": str(home), "ALOUD_OFFLINE": "1"}


def mounted(home: Path, script: str) -> Aloud:
    """Runs ``aloud`` where the folder above the data folder is mounted by a script."""
    if _UNSHARE is None or subprocess.run([_UNSHARE, "-m", "true"], check=False).returncode:
        pytest.skip("no mounts here")

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        assert _UNSHARE is not None
        return subprocess.run(
            [_UNSHARE, "-m", "sh", "-c", f'{script} && exec "$@"', "sh", *_ALOUD, *arguments],
            env={**_environment(home), "DISK": str(home.parent), "COPY": f"{home.parent}-copy"},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture(params=["full", "read only"])
def unwritable(request: pytest.FixtureRequest, home: Path) -> Aloud:
    if request.param == "read only":
        return mounted(
            home, 'mount --bind "$DISK" "$DISK" && mount -o remount,ro,bind "$DISK" "$DISK"'
        )
    shutil.copytree(home.parent, f"{home.parent}-copy")
    return mounted(
        home,
        'mount -t tmpfs -o size=16m tmpfs "$DISK" && cp -r "$COPY"/. "$DISK" '
        '&& { dd if=/dev/zero of="$DISK/fill" bs=1k 2>/dev/null || true; }',
    )


def test_where_nothing_can_be_written_answers_are_read_and_graded(
    unwritable: Aloud, home_with_an_answer: Path
) -> None:
    listed = unwritable("history", "--json")
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout)["total"] == 1
    text = str(home_with_an_answer.parent / "answer.txt")
    asked = ["grade", "--question", demo.QUESTION_ID, "--transcript", text, "--save", "--json"]
    done = unwritable(*asked)
    assert done.returncode == 1
    assert json.loads(done.stdout)["question_id"] == demo.QUESTION_ID
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("aloud: the answer is graded but not stored: ")
    assert "Read-only file system" in line or "No space left" in line
    assert line.endswith(", then run the same command again")


@pytest.mark.parametrize("command", ["export", "--help"])
def test_output_that_cannot_be_written_is_one_line(home: Path, command: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*_ALOUD, *command.split()],
            env=_environment(home),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "aloud: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize(("command", "errors_too"), [("history", False), ("no-such-command", True)])
def test_output_that_nobody_reads_on_ends_it_quietly(
    home: Path, command: str, errors_too: bool
) -> None:
    """As in ``aloud bank list | head -1``; also with ``2>&1``."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*_ALOUD, *command.split()],
        env=_environment(home),
        stdout=writer,
        stderr=writer if errors_too else subprocess.PIPE,
        text=True,
    )
    os.close(writer)
    assert done.returncode == 141
    assert not done.stderr


def test_a_server_that_is_gone_is_one_line(home: Path) -> None:
    done = subprocess.run(
        [*_ALOUD, "history", "--server", "http://127.0.0.1:9"],
        env=_environment(home),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == "aloud: the server http://127.0.0.1:9 cannot be reached\n"
