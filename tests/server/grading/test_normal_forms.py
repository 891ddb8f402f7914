"""About a hundred ways of writing numbers, units and names: equal ones are equal, others are not.

Kinds that users of such programs reported; see docs/reported.md.
"""

import unicodedata

import pytest

from pronunciation.terms import Lexicon
from question_bank.models import KeyPhrase, Question
from server.grading import cover_question
from server.grading.english import lemma
from server.grading.tokenizer import tokenize


def form(written: str) -> list[str]:
    return [lemma(token.text) for token in tokenize(written.split())]


EQUAL = """
.5 seconds = 0.5 seconds = point five seconds = zero point five seconds = half a second
.10 percent = 0.10 % = point one zero percent = 0.10 per cent = 0.1 percent
an hour and a half = one and a half hours = 1.5 hours
a million and a half = one and a half million = 1,500,000
two dollars and fifty cents = $2.50 = two dollars fifty cents
eighteen million nine hundred twenty five thousand dollars = $18,925,000 = 18.925 million dollars
one million one hundred fifty six thousand one hundred seventy three = 1,156,173 = 1.156173 million
five lakh = 500,000
two crore = 20,000,000
02:30 = 2:30 = two thirty
3:00 = three o'clock
60.2400 kg = sixty point two four zero zero kilograms
300 µm = 300 micrometers = three hundred micrometres
60 mph = sixty miles per hour
two hours and three quarters = two and three quarter hours = 2.75 hours
half million = half a million = 500k
zero point eight of a second = 0.8 of a second = 0.8 seconds
three tenths of a percent = 0.3 percent
a hundredth of a second = 0.01 seconds
4 000 000 = 4,000,000 = 4e6 = four million
3e-4 = 0.0003
a hundred and twenty-eight thousand = 128 thousand = 128k = 128,000
a hundred and ten = 110 = one hundred ten
three whole seconds = 3 seconds
React.js = React
half past two = 2:30
5 kilometres = 5 km
3,000 rpm = 3000 revolutions per minute
half-second = half a second = half of a second
a quarter of a second = 0.25 seconds = a quarter second
three quarters of an hour = 0.75 hours
three quarters of a million = 750,000 = 750k
$2.50 = 2.5 dollars
half a dozen = 6
two dozen = 24
2/3 of it = two third of it
3/4 of it = three quarters of it
70 °C = 70 degrees Celsius = 70°C
50 nanos = 50 ns
16 Gi = 16 GiB
-5 % = minus five percent = −5% = -5 pct = negative five percent
a million = one million = 1,000,000 = 1M = 1 million = 1000000
2.5 million = two and a half million = two point five million = 2.5M = 2,500,000
half a million = five hundred thousand = 500k = 500,000 = 0.5 million
one and a half = 1.5 = one point five = 1 point 5
three and three quarters = 3.75 = three point seven five = three point seventy five
thirty-three oh six = thirty three oh six = 3306
nineteen oh five = 1905
eighty eighty = 8080 = eight thousand eighty
sixty-three seventy-nine = 6379
two thousand forty eight = 2048 = two thousand and forty eight
ninety nine point nine nine = 99.99 = ninety-nine point ninety-nine
one million five hundred thousand = 1.5 million = 1,500,000
seventy billion = 70B = 70 billion = 70,000,000,000
a trillion = one trillion = 1 trillion
ten thousand = 10k = 10,000 = 10K
$5 million = five million dollars = $5M = 5 million dollars
400 Gb/s = 400 gigabits per second = 400 Gbps = 400Gb/s = 400 Gbit/s
100 Mbps = 100 megabits per second = 100 Mb/s = 100 Mbit/s
900 GB/s = 900 gigabytes per second = 900GB/s = 900 GBps
16 GiB = 16 gibibytes = 16GiB = sixteen gibibytes
80 GB = 80 gigabytes = 80GB = eighty gigs
512 MB = 512 megabytes = 512 megs
200 µs = 200 microseconds = 200 us = 200μs = two hundred microseconds
50 ns = 50 nanoseconds = 50ns
20 ms = 20 milliseconds = twenty millis = 20 msec
5 s = five seconds = 5s = 5 sec = 5 secs
2 h = two hours = 2 hrs = 2h
3 GHz = 3 gigahertz = three gigahertz = 3GHz
48 kHz = 48 kilohertz
700 W = 700 watts = 700W
10 kW = ten kilowatts = 10kW
5 kWh = 5 kilowatt hours = 5 kilowatt-hours
10 TFLOPS = 10 teraflops
1000 requests/s = 1000 requests per second = 1,000 requests/sec
60 fps = 60 frames per second
naïve = naive
façade = facade
Poincaré = Poincare
résumé = resume
Zürich = Zurich
C# = C sharp = C-sharp = c♯
F# = F sharp
C++ = C plus plus = CPP
.NET = dot net = dotnet
ASP.NET = ASP dot net
10:30 = ten thirty
99th = ninety-ninth
"""
DIFFERENT = """
.5 seconds / 5 seconds
point five seconds / five seconds
.10 percent / 10 percent
-5 % / 5 percent
minus five / five
1.5 / 15
2.5 million / 2.5 billion
a million / a thousand
400 Gb/s / 400 GB/s
100 Mb / 100 MB
16 GiB / 16 GB
200 µs / 200 ms
50 ns / 50 ms
3 GHz / 3 MHz
700 W / 700 kW
5 mW / 5 MW
C# / C
C++ / C
C# / C++
F# / F
.NET / net
changelog.com / changelog
redis.io / Redis
https://kafka.apache.org/x / Kafka
10:30 / 10 to 30
10 kWh / 10 kW
changelog dot com / changelog
spark dot apache dot org / spark
redis.example.co.uk / redis
"""
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
    lines = (line.split(" = ") for line in EQUAL.strip().splitlines())
    return [(first, other) for first, *others in lines for other in others]


@pytest.mark.parametrize(("one", "other"), _pairs())
def test_written_another_way_it_is_the_same(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize("pair", DIFFERENT.strip().splitlines())
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
