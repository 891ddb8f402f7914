"""Another transcript of a stored answer: a version of its own beside the earlier ones."""

from collections.abc import Callable
from types import SimpleNamespace
from uuid import uuid4

import pytest

from server.attempts.service import Service
from server.contract import Attempt, Evidence, NewComment, Pause, Revision, Transcript, Word
from server.core.errors import InvalidInputError, NotFoundError
from server.review.models import Author
from server.review.service import ReviewService
from tests.server.conftest import make_bank, make_question, make_submission
from tests.worlds.new_databases import on_sqlite as on_sqlite
from tests.worlds.people import People, people

ROUGH = "I use page to tension and the cash"
RIGHT = "So I use paged attention and the cache"


def transcript(text: str, engine: str = "pocketsphinx") -> Transcript:
    words = tuple(
        Word(text=each, start_s=float(i), end_s=i + 0.5) for i, each in enumerate(text.split())
    )
    return Transcript(text=text, engine=engine, words=words, duration_s=20.0)


def better(text: str = RIGHT) -> Revision:
    evidence = Evidence(pauses=(Pause(start_s=1.0, end_s=2.0),))
    return Revision(transcript=transcript(text, "faster-whisper"), evidence=evidence)


@pytest.fixture
def rough(service: Service) -> Attempt:
    return service.submit(make_submission(transcript=transcript(ROUGH)))


def test_the_new_report_counts_and_the_old_one_stays_readable(
    service: Service, rough: Attempt
) -> None:
    again = service.revise(rough.id, better())
    assert (rough.version, again.version) == (1, 2)
    assert again.submission == rough.submission
    assert again.report.transcript == better().transcript
    assert again.report.coverage.score > rough.report.coverage.score
    archived = service.export_one(rough.id).attempts[0]
    assert [each.report for each in archived.reports] == [rough.report, again.report]
    assert [each.evidence for each in archived.reports] == [None, better().evidence]
    assert archived.as_transcribed == better()
    (line,) = service.history().attempts
    assert (line.engine, line.score) == ("faster-whisper", again.report.overall)
    assert line.submission_id == rough.submission.submission_id


def test_corrected_words_are_counted_and_the_engines_can_be_restored(
    service: Service, rough: Attempt
) -> None:
    raw = service.export_one(rough.id).attempts[0].as_transcribed
    corrected = service.revise(rough.id, raw.with_words("I use paged attention and the cash"))
    assert corrected.report.coverage.score == 0.5
    assert corrected.report.transcript.corrected_texts == [("paged attention", "page to tension")]
    assert service.history().attempts[0].corrections == 1
    assert service.export_one(rough.id).attempts[0].as_transcribed == raw
    restored = service.revise(rough.id, raw)
    assert restored.report == rough.report
    assert (restored.version, service.history().attempts[0].corrections) == (3, 0)


def test_what_cannot_be_graded_leaves_the_report(service: Service, rough: Attempt) -> None:
    with pytest.raises(InvalidInputError, match="no speech"):
        service.revise(rough.id, Revision(transcript=Transcript(text=" ")))
    with pytest.raises(NotFoundError):
        service.revise(rough.id + 1, better())
    assert service.attempt(rough.id) == rough


def test_a_regrade_and_an_import_keep_the_new_transcript(
    make_service: Callable[..., Service], service: Service, rough: Attempt
) -> None:
    service.revise(rough.id, better())
    question = make_question(key_phrases=({"phrase": "the cache"},))
    today = make_service(make_bank(question, version="bank-2"))
    (change,) = today.regrade().changes
    assert (change.score_before, change.score_after) == (0.5, 1.0)
    archive = today.export_one(rough.id)
    assert [each.evidence for each in archive.attempts[0].reports] == [
        None,
        better().evidence,
        better().evidence,
    ]
    today.delete(rough.id)
    today.import_attempts(archive.attempts)
    brought = today.export_page().attempts[0]
    assert brought.reports == archive.attempts[0].reports
    assert today.history().attempts[0].engine == "faster-whisper"
    assert today.regrade().changes == ()


def test_what_people_wrote_moves_with_the_words(service: Service, rough: Attempt) -> None:
    reviews = ReviewService(service.database)
    author = Author(guest_name="Cleo")
    wanted = NewComment(
        external_id=uuid4().hex, kind="span", word_from=2, word_to=4, text="Which one?"
    )
    late = NewComment(external_id=uuid4().hex, kind="word", word_from=7, text="Say cache.")
    for each in (wanted, late):
        reviews.comment(rough.id, author, each)
    service.revise(rough.id, better())
    written = reviews.review(rough.id).comments
    assert [(each.word_from, each.word_to) for each in written] == [(3, 4), (7, None)]
    last = NewComment(external_id=uuid4().hex, kind="word", word_from=8, text="None")
    with pytest.raises(InvalidInputError, match="no such word"):
        reviews.comment(rough.id, author, last)


def test_a_coach_sees_what_was_corrected(world: People) -> None:
    service = world.of("ana")
    raw = service.revise(world.attempt.id, better()).report.transcript
    service.revise(world.attempt.id, Revision(transcript=raw).with_words(RIGHT + " <b>too"))
    page = world.client("cleo", accept="text/html").get(f"/coach/attempts/{world.attempt.id}").text
    assert "corrected by the candidate, left out by the engine" in page
    assert "<b>too" not in page


@pytest.fixture
def world(make_service: Callable[..., Service], make: SimpleNamespace) -> People:
    return people(make_service(), make.submission())
