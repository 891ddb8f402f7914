"""Start-up: what common commands take, bytecode kept as Python keeps it by default."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.parts.tables import Table

COMMANDS = (
    ("--help",),
    ("history",),
    ("bank", "list"),
    ("grade", "--question", "demo", "--transcript", "demo"),
    ("user", "list"),
    ("plan",),
)
GOALS_S = {"--help": 0.3, "history": 0.5, "bank list": 0.5, "grade": 0.5, "user list": 1.0}
TEXT = "We would page the cache in blocks, batch continuously and share what requests begin with."


def measure(*, quick: bool) -> list[Table]:
    """Median of some runs of each command, after one that fills the caches."""
    runs = 2 if quick else 7
    rows = []
    with tempfile.TemporaryDirectory() as home:
        text = Path(home) / "answer.txt"
        text.write_text(TEXT, encoding="utf-8")
        from question_bank.loader import load_bank

        question = load_bank().questions[0].id
        for command in COMMANDS:
            given = [*command]
            if command[0] == "grade":
                given = ["grade", "--question", question, "--transcript", str(text)]
            times = [_run(given, home) for _ in range(runs + 1)][1:]
            name = command[0] if command[0] == "grade" else " ".join(command)
            wall_s, processor_s, memory_mb = (median(column) for column in zip(*times, strict=True))
            rows.append((f"`aloud {name}`", wall_s, processor_s, GOALS_S.get(name, "–"), memory_mb))
    return [
        Table(
            "Commands",
            ("command", "time, s", "processor time, s", "goal, s", "memory, MB"),
            rows,
            (f"Median of {runs} runs, no model on disk is loaded but by `grade`.",),
        )
    ]


def _run(command: list[str], home: str) -> tuple[float, float, float]:
    """Time, processor time, and largest resident memory in MB, of one run."""
    code = f"import sys; sys.argv = ['aloud', *{command!r}]; from client.cli import main; main()"
    environment = {**os.environ, "ALOUD_HOME": home}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(Path(home) / "bytecode")
    began_s = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"aloud {' '.join(command)} ended with {process.returncode}")
    took_s = time.perf_counter() - began_s
    kib = used.ru_maxrss if sys.platform != "darwin" else used.ru_maxrss / 1024
    return took_s, used.ru_utime + used.ru_stime, kib / 1024
