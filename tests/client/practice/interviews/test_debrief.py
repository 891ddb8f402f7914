"""The debrief's own rules: what counts as a question, the days of a loop."""

from datetime import date

import pytest

from client.practice.interviews import loop_of
from client.practice.interviews.debrief import questions_in
from question_bank.loader import load_bank


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


def test_a_loop_has_every_round_of_the_role_on_a_day_of_its_own() -> None:
    lines = list(loop_of(load_bank(()), "ml-platform-engineer", date(2026, 12, 1)))
    assert len(lines) == 5
    assert lines[0].startswith("Tue 01 Dec") and "--round phone-screen" in lines[0]
