"""Lemmas of words as a dictionary has them: the table of the library lemminflect, looked up here.

lemminflect makes 80,000 dictionaries of its table before it looks up the first word: half a second
and 45 MB. Here the table stays as it is, sorted by word, and a word is found in it by bisection.
"""

from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from gzip import decompress
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

_PART_OF: Final = {"modal": "AUX"}
"""Parts of speech of the table that Universal Dependencies name otherwise."""

Lemmas = Mapping[str, tuple[str, ...]]
"""Part of speech (``NOUN``, ``VERB``, ``ADJ``, ``ADV``, ``AUX``) → the lemmas of a word as such."""


def lemmas_in_dictionary(word: str) -> Lemmas:
    """The lemmas of a lower-case word; nothing where the dictionary does not have it."""
    lines, found = _table(), {}
    head = word.encode()
    at = bisect_left(lines, head, key=_word_of)
    while at < len(lines) and _word_of(lines[at]) == head:
        _, part, lemmas = lines[at].decode().split(",")
        found[_PART_OF.get(part, part.upper())] = tuple(lemmas.lower().split("/"))
        at += 1
    found.update(_corrections().get(word, {}))
    return MappingProxyType(found)


def verb_of_unknown(word: str) -> str:
    """The lemma of a verb that the dictionary does not have, by lemminflect's small model."""
    import lemminflect  # type: ignore[import-untyped]

    return str(lemminflect.getAllLemmasOOV(word, "VERB")["VERB"][0])


def _word_of(line: bytes) -> bytes:
    return line.partition(b",")[0]


@cache
def _table() -> list[bytes]:
    """Lines of inflected form, part of speech and lemmas, in the order of the forms."""
    return decompress(_resource("lemma_lu.csv.gz").read_bytes()).splitlines()


@cache
def _corrections() -> dict[str, dict[str, tuple[str, ...]]]:
    """What stands in place of the table, for pronouns and a few more."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in _resource("lemma_overrides.csv").read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            word, part, lemma = line.strip().split(",")
            found.setdefault(word, {})[part] = (lemma,)
    return found


def _resource(name: str) -> Path:
    """A file of lemminflect, which is not imported for it."""
    spec = find_spec("lemminflect")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "resources" / name
