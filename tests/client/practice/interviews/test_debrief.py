"""The debrief's own rules: what counts as a question, the days of a loop."""

from datetime import date

import pytest

from client.practice.interviews import loop_of
from client.practice.interviews.debrief import moments_of, questions_in
from question_bank.loader import load_bank
from server.contract import Aim, Report, Transcript
from tests.client.practice.interviews.conftest import attempt


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("What is next? How do you measure success and what do you find hardest?", 3),
        ("Would you hire me?", 1),
        ("How large is the team what would I do first and how do you decide who is on call?", 3),
        ("", 0),
        ("No, thank you. That was all.", 0),
        ("What does the team work on? How do you measure success?", 2),
        ("I would like to know how many people are on call. And who decides.", 2),
    ],
)
def test_questions_are_counted_with_or_without_their_signs(text: str, count: int) -> None:
    assert questions_in(text) == count


def report(text: str, quote: str = "") -> Report:
    """Of an answer without a covered phrase, a long silence or anything that sounds wrong."""
    made = attempt(1, "q", "0" * 32, statuses=("missing",)).report
    aim = Aim(kind="content", name="a", text="Say “a”.", evidence="coverage", quote=quote)
    return made.model_copy(update={"transcript": Transcript(text=text), "aim": aim})


def test_three_answers_or_sentences_have_three_moments() -> None:
    one = {1: (7, report("I start small. Then I measure it. That is all.", "then i measure"))}
    assert [each.text for each in moments_of(one)] == [
        *("Then I measure", "I start small", "That is all")
    ]
    three = {number: (number, report(f"Answer {number} is short")) for number in (1, 2, 3)}
    weakest, *others = moments_of(three)
    assert (weakest.number, weakest.why) == (3, "Your weakest answer, 0%. Say “a”.")
    assert [(each.number, each.why) for each in others] == [
        *((1, "How you began."), (2, "How you began."))
    ]
    assert len(moments_of({1: (1, report("One. Two."))})) == 2
    assert moments_of({}) == ()


def test_a_loop_has_every_round_of_the_role_on_a_day_of_its_own() -> None:
    lines = list(loop_of(load_bank(()), "ml-platform-engineer", date(2026, 12, 1)))
    assert len(lines) == 5
    assert lines[0].startswith("Tue 01 Dec") and "--round phone-screen" in lines[0]
