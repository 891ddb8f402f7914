"""How long common commands take to start, in processor time, and what they must not import.

    python benchmarks/startup.py [--runs N]

Each command runs several times in a data folder of its own with one graded answer in it, bytecode
kept as Python keeps it by default; the first run of each is not counted. The goals are for a quiet
machine. ``grade`` is mostly the grader itself, with its model; it is measured without a goal.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

QUESTION = "infiniband-or-roce"
ANSWER = "RDMA lets the network card write into remote memory, so RoCE needs a lossless fabric."
GOALS_S: dict[str, float | None] = {
    "--help": 0.3,
    "history": 0.5,
    "bank list": 0.5,
    "user list": 1.0,
    "history 1": None,
    f"grade --question {QUESTION} --transcript answer.txt": None,
}
HEAVY = (
    "numpy", "onnxruntime", "ctranslate2", "faster_whisper", "av", "pocketsphinx", "sqlalchemy",
    "alembic", "fastapi", "pydantic", "httpx", "sounddevice", "pyttsx3", "torch", "yaml",
)  # fmt: skip
_RUN = "from client.cli import main; main()"
_LOADED = f"import sys, client.cli.app\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"


def main() -> int:
    """Measure; exit status 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="of each command")
    runs = parser.parse_args().runs
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "answer.txt").write_text(ANSWER, encoding="utf-8")
        env = os.environ | {"ALOUD_HOME": str(Path(folder) / "home")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        env["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")

        def run(*arguments: str) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-c", _RUN, *arguments],
                check=True,
                cwd=folder,
                env=env | {"PYTHONPATH": str(Path(__file__).parents[1])},
                stdout=subprocess.DEVNULL,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        run("grade", "--question", QUESTION, "--transcript", "answer.txt", "--save")
        print(f"{'processor time, s':48}{'median':>8}{'least':>8}{'goal':>8}")
        for command, goal_s in GOALS_S.items():
            run(*command.split())
            times_s = [run(*command.split()) for _ in range(runs)]
            median_s = statistics.median(times_s)
            goal = "" if goal_s is None else f"{goal_s:.1f}"
            print(f"aloud {command:42.42}{median_s:8.2f}{min(times_s):8.2f}{goal:>8}", flush=True)
            missed += goal_s is not None and median_s > goal_s
    loaded = subprocess.run(
        [sys.executable, "-c", _LOADED], check=True, capture_output=True, text=True
    ).stdout.split()
    print(f"heavy modules imported before they are needed: {', '.join(loaded) or 'none'}")
    return 1 if missed or loaded else 0


if __name__ == "__main__":
    sys.exit(main())
