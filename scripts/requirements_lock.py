"""Write or check requirements.lock: every default dependency, pinned with hashes, no addresses.

``uv pip compile`` keeps the pins that stand in the file as long as they satisfy pyproject.toml, so
the check fails only when the two disagree, not whenever a dependency publishes a release.

    python scripts/requirements_lock.py           # write
    python scripts/requirements_lock.py --check   # exit 1 if it is out of date
    python scripts/requirements_lock.py --upgrade # write, with the newest versions
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"


def compile_lock(target: Path, *extra: str) -> None:
    """Resolve pyproject.toml's dependencies into ``target``, from the pins that stand there."""
    command = [
        "uv", "pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11",
        "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--quiet",
        "--output-file", str(target), *extra,
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Run the script; the exit status is 0 when the lock is (now) right."""
    if "--check" not in sys.argv:
        compile_lock(LOCK, *(["--upgrade"] if "--upgrade" in sys.argv else []))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / LOCK.name
        if LOCK.exists():
            shutil.copy(LOCK, fresh)
        compile_lock(fresh)
        if not LOCK.exists() or fresh.read_text() != LOCK.read_text():
            print("requirements.lock is out of date: run python scripts/requirements_lock.py")
            return 1
    if "://" in LOCK.read_text():
        print("requirements.lock names an address")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
