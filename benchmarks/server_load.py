"""How many answers a server grades and stores: `aloud serve`, several candidates.

    uv run python benchmarks/server_load.py [--clients 8] [--seconds 15] [--warm 5] [--rate 100]
        [--workers 2] [--database URL]

Prints answers a second, how long one takes (median and 99th percentile), and the server's own
processor time for each. Before, every account sends an answer and every question is answered, which
each process compiles once; at least ``--warm`` seconds long.
Without ``--rate`` each candidate sends one answer after the other; with it, so many answers
a second are begun however long they take. They are those of benchmarks/answers, from as many
accounts as the limits of one need (docs/operations.md). The candidates, all of them one thread that
sends prepared bytes, take a part of the same processors, which is printed too.
"""

import argparse
import asyncio
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit
from uuid import uuid4

from server.accounts.service import AccountService
from server.core.settings import sqlite_url
from server.db.database import Database

ANSWERS = Path(__file__).parent / "answers"
DIFFERENT = 24
"""Answers that are sent again and again, each time as a new one."""
STARTS_WITHIN_S = 120
"""A server rests while it takes less than a tenth of a core for two seconds."""
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Load:
    """What a server did.

    Attributes:
        took_s: how long each stored answer took, in order of size.
        refused: answers that it did not store.
        seconds: how long it was loaded.
        processor_s: processor time of its processes.
        sending_s: processor time of the candidates.
    """

    took_s: Sequence[float]
    refused: int
    seconds: float
    processor_s: float
    sending_s: float

    @property
    def per_s(self) -> float:
        """Answers stored a second."""
        return len(self.took_s) / self.seconds

    @property
    def median_ms(self) -> float:
        """How long the one in the middle took."""
        return 1000 * median(self.took_s) if self.took_s else float("nan")

    @property
    def p99_ms(self) -> float:
        """How long 99 of 100 took at most."""
        return 1000 * self.took_s[int(len(self.took_s) * 0.99)] if self.took_s else float("nan")

    @property
    def processor_ms(self) -> float:
        """Of the server, for each answer."""
        return 1000 * self.processor_s / max(1, len(self.took_s))

    @property
    def sending_ms(self) -> float:
        """Of the candidates, for each answer."""
        return 1000 * self.sending_s / max(1, len(self.took_s))


def main() -> None:
    """Serves, loads, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--warm", type=float, default=5, help="seconds that do not count")
    parser.add_argument("--rate", type=float, help="answers a second; by default as many as go")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--database", help="an empty database; by default a SQLite file")
    args = parser.parse_args()
    answers = sent_answers()
    with tempfile.TemporaryDirectory() as folder:
        url = args.database or sqlite_url(Path(folder) / "aloud.db")
        with serving(url, args.workers) as server:
            server.warm(answers, args.clients, args.warm)
            found = server.load(answers, args.clients, args.seconds, args.rate)
    print(f"{len(found.took_s)} answers, {found.per_s:.1f} a second, {found.refused} refused")
    print(f"median {found.median_ms:.0f} ms, 99 of 100 within {found.p99_ms:.0f} ms")
    print(
        f"processor: {found.processor_ms:.1f} ms for each answer, and {found.sending_ms:.1f} ms to "
        "send it"
    )


def sent_answers() -> list[str]:
    """Bodies of requests, with ``%s`` for the id."""
    lines = [
        json.loads(line)
        for path in sorted(ANSWERS.glob("dev*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    chosen = lines[:: len(lines) // DIFFERENT][:DIFFERENT]
    bodies = []
    for each in chosen:
        sent: dict[str, object] = {
            "submission_id": "0" * 32,
            "question_id": each["id"],
            "created_at": "2026-03-01T12:00:00Z",
            "transcript": {"text": each["text"]},
        }
        bodies.append(
            json.dumps(sent, separators=(",", ":")).replace("%", "%%").replace("0" * 32, "%s")
        )
    return bodies


@dataclass(frozen=True)
class Server:
    """A running server."""

    address: str
    tokens: Sequence[str]
    process_id: int
    workers: int

    def warm(self, answers: Sequence[str], clients: int, seconds: float = 0.0) -> None:
        """Sends answers until what is done once for each question and account is done.

        Args:
            answers: bodies, from ``sent_answers``.
            clients: as for ``load``.
            seconds: at least this long.
        """
        wanted = self.workers * (len(self.tokens) + 2 * len(answers))
        asyncio.run(self._send(answers, clients, seconds, None, wanted))

    def load(
        self, answers: Sequence[str], clients: int, seconds: float, rate: float | None = None
    ) -> Load:
        """Sends answers from so many clients at once.

        Args:
            answers: bodies, from ``sent_answers``.
            clients: how many connections.
            seconds: for how long.
            rate: answers a second, of all clients; ``None``: as many as go.
        """
        return asyncio.run(self._send(answers, clients, seconds, rate))

    async def _send(
        self,
        answers: Sequence[str],
        clients: int,
        seconds: float,
        rate: float | None,
        at_least: int = 0,
    ) -> Load:
        took_s: list[float] = []
        refused: list[int] = []
        numbers = count()
        parts = [answer.replace("%%", "%").encode().split(b"%s") for answer in answers]
        host = urlsplit(self.address).netloc

        async def send(first: int) -> None:
            async with _connection(host) as (reader, writer):
                # in an order of its own, or a question would always reach the same process
                for which, number in zip(count(first), numbers, strict=False):
                    due_s = begins_s + number / rate if rate else time.perf_counter()
                    late = max(due_s, time.perf_counter()) > begins_s + seconds
                    if late and number >= at_least:
                        return
                    await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
                    before, after = parts[which % len(parts)]
                    body = before + uuid4().hex.encode() + after
                    token = self.tokens[number % len(self.tokens)]
                    writer.write(
                        f"POST /api/v1/attempts HTTP/1.1\r\nHost: {host}\r\n"
                        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n".encode()
                        + body
                    )
                    status = await _status(reader)
                    if status == 201:
                        took_s.append(time.perf_counter() - due_s)
                    else:
                        refused.append(status)

        before_s, own_s = _processor_s(self.process_id), time.process_time()
        begins_s = time.perf_counter()
        await asyncio.gather(*(send(each) for each in range(clients)))
        lasted_s = time.perf_counter() - begins_s
        return Load(
            sorted(took_s),
            len(refused),
            lasted_s,
            _processor_s(self.process_id) - before_s,
            time.process_time() - own_s,
        )


@asynccontextmanager
async def _connection(
    host: str,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    name, _, port = host.rpartition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


async def _status(reader: asyncio.StreamReader) -> int:
    """The status of an answer, which is read to its end."""
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
    fields = dict(line.split(b": ", 1) for line in lines if line)
    await reader.readexactly(int(fields[b"content-length"]))
    return int(status.split()[1])


@contextmanager
def serving(url: str, workers: int = 1, accounts: int = 60) -> Iterator[Server]:
    """`aloud serve` on a free port, with new accounts."""
    tokens = _candidates(url, accounts)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}"
    command = ["serve", "--port", address.rpartition(":")[2], "--workers", str(workers)]
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [sys.executable, "-c", "from client.cli import main; main()", *command],
            env=os.environ
            | {"ALOUD_DATABASE_URL": url, "ALOUD_HOME": home, "ALOUD_LOG_LEVEL": "warning"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for(address)
            yield Server(address, tokens, process.pid, workers)
        finally:
            process.terminate()
            process.wait(60)


def _candidates(url: str, number: int) -> list[str]:
    """The tokens of new accounts."""
    with closing(Database(url)) as database:
        accounts = AccountService(database)
        made = [accounts.add(f"candidate{each}", "candidate") for each in range(number)]
        return [accounts.tokens.add(each.id, "benchmark").secret for each in made]


def _wait_for(address: str) -> None:
    deadline_s = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline_s:
        with closing(http.client.HTTPConnection(urlsplit(address).netloc)) as connection:
            try:
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
        time.sleep(0.1)
    sys.exit("the server does not start")


def _processor_s(process_id: int) -> float:
    """Processor time of a process and its descendants that run (Linux)."""
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    own_s = (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND
    children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    return own_s + sum(_processor_s(int(each)) for each in children)


if __name__ == "__main__":
    main()
