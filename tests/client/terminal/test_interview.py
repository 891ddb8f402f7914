"""The whole main job with a real microphone: question, answer, report, history."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.data import demo
from tests.worlds.pulseaudio import PulseAudio

GUARD_S = 240
"""Before pytest's own limit, so that what the interview showed is part of the failure."""
_ALOUD = [sys.executable, "-c", "from client.cli import main; main()"]


@pytest.fixture
def microphone(pulseaudio: PulseAudio, tmp_path: Path) -> Iterator[PulseAudio]:
    """A microphone in a room that is never quite silent."""
    with pulseaudio.room_noise(tmp_path):
        yield pulseaudio


def test_an_interview_over_a_real_microphone(microphone: PulseAudio, tmp_path: Path) -> None:
    spoken = tmp_path / "answer.wav"
    write_wav(read_audio(demo.AUDIO).slice(0.0, 14.6), spoken)
    briefly = tmp_path / "follow_up.wav"
    write_wav(read_audio(demo.AUDIO).slice(0.0, 4.0), briefly)
    home = tmp_path / "home"
    environment = {**microphone.environment, "ALOUD_HOME": str(home), "ALOUD_OFFLINE": "1"}
    options = ["--questions", "1", "--prepare", "0", "--no-speak", "--model", "tiny.en"]
    options += ["--round", "system-design"]
    interview = subprocess.Popen(
        [*_ALOUD, "interview", "--role", "ai-infrastructure-architect", *options],
        env={**environment, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    guard = threading.Timer(GUARD_S, interview.kill)
    guard.start()
    assert interview.stdout is not None
    shown = ""
    try:
        for line in interview.stdout:
            shown += line
            if line.startswith("Recording"):
                time.sleep(1.0)
                microphone.play(spoken if shown.count("Recording") == 1 else briefly).wait()
        assert interview.wait() == 0, shown
    finally:
        guard.cancel()
        interview.kill()
        interview.stdout.close()
    assert "credit-based flow control" in " ".join(shown.split()), shown
    assert "Key phrases:" in shown
    listed = subprocess.run(
        [*_ALOUD, "history", "--json"], env=environment, capture_output=True, check=True
    )
    [attempt] = json.loads(listed.stdout)["attempts"]
    assert attempt["role"] == "ai-infrastructure-architect"
    assert attempt["engine"] == "faster-whisper"
    whole = subprocess.run(
        [*_ALOUD, "history", str(attempt["id"]), "--json"],
        env=environment,
        capture_output=True,
        check=True,
    )
    submission = json.loads(whole.stdout)["submission"]
    assert submission["follow_ups"], "a design is probed"
    said = {each["submission_id"] for each in (submission, *submission["follow_ups"])}
    recordings = {path.stem for path in (home / "recordings").glob("*.wav")}
    assert recordings == said, "each recording is kept under its answer's id"


def test_without_a_microphone_the_remedy_is_one_line(tmp_path: Path) -> None:
    interview = ["interview", "--role", "ai-infrastructure-architect", "--prepare", "0"]
    interview.append("--no-speak")
    done = subprocess.run(
        [*_ALOUD, *interview, "--device", "no such microphone", "--engine", "pocketsphinx"],
        env={"ALOUD_HOME": str(tmp_path), "PATH": "", "ALOUD_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "microphone" in done.stderr or "libportaudio2" in done.stderr
