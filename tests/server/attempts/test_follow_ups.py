"""What was said to a follow-up: kept with its answer, counted for less, exported and regraded."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.attempts.service import Service, current_grader
from server.attempts.store import Store
from server.contract import (
    CHALLENGED,
    Attempt,
    FollowUp,
    FollowUpAnswer,
    Language,
    LanguageRequest,
    Submission,
    Transcript,
)
from server.contract.interviewer import next_follow_up
from server.contract.scoring import taken_off
from server.core.errors import InvalidInputError
from server.ui.verdict_words import added_text

VAGUE = "I would try it on one card first and see whether the loss looks the same."
HALF_OF_IT = "Sixteen bits instead of thirty-two take half the memory, so I would try that first."
QUESTION = "mixed-precision-savings"


@pytest.fixture
def service(store: Store) -> Service:
    return Service(store, load_bank, load_lexicon, grader=current_grader)


def answered(service: Service, text: str) -> Attempt:
    answer = Submission(
        submission_id=uuid4().hex, question_id=QUESTION,
        created_at=datetime.now(UTC), transcript=Transcript(text=text),
    )  # fmt: skip
    return service.submit(answer)


def said(asked: FollowUp, text: str) -> FollowUpAnswer:
    return FollowUpAnswer(
        submission_id=uuid4().hex, asked=asked,
        created_at=datetime.now(UTC), transcript=Transcript(text=text),
    )  # fmt: skip


def asked_after(attempt: Attempt) -> FollowUp:
    asked = next_follow_up(attempt.report)
    assert asked is not None
    return asked


@pytest.mark.parametrize("text", [HALF_OF_IT, VAGUE])
def test_what_is_said_when_asked_counts_half(service: Service, text: str) -> None:
    question = service.question(QUESTION)
    attempt = answered(service, text)
    assert attempt.report.off_topic == (text == VAGUE)
    asked = asked_after(attempt)
    assert asked.kind == "phrase"
    way = next(each.ways[0] for each in question.key_phrases if each.phrase == asked.about)
    at_once = answered(service, f"{attempt.report.transcript.text} Well, {way}.").report
    after = service.follow_up(attempt.id, said(asked, f"Well, {way}.")).report
    (kept,) = after.follow_ups
    assert asked.about in kept.added
    phrase = next(each for each in after.coverage.phrases if each.phrase == asked.about)
    assert phrase.status == "missing" and phrase.when_asked is not None
    half = (attempt.report.overall + at_once.overall) / 2  # under half a point is not taken off
    assert attempt.report.overall < after.overall == pytest.approx(half, abs=0.005)
    assert after.transcript == attempt.report.transcript


WRONG = (
    "Mixed precision makes the model more accurate because sixteen bits carry more digits than "
    "thirty-two. It uses twice the memory, and you never need a loss scale since gradients in half "
    "precision cannot underflow."
)


def test_a_challenge_answered_well_gives_half_of_the_points_back(service: Service) -> None:
    challenge = FollowUp(kind="challenge", ask="Are you sure?", quote="cannot underflow")
    points: list[float] = []
    for text, is_right in (
        ("Yes, I am quite sure, everybody knows that.", False),
        ("No, gradients do underflow in half precision, so the loss is scaled up before.", True),
    ):
        attempt = answered(service, WRONG)
        after = service.follow_up(attempt.id, said(challenge, text)).report
        assert (CHALLENGED in after.follow_ups[0].added) == is_right
        assert taken_off(attempt.report) > 0
        points.append(taken_off(after) / taken_off(attempt.report))
    assert points == pytest.approx([1.0, 0.5])


def test_a_good_answer_is_probed_for_what_it_does_not_say(service: Service) -> None:
    question = service.question(QUESTION)
    said_too, *left = question.probes
    attempt = answered(service, f"{question.model_answer} {said_too.expects}")
    assert attempt.report.probes == tuple(left)
    asked = asked_after(attempt)
    assert asked == FollowUp(kind="probe", ask=left[0].ask, about=left[0].expects)
    after = service.follow_up(attempt.id, said(asked, "I would have to look that up.")).report
    assert asked_after(attempt.model_copy(update={"report": after})).ask == left[1].ask
    assert added_text(after.follow_ups[0]) == f"A good reply: {left[0].expects}"


@pytest.mark.every_database
def test_it_is_kept_once_and_goes_wherever_its_answer_goes(
    service: Service, store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    attempt = answered(service, VAGUE)
    follow_up = said(asked_after(attempt), "Sixteen bits take half of the memory of thirty-two.")
    first = service.follow_up(attempt.id, follow_up)
    assert service.follow_up(attempt.id, follow_up) == first
    assert service.submit(attempt.submission).id == attempt.id  # sent again, it is the same answer
    assert service.regrade().changes == ()
    archive = service.export_all()
    assert archive.attempts[0].submission.follow_ups == (follow_up,)
    home = tmp_path_factory.mktemp("other") / "aloud.db"
    other = Service(Store(f"sqlite:///{home}"), load_bank, load_lexicon, grader=current_grader)
    other.import_attempts(archive.attempts)
    assert other.attempt(1).report == first.report
    other.close()


def test_the_remarks_on_the_language_stay_but_for_another_mother_tongue(service: Service) -> None:
    attempt = answered(service, f"{VAGUE} When I called them I became an offer from the bank.")

    def look(tongue: str) -> Language:
        return service.language(attempt.id, LanguageRequest(mother_tongue=tongue)).report.language

    guests = look("")
    slow = service.attempt(attempt.id).report  # somebody's look that began before the candidate's
    own = look("German")
    service._store.keep_language(attempt.id, slow)
    assert [note.said for note in {*own.notes} - {*guests.notes}] == ["became an offer"]
    assert look("") == look(" german") == own
    after = service.follow_up(attempt.id, said(asked_after(attempt), "It halves the memory."))
    assert after.report.language == own and look("Polish").mother_tongue == "Polish"


def test_a_follow_up_without_words_is_refused(service: Service) -> None:
    attempt = answered(service, VAGUE)
    with pytest.raises(InvalidInputError, match="no speech"):
        service.follow_up(attempt.id, said(asked_after(attempt), " "))
    assert service.attempt(attempt.id) == attempt
