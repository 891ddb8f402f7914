"""Facts say what the reports say, whatever happens to these and their corrections."""

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest
from sqlalchemy import delete, select, true

from pronunciation.terms import Lexicon
from question_bank.models import Question
from server.attempts.service import Grader, Service
from server.contract import NewRubricScore, Pronunciation, Report, Submission, TermVerdict
from server.db.database import Database
from server.db.tables import AnswerFactsRow, CorrectionRow, PhraseFactsRow, TermFactsRow
from server.review.models import Author, Rubric
from server.review.overview import overview_of, refresh_facts
from server.review.service import ReviewService
from tests.server.conftest import START, grade, service_over
from tests.worlds.people import People, people

pytestmark = pytest.mark.every_database


def with_terms(
    question: Question, submission: Submission, lexicon: Lexicon, version: str
) -> Report:
    verdicts = (("RoCE", "mispronounced"), ("RoCE", "correct"), ("NCCL", "unclear"))
    terms = tuple(TermVerdict(term=term, verdict=verdict) for term, verdict in verdicts)  # type: ignore[arg-type]
    return grade(question, submission, lexicon, version).model_copy(
        update={"pronunciation": Pronunciation(terms=terms)}
    )


@pytest.fixture
def graded(make_service: Callable[..., Service]) -> Service:
    return make_service(grader=Grader(with_terms, "stub-1"))


def scores(database: Database) -> dict[int, float]:
    refresh_facts(database, true())
    with database.read() as session:
        rows = session.execute(select(AnswerFactsRow.attempt_id, AnswerFactsRow.score))
        return {row[0]: row[1] for row in rows}


def terms(database: Database) -> list[tuple[int, str, int, int]]:
    with database.read() as session:
        facts = TermFactsRow
        rows = select(facts.attempt_id, facts.term, facts.judged, facts.wrong)
        return [tuple(row) for row in session.execute(rows.order_by(facts.attempt_id))]


def phrases(database: Database) -> list[tuple[int, str, int]]:
    with database.read() as session:
        facts = PhraseFactsRow
        rows = select(facts.attempt_id, facts.phrase, facts.missed)
        ordered = rows.order_by(facts.attempt_id, facts.phrase)
        return [tuple(row) for row in session.execute(ordered)]


def add(database: Database, attempt_id: int, **values: object) -> None:
    given = {"target": "phrase", "name": "continuous batching", "verdict": "covered", "note": ""}
    row = CorrectionRow(attempt_id=attempt_id, created_at=START, external_id=uuid4().hex)
    for name, value in (given | values).items():
        setattr(row, name, value)
    with database.write() as session:
        session.add(row)


def test_a_stored_answer_has_its_facts(graded: Service, make: SimpleNamespace) -> None:
    attempt = graded.submit(make.submission("I use paged attention"))
    assert scores(graded.database) == {attempt.id: 0.5}
    assert terms(graded.database) == [(attempt.id, "RoCE", 2, 1)]
    assert phrases(graded.database) == [
        (attempt.id, "continuous batching", 1),
        (attempt.id, "paged attention", 0),
    ]
    graded.delete(attempt.id)
    assert scores(graded.database) == {}
    assert terms(graded.database) == []
    assert phrases(graded.database) == []


def test_facts_follow_corrections_that_come_go_and_change_places(
    graded: Service, make: SimpleNamespace
) -> None:
    database = graded.database
    one, two = (graded.submit(make.submission("I use paged attention")).id for _ in range(2))
    assert scores(database) == {one: 0.5, two: 0.5}
    add(database, one)
    assert scores(database) == {one: 1.0, two: 0.5}
    # another one in its place, even with its id, counts from then on
    with database.write() as session:
        (kept,) = session.scalars(select(CorrectionRow.id))
        session.execute(delete(CorrectionRow))
    add(database, one, id=kept, name="paged attention", verdict="missing",
        created_at=START + timedelta(seconds=1))  # fmt: skip
    assert scores(database) == {one: 0.0, two: 0.5}
    add(database, one, target="term", name="RoCE", verdict="correct")
    assert scores(database)[one] == 0.0
    assert terms(database) == [(one, "RoCE", 2, 0), (two, "RoCE", 2, 1)]
    with database.write() as session:
        session.execute(delete(CorrectionRow))
    assert scores(database) == {one: 0.5, two: 0.5}
    assert terms(database)[0] == (one, "RoCE", 2, 1)


@pytest.fixture
def world(new_service: Callable[[], Service], make: SimpleNamespace) -> People:
    service = new_service()
    return people(
        service_over(service._store, grader=Grader(with_terms, "stub-1")),
        make.submission("I use paged attention"),
    )


def test_the_overview_counts_every_answer_and_reads_no_report(
    world: People, make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ben = world.client("ben")
    for number in range(12):
        said = "I use paged attention" if number >= 7 else "nothing"
        made = world.of("ben").submit(
            make.submission(said, created_at=START - timedelta(days=90 - number))
        )
        share = {"attempt_id": made.id, "cohort_id": world.spring.id}
        assert ben.post("/api/v1/shares", json=share).status_code == 201
    monkeypatch.setattr(Report, "model_validate", None)
    found = overview_of(world.service.database, world.spring.id)
    line = next(each for each in found.candidates if each.name == "Ben")
    assert (found.answers, line.answers, line.score, line.change) == (13, 12, 0.5, 0.5)
    (term,) = found.terms
    assert (term.term, term.wrong, term.judged, term.people) == ("RoCE", 13, 26, 2)
    # all 13 miss the one, and Ben's first seven the other
    assert [(each.phrase, each.missed, each.asked, each.people) for each in found.phrases] == [
        ("continuous batching", 13, 13, 2),
        ("paged attention", 7, 13, 1),
    ]
    own = overview_of(world.service.database, world.spring.id, world.by_name["ana"].id)
    assert (own.answers, own.terms[0].judged, own.terms[0].people) == (1, 2, 1)
    assert [each.phrase for each in own.phrases] == ["continuous batching"]
    shown = world.client("cleo", accept="text/html").get("/coach").text
    assert "Missed key phrases" in shown and "among the newest" not in shown

    monkeypatch.setattr("server.review.overview.NEWEST", 6)  # none of Ben's first seven
    newest = overview_of(world.service.database, world.spring.id)
    assert (newest.answers, newest.newest) == (13, 6)
    assert [(each.phrase, each.missed, each.asked) for each in newest.phrases] == [
        ("continuous batching", 6, 6)
    ]
    shown = world.client("cleo", accept="text/html").get("/coach").text
    assert "among the newest 6" in shown


def test_the_overview_shows_the_scores_by_the_rubric(world: People) -> None:
    reviews = ReviewService(world.service.database)
    rubric = Rubric.model_validate({"criteria": [{"name": "Pace", "scale": 5}, {"name": "Depth"}]})
    reviews.set_rubric(world.spring.id, rubric, None)
    for who, score in (("cleo", 2), ("dora", 5)):
        wanted = NewRubricScore(external_id=uuid4().hex, criterion="Pace", score=score)
        author = Author(world.by_name[who].id)
        reviews.score(world.attempt.id, author, [wanted], rubric)
    (pace,) = overview_of(world.service.database, world.spring.id).criteria
    assert (pace.name, pace.mean, pace.scale, pace.answers) == ("Pace", 3.5, 5, 1)
    page = world.client("cleo", accept="text/html").get("/coach").text
    assert "3.5 of 5" in page
