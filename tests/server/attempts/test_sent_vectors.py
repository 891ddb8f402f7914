"""Vectors that a client sends with its answer: taken where they are right, tested, replaced."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from uuid import uuid4

import numpy as np
import pytest

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.attempts.grading_data import LEAST_TESTED_SHARE, TESTED_SHARE, Trust
from server.attempts.service import Service
from server.attempts.store import Store
from server.contract import MAX_SPANS, SpanVectors, Submission, Transcript
from server.core.settings import sqlite_url
from server.grading import is_honest, make_sense
from server.grading.sense import encoder
from server.grading.sense.vectors import AnswerSense
from tests.server.conftest import START

QUESTION = load_bank().questions[0]
TEXT = (
    "I would first measure where the time goes, because otherwise one optimizes the wrong thing. "
    "Then we keep the results of the last requests, and the next one with the same beginning "
    "starts from there. That saved us a third of the work last year."
)


def answer(text: str = TEXT) -> Submission:
    return Submission(
        submission_id=uuid4().hex,
        question_id=QUESTION.id,
        created_at=START,
        transcript=Transcript(text=text),
    )


def vectors_of(submission: Submission) -> SpanVectors:
    _, stored = make_sense(submission, None)
    return SpanVectors.model_validate(stored)


def forged(submission: Submission) -> SpanVectors:
    """As if the answer said the question's model answer all along."""
    made = AnswerSense.from_json(vectors_of(submission).model_dump(mode="json"))
    assert made is not None
    (best,) = encoder.shared_encoder().encode([QUESTION.key_phrases[0].phrase])
    wrong = AnswerSense(made.spans, np.repeat(best[None], len(made.spans), axis=0))
    return SpanVectors.model_validate(wrong.to_json())


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sentences were encoded, at each call."""
    counts: list[int] = []
    real = encoder.Encoder.encode

    def encode(self: encoder.Encoder, sentences: list[str]) -> object:
        counts.append(len(sentences))
        return real(self, sentences)

    monkeypatch.setattr(encoder.Encoder, "encode", encode)
    return counts


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    lexicon = load_lexicon()
    with Store(sqlite_url(tmp_path / "aloud.db")) as store:
        yield Service(store, load_bank, lambda: lexicon)


def settle(service: Service, trust: Trust) -> None:
    service.grading_data._trust = trust


class Chosen(Random):
    """Tests an answer or does not, as told; ``drawn``: what it draws, whichever that is."""

    tests = False
    drawn: float | None = None

    def random(self) -> float:
        if self.drawn is not None:
            return self.drawn
        return 0.0 if self.tests else 1.0

    def getrandbits(self, k: int) -> int:
        """What a sample is drawn by, instead of ``random``."""
        return super().getrandbits(k)


def test_with_right_vectors_the_report_is_the_same_and_only_a_few_spans_are_encoded(
    service: Service, encoded: list[int]
) -> None:
    given = answer()
    sent = vectors_of(given)
    by_itself = service.grade(given)
    encoded.clear()
    assert service.grade(given, sent) == by_itself
    assert encoded == [4]  # an account's first answer is tested


def test_after_the_first_answer_some_are_tested(service: Service, encoded: list[int]) -> None:
    random = Chosen()
    settle(service, Trust(random))
    given = answer()
    sent = vectors_of(given)
    service.submit(given, sent)
    encoded.clear()
    again = answer()
    stored = service.submit(again, sent)
    assert encoded == []
    assert stored.submission == again
    assert type(stored.submission) is Submission
    random.tests = True
    service.submit(answer(), sent)
    assert encoded == [4]


def test_forged_vectors_earn_nothing_now_and_none_are_taken_later(
    service: Service, encoded: list[int]
) -> None:
    random = Chosen()
    settle(service, Trust(random))
    given = answer()
    honest = service.grade(given)
    wrong = forged(given)
    assert service.grading_data.grade(QUESTION, given, wrong.model_dump(mode="json")).report != (
        honest
    ), "the forgery would earn something"
    assert service.submit(given, wrong).report == honest
    encoded.clear()
    other = answer(TEXT + " And then we measured again.")
    service.submit(other, vectors_of(other))
    assert max(encoded) > 4, "the server made its own"


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "all-MiniLM-L6-v2-int8:00000000"},
        {"spans": ((0, 3),)},
        {"vectors": "AAAA"},
        {"vectors": "no base64"},
    ],
    ids=["another model", "other spans", "too short", "no base64"],
)
def test_what_does_not_fit_is_made_by_the_server(
    service: Service, changed: dict[str, object]
) -> None:
    given = answer()
    sent = vectors_of(given).model_copy(update=changed)
    assert service.grade(given, sent) == service.grade(given)


def test_a_regrade_uses_the_vectors_that_were_sent(service: Service, encoded: list[int]) -> None:
    given = answer()
    service.submit(given, vectors_of(given))
    encoded.clear()
    service.regrade()
    assert encoded == []


def test_spans_that_earned_something_are_tested_first() -> None:
    """One forged span among many is found, if a verdict stands on it."""
    text = " ".join(f"{TEXT} {number}." for number in range(6))
    given = answer(text)
    made = AnswerSense.from_json(vectors_of(given).model_dump(mode="json"))
    assert made is not None
    (best,) = encoder.shared_encoder().encode([QUESTION.key_phrases[0].ways[0]])
    vectors = made.vectors.copy()
    vectors[5] = best
    sent = AnswerSense(made.spans, vectors).to_json()
    lexicon = load_lexicon()
    with_it = Service(Store("sqlite://"), load_bank, lambda: lexicon)
    report = with_it.grading_data.grade(QUESTION, given, sent).report
    spans = {
        (each.evidence.word_indices[0], each.evidence.word_indices[-1] + 1)
        for each in report.coverage.phrases
        if each.how == "own_words" and each.evidence is not None
    }
    assert made.spans[5] in spans, "the forgery earns something"
    with_it.close()
    assert not any(is_honest(given, sent, report, Random(seed)) for seed in range(5))
    assert is_honest(given, made.to_json(), report, Random(1))


def test_trust_is_lost_for_good_and_remembered_of_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    trust = Trust(Chosen())
    assert trust.takes(1) and trust.wants_test(1)
    trust.note(1, True)
    assert not trust.wants_test(1)
    trust.note(1, False)
    trust.note(1, True)
    assert not trust.takes(1)
    assert trust.takes(2)
    monkeypatch.setattr("server.attempts.grading_data._ACCOUNTS", 2)
    for owner in (2, 3, 4):
        trust.note(owner, True)
    assert trust.wants_test(2) and not trust.wants_test(4)


def test_fewer_answers_are_tested_the_more_tests_an_account_has_passed() -> None:
    random = Chosen()
    trust = Trust(random)
    shares = [TESTED_SHARE]
    while shares[-1] > LEAST_TESTED_SHARE:
        shares.append(shares[-1] / 2)
    for share in (1.0, *shares, LEAST_TESTED_SHARE):
        random.drawn = share * 0.999
        assert trust.wants_test(1)
        random.drawn = share
        assert share == 1 or not trust.wants_test(1)
        trust.note(1, True)
    random.drawn = LEAST_TESTED_SHARE
    assert trust.wants_test(2), "another account's first answer"
    trust.note(1, False)
    assert not trust.takes(1), "one wrong answer outweighs all right ones"


def test_more_spans_than_an_answer_can_have_are_refused() -> None:
    whole = json.dumps({"model": "m", "spans": [[0, 1]] * (MAX_SPANS + 1), "vectors": ""})
    with pytest.raises(ValueError, match="at most 400"):
        SpanVectors.model_validate_json(whole)
