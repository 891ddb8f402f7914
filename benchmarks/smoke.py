"""Every benchmark in its shortest form, for CI: checks that each runs and meets its goals.

Left out are ``coverage.py``, ``demo.py``, ``startup.py`` and ``pocketsphinx_coverage.py``: they
measure what ``tests/server/grading/test_judgments.py``, ``tests/client/data/test_demo.py`` and
``tests/client/cli/test_startup.py`` run. So is ``memory.py``: nobody waits for a megabyte.

Run it as ``python benchmarks/smoke.py``. Goals in seconds are not enforced, because CI's machine is
shared; run the benchmark itself to check them.
"""

import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent
TIMED = "timed"
ALL: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("silence_stop.py", ("--speakers", "3"), ""),
    ("hearing.py", ("--smoke",), ""),
    ("sound.py", ("--words", "4"), ""),
    ("voice.py", ("--model", "tiny.en", "--every", "100"), TIMED),
    ("spoken.py", ("--answers", "1", "--accents", "German"), ""),
)


def main() -> int:
    """Run all; exit status 1 if one fails."""
    failed = []
    for name, arguments, kind in ALL:
        print(f"\n== {name} {' '.join(arguments)}", flush=True)
        started_s = time.perf_counter()
        done = subprocess.run([sys.executable, str(FOLDER / name), *arguments])
        print(f"({time.perf_counter() - started_s:.0f} s)", flush=True)
        # Exit status 1 says that a goal was missed; anything else that the benchmark is broken.
        if done.returncode > 1 or (done.returncode == 1 and kind != TIMED):
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
