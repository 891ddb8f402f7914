"""A verdict that a coach corrects, wherever the report or its score is read, and taken back."""

import csv
import io
from collections.abc import Callable
from types import SimpleNamespace
from uuid import uuid4

import pyarrow.parquet
import pytest
from fastapi.testclient import TestClient

from pronunciation.terms import Lexicon
from question_bank.models import Question
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.contract import (
    Archive,
    Attempt,
    Coverage,
    NewCorrection,
    Pronunciation,
    Report,
    ReviewDocument,
    Structure,
    Submission,
    TermVerdict,
    content_score,
)
from server.exports.attempt import export_attempt
from server.exports.cohort import CohortOrder, cohort_exporting
from server.jobs.job import Work
from server.review.models import Author
from server.review.overview import overview_of
from server.review.review_queue import QueueFilter, ReviewQueue
from server.review.service import ReviewService
from server.ui.exports.csv_table import to_csv
from server.ui.exports.html import bundle_page
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
