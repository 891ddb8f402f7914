import json

import numpy as np
import pytest

from question_bank.loader import load_bank
from server.grading.sense import vectors
from server.grading.sense.encoder import shared_encoder
from server.grading.sense.features import sentences_of
from server.grading.sense.transformer import DIMENSIONS
from server.grading.sense.vectors import AnswerSense, sense_of, vectors_of
from server.grading.structure import sentences as rubric_sentences

TEXT = "We page the cache in small blocks, so nothing is wasted. It rains."
ANSWER = TEXT.split()
BEFORE = "That is a good question, and I have thought about it before."


def test_a_sentence_has_the_same_vector_in_any_company() -> None:
    alone = shared_encoder().encode(["the cache is paged"])
    among = shared_encoder().encode(["a much longer sentence about something else entirely"] * 2)
    again = shared_encoder().encode(["x", "the cache is paged"])[1:]
    assert among.shape == (2, DIMENSIONS)
    np.testing.assert_allclose(alone, again, atol=1e-6)  # some processors round otherwise
    np.testing.assert_array_equal(vectors._small(alone), vectors._small(again))  # what is kept
    np.testing.assert_allclose(np.linalg.norm(alone, axis=1), 1.0, rtol=1e-5)


def test_what_means_the_same_lies_closer_than_what_shares_words() -> None:
    said, same, other = shared_encoder().encode(
        [
            "we save the state of the model every hour",
            "periodically the weights are written to disk",
            "the state of the economy is bad this year",
        ]
    )
    assert said @ same > said @ other


def test_an_answer_comes_back_from_storage_as_it_was() -> None:
    made = sense_of(ANSWER)
    stored = json.loads(json.dumps(made.to_json()))
    back = AnswerSense.from_json(stored)
    assert back is not None
    assert back.spans == made.spans
    np.testing.assert_array_equal(back.vectors, made.vectors)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "another"},
        {"vectors": "AAAA"},
        {"vectors": "no base64 at all!"},
        {"spans": [[0]]},
        {"spans": None},
    ],
    ids=["another model", "too short", "no base64", "half a span", "no spans"],
)
def test_what_is_damaged_or_of_another_model_is_made_again(change: dict[str, object]) -> None:
    assert AnswerSense.from_json(sense_of(ANSWER).to_json() | change) is None


def test_every_sentence_of_the_bank_and_of_the_rubrics_is_shipped() -> None:
    shipped = vectors._shipped()
    of_the_bank = {each for question in load_bank().questions for each in sentences_of(question)}
    wanted = of_the_bank.union(rubric_sentences())
    lacking = {sentence for sentence in wanted if vectors._key(sentence) not in shipped}
    assert not lacking, f"run scripts/sense_vectors.py: {len(lacking)} sentences are new"


def test_a_sentence_of_another_bank_is_encoded() -> None:
    sentence = "a sentence that no bank of ours has, about llamas"
    (vector,) = vectors_of([sentence])
    (expected,) = shared_encoder().encode([sentence])
    assert vector @ expected > 0.999


def test_two_texts_one_behind_the_other_have_the_spans_of_both_and_none_over_their_border() -> None:
    first = BEFORE.split()
    joined = sense_of(first).followed_by(sense_of(ANSWER), len(first))

    whole = sense_of([*first, *ANSWER])
    border = len(first)
    apart = [at for at, (start, end) in enumerate(whole.spans) if not start < border < end]
    assert len(apart) < len(whole.spans)
    assert joined.spans == tuple(whole.spans[at] for at in apart)
    np.testing.assert_array_equal(joined.vectors, whole.vectors[apart])


def test_of_the_shipped_vectors_only_those_asked_for_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ways = [way for each in load_bank().questions[0].key_phrases for way in each.ways]
    together = vectors.vectors_of(ways)
    made: list[int] = []
    large = vectors._large
    monkeypatch.setattr(vectors, "_large", lambda small: made.append(len(small)) or large(small))
    alone = [vectors.vectors_of([way])[0] for way in ways]
    assert made == [1] * len(ways)
    assert np.array_equal(np.stack(alone), together)  # to the bit, so that reports stay the same
