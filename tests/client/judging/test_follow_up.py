"""What a language model may make of a follow-up."""

import pytest

from client.judging.judge import ChatError, put_into_words
from server.contract import FollowUp

ASKED = FollowUp(kind="phrase", about="eviction", ask="Who loses their place when memory is full?")
ANSWER = "I count the tokens of all users and take 20 percent more."


class Says:
    def __init__(self, reply: str | None) -> None:
        self._reply = reply

    def ask(self, messages: object) -> str:
        if self._reply is None:
            raise ChatError("it did not answer within 2 s")
        return self._reply


def put(reply: str | None) -> FollowUp:
    return put_into_words(Says(reply), ASKED, "How do you size a cache?", ANSWER)


def test_its_own_words_are_asked() -> None:
    said = "You take “20 percent more”. Who loses their place when that is full?"
    assert put(said) == ASKED.model_copy(update={"ask": said, "by_model": True})


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "",
        "Great answer.",
        "You said “we evict the oldest”. Who loses their place?",  # nobody said so
        "Who loses their place when all 900 users come?",  # nor this number
        "What is your favorite color?",  # about something else
        "Who? What? Why? And memory?",
        "Who loses " + "very " * 60 + "much memory?",
    ],
)
def test_what_claims_more_than_was_said_is_not_asked(reply: str | None) -> None:
    assert put(reply) == ASKED
