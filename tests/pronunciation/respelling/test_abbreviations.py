"""Abbreviations that are also words are read by their place."""

import pytest

from pronunciation.respelling.for_voices import spelled_out


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("See no. 5.", "See number 5."),
        ("See No. 7 and nos. 3 and 4.", "See Number 7 and numbers 3 and 4."),
        ("It was 5 in. long.", "It was 5 inches long."),
        ("It is 5 in. It fits.", "It is 5 inches. It fits."),
        ("It was 1 in. wide.", "It was 1 inch wide."),
        ("See fig. 3 and Fig. 4.", "See figure 3 and Figure 4."),
        ("See art. 5.", "See article 5."),
        ("Vol. 3, ch. 2, p. 5", "Volume 3, chapter 2, page 5"),
        ("pp. 3 to 5", "pages 3 to 5"),
        ("At 5 am it ran.", "At 5 A.M. it ran."),
        ("At 5 a.m. it ran.", "At 5 A.M. it ran."),
        ("It runs at 3pm.", "It runs at 3 P.M."),
        ("The US region", "The U.S. region"),
        ("Ask the IT team.", "Ask the I.T. team."),
        ("The WHO said so.", "The W.H.O. said so."),
        ("Approx. 5 min. later", "Approximately 5 minutes later"),
        ("max. 10 items", "maximum 10 items"),
        ("5 sec. later", "5 seconds later"),
        ("the 2nd ed. of it", "the 2nd edition of it"),
        ("on Rodeo Dr. in May", "on Rodeo Drive in May"),
        ("up 24/7", "up twenty-four seven"),
        ("Give the no. of nodes.", "Give the number of nodes."),
        ("TCP vs. UDP", "TCP versus UDP"),
        ("Logs, metrics, etc. are kept.", "Logs, metrics, et cetera are kept."),
        ("On Jan. 5 it failed.", "On January 5 it failed."),
        ("Set max. retries and the min. value.", "Set maximum retries and the minimum value."),
        ("The avg. and the est. cost", "The average and the estimated cost"),
        ("The no. one reason", "The number one reason"),
        ("Rev. 2 is 5 cm. wide.", "Revision 2 is 5 cm wide."),
        ("A queue, e.g. Kafka, i.e. a log", "A queue, for example Kafka, that is a log"),
        ("On Baker St. near Oak Rd. we met.", "On Baker Street near Oak Road we met."),
        ("From 1 Mar. it ran every Sun. at noon.", "From 1 March it ran every Sunday at noon."),
    ],
)
def test_an_abbreviation_is_a_word_where_its_place_says_so(written: str, read: str) -> None:
    assert spelled_out(written) == read


@pytest.mark.parametrize(
    "text",
    """The answer is no.
They told me no. So I stopped.
He is in. She is out.
I ate a fig. It was good.
It is art.
I am here. Am I?
Tell us. It broke.
He sat. The sun shone.
Mr. Smith met Dr. Lee.
Just a sec. I come.
It rose to the max. Then it fell.
They said no. Of all of them, one stayed.
It may mar. The paint is new.
WHO IS IT?
Version 1.5 min.io""".splitlines(),
)
def test_a_word_stays_a_word(text: str) -> None:
    assert spelled_out(text) == text
