import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.attempts.store import Store
from server.contract import (
    ArchivedReport,
    Coverage,
    Delivery,
    Evidence,
    HeardTerm,
    HistoryQuery,
    Pause,
    Pronunciation,
    Report,
    Submission,
    Transcript,
    Word,
)
from server.core.errors import ConflictError, StoreBusyError, StoreError, UnreadableError
from server.core.settings import sqlite_url

pytestmark = pytest.mark.every_database

NOW = datetime(2026, 4, 1, tzinfo=UTC)


def report_of(submission: Submission, score: float = 0.5) -> ArchivedReport:
    report = Report(
        question_id=submission.question_id,
        created_at=submission.created_at,
        grader_version="g1",
        bank_version="b1",
        transcript=submission.transcript,
        coverage=Coverage(score=score, phrases=()),
        pronunciation=Pronunciation(),
        delivery=Delivery(words=3, answer_s=4.5, target_s=120),
    )
    return ArchivedReport(graded_at=NOW, report=report)


def add(store: Store, make: SimpleNamespace, **changes: object) -> int:
    submission = make.submission(**changes)
    question = make.question(submission.question_id)
    return store.add(submission, question, (report_of(submission),), NOW)[0].id


times = st.floats(min_value=0, max_value=3600)
# Any text that a JSON body can carry, the NUL that PostgreSQL's text refuses included.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
words = st.builds(
    Word,
    text=texts,
    start_s=st.none() | times,
    end_s=st.none(),
    confidence=st.none() | st.floats(min_value=0, max_value=1),
)
submissions = st.builds(
    Submission,
    submission_id=st.just(uuid4().hex),
    question_id=st.just("kv-cache"),
    created_at=st.datetimes(
        min_value=datetime(2000, 1, 1),
        max_value=datetime(2100, 1, 1),
        timezones=st.integers(-23, 23).map(lambda h: timezone(timedelta(hours=h))),
    ),
    transcript=st.builds(
        Transcript, text=texts, engine=texts, words=st.lists(words, max_size=5).map(tuple)
    ),
    evidence=st.builds(
        Evidence,
        pauses=st.none() | st.just(()) | st.just((Pause(start_s=1, end_s=2),)),
        heard=st.lists(
            st.builds(
                HeardTerm,
                term=texts,
                word_index=st.integers(0, 1000),
                verdict=st.sampled_from(["correct", "mispronounced", "unclear"]),
                phones=texts,
                confidence=st.floats(min_value=0, max_value=1),
                start_s=times,
                end_s=times,
            ),
            max_size=2,
        ).map(tuple),
    ),
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(submission=submissions)
def test_every_answer_comes_back_as_it_was(
    submission: Submission, store: Store, make: SimpleNamespace
) -> None:
    submission = submission.model_copy(update={"submission_id": uuid4().hex})
    reports = (report_of(submission),)
    attempt, _ = store.add(submission, make.question(), reports, NOW)
    assert store.get(attempt.id).attempt.submission == submission
    again, new = store.add(submission, make.question(), reports, NOW)
    assert (again, new) == (attempt, False)


def test_signs_that_postgresqls_text_refuses_are_kept(store: Store, make: SimpleNamespace) -> None:
    submission = make.submission(
        transcript=Transcript(text="a\0b", engine="whisper\0", model="\0", words=())
    )
    question = make.question(topic="Caches\0")
    archived = report_of(submission)
    report = archived.report.model_copy(update={"grader_version": "g\0", "bank_version": "\0"})
    reports = (archived.model_copy(update={"report": report}),)
    attempt, _ = store.add(submission, question, reports, NOW)
    stored = store.get(attempt.id)
    assert (stored.attempt.submission, stored.attempt.report) == (submission, report)
    assert stored.question == question
    assert store.history(HistoryQuery()).attempts[0].engine == "whisper\ufffd"


def test_the_same_id_with_another_content_is_a_conflict(
    store: Store, make: SimpleNamespace
) -> None:
    submission = make.submission("one")
    store.add(submission, make.question(), (report_of(submission),), NOW)
    other = make.submission("two", submission_id=submission.submission_id)
    with pytest.raises(ConflictError, match=submission.submission_id):
        store.add(other, make.question(), (report_of(other),), NOW)
    with pytest.raises(ConflictError):
        store.find(other)
    assert store.history(HistoryQuery()).total == 1


def test_threads_that_store_the_same_answer_store_it_once(
    store: Store, make: SimpleNamespace
) -> None:
    submission = make.submission()
    barrier = threading.Barrier(4)

    def run(_: int) -> tuple[int, bool]:
        barrier.wait()
        attempt, new = store.add(submission, make.question(), (report_of(submission),), NOW)
        return attempt.id, new

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(run, range(4)))
    assert len({attempt_id for attempt_id, _ in outcomes}) == 1
    assert sorted(new for _, new in outcomes) == [False, False, False, True]


def test_the_newest_report_counts_and_older_ones_are_kept(
    store: Store, make: SimpleNamespace
) -> None:
    attempt_id = add(store, make)
    before = store.get(attempt_id).attempt
    newer = report_of(before.submission, 0.75).report
    store.add_report(attempt_id, newer, NOW + timedelta(days=1))
    assert store.get(attempt_id).attempt.report == newer
    assert store.history(HistoryQuery()).attempts[0].score == 0.75
    archived, _ = store.archive(0, 10)
    assert [each.report.coverage.score for each in archived[0].reports] == [0.5, 0.75]
    assert archived[0].reports[1].graded_at == NOW + timedelta(days=1)


def test_history_is_newest_first_in_utc_and_pages(store: Store, make: SimpleNamespace) -> None:
    tokyo = timezone(timedelta(hours=9))
    early = add(store, make, created_at=datetime(2026, 1, 2, 8, tzinfo=tokyo))  # 1 Jan, 23:00 UTC
    late = add(store, make, created_at=datetime(2026, 1, 2, 0, 30, tzinfo=UTC))
    same = add(store, make, created_at=datetime(2026, 1, 2, 0, 30, tzinfo=UTC))
    page = store.history(HistoryQuery())
    assert [each.id for each in page.attempts] == [same, late, early]
    assert page.attempts[2].created_at == datetime(2026, 1, 1, 23, tzinfo=UTC)
    assert page.attempts[2].created_at.utcoffset() == timedelta(0)
    second = store.history(HistoryQuery(limit=1, offset=1))
    assert (second.total, [each.id for each in second.attempts]) == (3, [late])
    midnight = datetime(2026, 1, 2, tzinfo=UTC)
    assert [a.id for a in store.history(HistoryQuery(since=midnight)).attempts] == [same, late]
    assert [a.id for a in store.history(HistoryQuery(until=midnight)).attempts] == [early]
    at = datetime(2026, 1, 2, 0, 30, tzinfo=UTC)
    assert store.history(HistoryQuery(since=at)).total == 2
    assert store.history(HistoryQuery(until=at)).total == 1


def test_history_filters(store: Store, make: SimpleNamespace) -> None:
    for question in (
        make.question("one", role="a", round="coding"),
        make.question("two", role="b", round="coding"),
        make.question("three", role=None, round="behavioral"),
    ):
        submission = make.submission(question_id=question.id)
        store.add(submission, question, (report_of(submission),), NOW)

    def found(**query: object) -> set[str]:
        page = store.history(HistoryQuery.model_validate(query))
        assert page.total == len(page.attempts)
        return {each.question_id for each in page.attempts}

    assert found(role="a") == {"one"}
    assert found(round="coding") == {"one", "two"}
    assert found(question_id="three") == {"three"}
    assert found(role="b", round="behavioral") == set()
    summary = store.history(HistoryQuery(question_id="three")).attempts[0]
    assert summary.role is None
    assert (summary.score, summary.words, summary.answer_s) == (0.5, 3, 4.5)
    assert summary.engine == "faster-whisper"


# What follows is SQLite's own.


def test_purged_text_is_gone_from_the_disk(tmp_path: Path, make: SimpleNamespace) -> None:
    path = tmp_path / "aloud.db"
    with Store(sqlite_url(path)) as store:
        add(store, make, text="my secret zebra answer")
        files = [file for file in tmp_path.iterdir() if file.name.startswith("aloud.db")]
        assert any(b"zebra" in file.read_bytes() for file in files)
        store.delete_before(None)
        store.forget()
        assert not any(b"zebra" in file.read_bytes() for file in tmp_path.iterdir())


def test_sqlite_is_set_up(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder" / "aloud.db"
    with Store(sqlite_url(path)):
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        connection.close()


def test_a_damaged_database_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    path.write_bytes(b"this is no database at all, and it is long enough to be read" * 50)
    with pytest.raises(StoreError, match=r"aloud\.db is damaged .*move the file away"):
        Store(sqlite_url(path))


def test_a_locked_database_is_one_clear_error(tmp_path: Path, make: SimpleNamespace) -> None:
    path = tmp_path / "aloud.db"
    with Store(sqlite_url(path), busy_timeout_s=0.05) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="locked by another program"):
            add(store, make)
        other.execute("ROLLBACK")
        other.close()
        assert add(store, make) == 1


@pytest.mark.parametrize(
    ("column", "value"),
    [("submission", "{cut"), ("submission", '{"submission_id": 3}'), ("created_at", "yesterday")],
)
def test_a_damaged_attempt_is_one_clear_line(
    tmp_path: Path, make: SimpleNamespace, column: str, value: str
) -> None:
    path = tmp_path / "aloud.db"
    with Store(sqlite_url(path)) as store:
        good, bad = add(store, make), add(store, make)
        with sqlite3.connect(path) as connection:
            connection.execute(f"UPDATE attempts SET {column} = ? WHERE id = ?", (value, bad))
        connection.close()
        assert store.get(good).attempt.id == good
        for call in (lambda: store.get(bad), lambda: store.archive(0, 10)):
            with pytest.raises(UnreadableError, match=f"attempt {bad} .* is damaged") as caught:
                call()
            assert "\n" not in str(caught.value)
        assert store.delete([bad]) == 1
        assert len(store.archive(0, 10)[0]) == 1


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE attempts (login TEXT)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        Store(sqlite_url(path))
