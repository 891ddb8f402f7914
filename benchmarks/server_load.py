"""How many answers a server grades and stores: `aloud serve` with SQLite, several candidates.

    uv run python benchmarks/server_load.py --clients 8 --seconds 30

Prints answers a second, how long one takes (median and 99th percentile), and the server's own
processor time for each. Each candidate sends one answer after the other, of those in
benchmarks/answers. The limits for each account (docs/operations.md) apply: 120 answers at once and
4 a second after that.
"""

import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import httpx

from server.accounts.service import AccountService
from server.core.settings import sqlite_url
from server.db.database import Database

ANSWERS = Path(__file__).parent / "answers" / "final.jsonl"
STARTS_WITHIN_S = 120


def main() -> None:
    """Serves, loads, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=30)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = sqlite_url(Path(folder) / "aloud.db")
        tokens = candidates(url, args.clients)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{probe.getsockname()[1]}"
        command = ["serve", "--port", address.rpartition(":")[2]]
        process = subprocess.Popen(
            [sys.executable, "-c", "from client.cli import main; main()", *command],
            env=os.environ | {"ALOUD_DATABASE_URL": url, "ALOUD_HOME": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(address)
            took_s = load(address, tokens, args.seconds)
        finally:
            process.terminate()
            process.wait(60)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    report(took_s, args.seconds, used.ru_utime + used.ru_stime)


def candidates(url: str, number: int) -> list[str]:
    """The tokens of new accounts."""
    with closing(Database(url)) as database:
        accounts = AccountService(database)
        made = [accounts.add(f"candidate{each}", "candidate") for each in range(number)]
        return [accounts.tokens.add(each.id, "benchmark").secret for each in made]


def wait_for(address: str) -> None:
    """Until the server answers."""
    deadline_s = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline_s:
        try:
            if httpx.get(f"{address}/readyz").status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.1)
    sys.exit("the server does not start")


def load(address: str, tokens: list[str], seconds: float) -> list[float]:
    """How long each stored answer took, in seconds."""
    answers = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    took_s: list[float] = []
    ends_s = time.monotonic() + seconds

    def send(number: int, token: str) -> None:
        known = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=f"{address}/api/v1", headers=known, timeout=120) as client:
            for at in range(10**6):
                answer = answers[(number * 7 + at) % len(answers)]
                sent = {
                    "submission_id": uuid4().hex,
                    "question_id": answer["id"],
                    "created_at": "2026-03-01T12:00:00Z",
                    "transcript": {"text": answer["text"]},
                }
                begun_s = time.monotonic()
                if begun_s > ends_s:
                    return
                if client.post("/attempts", json=sent).status_code == 201:
                    took_s.append(time.monotonic() - begun_s)

    threads = [threading.Thread(target=send, args=each) for each in enumerate(tokens)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return took_s


def report(took_s: list[float], seconds: float, processor_s: float) -> None:
    """Prints the figures; the processor's time includes the server's start."""
    ordered = sorted(took_s)
    print(f"{len(took_s)} answers, {len(took_s) / seconds:.1f} a second")
    print(f"median {statistics.median(ordered) * 1000:.0f} ms, ", end="")
    print(f"99 of 100 within {ordered[int(len(ordered) * 0.99)] * 1000:.0f} ms")
    print(f"processor: {processor_s / len(took_s) * 1000:.0f} ms for each answer")


if __name__ == "__main__":
    main()
