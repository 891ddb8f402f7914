"""Comments, scores and corrections: kept once, by whom they are, until taken back."""

from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from server.attempts.service import Service
from server.contract import NewComment, NewRubricScore
from server.core.errors import ConflictError, InvalidInputError, NotAllowedError, NotFoundError
from server.db.tables import ShareRow
from server.review.models import Author, Rubric
from server.review.review_queue import QueueFilter, ReviewQueue
from server.review.service import ReviewService
from tests.server.conftest import typed
from tests.worlds.people import NOW, People, people

RUBRIC = Rubric.model_validate({"criteria": [{"name": "Clarity", "scale": 4}]})


@pytest.fixture
def world(service: Service, make: SimpleNamespace) -> People:
    text = "I use paged attention"
    return people(service, make.submission(text, transcript=typed(text)))


@pytest.fixture
def reviews(world: People) -> ReviewService:
    return ReviewService(world.service.database)


def author(world: People, name: str) -> Author:
    return Author(world.by_name[name].id)


def comment(**changes: Any) -> NewComment:
    return NewComment.model_validate({"external_id": uuid4().hex, "text": "Well said"} | changes)


def test_a_comment_is_kept_once_with_its_place_and_author(
    world: People, reviews: ReviewService
) -> None:
    wanted = comment(kind="span", word_from=1, word_to=3)
    for _ in range(2):
        reviews.comment(world.attempt.id, author(world, "cleo"), wanted)
    (found,) = reviews.document(world.attempt.id).comments
    assert (found.word_from, found.word_to, found.author) == (1, 3, "Cleo")
    assert not found.by_owner
    with pytest.raises(ConflictError):
        reviews.comment(world.attempt.id, author(world, "ana"), wanted)


def test_only_who_wrote_a_comment_changes_it_and_it_says_when(
    world: People, reviews: ReviewService
) -> None:
    wanted = comment(kind="word", word_from=1)
    reviews.comment(world.attempt.id, author(world, "cleo"), wanted)
    with pytest.raises(NotAllowedError):
        reviews.edit(world.attempt.id, author(world, "ana"), wanted.external_id, "Mine")
    with pytest.raises(NotFoundError):
        reviews.edit(world.attempt.id, author(world, "cleo"), uuid4().hex, "Mine")
    reviews.edit(world.attempt.id, author(world, "cleo"), wanted.external_id, wanted.text)
    assert reviews.document(world.attempt.id).comments[0].edited_at is None
    reviews.edit(world.attempt.id, author(world, "cleo"), wanted.external_id, "Better said")
    (found,) = reviews.document(world.attempt.id).comments
    assert (found.text, found.word_from, found.author) == ("Better said", 1, "Cleo")
    assert found.edited_at is not None
    assert found.edited_at >= found.created_at
    reviews.comment(world.attempt.id, author(world, "cleo"), wanted)  # sent again, late
    assert reviews.document(world.attempt.id).comments == (found,)


@pytest.mark.every_database
def test_of_scores_given_together_all_are_kept_or_none(
    world: People, reviews: ReviewService
) -> None:
    given = [
        NewRubricScore(external_id=uuid4().hex, criterion="Clarity", score=score)
        for score in (1, 5)
    ]
    with pytest.raises(InvalidInputError):
        reviews.score(world.attempt.id, author(world, "cleo"), given, RUBRIC)
    assert reviews.document(world.attempt.id).scores == ()


def test_a_score_takes_the_place_of_the_same_coachs_earlier_one(
    world: People, reviews: ReviewService
) -> None:
    for score in (1, 3):
        given = NewRubricScore(external_id=uuid4().hex, criterion="Clarity", score=score)
        reviews.score(world.attempt.id, author(world, "cleo"), [given], RUBRIC)
    (found,) = reviews.document(world.attempt.id).scores
    assert (found.score, found.author) == (3, "Cleo")
    for criterion, score in (("Clarity", 5), ("Depth", 1)):
        given = NewRubricScore(external_id=uuid4().hex, criterion=criterion, score=score)
        with pytest.raises(InvalidInputError):
            reviews.score(world.attempt.id, author(world, "cleo"), [given], RUBRIC)


@pytest.mark.every_database
def test_the_queue_has_what_is_shown_until_a_coach_of_the_cohort_is_done(
    world: People, reviews: ReviewService, make: SimpleNamespace
) -> None:
    cleo = world.by_name["cleo"].id
    queue = ReviewQueue(world.service.database, {world.spring.id}, cleo)
    kept_to_herself = world.of("ana").submit(make.submission("mine alone"))
    assert [each.attempt_id for each in queue.page(QueueFilter()).entries] == [world.attempt.id]
    assert queue.next_after(None) == world.attempt.id != kept_to_herself.id
    (ana,) = queue.page(QueueFilter()).candidates
    assert ana == (world.by_name["ana"].id, "Ana")
    assert queue.page(QueueFilter()).topics == (world.attempt.topic,)
    behind = queue.page(QueueFilter(page=2))
    assert (behind.entries, behind.total) == ((), 1)
    reviews.mark(world.attempt.id, cleo, "done")
    assert queue.page(QueueFilter()).total == 0
    (done,) = queue.page(QueueFilter(state="done")).entries
    assert done.done_by == "Cleo"
    reviews.mark(world.attempt.id, cleo, "open")
    assert queue.page(QueueFilter()).total == 1
    with world.service.database.write() as session:
        share = session.get(ShareRow, world.share_id)
        assert share is not None
        share.revoked_at = NOW
    assert queue.page(QueueFilter(state="all")).total == 0
