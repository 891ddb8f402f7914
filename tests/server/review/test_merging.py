"""Files with comments are merged without loss, on every database and over HTTP."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import func, select

from server.attempts.service import Service
from server.contract import Attempt, Comment, Correction, ReviewDocument, RubricScore
from server.core.errors import ConflictError, InvalidInputError
from server.db.tables import AuditRow
from server.review.merging import ReviewMerger
from server.review.models import Criterion, Rubric
from server.review.service import ReviewService
from tests.server.conftest import START, Clock
from tests.worlds.people import People, people

KINDS = ("comments", "scores", "corrections")


@pytest.fixture
def attempt(service: Service, make: SimpleNamespace) -> Attempt:
    return service.submit(make.submission("I use paged attention"))


@pytest.fixture
def merger(service: Service) -> ReviewMerger:
    return ReviewMerger(service.database, None, Clock())


def values(number: int, author: str = "Dr. Who", **more: Any) -> dict[str, Any]:
    return {
        "external_id": f"{number:032x}",
        "author": author,
        "created_at": START + timedelta(seconds=number % 1000),
    } | more


def remark(number: int, text: str = "Slower", **more: Any) -> Comment:
    return Comment.model_validate(values(number, text=text, no_account=True, **more))


def score(number: int, criterion: str = "Structure", **more: Any) -> RubricScore:
    return RubricScore.model_validate(values(number, criterion=criterion, score=3, **more))


def wrong(number: int, name: str = "paged attention", **more: Any) -> Correction:
    given = {"target": "phrase", "name": name, "verdict": "missing"}
    return Correction.model_validate(values(number, **given, **more))


def document(attempt: Attempt, **parts: Sequence[Any]) -> ReviewDocument:
    return ReviewDocument.model_validate(
        {"submission_id": attempt.submission.submission_id}
        | {name: tuple(each) for name, each in parts.items()}
    )


def one_of(kind: str, number: int) -> Any:
    return {"comments": remark, "scores": score, "corrections": wrong}[kind](number)


@pytest.mark.every_database
def test_everything_in_a_file_is_kept_as_it_came_and_only_once(
    merger: ReviewMerger, attempt: Attempt
) -> None:
    given = document(
        attempt,
        comments=[
            remark(1, kind="span", word_from=1, word_to=3),
            remark(2, kind="moment", at_s=1.5),
            remark(3, "Yes", parent=f"{1:032x}", author="Ana"),
            remark(4, "Twice", edited_at=START + timedelta(days=1)),
        ],
        scores=[score(5, note="Better"), score(6, "Pace")],
        corrections=[wrong(7, note="It was not"), wrong(8, word_index=2)],
    )
    merged = merger.merge(given)
    assert (len(merged.added), merged.scores, merged.corrections, merged.known) == (4, 2, 2, 0)
    assert merger.document(attempt.id) == given
    again = merger.merge(given)
    assert (len(again.added), again.scores, again.corrections, again.known) == (0, 0, 0, 8)
    assert merger.document(attempt.id) == given


def test_an_answer_is_kept_with_what_it_answers_whichever_comes_first(
    merger: ReviewMerger, attempt: Attempt
) -> None:
    reply = remark(1, "Yes", parent=f"{9:032x}")
    deeper = remark(2, "And", parent=f"{1:032x}")
    root = remark(9, "Slower")  # written later, by its clock
    merger.merge(document(attempt, comments=[deeper, reply, root]))
    kept = {each.text: each.parent for each in merger.document(attempt.id).comments}
    # an answer to an answer stands where that one does: pages show comments with their answers
    assert kept == {"Slower": None, "Yes": f"{9:032x}", "And": f"{9:032x}"}
    late = remark(3, "Later", parent=f"{2:032x}")
    merger.merge(document(attempt, comments=[late]))
    kept = {each.text: each.parent for each in merger.document(attempt.id).comments}
    assert kept["Later"] == f"{9:032x}"


@pytest.mark.every_database
def test_two_coaches_at_once_lose_nothing(merger: ReviewMerger, attempt: Attempt) -> None:
    def file_of(coach: int) -> ReviewDocument:
        own = range(coach * 100, coach * 100 + 10)
        return document(
            attempt,
            comments=[
                remark(1),
                *(remark(each, f"{each}", author=f"Coach {coach}") for each in own),
                *(remark(each + 20, "Yes", parent=f"{1:032x}") for each in own),
            ],
            scores=[score(coach * 100 + 50), score(2)],
            corrections=[wrong(coach * 100 + 60), wrong(3)],
        )

    files = [file_of(each) for each in (1, 2, 3)] * 2
    with ThreadPoolExecutor(len(files)) as threads:
        merged = list(threads.map(merger.merge, files))
    found = merger.document(attempt.id)
    assert (len(found.comments), len(found.scores), len(found.corrections)) == (61, 4, 4)
    assert sum(len(each.added) for each in merged) == 61
    assert sum(each.parent is not None for each in found.comments) == 30


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_that_belongs_to_another_answer_is_refused_whole(
    merger: ReviewMerger, service: Service, make: SimpleNamespace, attempt: Attempt, kind: str
) -> None:
    other = service.submit(make.submission("another answer"))
    merger.merge(document(other, **{kind: [one_of(kind, 1)]}))
    mixed = {each: [one_of(each, number)] for number, each in enumerate(KINDS, start=10)}
    mixed[kind] = [one_of(kind, 1)]
    with pytest.raises(ConflictError, match="belongs to another answer"):
        merger.merge(document(attempt, **mixed))
    assert merger.document(attempt.id) == document(attempt)


def test_a_comment_beyond_the_last_word_leaves_nothing_behind(
    merger: ReviewMerger, attempt: Attempt
) -> None:
    beyond = remark(2, kind="span", word_from=2, word_to=4)
    with pytest.raises(InvalidInputError, match="no such word"):
        merger.merge(document(attempt, comments=[remark(1), beyond], scores=[score(3)]))
    assert merger.document(attempt.id) == document(attempt)


# ------------------------------------------------------------------------------- over HTTP


@pytest.fixture
def world(service: Service, make: SimpleNamespace) -> People:
    return people(service, make.submission("I use paged attention"))


def sent(world: People, who: str, given: ReviewDocument) -> Any:
    return world.client(who).post("/api/v1/reviews", json=given.model_dump(mode="json"))


def test_an_owner_merges_and_those_it_is_shown_to_read_it(world: People) -> None:
    given = document(world.attempt, comments=[remark(1, author="Cleo")], scores=[score(2)])
    first, again = (sent(world, "ana", given) for _ in range(2))
    assert first.json() == {
        "attempt_id": world.attempt.id,
        "added": [given.comments[0].model_dump(mode="json")],
        "scores": 1,
        "corrections": 0,
        "known": 0,
    }
    assert (again.json()["added"], again.json()["known"]) == ([], 2)
    seen = world.client("cleo").get(f"/api/v1/attempts/{world.attempt.id}/review").json()
    assert [(each["author"], each["text"]) for each in seen["comments"]] == [("Cleo", "Slower")]
    with world.service.database.read() as session:
        merges = select(func.count()).where(AuditRow.action == "review.merge")
        assert session.scalar(merges) == 1


def test_a_name_in_a_file_is_no_account(world: People) -> None:
    sent(world, "ana", document(world.attempt, comments=[remark(1, author="cleo")]))
    review = ReviewService(world.service.database).review(world.attempt.id)
    assert set(review.accounts.values()) == {None}
    assert [each.by_owner for each in review.comments] == [False]


@pytest.mark.parametrize("who", ["ben", "cleo", "dora", "ed"])
def test_nobody_merges_into_somebody_elses_answer(world: People, who: str) -> None:
    reply = sent(world, who, document(world.attempt, comments=[remark(1)]))
    assert reply.status_code == 404
    assert "not (or no longer) among yours" in reply.json()["detail"]
    assert ReviewService(world.service.database).document(world.attempt.id).comments == ()


def test_what_is_no_document_or_too_large_is_refused(world: People) -> None:
    given = document(world.attempt).model_dump(mode="json")
    client = world.client("ana")
    for bad in (given | {"schema_version": 2}, given | {"format": "x"}, given | {"more": 1}):
        assert client.post("/api/v1/reviews", json=bad).status_code == 422
    large = client.post("/api/v1/reviews", json={"comments": " " * (9 * 1024 * 1024)})
    assert large.status_code == 413


def test_the_owner_gets_the_criteria_of_their_cohorts_along(world: People) -> None:
    reviews = ReviewService(world.service.database)
    rubric = Rubric(criteria=(Criterion(name="Structure", description="Has an end", scale=4),))
    reviews.set_rubric(world.spring.id, rubric, None)
    other = Rubric(criteria=(Criterion(name="Not hers"),))
    reviews.set_rubric(world.autumn.id, other, None)
    path = f"/api/v1/attempts/{world.attempt.id}/review"
    assert ReviewDocument.model_validate(world.client("ana").get(path).json()).criteria == (
        rubric.criteria
    )
    assert world.client("cleo").get(path).json()["criteria"] == []
