"""A server under load: answers graded and stored, by database, processes and clients."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.parts.tables import Table
from benchmarks.server_load import sent_answers, serving
from server.core.settings import sqlite_url

CLIENTS = 8
PROGRAMS = Path("/usr/lib/postgresql")
STARTS_WITHIN_S = 30


def measure(*, quick: bool) -> list[Table]:
    """As many as go, and then half as many a second, for each number of processes."""
    seconds = 6.0 if quick else 20.0
    answers = sent_answers()
    rows: list[list[str | float]] = []
    notes = [
        f"{CLIENTS} clients on the same machine, {seconds:.0f} s "
        "each, answers of `benchmarks/answers`. “ms processor” is the server's for each answer."
    ]

    def add(kind: str, url: str, workers: int) -> None:
        with serving(url, workers) as server:
            server.warm(answers, CLIENTS)
            most = server.load(answers, CLIENTS, seconds)
            half = server.load(answers, 4 * CLIENTS, seconds, most.per_s / 2)
        rows.append(
            [kind, workers, most.per_s, most.median_ms, most.p99_ms, most.processor_ms,
             half.median_ms, half.p99_ms, most.refused + half.refused]
        )  # fmt: skip

    with tempfile.TemporaryDirectory() as folder:
        for workers in (1, 2) if quick else (1, 2, 3):
            add("SQLite", sqlite_url(Path(folder) / f"{workers}.db"), workers)
    programs = postgresql()
    if programs is None:
        notes.append("PostgreSQL is not installed.")
    else:
        with running_postgresql(programs) as socket_folder:
            for workers in (2,) if quick else (1, 2, 3):
                name = f"aloud{workers}"
                subprocess.run(
                    [programs / "createdb", "-h", socket_folder, "-U", "aloud", name], check=True
                )
                url = f"postgresql+psycopg://aloud@/{name}?host={socket_folder}"
                add("PostgreSQL", url, workers)
    columns = (
        "database", "processes", "answers a second", "median, ms", "99 %, ms", "ms processor",
        "at half: median, ms", "at half: 99 %, ms", "refused",
    )  # fmt: skip
    return [Table("Answers graded and stored", columns, rows, notes)]


def postgresql() -> Path | None:
    """The folder of PostgreSQL's programs, if it is installed."""
    versions = sorted(PROGRAMS.glob("*/bin/pg_isready"))
    if versions:
        return versions[-1].parent
    found = shutil.which("pg_isready")  # some systems link only a few programs into the path
    return Path(found).parent if found else None


@contextmanager
def running_postgresql(programs: Path) -> Iterator[Path]:
    """A server with its default settings on a socket in its own folder."""
    folder = Path(tempfile.mkdtemp(prefix="aloud-pg-"))
    user = {"user": "nobody"} if os.geteuid() == 0 else {}  # it refuses to run as root
    if user:
        shutil.chown(folder, "nobody")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    process = None
    try:
        made = [programs / "initdb", "-D", folder / "data", "-U", "aloud", "-A", "trust"]
        subprocess.run(made, check=True, **user, **quiet)  # type: ignore[call-overload]
        process = subprocess.Popen(
            [programs / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses="],
            **user,
            **quiet,
        )  # type: ignore[call-overload]
        deadline_s = time.monotonic() + STARTS_WITHIN_S
        ready = [programs / "pg_isready", "-q", "-h", folder]
        while subprocess.run(ready).returncode and time.monotonic() < deadline_s:
            time.sleep(0.1)
        yield folder
    finally:
        if process is not None:
            process.terminate()
            process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
