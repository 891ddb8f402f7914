"""What a server prepares before it is asked."""

import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from question_bank.models import Question
from server.attempts.grading_data import Grader
from server.attempts.service import Service
from server.core.errors import GraderFailedError
from server.core.settings import ServerSettings
from server.operations import warming
from server.operations.warming import WarmUp
from server.web import app as web_app
from server.web.app import create_app
from tests.server.conftest import grade
from tests.server.queues import wait_for


class Prepared:
    """Notes what is prepared; a question may fail, or wait until it is let go."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.failing: set[str] = set()
        self.waiting = 0
        self.go = threading.Event()
        self.go.set()

    def __call__(self, question: Question, lexicon: object) -> None:
        self.waiting += 1
        self.go.wait(60)
        self.ids.append(question.id)
        if question.id in self.failing:
            raise GraderFailedError("planted")


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> Prepared:
    monkeypatch.setattr(warming, "BEGINS_AFTER_S", 0.0)
    monkeypatch.setattr(warming, "_LOOK_AGAIN_S", 0.001)
    return Prepared()


@pytest.fixture
def many(
    make_service: Callable[..., Service], make: SimpleNamespace, prepared: Prepared
) -> Service:
    """A service with the questions a to e, of which d and then b were answered."""
    bank = make.bank(*(make.question(each) for each in "abcde"))
    service = make_service(bank, Grader(grade, "stub-1", prepare=prepared))
    for each in "db":
        service.submit(make.submission(question_id=each))
    return service


def warm_up(service: Service, is_busy: Callable[[], bool] = lambda: False) -> WarmUp:
    return WarmUp(service.grading_data, service.database, is_busy)


def is_over() -> bool:
    return all(each.name != "warm-up" for each in threading.enumerate())


def test_the_questions_last_answered_are_prepared_first(many: Service, prepared: Prepared) -> None:
    use = warm_up(many)
    with use.running():
        wait_for(use.is_done)
    assert prepared.ids == ["b", "d", "a", "c", "e"]


def test_of_a_large_bank_only_so_many(
    many: Service, prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "MOST_QUESTIONS", 3)
    use = warm_up(many)
    with use.running():
        wait_for(use.is_done)
    assert prepared.ids == ["b", "d", "a"]


def test_an_answer_to_a_question_that_is_gone_is_passed_over(
    many: Service, make_service: Callable[..., Service], make: SimpleNamespace, prepared: Prepared
) -> None:
    without = make_service(make.bank(make.question("d")), Grader(grade, "s", prepare=prepared))
    use = warm_up(without)
    with use.running():
        wait_for(use.is_done)
    assert prepared.ids == ["d"]


def test_one_that_fails_does_not_stop_the_rest(many: Service, prepared: Prepared) -> None:
    prepared.failing = {"b", "a"}
    use = warm_up(many)
    with use.running():
        wait_for(use.is_done)
    assert prepared.ids == ["b", "d", "a", "c", "e"]


def test_it_waits_while_answers_are_graded(many: Service, prepared: Prepared) -> None:
    looks: list[list[str]] = []

    def is_busy() -> bool:
        looks.append(list(prepared.ids))
        return len(looks) < 20

    use = warm_up(many, is_busy)
    with use.running():
        wait_for(use.is_done)
    assert looks[:20] == [[]] * 20
    assert len(prepared.ids) == 5


def test_it_ends_behind_the_question_that_it_is_at(many: Service, prepared: Prepared) -> None:
    prepared.go.clear()
    running = warm_up(many).running()
    running.__enter__()
    ending = threading.Thread(target=running.__exit__, args=(None, None, None))
    ending.start()
    prepared.go.set()
    ending.join(60)
    assert is_over()
    assert len(prepared.ids) <= 1


def test_it_ends_at_once_before_it_began(
    many: Service, prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "BEGINS_AFTER_S", 3600.0)
    with warm_up(many).running():
        pass
    assert is_over()
    assert prepared.ids == []


def test_the_questions_of_a_new_version_of_the_bank_are_prepared_too(
    many: Service,
    make_service: Callable[..., Service],
    make: SimpleNamespace,
    prepared: Prepared,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(warming, "_LOOK_FOR_BANK_S", 0.001)
    use = warm_up(many)
    with use.running():
        wait_for(use.is_done)
        many.grading_data.bank = make.bank(make.question("f"), make.question("d"))
        assert not use.is_done()
        wait_for(use.is_done)
    assert prepared.ids[5:] == ["d", "f"]


def test_another_bank_is_prepared_at_once_instead_of_the_rest(
    many: Service, make: SimpleNamespace, prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "_LOOK_FOR_BANK_S", 0.001)
    prepared.go.clear()
    use = warm_up(many)
    with use.running():
        wait_for(lambda: prepared.waiting > 0)
        many.grading_data.bank = make.bank(make.question("f"))
        prepared.go.set()
        wait_for(use.is_done)
    assert prepared.ids == ["b", "f"]


def test_a_broken_database_is_no_end_of_the_server(
    many: Service,
    prepared: Prepared,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many.close()
    looks: list[None] = []

    def broken() -> Service:
        looks.append(None)
        raise RuntimeError("planted")

    monkeypatch.setattr(warming, "_LOOK_FOR_BANK_S", 0.001)
    use = WarmUp(many.grading_data, SimpleNamespace(read=broken), lambda: False)  # type: ignore[arg-type]
    with use.running():
        wait_for(lambda: len(looks) > 5)
    assert caplog.text.count("broke off") == 1  # and not at every look
    assert not use.is_done()


def test_only_a_server_that_was_told_to_prepares(many: Service, prepared: Prepared) -> None:
    settings = ServerSettings(database_url="sqlite://")
    with TestClient(create_app(settings, service=many), base_url="http://localhost"):
        assert is_over()
    with TestClient(create_app(settings, service=many, warms_up=True)):
        wait_for(lambda: len(prepared.ids) == 5)
    assert is_over()


def test_aloud_serve_is_told_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[bool] = []

    def made(settings: ServerSettings, *, warms_up: bool) -> FastAPI:
        told.append(warms_up)
        raise KeyboardInterrupt

    monkeypatch.setattr(web_app, "create_app", made)
    monkeypatch.setattr(web_app, "set_up_logs", lambda level: None)
    monkeypatch.setenv(
        web_app.SETTINGS_VARIABLE, ServerSettings(database_url="sqlite://").model_dump_json()
    )
    with pytest.raises(KeyboardInterrupt):
        web_app.app_of_worker()
    assert told == [True]
