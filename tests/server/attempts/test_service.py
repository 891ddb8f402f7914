from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace

import pytest

from question_bank.models import Bank, KeyPhrase, Question
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.contract import Archive, HistoryQuery, PurgeRequest, Report, Submission
from server.core.errors import GraderFailedError, InvalidInputError, NotFoundError, ServerError
from server.core.settings import sqlite_url

MakeService = Callable[..., Service]


def test_questions_by_role_round_and_topic(
    make_service: MakeService, make: SimpleNamespace
) -> None:
    service = make_service(
        make.bank(
            make.question("one"),
            make.question("two", round="coding", topic="Schedulers"),
            make.question("loose", role=None),
        )
    )

    def found(**filters: str) -> list[str]:
        return [each.id for each in service.questions(**filters)]  # type: ignore[arg-type]

    assert found() == ["one", "two", "loose"]
    assert found(role="ml-engineer") == ["one", "two"]
    assert found(round="coding") == ["two"]
    assert found(topic="kv cache management") == ["one", "loose"]
    assert found(role="ml-engineer", topic="Schedulers", round="domain-deep-dive") == []
    with pytest.raises(NotFoundError, match="no role 'chef'; it has ml-engineer"):
        service.questions(role="chef")


@pytest.mark.every_database
def test_submitting_twice_stores_once_and_grades_once(
    make_service: MakeService, make: SimpleNamespace, service: Service
) -> None:
    graded: list[str] = []

    def counting(question: Question, submission: Submission, *rest: object) -> Report:
        graded.append(submission.submission_id)
        return make_service().grade(submission)

    submission = make.submission()
    counted = make_service(grader=Grader(counting, "stub-1"))  # type: ignore[arg-type]
    first = counted.submit(submission)
    assert counted.submit(submission) == first == service.attempt(first.id)
    assert graded == [submission.submission_id]
    assert service.history().total == 1


@pytest.mark.parametrize("text", ["", "   \n", "\t"])
def test_no_speech_is_no_graded_answer(service: Service, make: SimpleNamespace, text: str) -> None:
    for use in (service.grade, service.submit):
        with pytest.raises(InvalidInputError, match="no speech"):
            use(make.submission(text))
    assert service.history().total == 0


def test_times_need_a_zone_and_a_range(service: Service, make: SimpleNamespace) -> None:
    with pytest.raises(InvalidInputError, match="time zone"):
        service.submit(make.submission(created_at=datetime(2026, 1, 1)))
    edge = datetime.fromisoformat("0001-01-01T00:00:00+09:00")
    with pytest.raises(InvalidInputError, match="out of range"):
        service.submit(make.submission(created_at=edge))


def test_a_grader_that_breaks_is_an_error_and_stores_nothing(
    service: Service, make: SimpleNamespace
) -> None:
    with pytest.raises(GraderFailedError, match="ZeroDivisionError") as caught:
        service.submit(make.submission("crash the grader"))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert service.history().total == 0


@pytest.mark.every_database
def test_delete_and_purge(service: Service, make: SimpleNamespace) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    ids = [
        service.submit(make.submission(created_at=start + timedelta(days=day))).id
        for day in range(5)
    ]
    service.delete(ids[4])
    with pytest.raises(NotFoundError):
        service.delete(ids[4])
    assert service.purge(PurgeRequest(attempt_ids=(ids[3], ids[4]))).deleted == 1
    assert service.purge(PurgeRequest(before=start + timedelta(days=1))).deleted == 1
    assert {each.id for each in service.history().attempts} == {ids[1], ids[2]}
    assert service.purge(PurgeRequest(everything=True)).deleted == 2
    assert service.history().total == 0


@pytest.mark.parametrize("fields", [{}, {"attempt_ids": [1], "everything": True}])
def test_a_purge_says_exactly_what(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="exactly one"):
        PurgeRequest.model_validate(fields)


# Regrading


def stricter(question: Question, submission: Submission, lexicon: object, version: str) -> Report:
    from server.contract import Coverage, Delivery, PhraseCoverage, Pronunciation

    if "crash" in submission.transcript.text:
        raise ServerError("planted refusal")
    phrases = tuple(
        PhraseCoverage(phrase=each.phrase, status="partial") for each in question.key_phrases
    )
    return Report(
        question_id=question.id,
        created_at=submission.created_at,
        grader_version="stub-2",
        bank_version=version,
        transcript=submission.transcript,
        coverage=Coverage(score=0.25, phrases=phrases),
        pronunciation=Pronunciation(),
        delivery=Delivery(words=1, target_s=120),
    )


def test_a_changed_question_shows_in_the_regrade(
    make_service: MakeService, service: Service, make: SimpleNamespace
) -> None:
    service.submit(make.submission("paged attention with prefix caching"))
    changed = make.question(
        key_phrases=(KeyPhrase(phrase="paged attention"), KeyPhrase(phrase="prefix caching"))
    )
    (change,) = make_service(make.bank(changed)).regrade().changes
    assert (change.score_before, change.score_after) == (0.5, 1.0)
    assert [(each.phrase, each.before, each.after) for each in change.phrases] == [
        ("continuous batching", "missing", None),
        ("prefix caching", None, "covered"),
    ]


def test_a_question_that_has_gone_is_graded_as_it_was(
    make_service: MakeService, service: Service, make: SimpleNamespace
) -> None:
    attempt = service.submit(make.submission("paged attention"))
    other: Bank = make.bank(make.question("another"))
    (change,) = make_service(other, Grader(stricter, "stub-2")).regrade().changes
    assert change.attempt_id == attempt.id
    assert [each.phrase for each in change.phrases] == ["paged attention", "continuous batching"]


def test_one_answer_that_cannot_be_graded_does_not_stop_the_rest(
    make_service: MakeService, service: Service, make: SimpleNamespace
) -> None:
    bad = service.submit(make.submission("crash"))
    good = service.submit(make.submission("paged attention"))
    result = make_service(grader=Grader(stricter, "stub-2")).regrade()
    assert [each.attempt_id for each in result.changes] == [good.id]
    assert [(each.attempt_id, each.reason) for each in result.failures] == [
        (bad.id, "planted refusal")
    ]
    assert service.attempt(bad.id) == bad


# Export and import


def test_an_export_imports_again(
    make_service: MakeService,
    service: Service,
    make: SimpleNamespace,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    attempts = [service.submit(make.submission(f"answer {n} paged attention")) for n in range(3)]
    make_service(grader=Grader(stricter, "stub-2")).regrade()
    exported = Archive.model_validate_json(service.export_all().model_dump_json())
    assert [each.submission for each in exported.attempts] == [a.submission for a in attempts]

    fail = partial(pytest.fail, "needs no lexicon and no grader")
    url = sqlite_url(tmp_path_factory.mktemp("other") / "aloud.db")
    with Store(url) as store:
        other = Service(store, make.bank, fail, grader=fail)
        result = other.import_attempts(exported.attempts)
        assert (result.imported, result.skipped, result.conflicts) == (3, 0, ())
        assert other.export_all().attempts == exported.attempts
        newest = other.history(HistoryQuery(limit=1)).attempts[0]
        assert other.attempt(newest.id).report.grader_version == "stub-2"
        again = other.import_attempts(exported.attempts)
        assert (again.imported, again.skipped) == (0, 3)

        changed = exported.attempts[0].submission.model_copy(update={"question_id": "kv-cache"})
        assert changed == exported.attempts[0].submission
        conflicting = exported.attempts[0].model_copy(
            update={
                "submission": make.submission(
                    "else", submission_id=exported.attempts[0].submission.submission_id
                )
            }
        )
        result = other.import_attempts([conflicting])
        assert result.conflicts == (conflicting.submission.submission_id,)
        assert other.history().total == 3


def test_an_archive_whose_question_is_another_one_is_refused(
    service: Service, make: SimpleNamespace
) -> None:
    service.submit(make.submission())
    document = service.export_all().model_dump(mode="json")
    document["attempts"][0]["question"]["id"] = "another"
    with pytest.raises(ValueError, match="'kv-cache', the question is 'another'"):
        Archive.model_validate(document)


@pytest.mark.every_database
def test_an_export_of_more_than_a_page_is_whole(service: Service, make: SimpleNamespace) -> None:
    for _ in range(45):
        service.submit(make.submission())
    archive = service.export_all()
    assert len({each.submission.submission_id for each in archive.attempts}) == 45
    assert archive.next_after_id is None
