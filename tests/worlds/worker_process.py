"""A server process's worker by itself, for tests that end it in the middle.

    python -m tests.worlds.worker_process DATABASE_URL LOG

Writes a line ``begin JOB PID`` and ``end JOB PID`` to the log for each job; ready is ``ready PID``.
"""

import os
import sys
import time

from server.db.database import Database
from server.jobs.job import Outcome, Work
from server.jobs.queue import JobQueue
from server.jobs.worker import Worker

SILENT_S = 9.0
"""Long enough for a busy machine; it looks for the dead three times within it."""


def main(database_url: str, log: str) -> None:
    def note(line: str) -> None:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{line} {os.getpid()}\n")

    def steps(work: Work) -> Outcome:
        number = work.payload["number"]
        note(f"begin {number}")
        for done in range(work.payload["steps"]):
            work.progress(done, work.payload["steps"])
            time.sleep(0.02)
        note(f"end {number}")
        return Outcome({"number": number})

    queue = JobQueue(Database(database_url))
    Worker(queue, {"steps": steps}, beat_s=1.0, silent_s=SILENT_S).start()
    note("ready")
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main(*sys.argv[1:])
