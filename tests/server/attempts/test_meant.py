"""“Did you mean …?”: the candidate's answer, wherever it is read, moved or overruled."""

from collections.abc import Callable
from types import SimpleNamespace
from uuid import uuid4

import pytest

from question_bank.models import Question
from server.attempts.service import Grader, Service
from server.contract import (
    HistoryQuery,
    MeantAnswer,
    NewCorrection,
    PhraseCoverage,
    Report,
    ReviewDocument,
)
from server.core.errors import InvalidInputError, NotFoundError
from server.review.merging import ReviewMerger
from server.review.models import Author
from server.review.overview import collect
from server.review.service import ReviewService
from tests.worlds.new_databases import on_sqlite as on_sqlite
from tests.worlds.people import People, people
from tests.worlds.planted_report import PHRASES, QUESTION, planted_attempt, planted_report

ASKED = "continuous batching"
YES = MeantAnswer(phrase=ASKED, meant=True)
NO = MeantAnswer(phrase=ASKED, meant=False)
BACK = MeantAnswer(phrase=ASKED, meant=None)


def stored(service: Service) -> int:
    service.import_attempts([planted_attempt(QUESTION, uuid4().hex, PHRASES)])
    return service.history(HistoryQuery(limit=1)).attempts[0].id


def phrase_of(service: Service, number: int) -> PhraseCoverage:
    return service.attempt(number).report.coverage.phrases[4]


def test_an_answer_counts_at_once_and_can_be_changed_or_taken_back(service: Service) -> None:
    number = stored(service)
    graded = service.attempt(number).report
    yes = service.confirm(number, YES).report
    assert phrase_of(service, number).status == "covered"
    assert yes.score is not None and graded.score is not None
    assert yes.score > graded.score == yes.graded_score
    no = service.confirm(number, NO).report
    assert (phrase_of(service, number).status, phrase_of(service, number).evidence) == (
        "missing",
        None,
    )
    assert no.score is not None and no.score < graded.score
    assert service.confirm(number, BACK).report == graded


def test_the_list_shows_the_score_that_the_report_shows(service: Service) -> None:
    number = stored(service)
    report = service.confirm(number, YES).report
    (line,) = service.history().attempts
    assert (line.score, line.graded_score) == (report.score, report.graded_score)
    assert line.grader_version == "2.0.0"


def test_only_what_the_grader_asks_can_be_answered(service: Service) -> None:
    number = stored(service)
    for name in ("lossless", "RoCE", "no such phrase"):
        with pytest.raises(InvalidInputError, match="does not ask about"):
            service.confirm(number, MeantAnswer(phrase=name, meant=True))
    with pytest.raises(NotFoundError):
        service.confirm(number + 1, YES)


def test_i_did_say_it_counts_with_words_of_the_answer(service: Service) -> None:
    number = stored(service)
    graded = service.attempt(number).report
    claim = MeantAnswer(phrase="lossless", meant=True, words="the accelerators NEVER idle")
    report = service.confirm(number, claim).report
    phrase = report.coverage.phrases[5]
    assert (phrase.status, phrase.how) == ("covered", None)
    assert phrase.evidence is not None and phrase.evidence.text == "the accelerators never idle"
    assert phrase.evidence.start_s is not None
    assert phrase.corrected is not None and phrase.corrected.by_owner
    assert (phrase.corrected.was, phrase.corrected.note) == ("missing", claim.words)
    assert report.overall > graded.overall == report.overall_graded
    assert service.history().attempts[0].score == report.overall
    back = MeantAnswer(phrase="lossless", meant=None)
    assert service.confirm(number, back).report == graded


def test_words_that_were_not_said_or_count_already_are_refused(service: Service) -> None:
    number = stored(service)
    with pytest.raises(InvalidInputError, match="not in the transcript"):
        service.confirm(number, MeantAnswer(phrase="lossless", meant=True, words="no loss"))
    with pytest.raises(InvalidInputError, match="counts as said already"):
        service.confirm(number, MeantAnswer(phrase="RoCE", meant=True, words="never idle"))
    with pytest.raises(InvalidInputError, match="does not ask about"):
        service.confirm(number, MeantAnswer(phrase="none", meant=True, words="never idle"))


def test_an_export_takes_the_answer_to_another_owner(service: Service) -> None:
    number = stored(service)
    service.confirm(number, YES)
    archive = service.export_one(number)
    assert [each.by_owner for each in archive.attempts[0].corrections] == [True]
    service.delete(number)
    service.import_attempts(archive.attempts)
    again = service.history().attempts[0].id
    corrected = phrase_of(service, again).corrected
    assert corrected is not None and corrected.by_owner
    assert service.confirm(again, BACK).report.coverage.phrases[4].status == "possible"


def test_a_file_that_comes_back_brings_no_answer_of_the_candidate(service: Service) -> None:
    number = stored(service)
    service.confirm(number, YES)
    document = ReviewMerger(service.database, None).document(number)
    service.confirm(number, BACK)
    merged = ReviewMerger(service.database, None).merge(
        ReviewDocument.model_validate(document.model_dump())
    )
    assert (merged.corrections, merged.known) == (0, 1)
    assert phrase_of(service, number).status == "possible"


def grade_planted(question: Question, *rest: object) -> Report:
    return planted_report(question, PHRASES)


@pytest.fixture
def world(make_service: Callable[..., Service], make: SimpleNamespace) -> People:
    return people(
        make_service(grader=Grader(grade_planted, "2.0.0")),  # type: ignore[arg-type]
        make.submission(),
    )


def test_a_coach_sees_the_answer_and_overrules_it(world: People) -> None:
    service, number = world.of("ana"), world.attempt.id
    service.confirm(number, YES)
    page = world.client("cleo", accept="text/html").get(f"/coach/attempts/{number}").text
    assert "answered by the candidate, graded “perhaps said”" in page
    assert "corrected by Ana" not in page
    assert collect(service.database, frozenset({world.spring.id})) == []
    wanted = NewCorrection(external_id=uuid4().hex, target="phrase", name=ASKED, verdict="partial")
    cleo = Author(world.by_name["cleo"].id)
    report = service.attempt(number).report
    ReviewService(service.database).correct(number, cleo, wanted, report)
    service.confirm(number, NO)  # later, and yet
    phrase = phrase_of(service, number)
    assert phrase.status == "partial"
    assert phrase.corrected is not None
    assert (phrase.corrected.by, phrase.corrected.was) == ("Cleo", "possible")
    assert len(collect(service.database, frozenset({world.spring.id}))) == 1


def test_a_coach_can_correct_a_phrase_perhaps_said(world: People) -> None:
    client = world.client("cleo", accept="text/html")
    page = client.get(f"/coach/attempts/{world.attempt.id}").text
    assert f"Did you mean “{ASKED}”?" in page
    for words in ("It was said", "It was partly said", "It was not said"):
        assert f'{words}<span class="visually-hidden">: {ASKED}</span>' in page


def test_a_regrade_reports_the_parts_that_changed(service: Service) -> None:
    stored(service)
    (change,) = service.regrade(dry_run=True).changes
    parts = [(each.name, each.before, each.after) for each in change.parts]
    assert parts == [("reason", "said", None), ("example", "missing", None)]
    assert ("continuous batching", "possible", "missing") in [
        (each.phrase, each.before, each.after) for each in change.phrases
    ]
