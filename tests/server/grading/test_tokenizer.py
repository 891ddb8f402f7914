"""Words in, comparable tokens out."""

from pathlib import Path

import pytest

from server.grading.english import american, family, is_odd, lemma
from server.grading.tokenizer import COMMA, SENTENCE, tokenize

TOKENS = Path(__file__).parents[2] / "data" / "one_form" / "tokens.txt"
FAMILIES = TOKENS.parents[1] / "normal_forms" / "families.txt"


def texts(said: str) -> list[str]:
    return [token.text for token in tokenize(said.split())]


@pytest.mark.parametrize("line", TOKENS.read_text("utf-8").splitlines())
def test_one_form_for_every_way_of_writing(line):
    said, expected = line.split(">")
    assert texts(said) == expected.split()


def test_tokens_know_their_words_and_breaks():
    tokens = tokenize(
        [
            "So,",
            "two",
            "hundred",
            "all-reduce",
            "calls.",
            "Then",
            "e.g.",
            "F.",
            "S.",
            "D.",
            "P.",
            "ran",
        ]
    )

    assert [(t.text, t.first, t.last) for t in tokens[1:4]] == [
        ("200", 1, 2),
        ("all", 3, 3),
        ("reduce", 3, 3),
    ]
    assert tokens[1].gap == COMMA
    assert tokens[3].inside
    sentence_starts = [token.text for token in tokens if token.gap == SENTENCE]
    assert sentence_starts == ["so", "then"]


@pytest.mark.parametrize(
    "group",
    [
        "shard shards sharded sharding",
        "optimise optimize optimised optimizing",
        "behaviour behaviors",
        "centre centers centred",
        "label labelled labeling",
        "cache caches cached caching",
        "index indices indexes indexed",
        "write wrote written writing",
        "queue queues queueing queuing",
        "embed embedded embeddings",
    ],
)
def test_inflections_share_a_lemma(group):
    assert len({lemma(word) for word in group.split()}) == 1


@pytest.mark.parametrize(
    "pair",
    [
        "string str", "need ne", "process procession", "production product", "data date",
        "status statute", "preemption prevention", "clipping clip-on", "business busy",
        "synchronous asynchronous", "stateful stateless", "hour or", "four for",
    ],
)  # fmt: skip
def test_different_words_do_not(pair):
    one, other = pair.split()

    assert lemma(one) != lemma(other)


@pytest.mark.parametrize("group", FAMILIES.read_text("utf-8").splitlines())
def test_derivations_share_a_family(group):
    assert len({family(word) for word in group.split()}) == 1


@pytest.mark.parametrize(
    "pair",
    [
        "production product", "department depart", "operation operator", "replica replication",
        "validation valid", "container contain", "important import",
    ],
)  # fmt: skip
def test_words_of_one_root_but_another_meaning_do_not(pair):
    one, other = pair.split()

    assert family(one) != family(other)


def test_american_spelling_leaves_other_words_alone():
    assert [american(word) for word in ("hour", "four", "your", "tour")] == [
        "hour", "four", "your", "tour",
    ]  # fmt: skip


def test_an_odd_word_is_none_of_any_dictionary():
    known = "checkpoint dataset hypotension sharded throughput autoscaler"
    known += " speculatively iteratively pluggable statelessness resharding"
    odd = ["stragler", "cubernitz", "paralelism"]

    assert [word for word in [*odd, *known.split()] if is_odd(word)] == odd
