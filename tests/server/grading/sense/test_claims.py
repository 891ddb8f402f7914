import numpy as np
import pytest

from question_bank.models import KeyPhrase, Question
from server.grading.sense.claims import (
    ANSWER_CLAIMS,
    RATES,
    SPAN_CLAIMS,
    MarkedWords,
    answer_claims,
    span_claims,
)
from server.grading.sense.features import SPAN_FEATURES

QUESTION = Question(
    id="planted",
    round="domain-deep-dive",
    topic="Serving",
    prompt="How do you keep the cache small?",
    model_answer="With grouped queries.",
    key_phrases=(
        KeyPhrase(
            phrase="grouped-query attention",
            why="Fewer heads are stored.",
            ways=("several heads share keys, so the cache is smaller",),
        ),
    ),
)


def spoken(text: str) -> dict[str, float]:
    words = text.split()
    features = np.zeros((1, 1, len(SPAN_FEATURES)))
    (row,) = span_claims(QUESTION, MarkedWords(words), [(0, len(words))], [0], features)
    return dict(zip(SPAN_CLAIMS, row, strict=True))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the cache is always enough", "span_absolute"),
        ("this is not stored", "span_negation"),
        ("because the heads are stored", "span_reason"),
        ("we store it", "span_speaker"),
        ("however the heads differ", "span_contrast"),
        ("perhaps the heads differ", "span_hedge"),
        ("some kind of cache", "span_hedge"),
        ("it takes 40 gigabytes", "span_figure"),
    ],
)
def test_words_of_a_class_are_counted(text: str, name: str) -> None:
    assert spoken(text)[name] > 0
    assert spoken("keys stored per head")[name] == 0


def test_what_contradicts_a_way_or_the_reason_is_told_from_what_repeats_it() -> None:
    assert spoken("the cache is larger")["against_ways"] == 1
    assert spoken("the cache is smaller, not larger")["against_ways"] == 0
    assert spoken("more heads are stored")["against_why"] == 1
    assert spoken("fewer heads are stored")["against_why"] == 0


def test_a_negation_that_no_way_has_is_told() -> None:
    assert (spoken("heads never share keys")["polarity"], spoken("heads share keys")["denies"]) == (
        1,
        0,
    )


def test_the_questions_own_words_tell_little() -> None:
    assert spoken("keep the cache small")["prompt_share"] == 1
    assert spoken("keep the cache small")["beyond"] == 0
    assert spoken("eight gigabytes per layer")["prompt_share"] == 0
    assert spoken("eight gigabytes per layer")["beyond"] > 1


def test_near_misses_count_over_the_whole_answer() -> None:
    features = np.zeros((1, 2, len(SPAN_FEATURES)))
    features[0, :, SPAN_FEATURES.index("near_miss")] = (0.2, 0.7)
    features[0, :, SPAN_FEATURES.index("way")] = (0.5, 0.6)
    row = answer_claims(MarkedWords(["so", "it", "shrinks"]), features)
    told = dict(zip(ANSWER_CLAIMS, row, strict=True))
    assert told["near_miss_mean"] == pytest.approx(0.7)
    assert told["near_miss_lead_mean"] == pytest.approx(0.1)


def test_rates_of_a_short_answer_tell_less_than_those_of_a_long_one() -> None:
    features = np.zeros((1, 1, len(SPAN_FEATURES)))
    at = ANSWER_CLAIMS.index("reason")
    usual, short, long = (
        answer_claims(MarkedWords(["because"] * count), features)[at] for count in (0, 3, 300)
    )
    assert usual < short < 0.1
    assert long > 0.8


MIXED = "Some kind, of cache — not 3 or so because it's never, maybe 40% of some"


def test_rates_of_a_span_count_its_own_words() -> None:
    words = MIXED.split()
    marked = MarkedWords(words)
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            alone = MarkedWords(words[start:end]).rates([(0, end - start)])
            assert (marked.rates([(start, end)]) == alone).all()
    told = dict(zip(RATES, marked.rates([(5, 9)])[0], strict=True))  # not 3 or so
    assert (told["negation"], told["figure"], told["hedge"], told["reason"]) == (0.25,) * 4
