from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from server.grading.sense.clauses import MAX_JOINED_WORDS, MAX_WORDS, clauses_of, spans_of


def said(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[start:end]) for start, end in clauses_of(words)[0]]


def test_clauses_end_at_sentences_pauses_and_conjunctions() -> None:
    assert said(
        "We page the cache in small blocks, so nothing is wasted. Then we batch what waits and "
        "every step takes in new requests because slots are free."
    ) == [
        "We page the cache in small blocks,",
        "so nothing is wasted.",
        "Then we batch what waits and every step takes in new requests",
        "because slots are free.",
    ]


def test_a_short_stretch_belongs_to_the_clause_before_it() -> None:
    assert said("We drain the node at once, you know. Right. Then we fix it.") == [
        "We drain the node at once, you know.",
        "Right.",
        "Then we fix it.",
    ]


def test_two_clauses_in_a_row_and_whole_sentences_are_compared_too() -> None:
    words = [
        "First",
        "we",
        "drain",
        "the",
        "node,",
        "then",
        "we",
        "test",
        "it,",
        "then",
        "it",
        "comes",
        "back.",
    ]
    found = {" ".join(words[start:end]) for start, end in spans_of(words)}
    assert found == {
        "First we drain the node,",
        "then we test it,",
        "then it comes back.",
        "First we drain the node, then we test it,",
        "then we test it, then it comes back.",
        "First we drain the node, then we test it, then it comes back.",
    }


@given(
    st.lists(st.sampled_from(["we", "and", "cache,", "node.", "because", "…", "?"]), max_size=90)
)
def test_clauses_hold_every_word_once_in_order(words: list[str]) -> None:
    clauses, sentences = clauses_of(words)
    assert [at for start, end in clauses for at in range(start, end)] == list(range(len(words)))
    assert all(first <= second for first, second in pairwise(sentences))
    assert all(end - start < 2 * MAX_WORDS for start, end in clauses)
    assert all(end - start <= MAX_JOINED_WORDS for start, end in spans_of(words))
