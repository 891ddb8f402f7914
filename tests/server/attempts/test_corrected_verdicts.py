"""A verdict that a coach corrects, wherever the report or its score is read, and taken back."""

import csv
import io
from collections.abc import Callable
from types import SimpleNamespace
from uuid import uuid4

import pyarrow.parquet
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from pronunciation.terms import Lexicon
from question_bank.models import Question
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.contract import (
    Archive,
    Attempt,
    Coverage,
    CoverageEvidence,
    HistoryQuery,
    NewCorrection,
    PhraseCoverage,
    Pronunciation,
    Report,
    ReviewDocument,
    Structure,
    Submission,
    TermVerdict,
    content_score,
)
from server.db.tables import CorrectionRow, ReportRow
from server.exports.attempt import export_attempt
from server.exports.cohort import CohortOrder, cohort_exporting
from server.jobs.job import Work
from server.review.models import Author
from server.review.overview import collect, overview_of
from server.review.review_queue import QueueFilter, ReviewQueue
from server.review.service import ReviewService
from server.ui.exports.csv_table import to_csv
from server.ui.exports.html import bundle_page
from server.ui.verdict_words import correction_text
from tests.server.conftest import grade, service_over, typed
from tests.server.exports.test_attempt import pdf_text
from tests.worlds.people import People, people

TOLD = "corrected by the coach, Cleo; graded “not said”: In the first line"


def grade_with_a_term(
    question: Question, submission: Submission, lexicon: Lexicon, version: str
) -> Report:
    term = TermVerdict(
        term="vLLM", verdict="mispronounced", heard="VLUM", source="acoustic", word_indices=(1,)
    )
    return grade(question, submission, lexicon, version).model_copy(
        update={"pronunciation": Pronunciation(terms=(term,))}
    )


GRADER = Grader(grade_with_a_term, "stub-1")


@pytest.fixture
def world(make_service: Callable[..., Service], make: SimpleNamespace) -> People:
    text = "I vLLM paged attention"
    return people(make_service(grader=GRADER), make.submission(text, transcript=typed(text)))


@pytest.fixture
def reviews(world: People) -> ReviewService:
    return ReviewService(world.service.database)


def correct(world: People, **changes: object) -> str:
    """Cleo corrects a verdict of Ana's; returns the correction's id."""
    values: dict[str, object] = {
        "external_id": uuid4().hex,
        "target": "phrase",
        "name": "continuous batching",
        "verdict": "covered",
        "note": "In the first line",
    }
    wanted = NewCorrection.model_validate(values | changes)
    author = Author(world.by_name["cleo"].id)
    report = world.of("ana").attempt(world.attempt.id).report
    ReviewService(world.service.database).correct(world.attempt.id, author, wanted, report)
    return wanted.external_id


def take_back(world: People, external_id: str) -> None:
    author = Author(world.by_name["cleo"].id)
    reviews = ReviewService(world.service.database)
    reviews.take_back_correction(world.attempt.id, author, external_id)


def page(world: People, who: str | None, path: str) -> str:
    client: TestClient = world.client(who, accept="text/html")
    reply = client.get(path)
    assert reply.status_code == 200, reply.text
    return reply.text


def test_words_that_deny_a_phrase_are_no_evidence_that_it_was_said(
    make_service: Callable[..., Service], make: SimpleNamespace
) -> None:
    def denying(
        question: Question, submission: Submission, lexicon: Lexicon, version: str
    ) -> Report:
        report = grade(question, submission, lexicon, version)
        quote = CoverageEvidence(text="never use paged attention", word_indices=(1, 2, 3, 4))
        phrases = tuple(
            each.model_copy(update={"negated": True, "how": "exact", "evidence": quote})
            if each.phrase == "paged attention"
            else each
            for each in report.coverage.phrases
        )
        coverage = report.coverage.model_copy(update={"phrases": phrases})
        return report.model_copy(update={"coverage": coverage})

    text = "I never use paged attention"
    submission = make.submission(text, transcript=typed(text))
    world = people(make_service(grader=Grader(denying, "stub-1")), submission)

    def phrase() -> PhraseCoverage:
        found = world.of("ana").attempt(world.attempt.id).report.coverage.phrases
        return next(each for each in found if each.phrase == "paged attention")

    denied = phrase()
    assert denied.negated and denied.evidence is not None
    number = correct(world, name="paged attention", note="")
    said = phrase()
    assert (said.status, said.negated, said.how, said.evidence) == ("covered", False, None, None)
    assert correction_text(said.corrected) == (
        "corrected by the coach, Cleo; graded “said, but denied”"
    )
    shown = page(world, "cleo", f"/coach/attempts/{world.attempt.id}")
    assert "mark-covered" not in shown and "mark-denied" not in shown
    take_back(world, number)
    assert phrase() == denied


def archive_of(world: People) -> Archive:
    return world.of("ana").export_one(world.attempt.id)


def cohort_table(world: People, format: str) -> dict[str, object]:
    order = CohortOrder.model_validate({"cohort_id": world.spring.id, "format": format})
    work = Work(
        order.model_dump(mode="json"),
        None,
        write=lambda done, total: True,
        store=lambda state: True,
    )
    outcome = cohort_exporting(world.service.database)(work)
    assert outcome.file is not None
    content = outcome.file.content
    if format == "parquet":
        (row,) = pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist()
    else:
        (row,) = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    return dict(row)


def _empty_review(world: People) -> ReviewDocument:
    return ReviewDocument(submission_id=world.attempt.submission.submission_id)


API = "/api/v1"
READERS: dict[str, Callable[[People], str]] = {
    "the attempt": lambda w: w.of("ana").attempt(w.attempt.id).model_dump_json(),
    "the attempt sent again": lambda w: w.of("ana").submit(w.attempt.submission).model_dump_json(),
    "the API": lambda w: w.client("ana").get(f"{API}/attempts/{w.attempt.id}").text,
    "Markdown": lambda w: export_attempt(archive_of(w), "markdown").content.decode(),
    "HTML": lambda w: export_attempt(archive_of(w), "html").content.decode(),
    "PDF": lambda w: pdf_text(export_attempt(archive_of(w), "pdf").content),
    "JSON": lambda w: export_attempt(archive_of(w), "json").content.decode(),
    "a page of the archive": lambda w: w.client("ana").get(f"{API}/archive").text,
    "CSV": lambda w: to_csv(archive_of(w).attempts),
    "the cohort as CSV": lambda w: str(cohort_table(w, "csv")),
    "the cohort as Parquet": lambda w: str(cohort_table(w, "parquet")),
    "the review page": lambda w: page(w, "cleo", f"/coach/attempts/{w.attempt.id}"),
    "the share link": lambda w: page(w, None, f"/s/{w.link}/attempts/{w.attempt.id}"),
    "the bundle": lambda w: bundle_page(archive_of(w).attempts[0], _empty_review(w), None),
}


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_shows_the_correction_until_it_is_taken_back(
    world: People, reader: str
) -> None:
    def shown() -> str:
        text = READERS[reader](world)
        # a file's own words are not the wording of the pages
        return "".join(text.split()).replace("\xa0", "")

    def says_so(text: str) -> bool:
        if '"by":"Cleo"' in text:
            return '"was":"missing"' in text and '"note":"Inthefirstline"' in text
        return "".join(TOLD.split()) in text

    assert not says_so(shown())
    external_id = correct(world)
    assert says_so(shown())
    take_back(world, external_id)
    assert not says_so(shown())


@pytest.mark.every_database
def test_every_list_of_scores_follows_a_correction_until_it_is_taken_back(world: People) -> None:
    cleo = world.by_name["cleo"].id

    def scores() -> dict[str, tuple[float | None, float | None]]:
        (listed,) = world.of("ana").history().attempts
        queue = ReviewQueue(world.service.database, {world.spring.id}, cleo)
        (entry,) = queue.page(QueueFilter()).entries
        overview = overview_of(world.service.database, world.spring.id)
        line = next(each for each in overview.candidates if each.name == "Ana")
        table = cohort_table(world, "parquet")
        read = world.of("ana").attempt(world.attempt.id).report.coverage
        return {
            "history": (listed.score, listed.graded_score),
            "queue": (entry.score, entry.graded_score),
            "overview": (line.score, None),
            "cohort": (table["score"], table["graded_score"]),  # type: ignore[dict-item]
            "report": (read.score, read.graded_score),
        }

    graded = dict.fromkeys(scores(), (0.5, None))
    assert scores() == graded
    external_id = correct(world)
    assert scores() == dict.fromkeys(graded, (1.0, 0.5)) | {"overview": (1.0, None)}
    take_back(world, external_id)
    assert scores() == graded


def test_lists_say_what_the_grader_gave(world: People) -> None:
    correct(world)
    assert "corrected, graded 50%" in page(world, "cleo", "/coach/queue")
    (row,) = world.client("ana").get(f"{API}/attempts").json()["attempts"]
    assert (row["score"], row["graded_score"]) == (1.0, 0.5)


@pytest.mark.every_database
def test_grading_anew_keeps_the_correction_and_the_graders_report(
    world: People, store: Store
) -> None:
    correct(world)
    renamed = Grader(
        lambda *args: grade_with_a_term(*args).model_copy(update={"grader_version": "stub-2"}),
        "stub-2",
    )
    after = service_over(store, grader=renamed).of(world.by_name["ana"].id)
    assert after.regrade().changes == ()
    read = after.attempt(world.attempt.id).report
    assert (read.grader_version, read.coverage.score) == ("stub-2", 1.0)
    (archived,) = after.export_all().attempts
    assert [each.report.coverage.score for each in archived.reports] == [0.5, 0.5]
    assert not any(each.report.coverage.graded_score for each in archived.reports)


def test_a_grader_that_comes_to_agree_leaves_nothing_to_correct(
    world: People, store: Store
) -> None:
    correct(world)

    def generous(
        question: Question, submission: Submission, lexicon: Lexicon, version: str
    ) -> Report:
        report = grade(question, submission, lexicon, version)
        phrases = tuple(
            each.model_copy(update={"status": "covered"}) for each in report.coverage.phrases
        )
        coverage = report.coverage.model_copy(update={"score": 1.0, "phrases": phrases})
        return report.model_copy(update={"coverage": coverage})

    service = service_over(store, grader=Grader(generous, "stub-2")).of(world.by_name["ana"].id)
    (change,) = service.regrade().changes
    assert (change.score_before, change.score_after) == (0.5, 1.0)
    read = service.attempt(world.attempt.id).report.coverage
    assert (read.score, read.graded_score) == (1.0, None)
    assert all(each.corrected is None for each in read.phrases)


def same_but_ids(attempt: Attempt) -> dict[str, object]:
    return attempt.model_dump(exclude={"id"})


def test_an_archive_takes_the_correction_along(
    world: People, new_service: Callable[[], Service]
) -> None:
    correct(world)
    mine = world.of("ana").attempt(world.attempt.id)
    whole = Archive.model_validate_json(world.of("ana").export_all().model_dump_json())
    elsewhere = new_service()
    assert elsewhere.import_attempts(whole.attempts).imported == 1
    (listed,) = elsewhere.history().attempts
    assert (listed.score, listed.graded_score) == (1.0, 0.5)
    assert same_but_ids(elsewhere.attempt(listed.id)) == same_but_ids(mine)
    assert elsewhere.export_all().attempts == whole.attempts
    # again changes nothing
    assert elsewhere.import_attempts(whole.attempts).skipped == 1
    assert len(elsewhere.export_all().attempts[0].corrections) == 1


def test_an_archive_comes_into_another_account_of_the_same_server_with_its_correction(
    world: People,
) -> None:
    correct(world)
    world.of("ben").import_attempts(world.of("ana").export_all().attempts)
    (listed,) = world.of("ben").history().attempts
    assert (listed.score, listed.graded_score) == (1.0, 0.5)
    (given,) = world.of("ben").export_all().attempts[0].corrections
    assert (given.author, given.note) == ("Cleo", "In the first line")
    listed_for_editors = collect(world.service.database, {world.spring.id})
    assert [each.has_account for each in listed_for_editors] == [True, False]
    assert page(world, "cleo", "/coach/corrections").count("no account") == 1


def test_an_archive_cannot_bring_a_corrected_report_that_does_not_follow(
    world: People, new_service: Callable[[], Service]
) -> None:
    (archived,) = archive_of(world).attempts
    better = archived.report.coverage.model_copy(update={"score": 1.0})
    forged = archived.model_copy(
        update={"corrected": archived.report.model_copy(update={"coverage": better})}
    )
    service = new_service()
    service.import_attempts([forged])
    (listed,) = service.history().attempts
    assert listed.score == 0.5
    assert service.attempt(listed.id).report.coverage.score == 0.5


def test_a_correction_goes_with_the_account_of_who_made_it(world: People) -> None:
    correct(world)
    world.accounts.delete(world.by_name["cleo"].id)
    (listed,) = world.of("ana").history().attempts
    assert (listed.score, listed.graded_score) == (0.5, None)
    assert world.of("ana").attempt(world.attempt.id) == world.attempt


def test_a_correction_has_its_authors_name_of_today(world: People) -> None:
    correct(world)
    tag = world.of("ana").history().attempts[0].report_tag
    world.accounts.change(world.by_name["cleo"].id, role="coach", display_name="Cleo Martin")
    phrase = world.of("ana").attempt(world.attempt.id).report.coverage.phrases[1]
    assert phrase.corrected is not None
    assert phrase.corrected.by == "Cleo Martin"
    assert world.of("ana").history().attempts[0].report_tag != tag


@pytest.mark.parametrize("damage", [{"coverage": {"score": "?"}}, {"coverage": None}, {}])
def test_a_damaged_report_does_not_keep_the_others_from_being_listed(
    world: People, make: SimpleNamespace, damage: object
) -> None:
    correct(world)
    world.of("ana").submit(make.submission("paged attention"))
    with world.service.database.write() as session:
        session.execute(
            update(ReportRow).where(ReportRow.attempt_id == world.attempt.id).values(report=damage)
        )
    listed = world.of("ana").history(HistoryQuery()).attempts
    assert [each.score for each in listed] == [0.5, 0.5]


def test_a_damaged_correction_is_told_in_one_line(world: People) -> None:
    correct(world)
    with world.service.database.write() as session:
        session.execute(update(CorrectionRow).values(verdict="nonsense"))
    reply = world.client("ana").get(f"{API}/attempts")
    assert (reply.status_code, reply.json()["code"]) == (500, "attempt-damaged")


def test_lists_exports_and_overviews_show_the_content_score(
    make_service: Callable[..., Service], make: SimpleNamespace
) -> None:
    structure = Structure(kind="explain", parts=(), score=0.625, believed=0.5)

    def with_structure(*args: object) -> Report:
        report = grade_with_a_term(*args)  # type: ignore[arg-type]
        content = content_score(report.coverage, structure)
        changes = {"structure": structure, "score": content.score, "score_parts": content.parts}
        return report.model_copy(update=changes)

    text = "I vLLM paged attention"
    submission = make.submission(text, transcript=typed(text))
    world = people(make_service(grader=Grader(with_structure, "stub-1")), submission)
    graded = world.of("ana").history().attempts[0].score
    whole = content_score(Coverage(score=1.0, phrases=()), structure).score
    assert graded is not None and 0 < graded < whole
    assert graded != world.of("ana").attempt(world.attempt.id).report.coverage.score
    correct(world)
    listed = world.of("ana").history().attempts[0]
    read = world.of("ana").attempt(world.attempt.id).report
    assert (listed.score, listed.graded_score) == (read.score, graded)
    assert read.score == pytest.approx(whole)
    row = cohort_table(world, "csv")
    assert (row["score"], row["graded_score"]) == (f"{round(whole, 4)}", f"{round(graded, 4)}")
