"""Growth: with the questions of the bank, and with the stored answers of a server."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Literal, TypeVar
from uuid import uuid4

from sqlalchemy import text

from benchmarks.parts.tables import Table
from server.accounts.service import AccountService
from server.attempts.store import Store
from server.contract import (
    ArchivedReport,
    Coverage,
    Delivery,
    HistoryQuery,
    PhraseCoverage,
    Pronunciation,
    Report,
    Submission,
    TermVerdict,
    Transcript,
)
from server.core.settings import sqlite_url
from server.db.database import Database
from server.review.overview import overview_of
from server.review.review_queue import QueueFilter, ReviewQueue

CANDIDATES, MEMBERS, TEMPLATES, TERMS = 500, 50, 200, 5
"""People on the server, those of one cohort, different answers, and the terms judged in each."""
T = TypeVar("T")
ANSWER = "We would page the cache in blocks and batch continuously, so that requests share steps."
QUESTION = """- id: made-{n}
  round: coding
  topic: Topic {topic}
  prompt: How would you solve problem {n}?
  model_answer: I measure first, then I change step {n}, and measure again.
  key_phrases:
    - phrase: measure first
    - phrase: step {n} changes
    - phrase: measure again
"""


def measure(*, quick: bool) -> list[Table]:
    """Both."""
    banks = (1_000, 10_000, 100_000)
    histories = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000)
    return [_banks(banks), _histories(histories)]


def _banks(sizes: tuple[int, ...]) -> Table:
    rows = []
    for size in sizes:
        command = [sys.executable, "-m", "benchmarks.parts.growth", str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append([size, *json.loads(done.stdout.splitlines()[-1])])
    columns = (
        "questions",
        "loading, processor s",
        "again, processor s",
        "one question, ms",
        "a role's, ms",
        "memory, MB",
    )
    return Table(
        "Questions in the bank",
        columns,
        rows,
        (
            "Short questions of a custom bank, on top of the built-in one. “Again”: from the "
            "compiled copy, as every start but the first after a change.",
        ),
    )


def _one_bank(size: int) -> list[float]:
    import resource

    from question_bank.loader import load_bank

    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, size, 1000):
            made = (QUESTION.format(n=n, topic=n % 200) for n in range(first, first + 1000))
            (Path(folder) / f"{first}.yaml").write_text("".join(made), encoding="utf-8")
        bank, loading_s = _timed_s(lambda: load_bank((Path(folder),)))
        kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        kept = Path(folder) / "kept"
        load_bank((Path(folder),), kept)
        bank, again_s = _timed_s(lambda: load_bank((Path(folder),), kept))
    role = bank.roles[0].id
    one = _median_ms(lambda: bank.question(f"made-{size - 1}"))
    some = _median_ms(lambda: bank.asked(role=role))
    return [loading_s, again_s, one, some, kib / 1024]


def _timed_s(work: Callable[[], T]) -> tuple[T, float]:
    """What it gives, and the processor time that it took."""
    began_s = time.process_time()
    made = work()
    return made, time.process_time() - began_s


def _histories(sizes: tuple[int, ...]) -> Table:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = Path(folder) / f"{size}.db"
            with closing(Database(sqlite_url(path))) as database:
                cohort, coach, owner = _fill(database, size)
                rows.append([size, *_pages(database, cohort, coach, owner)])
            path.unlink()
    columns = (
        "stored answers", "shared with the cohort", "overview, ms", "queue, ms",
        "next to review, ms", "history, ms", "the same, page 20, ms", "storing one, ms",
    )  # fmt: skip
    return Table(
        "Stored answers",
        columns,
        rows,
        (
            f"SQLite, {CANDIDATES} candidates, {MEMBERS} of them in the cohort, who share all, a "
            f"fifth of them as whole interviews; {TERMS} terms and 8 key phrases an answer. "
            "Processor time, median of five; goal 100 ms at 100,000. A new answer also waits for "
            "the disk.",
        ),
    )


def _pages(database: Database, cohort: int, coach: int, owner: int) -> list[float]:
    store = Store(database).of(owner)
    queue = ReviewQueue(database, {cohort}, coach)
    last = HistoryQuery(offset=950, limit=50)
    return [
        overview_of(database, cohort).answers,
        _median_ms(lambda: overview_of(database, cohort)),
        _median_ms(lambda: queue.page(QueueFilter())),
        _median_ms(lambda: queue.next_after(None)),
        _median_ms(lambda: store.history(HistoryQuery())),
        _median_ms(lambda: store.history(last)),
        _median_ms(lambda: _add(store, 0)),
    ]


def _median_ms(work: Callable[[], Any]) -> float:
    took_s = []
    for _ in range(6):
        began_s = time.process_time()  # SQLite works in this process
        work()
        took_s.append(time.process_time() - began_s)
    return 1000 * median(took_s[1:])


def _fill(database: Database, size: int) -> tuple[int, int, int]:
    """Some real answers, and copies of them: the cohort, its coach, and one of its candidates."""
    accounts = AccountService(database)
    people = [accounts.add(f"c{each}", "candidate").id for each in range(CANDIDATES)]
    coach = accounts.add("coach", "coach").id
    cohort = accounts.cohorts.add("cohort").id
    for each in people[:MEMBERS]:
        accounts.cohorts.assign(cohort, each, "candidate")
    accounts.cohorts.assign(cohort, coach, "coach")
    for number in range(TEMPLATES):
        _add(Store(database).of(people[0]), number)
    with database.engine.begin() as connection:
        for table in ("attempts", "reports", "answer_facts", "term_facts", "phrase_facts"):
            connection.execute(text(_copies(connection, table, people[0])), {"size": size})
        for shared, which in (("id, NULL", "IS NULL"), ("NULL, interview_id", "IS NOT NULL")):
            connection.execute(
                text(
                    "INSERT INTO shares"
                    " (owner_id, attempt_id, interview_id, cohort_id, with_audio, created_at)"
                    f" SELECT DISTINCT owner_id, {shared}, :cohort, 0, '2026-01-01 00:00:00'"
                    f" FROM attempts WHERE owner_id < :until AND interview_id {which}"
                ),
                {"cohort": cohort, "until": people[0] + MEMBERS},
            )
    return cohort, coach, people[1]


def _copies(connection: Any, table: str, owner: int) -> str:
    """A statement that copies a table's rows of the templates until there are ``:size`` answers.

    The answer with the number n is a copy of template 1 + (n - 1) % TEMPLATES, of another
    candidate and of another time.
    """
    number = f"(copy.n * {TEMPLATES})"
    candidate = f"(t.{{id}} + {number}) % {CANDIDATES}"
    given = {
        "submission_id": "lower(hex(randomblob(16)))",
        "owner_id": f"{owner} + {candidate}",
        # every fifth candidate answers in interviews of twenty copies
        "interview_id": (
            f"CASE WHEN {candidate} % 5 = 0 THEN printf('%032x', (t.{{id}} + {number})"
            f" / {20 * CANDIDATES} * {CANDIDATES} + {candidate}) END"
        ),
        "created_at": (
            "strftime('%Y-%m-%d %H:%M:%S.000000', '2026-01-01',"
            f" '+' || ((t.{{id}} + {number}) * 31 % 15000000) || ' seconds')"
        ),
        "id": f"t.id + {number}",
        "report_id": f"t.report_id + {number}",
        "attempt_id": f"t.attempt_id + {number}",
    }
    key = "id" if table == "attempts" else "attempt_id"
    names = [row[1] for row in connection.exec_driver_sql(f"PRAGMA table_info({table})")]
    cells = [given.get(name, f"t.{name}").format(id=key) for name in names]
    return (
        "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy"
        f" WHERE (n + 2) * {TEMPLATES} <= :size)"
        f" INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(cells)}"
        f" FROM {table} AS t, copy WHERE t.{key} <= {TEMPLATES}"
    )


def _add(store: Store, number: int) -> None:
    """Stores an answer with a plain report."""
    from question_bank.loader import load_bank

    questions = load_bank().questions
    question = questions[number % len(questions)]
    now = datetime.now(UTC)
    transcript = Transcript(text=ANSWER)
    phrases = tuple(
        PhraseCoverage(phrase=each.phrase, status="missing" if place % 3 else "covered")
        for place, each in enumerate(question.key_phrases)
    )
    report = Report(
        question_id=question.id,
        created_at=now,
        grader_version="1.0.0",
        bank_version="benchmark",
        transcript=transcript,
        coverage=Coverage(score=number % 10 / 10, phrases=phrases),
        pronunciation=Pronunciation(terms=tuple(_terms(number))),
        delivery=Delivery(words=15, target_s=120),
    )
    submission = Submission(
        submission_id=uuid4().hex, question_id=question.id, created_at=now, transcript=transcript
    )
    small = question.model_copy(update={"key_phrases": question.key_phrases[:1]})
    store.add(submission, small, (ArchivedReport(graded_at=now, report=report),), now)


def _terms(number: int) -> Iterator[TermVerdict]:
    """Some of forty, every third of them said right."""
    for place in range(number, number + TERMS):
        verdict: Literal["mispronounced", "correct"] = "mispronounced" if place % 3 else "correct"
        yield TermVerdict(term=f"term {place % 40}", verdict=verdict)


if __name__ == "__main__":
    print(json.dumps(_one_bank(int(sys.argv[1]))))
