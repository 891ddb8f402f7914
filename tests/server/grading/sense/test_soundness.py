"""How much of what an answer touches it says rightly, by how it sounds."""

from statistics import median

import pytest

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.grading import cover
from server.grading.sense.fusion import hold, soundness_row
from server.grading.sense.soundness import believed_of, soundness_of, weakness_of
from server.grading.sense.thresholds import (
    BELIEVED,
    SHORT_ANSWER,
    SOUND,
    UNSOUND,
    WHOLE_ANSWER,
)
from server.grading.sense.vectors import sense_of

QUESTIONS = {question.id: question for question in load_bank().questions}


def soundness(question_id: str, text: str) -> float:
    """Of an answer to a question of the bank."""
    question, words = QUESTIONS[question_id], text.split()
    sense = sense_of(words)
    found = cover(question.key_phrases, words, load_lexicon()).phrases
    return soundness_of(soundness_row(hold(question, sense, words, found)))


def test_an_answer_is_weak_in_proportion_and_a_sentence_tells_little() -> None:
    middle = (UNSOUND + SOUND) / 2
    assert weakness_of(SOUND + 1, 200) == weakness_of(SOUND, 200) == 0.0
    assert weakness_of(middle, 200) == pytest.approx(0.5)
    assert weakness_of(UNSOUND - 1, 200) == weakness_of(UNSOUND, WHOLE_ANSWER) == 1.0
    assert weakness_of(UNSOUND, (SHORT_ANSWER + WHOLE_ANSWER) // 2) == pytest.approx(0.5)
    assert weakness_of(UNSOUND - 1, SHORT_ANSWER) == 0.0
    assert believed_of(BELIEVED[1], 200) == believed_of(BELIEVED[0] - 1, SHORT_ANSWER) == 1.0
    assert believed_of(sum(BELIEVED) / 2, 200) == pytest.approx(0.5)
    assert believed_of(BELIEVED[0] - 1, WHOLE_ANSWER) == 0.0


def test_model_answers_sound_right() -> None:
    """They trained nothing: most are beyond doubt, hardly any is in full doubt."""
    found = [
        soundness(question.id, question.model_answer)
        for question in list(QUESTIONS.values())[::8]
        if question.key_phrases
    ]
    assert median(found) >= SOUND
    assert sum(each < UNSOUND for each in found) <= 1


def test_a_confidently_wrong_answer_sounds_less_right_than_the_same_told_rightly() -> None:
    right = soundness(
        "infiniband-or-roce",
        "InfiniBand gives you a lossless fabric because a sender only sends when the receiver has "
        "granted credits. With RoCE you get the same latency over Ethernet, but you have to tune "
        "priority flow control and ECN, otherwise one slow receiver pauses everybody. For a small "
        "team I would take InfiniBand for training and Ethernet for storage.",
    )
    wrong = soundness(
        "infiniband-or-roce",
        "InfiniBand is just a kind of TCP, so it always drops packets and simply sends them again, "
        "which never costs anything. RoCE means that every packet goes through the kernel, so it "
        "automatically has no congestion at all, and priority flow control is only there to make "
        "the cable faster. So you never need ECN, that is completely useless, the switch does "
        "everything itself anyway.",
    )
    assert wrong < UNSOUND
    assert right > wrong + 1.0
