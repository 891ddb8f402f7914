from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest

from question_bank.loader import load_bank
from question_bank.models import KeyPhrase, Question
from server.contract import Coverage, PhraseCoverage, Word, evidence_of
from server.grading.sense import own_words as own_words_layer
from server.grading.sense.features import (
    SPAN_FEATURES,
    question_sense,
    shipped_metric,
    span_features,
)
from server.grading.sense.fusion import Fusion, Sensed, SensedAnswer, sense_phrases
from server.grading.sense.logistic import Logistic
from server.grading.sense.own_words import Spoken, with_own_words
from server.grading.sense.thresholds import (
    COVERED_FROM,
    COVERED_FROM_UNCLEAR,
    COVERED_FROM_WEAK,
    POSSIBLE_FROM,
    SPOKEN_OF_FROM,
    SPOKEN_OF_FROM_SHORT,
    SPOKEN_OF_FROM_WEAK,
)
from server.grading.sense.vectors import sense_of

QUESTION = next(q for q in load_bank().questions if q.id == "infiniband-or-roce")


def missing(question: Question) -> Coverage:
    phrases = tuple(
        PhraseCoverage(phrase=key.phrase, status="missing", weight=key.weight)
        for key in question.key_phrases
    )
    return Coverage(score=0.0, phrases=phrases)


def spoken(words: Sequence[str], *, denied: bool = False) -> Spoken:
    return Spoken(words, (), sense_of(words), lambda span: denied)


def judged(question: Question, text: str, *, denied: bool = False) -> dict[str, PhraseCoverage]:
    words = text.split()
    found, _ = with_own_words(missing(question), question, spoken(words, denied=denied))
    return {phrase.phrase: phrase for phrase in found.phrases}


def by_words(
    words: Sequence[str],
    at: Sequence[int],
    *,
    number: int = 0,
    status: Literal["covered", "partial"] = "covered",
    how: Literal["exact", "alias", "fuzzy", "listed"] = "exact",
) -> PhraseCoverage:
    """A phrase of the question that was found at these words."""
    found = {"status": status, "how": how, "evidence": evidence_of(words, (), at)}
    return missing(QUESTION).phrases[number].model_copy(update=found)


def after(
    monkeypatch: pytest.MonkeyPatch, words: Sequence[str], said: PhraseCoverage, *sensed: Sensed
) -> tuple[PhraseCoverage, ...]:
    """The phrases of the question: one found by its words, the first ones sensed like this."""
    none = (None,) * (len(QUESTION.key_phrases) - len(sensed))
    answer = SensedAnswer((*sensed, *none), 1.0)
    monkeypatch.setattr(own_words_layer, "sense_phrases", lambda *_: answer)
    phrases = tuple(
        said if each.phrase == said.phrase else each for each in missing(QUESTION).phrases
    )
    found, _ = with_own_words(Coverage(score=0.0, phrases=phrases), QUESTION, spoken(words))
    return found.phrases


def test_most_ways_of_a_phrase_are_found_in_an_answer_made_of_them() -> None:
    ways = [key.ways[0] for key in QUESTION.key_phrases]
    found = judged(QUESTION, ". ".join(ways) + ".")
    assert sum(phrase.status != "missing" for phrase in found.values()) >= len(ways) - 1
    assert sum(phrase.status == "covered" for phrase in found.values()) >= len(ways) / 2
    for phrase in found.values():
        if phrase.status != "missing":
            assert phrase.how == "own_words"
            assert phrase.evidence is not None and phrase.evidence.text
            assert phrase.confidence is not None and phrase.confidence > 0


def test_talk_of_something_else_says_nothing() -> None:
    holiday = (
        "Last summer we drove to the coast with my sister. The weather was fine, and we swam every "
        "morning. On the way home the car broke down and a friendly farmer helped us."
    )
    assert {phrase.status for phrase in judged(QUESTION, holiday).values()} == {"missing"}


def test_what_is_denied_stays_missing() -> None:
    ways = ". ".join(key.ways[0] for key in QUESTION.key_phrases)
    found = judged(QUESTION, ways, denied=True)
    assert {phrase.status for phrase in found.values()} == {"missing"}


@pytest.mark.parametrize(
    ("probability", "status"),
    [
        (POSSIBLE_FROM - 0.01, "missing"),
        (POSSIBLE_FROM, "possible"),
        (COVERED_FROM - 0.01, "possible"),
        (COVERED_FROM, "covered"),
    ],
)
def test_what_is_likely_is_asked_about_and_what_is_sure_counts(
    probability: float, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely = Sensed((0, 4), probability, 2.0, 1.0, word_for_word=False, near_misses=())
    none = [None] * (len(QUESTION.key_phrases) - 1)
    monkeypatch.setattr(
        own_words_layer, "sense_phrases", lambda *_: SensedAnswer((likely, *none), 1.0)
    )
    found = judged(QUESTION, "we talked about the weather")
    assert found[QUESTION.key_phrases[0].phrase].status == status


@pytest.mark.parametrize(
    ("probability", "how", "status"),
    [
        (POSSIBLE_FROM - 0.01, "alias", "missing"),
        (POSSIBLE_FROM, "alias", "partial"),
        (POSSIBLE_FROM - 0.01, "listed", "partial"),
    ],
)
def test_half_a_phrase_counts_if_the_answer_seems_to_say_it(
    probability: float,
    how: Literal["alias", "listed"],
    status: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sensed = Sensed((0, 4), probability, 2.0, 1.0, word_for_word=False, near_misses=())
    words = ["we", "talked", "about", "it"]
    half = by_words(words, [1], how=how, status="partial")
    found = after(monkeypatch, words, half, sensed)
    assert found[0].status == status
    assert (found[0].evidence is None) == (status == "missing")


@pytest.mark.parametrize(
    ("how", "repeated", "status"),
    [("alias", False, "covered"), ("alias", True, "missing"), ("fuzzy", False, "missing")],
)
def test_a_name_is_no_near_miss_unless_it_repeats_one(
    how: Literal["alias", "fuzzy"], repeated: bool, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    span = (0, 4)
    sensed = Sensed(
        span,
        0.0,
        -9.0,
        1.0,
        False,
        (span,),
        SPOKEN_OF_FROM_SHORT + 1.0,
        repeated=(span,) * repeated,
    )
    words = ["I", "rolled", "it", "back"]
    named = by_words(words, [1, 2], how=how)
    found = after(monkeypatch, words, named, sensed)
    assert found[0].status == status


@pytest.mark.parametrize(
    ("weakness", "status"),
    [(0.0, "covered"), (0.4, "covered"), (0.6, "possible"), (1.0, "possible")],
)
def test_less_is_believed_the_weaker_the_answer_sounds(
    weakness: float, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    halfway = (COVERED_FROM + COVERED_FROM_WEAK) / 2
    likely = Sensed((0, 4), halfway, 2.0, 1.0, False, (), weakness=weakness)
    barely = (SPOKEN_OF_FROM + SPOKEN_OF_FROM_WEAK) / 2
    named = Sensed(
        (0, 4), 0.0, -9.0, 1.0, False, (), spoken_of=barely, weakness=weakness, wholeness=1.0
    )
    words = ["we", "talked", "about", "it"]
    said = by_words(words, [1], number=1)
    found = after(monkeypatch, words, said, likely, named)
    assert [each.status for each in found[:2]] == [status, status]


@pytest.mark.parametrize(
    ("confidence", "status", "believed"),
    [
        (None, "possible", 0.2),
        (0.97, "possible", 0.2),
        (0.81, "covered", 0.6),
        (0.6, "covered", 1.0),
    ],
)
def test_what_a_transcriber_hardly_understood_sounds_less_wrong_and_needs_less(
    confidence: float | None,
    status: str,
    believed: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    almost = Sensed((0, 4), (COVERED_FROM_UNCLEAR + COVERED_FROM) / 2 + 0.05, 0.9, 1.0, False, ())
    weak = Sensed((0, 4), 0.0, -9.0, 1.0, False, (), spoken_of=0.5, weakness=1.0, wholeness=1.0)
    texts = ["we", "talked", "about", "it"]
    said = by_words(texts, [1], number=1)
    phrases = [said if each.phrase == said.phrase else each for each in missing(QUESTION).phrases]
    none = (None,) * (len(phrases) - 2)
    heard = SensedAnswer((almost, weak, *none), 0.2)
    monkeypatch.setattr(own_words_layer, "sense_phrases", lambda *_: heard)
    words = [Word(text=each, confidence=confidence) for each in texts]
    answer = Spoken(texts, words, sense_of(texts), lambda span: False)
    found, share = with_own_words(Coverage(score=0.0, phrases=tuple(phrases)), QUESTION, answer)
    assert [each.status for each in found.phrases[:2]] == [status, status]
    assert share == pytest.approx(believed)


@pytest.mark.parametrize(("wholeness", "status"), [(0.0, "possible"), (1.0, "covered")])
def test_a_whole_answer_that_sounds_right_vouches_for_its_names(
    wholeness: float, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    between = (SPOKEN_OF_FROM + SPOKEN_OF_FROM_SHORT) / 2
    named = Sensed((0, 4), 0.0, -9.0, 1.0, False, (), spoken_of=between, wholeness=wholeness)
    words = ["we", "talked", "about", "it"]
    said = by_words(words, [1])
    found = after(monkeypatch, words, said, named)
    assert found[0].status == status


@pytest.mark.parametrize(("span", "status"), [((0, 3), "possible"), ((3, 6), "covered")])
def test_the_clause_of_a_doubted_name_says_nothing_in_other_words(
    span: tuple[int, int], status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = Sensed(span, 0.99, 5.0, 3.0, False, (), spoken_of=SPOKEN_OF_FROM - 0.1)
    words = ["we", "talked", "on", "and", "it", "helped"]
    said = by_words(words, [1])
    found = after(monkeypatch, words, said, sure)
    assert found[0].status == status


def test_a_name_doubted_in_a_weak_answer_counts_as_named_where_its_clause_is_sure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sure = Sensed((0, 3), 0.99, 5.0, 3.0, False, (), SPOKEN_OF_FROM + 0.1, weakness=1.0)
    words = ["we", "talked", "on"]
    said = by_words(words, [1])
    found = after(monkeypatch, words, said, sure)
    assert found[0] == said


def test_a_bank_without_ways_is_judged_by_its_reasons() -> None:
    question = Question(
        id="planted",
        round="domain-deep-dive",
        topic="Serving",
        prompt="How do you serve it?",
        model_answer="With continuous batching.",
        key_phrases=(KeyPhrase(phrase="continuous batching", why="New requests join at once."),),
    )
    sensed = sense_phrases(question, sense_of(["hello"]), ["hello"], missing(question).phrases)
    (found,) = sensed.phrases
    assert found is not None and 0.0 <= found.probability < COVERED_FROM


def test_without_words_there_is_nothing_to_judge() -> None:
    nothing = sense_phrases(QUESTION, sense_of([]), [], missing(QUESTION).phrases)
    assert nothing == SensedAnswer((None,) * len(QUESTION.key_phrases), None)


def test_features_are_numbers_for_every_span() -> None:
    words = ["we", "page", "the", "cache,", "and", "then", "nothing", "is", "wasted"]
    sense = sense_of(words)
    rows = span_features(question_sense(QUESTION), sense, words, shipped_metric())
    assert len(rows) == len(QUESTION.key_phrases)
    for row in rows:
        assert row.shape == (len(sense.spans), len(SPAN_FEATURES))
        assert np.isfinite(row).all()


def test_a_logistic_regression_comes_back_from_json() -> None:
    model = Logistic(np.array([1.0]), np.array([2.0]), np.array([3.0]), 0.5)
    assert model.logits(np.array([[5.0]])) == pytest.approx([6.5])
    assert Logistic.from_json(model.to_json()).logits(np.array([[5.0]])) == pytest.approx([6.5])


def test_a_wrong_answer_in_the_phrases_words_does_not_say_what_a_right_one_does() -> None:
    question = load_bank().question("what-ddp-does-in-a-step")
    assert question is not None
    right = (
        "Every rank has all the weights. As soon as the last layers' gradients are ready they are "
        "sent, while the rest of backward is still computing, and at the end everybody steps with "
        "the same mean."
    )
    wrong = (
        "The all-reduce is how the master distributes the weights. It happens after the backward "
        "has completely finished, so the gradient buckets wait until the last one is full. The "
        "nice thing is the memory, because the model is split across GPUs each one has only a part."
    )
    name = "overlap with backward"
    assert judged(question, right)[name].status == "covered"
    assert judged(question, wrong)[name].status != "covered"


def test_the_voice_goes_by_the_mean_of_the_vectors() -> None:
    sense = sense_of(["we", "page", "the", "cache"])
    weights = sense.vectors.astype(float).mean(axis=0)
    none = Logistic(np.zeros(384), np.ones(384), np.zeros(384), 0.0)
    fusion = Fusion(none, none, Logistic(np.zeros(384), np.ones(384), weights, 1.0))
    assert fusion.voice_of(sense) == pytest.approx(1.0 + weights @ weights)
    assert fusion.voice_of(sense_of([])) == pytest.approx(1.0)
