"""``aloud assess`` with many recordings and real Whisper: whoever works, the same results."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.data import demo
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from tests.worlds.queues import wait_for

ALOUD = (sys.executable, "-c", "from client.cli import main; main()")
MODEL = ("--model", "tiny.en")
CLIP_S = 4
COUNT = 6
PATIENCE_S = 240


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pieces of the demo's answer, one file that is no sound, and a manifest of all."""
    folder = tmp_path_factory.mktemp("recordings")
    samples = read_audio(demo.AUDIO).samples
    length = CLIP_S * SAMPLE_RATE_HZ
    names = [f"{number}.wav" for number in range(COUNT)]
    for number, name in enumerate(names):
        write_wav(Clip(samples[number * length : (number + 1) * length]), folder / name)
    (folder / "bad.wav").write_bytes(b"RIFF")
    lines = [{"audio": name, "question": demo.QUESTION_ID} for name in [*names, "bad.wav"]]
    (folder / "all.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def start(folder: Path, out: Path, *options: str) -> "subprocess.Popen[str]":
    command = (*ALOUD, "assess", str(folder / "all.jsonl"), "--out", str(out), *MODEL, *options)
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> str:
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    return err


@pytest.fixture(scope="module")
def expected(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The results of one worker, sorted."""
    home = tmp_path_factory.mktemp("home")
    out = home / "results.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALOUD_HOME", str(home))
        patch.setenv("ALOUD_OFFLINE", "1")
        err = finish(start(folder, out, "--workers", "1"))
    assert f"{COUNT + 1} assessed, 1 of them failed" in err
    lines = sorted(out.read_text().splitlines())
    reports = [json.loads(line).get("report") for line in lines]
    assert sum(report is not None for report in reports) == COUNT
    assert all(each["transcript"]["words"] and each["language"]["by"] for each in reports if each)
    return lines


def count(out: Path) -> int:
    return len(out.read_text().splitlines()) if out.exists() else 0


def processes(mark: str, parent: int | None = None) -> list[int]:
    """Those whose command line has this in it, of any parent or of one."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().decode(errors="replace")
            of = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        if mark in line and parent in (None, of):
            found.append(int(entry.name))
    return found


@pytest.mark.slow
def test_whatever_is_killed_nothing_is_lost_or_done_twice(
    folder: Path, expected: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "results.jsonl"

    def started(lines: int) -> "subprocess.Popen[str]":
        run = start(folder, out, "--workers", "2")
        wait_for(lambda: count(out) >= lines or run.poll() is not None)
        return run

    run = started(1)
    os.kill(processes("spawn_main", run.pid)[0], signal.SIGKILL)
    wait_for(lambda: count(out) >= 2 or run.poll() is not None)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, "Traceback" in err, "stopped" in err) == (1, False, True), err

    run = started(count(out) + 1)
    workers = set(processes("spawn_main", run.pid))
    run.kill()
    run.communicate()
    wait_for(lambda: not workers.intersection(processes("spawn_main")))

    assert "were done before" in finish(start(folder, out, "--workers", "2"))
    assert sorted(out.read_text().splitlines()) == expected


CLUSTER = """
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
print("address", cluster.address, flush=True)
input()
cluster.shutdown()
"""


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[str]:
    """A Ray cluster of two nodes on this machine; its address."""
    # by default Ray's workers leave the processor to all other tests
    environment = os.environ | {"RAY_worker_niceness": "0"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        (sys.executable, "-c", CLUSTER), env=environment, stdin=pipe, stdout=pipe, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for line in process.stdout:
            if line.startswith("address "):
                yield line.split()[1]
                break
        process.stdin.write("\n")


def test_a_cluster_that_loses_a_worker_gives_the_same(
    folder: Path, expected: list[str], tmp_path: Path, ray_cluster: str
) -> None:
    out = tmp_path / "results.jsonl"
    run = start(folder, out, "--cluster", ray_cluster)
    wait_for(lambda: count(out) or run.poll() is not None)
    actors = processes("ray::_Actor")
    assert len(actors) == 2
    os.kill(actors[0], signal.SIGKILL)
    finish(run)
    assert sorted(out.read_text().splitlines()) == expected


def test_a_cluster_that_is_not_there_is_named(folder: Path, tmp_path: Path) -> None:
    run = start(folder, tmp_path / "results.jsonl", "--cluster", "127.0.0.1:1")
    _, err = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, "no Ray cluster at 127.0.0.1:1" in err) == (1, True), err
