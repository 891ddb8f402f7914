"""The outbox before a real server that is stopped, killed and started again."""

import errno
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from client.backend.opening import open_backend
from client.backend.outbox import AnswerOutbox, OutboxError
from client.backend.protocol import QueuedError, RejectedError, UnavailableError
from client.backend.remote import RemoteBackend
from client.backend.sending import with_outbox
from client.core.settings import ClientSettings
from server.contract import HistoryQuery, PurgeRequest


@pytest.fixture
def server(loopback_server: Any) -> Any:
    return loopback_server


@pytest.fixture
def settings(tmp_path: Path, server: Any) -> ClientSettings:
    return ClientSettings(home=tmp_path / "home", server=server.url)


def test_the_client_works_over_http(settings: ClientSettings, make: SimpleNamespace) -> None:
    with open_backend(settings) as backend:
        assert backend.bank().version == "bank-1"
        assert backend.question("kv-cache") == make.question()
        assert backend.questions(round="coding") == (make.question(),)
        assert backend.questions(topic="no such topic") == ()
        assert backend.grade(make.submission()).coverage.score == 1
        submissions = [make.submission(f"answer {n}") for n in range(25)]
        attempts = [backend.submit(each) for each in submissions]
        assert [each.submission for each in attempts] == submissions
        assert backend.attempt(attempts[0].id) == attempts[0]
        page = backend.history(HistoryQuery(limit=2, since=submissions[0].created_at))
        assert (page.total, len(page.attempts)) == (25, 2)
        assert backend.regrade(dry_run=True).graded == 25
        archive = backend.export_all()  # more than a page
        assert [each.submission for each in archive.attempts] == submissions
        assert backend.purge(PurgeRequest(attempt_ids=(attempts[0].id,))).deleted == 1
        assert backend.purge(PurgeRequest(everything=True)).deleted == 24
        assert backend.import_attempts(archive.attempts).imported == 25
        assert backend.import_attempts(archive.attempts).skipped == 25
        with pytest.raises(RejectedError, match="'nope'") as caught:
            backend.question("nope")
        assert caught.value.code == "not-found"


def test_an_archive_larger_than_one_request_is_imported_in_pieces(
    server: Any, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The stub server takes 100 kB.
    monkeypatch.setattr("client.backend.remote._IMPORT_BATCH_BYTES", 60_000)
    with RemoteBackend(server.url) as backend:
        for n in range(8):
            backend.submit(make.submission(f"{n} " + "word " * 2900))
        archive = backend.export_all()
        backend.purge(PurgeRequest(everything=True))
        assert backend.import_attempts(archive.attempts).imported == 8
    assert [text.split()[0] for text in server.stored()] == [str(n) for n in range(8)]


def test_a_full_disk_here_stops_no_answer_to_a_server_within_reach(
    server: Any, settings: ClientSettings, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("client.backend.outbox.write_durably", full)
    with open_backend(settings) as backend:
        assert backend.submit(make.submission("one")).submission.transcript.text == "one"
        server.stop()
        with pytest.raises(OutboxError, match="No space left"):
            backend.submit(make.submission("two"))
    assert server.stored() == ["one"]


def test_answers_wait_while_the_server_is_away_and_go_out_in_order(
    server: Any, settings: ClientSettings, make: SimpleNamespace
) -> None:
    with open_backend(settings) as backend:
        backend.submit(make.submission("one"))
        server.stop()
        for n, text in enumerate(["two", "three"], 1):
            with pytest.raises(QueuedError, match=f"kept and will be sent later .{n} waiting"):
                backend.submit(make.submission(text))
    with open_backend(settings) as backend:  # the client starts again, the server is still away
        with pytest.raises(UnavailableError, match="cannot be reached"):
            backend.history()
        with pytest.raises(QueuedError, match="3 waiting"):
            backend.submit(make.submission("four"))
    server.start()
    with open_backend(settings) as backend:
        assert backend.send_waiting(within_s=60).problem == ""
        assert server.stored() == ["one", "two", "three", "four"]  # sent from the start on
        backend.submit(make.submission("five"))
    assert server.stored() == ["one", "two", "three", "four", "five"]


def test_an_export_of_everything_has_what_has_waited(
    server: Any, settings: ClientSettings, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = RemoteBackend.submit

    def slowly(*arguments: Any) -> Any:
        time.sleep(0.5)
        return submit(*arguments)

    monkeypatch.setattr(RemoteBackend, "submit", slowly)
    server.stop()
    with open_backend(settings) as backend, pytest.raises(QueuedError):
        backend.submit(make.submission("late"))
    server.start()

    with open_backend(settings) as backend:
        (archived,) = backend.export_all().attempts

    assert archived.submission.transcript.text == "late"


def test_a_server_that_dies_after_storing_and_before_answering(
    server: Any, settings: ClientSettings, make: SimpleNamespace
) -> None:
    with open_backend(settings) as backend:
        backend.submit(make.submission("one"))
        server.stop()
        process = server.start_dying()
        with pytest.raises(QueuedError):
            backend.submit(make.submission("two"))
        assert process.wait(timeout=60) == 9
        assert server.stored() == ["one", "two"]  # stored, but the client cannot know
        with pytest.raises(QueuedError):
            backend.submit(make.submission("three"))
        server.start()
        attempt = backend.submit(make.submission("four"))
        assert attempt.submission.transcript.text == "four"
        backend.send_waiting(within_s=60)
    assert server.stored()[:2] == ["one", "two"]
    assert sorted(server.stored()) == ["four", "one", "three", "two"]


def test_a_refused_answer_does_not_block_the_rest(
    server: Any, settings: ClientSettings, make: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    server.stop()
    with open_backend(settings) as backend:
        for question_id, text in [("kv-cache", "one"), ("gone", "bad"), ("kv-cache", "three")]:
            with pytest.raises(QueuedError):
                backend.submit(make.submission(text, question_id=question_id))
    server.start()
    with caplog.at_level("WARNING"), open_backend(settings) as backend:
        backend.send_waiting(within_s=60)
        assert server.stored() == ["one", "three"]
        (refused,) = backend.outbox.rejected()
        assert "no question 'gone'" in refused.reason
        assert "no question 'gone'" in caplog.text
        with pytest.raises(RejectedError, match=r"refused the answer: .*no question 'other'"):
            backend.submit(make.submission("now", question_id="other"))


def test_an_answer_that_another_process_sent_comes_back(
    server: Any, settings: ClientSettings, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox = AnswerOutbox.for_server(settings.outbox, server.url)
    with RemoteBackend(server.url) as remote, with_outbox(remote, outbox) as backend:
        add = outbox.add

        def add_and_lose_the_race(submission):  # type: ignore[no-untyped-def]
            waiting = add(submission)
            AnswerOutbox.for_server(settings.outbox, server.url).flush(remote.submit)
            return waiting

        monkeypatch.setattr(outbox, "add", add_and_lose_the_race)
        assert backend.submit(make.submission("raced")).submission.transcript.text == "raced"
    assert server.stored() == ["raced"]


def test_purging_takes_what_waits_along(
    server: Any, settings: ClientSettings, make: SimpleNamespace
) -> None:
    with open_backend(settings) as backend:
        with pytest.raises(RejectedError):
            backend.submit(make.submission("refused", question_id="gone"))
        backend.submit(make.submission("stored"))
        assert backend.purge(PurgeRequest(everything=True)).deleted == 2
        assert backend.outbox.rejected() == []
    assert server.stored() == []
