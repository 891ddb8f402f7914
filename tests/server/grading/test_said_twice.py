"""What is a stumble, and what is good English said twice."""

import pytest

from server.grading.delivery import find_repeated_starts
from tests.server.grading.test_grader import said


@pytest.mark.parametrize(
    "text",
    """We wrote it in C plus plus last year
I logged in in 2020 and looked
What it is is a queue
We had many, many users
They had had enough
I knew that that table was hot
The code is nine nine nine nine
Call zero zero seven
The part is A A B
It was very very slow
A big big problem came up
It grew more and more and more
We went step by step by step
We tried again and again and again
No, no, it was fine
We need, we need to ship it
Who we talked to to learn that was the team
The thing is is hidden
What we do do is test
The service that runs on on Sunday stopped
We listen to Duran Duran at work
We moved on on Monday
It took a long long time
It was wrong. Wrong again
We use the log log plot
All we have have bugs
It was so so good
I really really like it
We saw far far fewer errors
One, two, one, two
We turned it on on Monday
They switched them off off the record
The reason it is is that memory is scarce
The bug I had been looking for for weeks was a typo
The queue that we talked about about noon is gone
She gave her her token back""".splitlines(),
)
def test_good_english_is_no_stumble(text: str, lexicon) -> None:
    assert [start.text for start in find_repeated_starts(said(text, lexicon), ())] == []


@pytest.mark.parametrize(
    ("text", "stumbled"),
    [
        ("We we need the the model", ["we", "the"]),
        ("I I think so", ["i"]),
        ("It is is broken", ["is"]),
        ("We went to to the office", ["to"]),
        ("We um we need it", ["we"]),
        ("The model the model is large", ["the model"]),
        ("We just just deployed it", ["just"]),
        ("And and then it it broke", ["and", "it"]),
        ("They were in the in the cloud", ["in the"]),
        ("A a cache", ["a"]),
        ("My my team was small", ["my"]),
        ("We used the queue queue", ["queue"]),
        ("So we need to we need to ship", ["we need to"]),
    ],
)
def test_a_stumble_is_found(text: str, stumbled: list[str], lexicon) -> None:
    assert [start.text for start in find_repeated_starts(said(text, lexicon), ())] == stumbled
