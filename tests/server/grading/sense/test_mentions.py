"""A name that stands in a sentence about something else is asked about, and not credited."""

import pytest

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import Question
from server.grading import cover_question
from server.grading.sense.vectors import sense_of


def status(question_id: str, phrase: str, text: str) -> str:
    question = load_bank().question(question_id)
    assert question is not None
    words = text.split()
    coverage = cover_question(question, words, load_lexicon(), sense_of(words))
    return next(each.status for each in coverage.phrases if each.phrase == phrase)


MERELY_NAMED = [
    (
        "dse-parallelism-api",
        "escape hatch",
        "The data hall we rented had an escape hatch in the roof, and a marshal kept it clear.",
    ),
    (
        "mlp-default-scheduler-limits",
        "gang scheduling",
        "Gang scheduling means that the gang of managers schedules a meeting on Fridays.",
    ),
    (
        "infiniband-or-roce",
        "adaptive routing",
        "My navigation system has adaptive routing, so I was home before the rain.",
    ),
    (
        "what-the-kv-cache-costs",
        "grouped-query attention",
        "Grouped-query attention, rotary embeddings, SwiGLU, all the buzzwords.",
    ),
    (
        "mlp-fair-share-and-priority",
        "preemption",
        "Preemption was the topic of a talk that I slept through.",
    ),
    (
        "storage-for-hungry-gpus",
        "striping",
        "Striping means that the disks get painted with the color of their team.",
    ),
]
STATED = [
    (
        "mlp-default-scheduler-limits",
        "gang scheduling",
        "Gang scheduling lets a job start only when all of its pods have a place.",
    ),
    (
        "infiniband-or-roce",
        "adaptive routing",
        "We turned on adaptive routing, since two of the uplinks were always full.",
    ),
    (
        "what-the-kv-cache-costs",
        "grouped-query attention",
        "The model has grouped-query attention, so the cache is four times smaller.",
    ),
    (
        "mlp-fair-share-and-priority",
        "preemption",
        "Preemption stops a borrowed job when the owner wants his cards back.",
    ),
    (
        "guard-against-bad-steps",
        "finite check",
        "My finite check looks at the loss before the step, and all the ranks agree on it.",
    ),
]


@pytest.mark.parametrize(
    ("said_of", "expected"),
    [*((each, "possible") for each in MERELY_NAMED), *((each, "covered") for each in STATED)],
)
def test_a_name_alone_is_asked_about_and_a_short_true_statement_is_not_doubted(
    said_of: tuple[str, str, str], expected: str
) -> None:
    assert status(*said_of) == expected


def test_text_without_punctuation_is_not_doubted() -> None:
    said = (
        "so the KV cache keeps the keys and values which makes autoregressive decoding affordable "
        "and the memory is two times the number of layers times the KV heads"
    )
    for phrase in ("autoregressive decoding", "number of layers", "KV heads"):
        assert status("what-the-kv-cache-costs", phrase, said) == "covered"


def test_a_phrase_without_ways_is_not_doubted(question: Question) -> None:
    said = "Continuous batching means that the batch of managers meets on Fridays."
    words, phrase = said.split(), question.key_phrases[0]
    ways = ("new requests join the running batch at every step", "a slot is filled once it is free")
    for known, expected in ((), "covered"), (ways, "possible"):
        told = (phrase.model_copy(update={"ways": known}),)
        asked = question.model_copy(update={"key_phrases": told})
        (found,) = cover_question(asked, words, load_lexicon(), sense_of(words)).phrases
        assert found.status == expected


@pytest.mark.parametrize(
    ("question_id", "phrase", "way"),
    [
        (
            "mlp-fair-share-and-priority",
            "borrowing idle capacity",
            "unused cards are lent and not left empty",
        ),
        (
            "mlp-design-llm-gateway",
            "team authentication",
            "when a key leaks, I revoke one team's key and not the company's vendor account",
        ),
        (
            "dse-detecting-dead-workers",
            "false alarms",
            "from outside you cannot tell a slow machine from a dead one",
        ),
    ],
)
def test_a_way_of_the_bank_is_never_doubted(question_id: str, phrase: str, way: str) -> None:
    assert status(question_id, phrase, way) == "covered"
    opening = "That is a good question, and I have thought about it before."
    assert status(question_id, phrase, f"{opening} {way}") == "covered"
