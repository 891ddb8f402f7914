"""About a hundred ways of writing numbers, units and names: equal ones are equal, others are not.

Kinds that users of such programs reported; see docs/reported.md.
"""

import unicodedata
from pathlib import Path

import pytest

from pronunciation.terms import Lexicon
from question_bank.models import KeyPhrase, Question
from server.grading import cover_question
from server.grading.english import lemma
from server.grading.tokenizer import tokenize

DATA = Path(__file__).parents[2] / "data" / "normal_forms"


def written(name: str) -> list[str]:
    return (DATA / f"{name}.txt").read_text("utf-8").splitlines()


def form(text: str) -> list[str]:
    return [lemma(token.text) for token in tokenize(text.split())]


AS_THEY_ARE = {
    "at this point five of us left": "at this point 5 of us leave",
    "a few million events": "a few million event",
    "millions of users": "million of user",
    "A100s and H100s": "a 100 and h 100",
    "8 k v heads": "8 k v head",
    "2 US regions": "2 us region",
    "ten minus five": "10 minus 5",
    "it is a half": "it is a half",
    "the point five people made": "the point 5 people make",
    "2:1": "2 to 1",
    "B2B": "b 2 b",
    "v1.2": "v 1.2",
    "Python 3.10 is out": "python 3.10 is out",
    "the first quarter and a half": "the first quarter and a half",
    "three quarters of the year": "3 quarter of the year",
    "connect the dot": "connect the dot",
    "Kafka.It is durable": "kafka it is durable",
}


def _pairs() -> list[tuple[str, str]]:
    lines = (line.split(" = ") for line in written("equal"))
    return [(first, other) for first, *others in lines for other in others]


@pytest.mark.parametrize(("one", "other"), _pairs())
def test_written_another_way_it_is_the_same(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize("pair", written("different"))
def test_what_only_looks_alike_is_not(pair: str) -> None:
    one, other = pair.split(" / ")
    assert form(one) != form(other)


@pytest.mark.parametrize(("said", "read"), AS_THEY_ARE.items())
def test_other_words_stay_as_they_are(said: str, read: str) -> None:
    assert " ".join(form(said)) == read


@pytest.mark.parametrize("word", ["naïve", "façade", "résumé", "Ångström"])
def test_composed_and_decomposed_letters_are_equal(word: str) -> None:
    assert form(unicodedata.normalize("NFD", word)) == form(unicodedata.normalize("NFC", word))


def test_tokens_point_at_their_words() -> None:
    tokens = tokenize(["we", "saw", "two", "and", "a", "half", "million", "users"])
    assert [(t.text, t.first, t.last) for t in tokens[2:]] == [
        ("2.5", 2, 6),
        ("million", 2, 6),
        ("users", 7, 7),
    ]


SAID = """
500 milliseconds | It took half a second to answer.
half a second | It took 500 ms to answer.
200 microseconds | A round trip takes 0.2 ms at most.
90 minutes | The job ran for an hour and a half.
24 hours | We keep the logs for one day only.
900 gigabytes per second | The memory has 0.9 TB/s of bandwidth.
400 gigabits per second | The link runs at 50 gigabytes per second.
400 gigabits per second | The link runs at four hundred gigabits a second.
700 watts | Each card draws 0.7 kW under load.
16 GiB | The pod may take 16,384 MiB of memory.
3 GHz | The processor runs at three gigahertz under load.
30 seconds | The lease lasts 30s and is renewed.
three quarters of the requests | 75 % of the requests hit the cache.
10 times | It became 10x as fast.
250 milliseconds | The probe answers in a quarter of a second.
7 days | We keep the logs for a week.
half of the nodes | 50% of the nodes failed.
2x | It became twice as fast.
3 km | The fiber is 3000 meters long.
$2.50 per hour | The node costs 2.5 dollars an hour.
in 2019 | The outage was in twenty nineteen.
70 degrees Celsius | The card throttles at 70 degrees C already.
C# | I wrote the service in c-sharp for years.
C++ | I wrote the service in CPP for years.
Kafka | We put it into Kafka.It is durable.
six months | The project took half a year.
2:15 | The nightly job starts at a quarter past two.
5 to 10 seconds | Warming up takes between five and ten seconds.
5 to 10 seconds | Warming up takes 5-10 seconds.
a year | The project took twelve months.
20 requests per second | One replica takes twenty requests each second.
100 gigabits per second | The line does 100 gig a second on a good day.
900 megabytes per second | The disk reads nine hundred megs per second.
50 cents | It costs $0.50 an hour.
$40,000 a month | That bill was 40,000 dollars per month at the time.
3 a.m. | The backup ran at three o'clock in the morning.
7 in the evening | Traffic peaks at 7 p.m. every day.
0.5 percent | We rolled back once errors reached point five percent.
"""
NOT_SAID = """
5 seconds | It took one and a half seconds in the end.
5 seconds | It took nine seconds in the end.
2.5 million users | We handled forty events, and finally ninety users.
15 nanoseconds | It took 15 microseconds.
24 hours | We waited 24 minutes for it.
5 minutes | It took 5 hours.
10 kilowatts | Each rack draws 10 kWh under load.
3 billion parameters | The model has three million parameters.
5 milliseconds | A disk seek takes 0.5 seconds at most.
400 gigabits per second | The link runs at 400 gigabytes per second.
half a million users | In the end two and a half million users were on it.
24 hours | We keep the logs for one week only.
7 days | We keep the logs for two weeks.
40 degrees | It works at -40 degrees.
2 percent | Revenue moved by negative 2 percent.
changelog | We read it on changelog dot com every week.
Redis | redis.example.co.uk was down for a day.
changelog | The news on changelog.fm were bad.
4 million messages | The topic holds four messages per million.
C# | My thesis was a parser in C, sharp and fast, all of it.
R | I was in the R&D department then.
5 percent | We rolled back as soon as point five percent of it failed.
10 to 1 read-write ratio | We saw a 1 to 10 read-write ratio all day.
3 a.m. | The backup ran at 3 p.m. each day.
20 kilometers | The two centers are 20 miles apart.
20,000 dollars | It saved us 20,000 euros a year.
85 degrees Celsius | It slows down at 85 degrees Fahrenheit already.
50 tokens per second | One user got fifty tokens per minute.
200 queries per second | It took two hundred queries a day.
95th percentile | We looked at the ninety-ninth percentile.
"""


def _status(pair: str, lexicon: Lexicon) -> str:
    phrase, said = pair.split(" | ")
    question = Question(
        id="planted",
        round="domain-deep-dive",
        topic="Any",
        prompt="How did you do it?",
        model_answer=f"We did it with {phrase} in the end, and it was good.",
        answer_seconds=60,
        key_phrases=(KeyPhrase(phrase=phrase),),
    )
    return cover_question(question, said.split(), lexicon).phrases[0].status


@pytest.mark.parametrize("pair", SAID.strip().splitlines())
def test_a_quantity_or_a_name_is_said_in_any_form(pair: str, lexicon: Lexicon) -> None:
    assert _status(pair, lexicon) == "covered"


@pytest.mark.parametrize("pair", NOT_SAID.strip().splitlines())
def test_another_quantity_or_name_is_not(pair: str, lexicon: Lexicon) -> None:
    assert _status(pair, lexicon) != "covered"


@pytest.mark.parametrize(
    "said", ["nine seconds", "one and a half seconds", ".5 seconds", "fifteen seconds", "5 hours"]
)
def test_another_quantity_is_not_even_asked_about(said: str, lexicon: Lexicon) -> None:
    assert _status(f"5 seconds | It took {said} in the end.", lexicon) == "missing"
