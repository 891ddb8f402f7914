"""Whoever says a model answer is shown all of its own phrases, and few of other questions'."""

import pytest

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.bank_versions.check import check_model_answers

BANK = load_bank()


SAMPLE = BANK.questions[:: max(1, len(BANK.questions) // 30)]
"""About thirty. `aloud bank validate --fast question_bank` checks all, in two minutes: run it after
changing names of phrases or model answers."""


@pytest.mark.slow
def test_model_answers_cover_their_own_phrases_and_not_those_of_unrelated_questions() -> None:
    assert list(check_model_answers(BANK, load_lexicon(), SAMPLE)) == []


def test_an_answer_that_lacks_a_phrase_is_found() -> None:
    question = BANK.questions[0]
    lost = question.key_phrases[0]
    answer = question.model_answer
    for name in (lost.phrase, *lost.aliases):
        answer = answer.replace(name, "something")
    assert answer != question.model_answer
    faults = list(
        check_model_answers(
            BANK, load_lexicon(), [question.model_copy(update={"model_answer": answer})]
        )
    )
    assert f"does not cover its own {lost.phrase!r}" in [says for _, says in faults]


def test_the_answer_to_an_unrelated_question_is_found() -> None:
    question = BANK.questions[0]
    stranger = next(each for each in reversed(BANK.questions) if each.kind == "explain")
    swapped = question.model_copy(update={"model_answer": stranger.model_answer})
    faults = list(check_model_answers(BANK, load_lexicon(), [swapped]))
    assert any(f"unrelated question {stranger.id!r}" in says for _, says in faults)
