"""What the lexicon and a table of general acronyms know: one symbol for all forms of a term.

``FSDP``, its expansion and transcribers' spellings of it all become places of the symbol ``fsdp``
in an answer, and of the same symbol in a key phrase.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pronunciation.terms import Lexicon, Term
from question_bank.strict_yaml import parse_yaml
from server.grading.english import is_generic, lemma, rank
from server.grading.tokenizer import SENTENCE, Token, texts_of, tokenize

Form = Literal["exact", "acronym", "fuzzy"]

COMMONEST_WORDS = 1500
"""A transcriber's spelling that is among this many most common words ("slow" for SLO) is no
evidence that the term was said."""
_SHORT_TERM = 4
"""Terms up to this length are acronyms, which have no derivations: "jitter" is not JIT."""


class _GeneralTerm(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    term: str
    stands_for: tuple[str, ...] = ()
    written_as: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class TermIndex:
    """Sequences of word families, by their first, and the symbol of each.

    Attributes:
        by_first: first family → the sequences that begin with it, their symbol and form.
        known_words: words that are (part of) a term, and so not a misspelling of another.
        expansions: symbol → what the letters stand for.
        lexicon_terms: symbol → the lexicon's entry, if it has one.
        lexicon: what it was made of.
    """

    by_first: dict[str, tuple[tuple[tuple[str, ...], str, Form], ...]]
    known_words: frozenset[str]
    expansions: dict[str, tuple[str, ...]]
    lexicon_terms: dict[str, Term]
    lexicon: Lexicon

    def find(
        self, tokens: Sequence[Token], *, strict: bool
    ) -> dict[str, list[tuple[int, int, Form]]]:
        """Every place where a term is said, in any of its forms.

        Args:
            tokens: those of an answer or of a phrase.
            strict: leave out transcribers' spellings.

        Returns:
            Symbol → (first token, token after the last, form).
        """
        out: dict[str, list[tuple[int, int, Form]]] = defaultdict(list)
        families = tuple([token.family for token in tokens])
        for start, head in enumerate(families):
            if head not in self.by_first:
                continue
            for sequence, symbol, form in self.by_first[head]:
                end = start + len(sequence)
                if strict and form == "fuzzy":
                    continue
                if families[start:end] != sequence:
                    continue
                if end - start == 1 and len(head) <= _SHORT_TERM and tokens[start].lemma != head:
                    continue
                if any(token.gap == SENTENCE for token in tokens[start + 1 : end]):
                    continue
                out[symbol].append((start, end, form))
        return dict(out)


def _keys(text: str) -> tuple[str, ...]:
    return tuple(token.family for token in tokenize(text.split()))


@cache
def _general_terms() -> tuple[_GeneralTerm, ...]:
    text = resources.files("server.grading").joinpath("data/terms.yaml").read_text("utf-8")
    return tuple(
        _GeneralTerm.model_validate(entry) for entry in parse_yaml(text, "terms.yaml").data
    )


def spellings_of(term: Term) -> frozenset[tuple[str, ...]]:
    """What transcribers write for a term, as texts of tokens; also the term itself."""
    general = (each for each in _general_terms() if each.term == term.term)
    spelled = (term.term, *term.written_as, *(text for each in general for text in each.written_as))
    return frozenset(tuple(texts_of(text)) for text in spelled)


def _forms(term: str, stands_for: Iterable[str], written_as: Iterable[str]) -> dict[str, Form]:
    forms: dict[str, Form] = {term: "exact"}
    for expansion in stands_for:
        if expansion and expansion.casefold() != term.casefold():
            forms.setdefault(expansion, "acronym")
    for spelling in written_as:
        words = spelling.casefold().split()
        everyday = rank(words[0]) < COMMONEST_WORDS or is_generic(lemma(words[0]))
        if not words or words[0] == "a" or (len(words) == 1 and everyday):
            continue  # "slow" for SLO, "a synchronous"
        forms.setdefault(spelling, "fuzzy")
    return forms


def compile_terms(lexicon: Lexicon) -> TermIndex:
    """Put a lexicon, and the general terms that it lacks, into one index."""
    keys_of = cache(_keys)  # a term's name is one of its forms
    entries: list[tuple[str, dict[str, Form]]] = []
    expanded: dict[str, list[str]] = defaultdict(list)
    for term in lexicon:
        entries.append((term.term, _forms(term.term, (term.stands_for,), term.written_as)))
    for general in _general_terms():
        entries.append((general.term, _forms(general.term, general.stands_for, general.written_as)))
    by_first: dict[str, list[tuple[tuple[str, ...], str, Form]]] = defaultdict(list)
    known: set[str] = set()
    for name, forms in entries:
        own = keys_of(name)
        symbol = " ".join(own)
        for text, form in forms.items():
            keys = keys_of(text)
            if not keys or (keys == own and form != "exact"):
                continue
            if form == "acronym":
                expanded[symbol].append(text)
            entry = (keys, symbol, form)
            if entry not in by_first[keys[0]]:
                by_first[keys[0]].append(entry)
        known.update(texts_of(name))
    return TermIndex(
        by_first={head: tuple(found) for head, found in by_first.items()},
        known_words=frozenset(known),
        expansions={symbol: tuple(texts) for symbol, texts in expanded.items()},
        lexicon_terms={" ".join(keys_of(term.term)): term for term in reversed(lexicon.terms)},
        lexicon=lexicon,
    )
