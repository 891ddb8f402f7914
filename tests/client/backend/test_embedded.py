import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from client.backend.embedded import make_home, open_embedded
from client.backend.outbox import AnswerOutbox
from client.backend.protocol import QueuedError, RejectedError, UnavailableError
from client.backend.sending import with_outbox
from client.core.settings import ClientSettings
from pronunciation.terms import Lexicon
from question_bank.models import Bank, RoundGuide
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.contract import HistoryQuery, Report
from server.core.settings import ServerSettings


@pytest.fixture
def settings(tmp_path: Path) -> ClientSettings:
    return ClientSettings(home=tmp_path / "home", bank=(tmp_path / "bank",))


def creating(make: SimpleNamespace, seen: list[ServerSettings] | None = None):  # type: ignore[no-untyped-def]
    bank = Bank(
        version="bank-1",
        roles=(),
        rounds=tuple(
            RoundGuide(id=each, title=each.capitalize()) for each in ("coding", "behavioral")
        ),
        signals=(),
        plan=(),
        help=(),
        questions=(make.question(),),
    )

    def create(settings: ServerSettings) -> Service:
        if seen is not None:
            seen.append(settings)
        return Service(
            Store(settings.database_url, busy_timeout_s=0.1),
            lambda: bank,
            lambda: Lexicon(version="1", terms=()),
            grader=lambda: Grader(lambda question, submission, *_: make.report(submission), "s"),
        )

    return create


def test_answers_are_kept_in_the_data_folder(
    settings: ClientSettings, make: SimpleNamespace
) -> None:
    seen: list[ServerSettings] = []
    with closing(open_embedded(settings, create=creating(make, seen))) as backend:
        attempt = backend.submit(make.submission())
        assert backend.submit(attempt.submission) == attempt
    assert settings.database.is_file()
    assert seen[0].bank == settings.bank
    with closing(open_embedded(settings, create=creating(make))) as backend:
        assert backend.attempt(attempt.id) == attempt
        assert backend.history(HistoryQuery(limit=1)).total == 1


def test_errors_are_the_clients(settings: ClientSettings, make: SimpleNamespace) -> None:
    with closing(open_embedded(settings, create=creating(make))) as backend:
        with pytest.raises(RejectedError, match="'nope'") as caught:
            backend.question("nope")
        assert caught.value.code == "not-found"
        with pytest.raises(RejectedError, match="no speech"):
            backend.grade(make.submission(""))


def test_an_answer_that_breaks_the_grader_is_refused_for_good(
    settings: ClientSettings, make: SimpleNamespace
) -> None:
    def broken(*_: object) -> Report:
        raise ZeroDivisionError

    def create(settings: ServerSettings) -> Service:
        service: Service = creating(make)(settings)
        service.grading_data.grader = Grader(broken, "broken")
        return service

    with closing(open_embedded(settings, create=create)) as backend:
        with pytest.raises(RejectedError) as caught:
            backend.submit(make.submission())
        assert caught.value.code == "grader-failed"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the user's folder by ACL")
def test_the_data_folder_is_for_its_owner_only(
    settings: ClientSettings, make: SimpleNamespace
) -> None:
    open_embedded(settings, create=creating(make)).close()
    assert stat.S_IMODE(settings.home.stat().st_mode) == 0o700
    assert stat.S_IMODE(settings.database.stat().st_mode) == 0o600


def test_a_data_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match="ALOUD_HOME"):
        make_home(ClientSettings(home=tmp_path / "file" / "home"))


def test_an_answer_waits_while_the_database_is_locked(
    settings: ClientSettings, make: SimpleNamespace
) -> None:
    outbox = AnswerOutbox.for_server(settings.outbox, "embedded")
    with with_outbox(
        open_embedded(settings, create=creating(make)), outbox, direct=True
    ) as backend:
        backend.submit(make.submission("one"))
        assert not settings.outbox.exists()
        other = sqlite3.connect(settings.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(QueuedError, match=r"locked by another program.*answer is kept"):
            backend.submit(make.submission("two"))
        other.execute("ROLLBACK")
        other.close()
        backend.submit(make.submission("three"))  # waits for no other, and has them sent
        backend.send_waiting(within_s=20)
        texts = [each.submission.transcript.text for each in backend.export_all().attempts]
        assert sorted(texts) == ["one", "three", "two"]


def test_a_refused_answer_is_told_and_not_kept(
    settings: ClientSettings, make: SimpleNamespace
) -> None:
    outbox = AnswerOutbox.for_server(settings.outbox, "embedded")
    backend = with_outbox(open_embedded(settings, create=creating(make)), outbox, direct=True)
    with backend, pytest.raises(RejectedError, match=r"^no speech"):
        backend.submit(make.submission(" "))
    assert outbox.rejected() == []
