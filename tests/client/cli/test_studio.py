"""``aloud`` without a command: a studio that is there, and ends when told to."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from client.cli.app import app

_ALOUD = [sys.executable, "-c", "from client.cli import main; main()"]


@pytest.mark.skipif(os.name == "nt", reason="signals are not sent to programs there")
def test_it_serves_prints_its_address_and_ends_on_interrupt(tmp_path: Path) -> None:
    environment = {**os.environ, "ALOUD_HOME": str(tmp_path), "ALOUD_OFFLINE": "1"}
    process = subprocess.Popen(
        [*_ALOUD, "--no-browser", "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert found
        assert "Rehearse aloud" in httpx.get(found[0], timeout=120, trust_env=False).text
        process.send_signal(signal.SIGINT)
        process.wait(120)
    finally:
        process.kill()
        _, message = process.communicate()
    assert "Traceback" not in message


def test_the_address_is_printed_before_anything_heavy_is_imported(tmp_path: Path) -> None:
    script = (
        "import sys, typer\n"
        "heavy = {'fastapi', 'numpy', 'sqlalchemy', 'uvicorn', 'starlette'}\n"
        "from client.cli import app\n"
        "typer.echo = lambda line: sys.exit(f'{line} {sorted(heavy & set(sys.modules))}')\n"
        "sys.argv = ['aloud', '--no-browser', '--port', '0']\n"
        "app.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert re.fullmatch(r"Aloud is at http://127\.0\.0\.1:\d+/ .* \[\]\n", done.stderr), done


def test_a_taken_port_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALOUD_HOME", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = CliRunner().invoke(app, ["--no-browser", "--port", str(port)])
    assert done.exit_code == 1
    assert f"port {port}" in done.stderr and "--port" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["--no-browser"], ["interview", "--role", "any"]])
def test_an_unknown_engine_is_refused_before_anything_starts(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALOUD_HOME", str(tmp_path / "home"))
    done = CliRunner().invoke(app, [*command, "--engine", "whisperr"])
    assert done.exit_code == 2
    assert "whisperr" in done.stderr and "pocketsphinx" in done.stderr
    assert not (tmp_path / "home").exists()


def test_the_studios_options_do_not_silently_vanish_before_a_command() -> None:
    done = CliRunner().invoke(app, ["--port", "1", "doctor"])
    assert done.exit_code == 2
    assert "--port" in done.stderr


def test_an_unknown_command_is_a_usage_error() -> None:
    assert CliRunner().invoke(app, ["no-such-command"]).exit_code == 2
