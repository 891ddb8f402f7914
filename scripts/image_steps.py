"""Runs the steps of the Containerfile in an empty folder, for machines without a container engine.

python scripts/image_steps.py [FOLDER]

Every RUN and COPY of the Containerfile is done as it stands there, with the image's absolute paths
below the folder. Then the installed program makes an account, serves, and must pass the image's own
health check. What it cannot show: the base image itself, its user and its volume.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("/source", "/opt", "/wheel", "/var/lib/aloud")
PORT = "8017"
OTHER_PORT = "18017"
START_S = 120


def main() -> int:
    """Run the steps; exit status 1 if one fails."""
    if sys.argv[1:]:
        return _run_in(Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as folder:
        return _run_in(Path(folder))


def _run_in(folder: Path) -> int:
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ALOUD_", "PYTHON", "VIRTUAL_ENV", "UV_"))
    }
    env["PATH"] = f"{_python_in(folder)}:/usr/local/bin:/usr/bin:/bin"
    here = folder
    for word, rest in steps((ROOT / "Containerfile").read_text(encoding="utf-8")):
        inside = placed(rest, folder)
        print(f"{word} {inside}", flush=True)
        if word == "WORKDIR":
            here = Path(inside)
            here.mkdir(parents=True, exist_ok=True)
        elif word == "ENV":
            env |= dict(each.split("=", 1) for each in shlex.split(inside))
            env["PATH"] = env["PATH"].replace("$PATH", "/usr/bin:/bin")
        elif word == "COPY" and not rest.startswith("--from"):
            *sources, target = inside.split()
            for source in sources:
                _copy(ROOT / source, here / target)
        elif word == "RUN" and not rest.startswith("useradd"):  # the folder belongs to us
            if subprocess.run(["sh", "-ec", inside], cwd=here, env=env).returncode:
                return 1
        elif word == "HEALTHCHECK":
            check = inside.partition("CMD ")[2]
    return _serves(here, env, check)


def steps(text: str) -> list[tuple[str, str]]:
    """The instructions: word and rest, continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", "\n".join(x for x in text.splitlines() if x[:1] != "#"))
    return [
        (word, rest) for word, _, rest in (x.partition(" ") for x in joined.splitlines()) if word
    ]


def placed(text: str, folder: Path) -> str:
    """The text with the image's absolute paths below the folder."""
    either = "|".join(map(re.escape, PLACES))
    return re.sub(rf"(?<![\w./])(?={either})", str(folder), text)


def _python_in(folder: Path) -> Path:
    """A folder with only ``python``, for the search path."""
    tools = folder / "tools"
    tools.mkdir(parents=True)
    (tools / "python").symlink_to(Path(sys.executable).resolve())
    return tools


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _serves(here: Path, env: dict[str, str], check: str) -> int:
    """Whether the installed server serves, by the image's own health check."""
    subprocess.run(["aloud", "user", "add", "ana.silva", "--role", "admin"], check=True, env=env)
    command = ["aloud", "serve", "--host", "0.0.0.0", "--port", OTHER_PORT, "--name", "localhost"]
    server = subprocess.Popen(command, cwd=here, env=env)
    try:
        words = [each.replace(PORT, OTHER_PORT) for each in json.loads(check)]
        deadline_s = time.monotonic() + START_S
        while time.monotonic() < deadline_s and server.poll() is None:
            if subprocess.run(words, env=env, stderr=subprocess.DEVNULL).returncode == 0:
                print("the health check passes")
                return 0
            time.sleep(1)
        print("the health check does not pass")
        return 1
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


if __name__ == "__main__":
    sys.exit(main())
