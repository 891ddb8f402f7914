"""Versions of a program's bank: stored once, one active in every process, compared."""

from collections.abc import Callable

import pytest

from server.attempts.service import Service
from server.attempts.store import Store
from server.bank_versions.check import check_answers
from server.bank_versions.service import ActiveGradingData, BankVersions, DraftOrder
from server.bank_versions.text import DraftError
from server.core.errors import InvalidInputError, NotFoundError
from server.db.database import Database
from tests.server.bank_versions.test_text import BANK, LEXICON
from tests.server.conftest import Clock, make_submission


@pytest.fixture
def versions(store: Store, service: Service) -> BankVersions:
    return BankVersions(store.database, service.grading_data, check_answers, clock=Clock())


def save(versions: BankVersions, yaml: str = BANK, lexicon: str = LEXICON, note: str = "") -> int:
    return versions.save(DraftOrder(yaml=yaml, lexicon_yaml=lexicon, note=note), None)


@pytest.mark.every_database
def test_versions_count_up_and_the_same_text_is_stored_once(versions: BankVersions) -> None:
    assert save(versions, note="first \n words") == 1
    assert save(versions) == 1
    assert save(versions, BANK + "# more\n") == 2
    assert save(versions) == 3
    listed = versions.store.listed()
    assert [each.number for each in listed] == [3, 2, 1]
    assert (listed[2].note, listed[2].author) == ("first words", "")
    assert not any(each.active for each in listed)
    assert versions.store.get(2).yaml == BANK + "# more\n"
    for number in (9, 2**70):
        with pytest.raises(NotFoundError):
            versions.store.get(number)


@pytest.mark.every_database
def test_one_version_is_active_and_the_bank_follows_it(versions: BankVersions) -> None:
    below = versions.grading_data.bank
    save(versions)
    assert versions.grading_data.bank == below
    versions.activate(1)
    assert versions.grading_data.bank.question("paging") is not None
    assert versions.grading_data.bank.question("kv-cache") is not None
    assert versions.grading_data.lexicon.get("vllm") is not None
    save(versions, BANK.replace("id: paging", "id: swapping"))
    versions.activate(2)
    assert [each.number for each in versions.store.listed() if each.active] == [2]
    assert versions.grading_data.bank.question("paging") is None
    versions.activate(None)
    assert versions.grading_data.bank == below
    assert versions.store.active() is None
    with pytest.raises(NotFoundError):
        versions.activate(7)
    assert [(each.number, each.by) for each in versions.store.activations()] == [
        (None, ""),
        (2, ""),
        (1, ""),
    ]


@pytest.mark.every_database
def test_another_process_sees_the_active_version_after_a_look(
    versions: BankVersions, service: Service, store: Store
) -> None:
    now_s = 0.0
    elsewhere = Database(store.database.engine.url.render_as_string(hide_password=False))
    try:
        other = ActiveGradingData(
            service.grading_data,
            type(versions.store)(elsewhere),
            look_every_s=1.0,
            clock_s=lambda: now_s,
        )
        assert other.bank.question("paging") is None
        save(versions)
        versions.activate(1)
        assert other.bank.question("paging") is None
        now_s = 1.1
        assert other.bank.question("paging") is not None
    finally:
        elsewhere.close()


def test_an_active_version_that_no_longer_fits_does_not_stop_the_server(
    versions: BankVersions, make_service: Callable[..., Service], store: Store
) -> None:
    save(versions, BANK.replace("Schedulers", "KV Cache Management"))
    versions.activate(1)
    assert versions.grading_data.problem is None
    bank = versions.grading_data.below[0]
    role = bank.roles[0].model_copy(update={"topics": ("Schedulers",)})
    upgraded = make_service(bank.model_copy(update={"roles": (role,), "questions": ()}))
    after = BankVersions(store.database, upgraded.grading_data, check_answers)
    after.grading_data.warm()
    assert after.grading_data.bank.question("paging") is None
    assert "version 1" in (after.grading_data.problem or "")
    with pytest.raises(InvalidInputError, match="version 1"):
        after.activate(1)
    after.activate(None)
    assert after.grading_data.problem is None


def test_old_attempts_keep_their_bank_version_and_question(
    versions: BankVersions, service: Service
) -> None:
    service.grade_with(versions.grading_data)
    attempt = service.submit(make_submission())
    before = attempt.report.bank_version
    save(versions, BANK.replace("id: paging", "id: kv-cache"))
    versions.activate(1)
    assert service.question("kv-cache").prompt == "How do you page a cache?"
    kept = service.export_one(attempt.id).attempts[0]
    assert kept.question.prompt == "How do you size a KV cache?"
    assert kept.reports[-1].report.bank_version == before
    result = service.regrade()
    assert result.graded == 1
    regraded = service.export_one(attempt.id).attempts[0]
    assert [each.report.bank_version for each in regraded.reports] == [
        before,
        service.bank().version,
    ]


def test_two_versions_are_compared_by_entry_and_by_line(versions: BankVersions) -> None:
    save(versions)
    save(
        versions,
        BANK.replace("How do you page", "Why do you page").replace("id: queues", "id: lines"),
        "",
    )
    changes = versions.changes(2, since=1)
    assert changes.added == ("lines",)
    assert changes.changed == ("paging",)
    assert changes.removed == ("queues", "term vLLM")
    assert changes.lines is not None
    assert "-  prompt: How do you page a cache?" in changes.lines
    assert "+  prompt: Why do you page a cache?" in changes.lines
    assert versions.changes(1, since=1).is_empty
    assert versions.changes(1, since=None).added == ("paging", "queues", "term vLLM")


def test_a_built_in_question_that_a_version_replaces_is_changed_not_added(
    versions: BankVersions,
) -> None:
    below = versions.grading_data.below[0].questions[0].id
    save(versions, BANK.replace("id: queues", f"id: {below}"))
    changes = versions.changes(1, since=None)
    assert below in changes.changed and below not in changes.added
    save(versions, BANK)
    back = versions.changes(2, since=1)
    assert below in back.changed and below not in back.removed


def test_a_model_answer_that_fails_its_own_check_is_a_fault(versions: BankVersions) -> None:
    versions.check(versions.read(BANK, LEXICON))
    with pytest.raises(DraftError, match="does not cover"):
        versions.check(versions.read(BANK.replace("I use paged attention.", "No."), ""))
