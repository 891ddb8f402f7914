"""How long ``aloud demo`` takes after installation. Goal: at most 15 s on two cores.

Run it as ``python benchmarks/demo.py``.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

GOAL_S = 15.0
_RUN = [sys.executable, "-c", "from client.cli import main; main()", "demo"]


def main() -> int:
    """Measure; exit status 1 if the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    times_s = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as home:
            started_s = time.perf_counter()
            environment = {**os.environ, "ALOUD_HOME": home}
            subprocess.run(_RUN, check=True, stdout=subprocess.DEVNULL, env=environment)
            times_s.append(time.perf_counter() - started_s)
    median_s = statistics.median(times_s)
    print(f"aloud demo: median {median_s:.1f} s of {runs} runs (goal {GOAL_S:.0f} s)")
    return 1 if median_s > GOAL_S else 0


if __name__ == "__main__":
    sys.exit(main())
