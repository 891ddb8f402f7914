from collections.abc import Callable
from typing import Any

import pytest

from pronunciation.clip import Clip
from pronunciation.hearing import Hearing, hear_entry
from pronunciation.hearing.manifest import lexicon_targets
from pronunciation.terms import Lexicon, Mistake, Term

Planted = Callable[[str], Clip]

TEXT = "We use RoCE between the nodes"
ROCE = {"term": "roce", "readings": ["R AA1 K IY0"], "mistakes": ["R OW1 S"]}
LEXICON = Lexicon(
    version="test",
    terms=(
        Term(
            term="RoCE",
            kind="word",
            say="ROCK-ee",
            readings=("R AA1 K IY0",),
            mistakes=(Mistake(phones="R OW1 S", tip="Two syllables."),),
        ),
        Term(term="node", kind="word", say="nohd", readings=("N OW1 D",)),
    ),
)


def test_without_terms_the_lexicons_are_looked_for(hearing: Hearing, planted: Planted) -> None:
    raw = {"audio": "x.flac", "text": TEXT}
    result = hear_entry(hearing, raw, planted("we-use-roce-rocky"), LEXICON)
    assert [(t["term"], t["word_index"]) for t in result["terms"]] == [("RoCE", 2), ("node", 5)]


def test_terms_within_compounds_are_heard(hearing: Hearing, planted: Planted) -> None:
    raw = {"audio": "x.flac", "text": "We use RoCE/between the-nodes"}
    result = hear_entry(hearing, raw, planted("we-use-roce-rose"), LEXICON)
    assert [(t["term"], t["word_index"]) for t in result["terms"]] == [("RoCE", 2), ("node", 3)]
    assert result["terms"][0]["verdict"] == "mispronounced"


def test_terms_of_a_text_do_not_overlap() -> None:
    terms = tuple(
        Term(term=name, kind="word", say="x", readings=("K AE1 SH",))
        for name in ("cache", "KV cache")
    )
    lexicon = Lexicon(version="test", terms=terms)
    targets = lexicon_targets(["the", "KV", "cache", "and", "a", "cache"], lexicon)
    assert [(t.term, t.word_index) for t in targets] == [("KV cache", 1), ("cache", 5)]


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"audio": "x.flac"}, "text"),
        ({"audio": "x.flac", "text": TEXT, "terms": [{"term": "RoCE"}]}, "readings"),
        ({"audio": "x.flac", "text": TEXT, "terms": [{**ROCE, "term": "etcd"}]}, "not in the text"),
        ({"audio": "x.flac", "text": TEXT, "terms": [{**ROCE, "readings": ["R Q"]}]}, "ARPAbet"),
        ({"audio": "x.flac", "text": " "}, "text: is empty"),
        ({"audio": "x.flac", "text": TEXT, "terms": [{**ROCE, "readings": []}]}, "at least one"),
        (
            {"audio": "x.flac", "text": TEXT, "terms": [{**ROCE, "mistakes": "R OW1 S"}]},
            "terms[0].mistakes: must be a list",
        ),
        ({"audio": "x.flac", "text": TEXT, "terms": [{**ROCE, "mistakes": ["R X"]}]}, "'roce': "),
        ({"audio": "x.flac", "text": TEXT, "terms": [ROCE, ROCE]}, "is taken"),
        ([1, 2], "the line: must be an object"),
    ],
)
def test_a_bad_line_says_what_is_wrong(
    hearing: Hearing, planted: Planted, raw: Any, problem: str
) -> None:
    result = hear_entry(hearing, raw, planted("we-use-roce-rocky"))
    assert "terms" not in result
    assert problem in result["error"]
    assert "\n" not in result["error"]
