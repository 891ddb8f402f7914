"""How long ``aloud --help`` takes, and what it must not import. Goal: at most 0.5 s.

python benchmarks/startup.py
"""

import statistics
import subprocess
import sys
import time

GOAL_S = 0.5
RUNS = 7
HEAVY = (
    "numpy", "onnxruntime", "ctranslate2", "faster_whisper", "av", "pocketsphinx", "sqlalchemy",
    "alembic", "fastapi", "pydantic", "httpx", "sounddevice", "pyttsx3", "torch", "yaml",
)  # fmt: skip
_RUN = "import sys; from client.cli import main; sys.argv = ['aloud', '--help']; main()"
_LOADED = f"import sys, client.cli.app\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"


def main() -> int:
    """Measure; exit status 1 if the goal is missed."""
    times_s = []
    for _ in range(RUNS + 1):
        started_s = time.perf_counter()
        subprocess.run([sys.executable, "-c", _RUN], check=True, stdout=subprocess.DEVNULL)
        times_s.append(time.perf_counter() - started_s)
    median_s = statistics.median(times_s[1:])  # the first run fills the file cache
    loaded = subprocess.run(
        [sys.executable, "-c", _LOADED], check=True, capture_output=True, text=True
    ).stdout.split()
    print(f"aloud --help: median {median_s:.2f} s of {RUNS} runs (goal {GOAL_S} s)")
    print(f"heavy modules imported before they are needed: {', '.join(loaded) or 'none'}")
    return 1 if median_s > GOAL_S or loaded else 0


if __name__ == "__main__":
    sys.exit(main())
