"""One line of a manifest: a clip, its text and terms in, one plain result out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints, ValidationError

from pronunciation.clip import Clip
from pronunciation.errors import HearingError, PhoneError, PronunciationError
from pronunciation.hearing.compounds import Names, take_apart
from pronunciation.hearing.hear import Hearing
from pronunciation.hearing.results import Heard, Target
from pronunciation.phones import parse_phones
from pronunciation.terms import Frozen, Lexicon
from pronunciation.written_terms import find_term, split_words

_SAID: Final = {
    "missing": "is missing",
    "model_type": 'must be an object such as {"audio": "x.wav", "text": "we use RoCE here"}',
    "string_too_short": "is empty",
    "string_type": "must be a text in quotes",
    "string_unicode": "is not Unicode text",
    "too_short": "needs at least one",
    "tuple_type": "must be a list in square brackets",
}
"""Pydantic's findings by type, for people who know JSON but not Python."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200_000)]


class ManifestTerm(Frozen, extra="ignore"):
    """A term of a manifest line."""

    term: Text
    readings: tuple[Text, ...] = Field(min_length=1)
    mistakes: tuple[Text, ...] = ()


class ManifestEntry(Frozen, extra="ignore"):
    """A manifest line; without ``terms``, the lexicon's terms are searched for."""

    audio: Text
    text: Text
    terms: tuple[ManifestTerm, ...] | None = None


def parse_entry(raw: object) -> ManifestEntry:
    """Check one decoded line.

    Raises:
        HearingError: a field is missing or of the wrong kind; the text names it.
    """
    try:
        return ManifestEntry.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        found = _SAID.get(first["type"], first["msg"])
        raise HearingError(f"{_place(first['loc']) or 'the line'}: {found}") from error


def _place(location: tuple[int | str, ...]) -> str:
    """The location of a fault: ``terms[0].readings``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).lstrip(".")


def hear_terms(
    hearing: Hearing, clip: Clip, text: str, terms: Lexicon | Sequence[ManifestTerm]
) -> list[Heard]:
    """Judge terms of a text.

    Args:
        hearing: the hearing to use.
        clip: the sound.
        text: the words said in it.
        terms: a lexicon, for all of its terms in the text at every place; or terms, each at its
            first place, and if it is given twice also at the next.

    Returns:
        One result for each, for a lexicon in the order of the text (none if the text has none of
        its terms), otherwise in that of the terms. ``word_index`` counts whitespace-separated words
        of the text.

    Raises:
        HearingError: as for ``Hearing.hear``; or a term is not in the text, or a reading is not
            ARPAbet.
    """
    parts = take_apart(split_words(text), Names(tuple(term.term for term in terms)))
    if isinstance(terms, Lexicon):
        targets = lexicon_targets(parts.words, terms)
    else:
        targets = _given_targets(list(parts.words), terms)
    heard = hearing.hear(clip, parts.words, targets)
    return [replace(each, word_index=parts.whole[each.word_index]) for each in heard]


def lexicon_targets(words: Sequence[str], lexicon: Lexicon) -> list[Target]:
    """Every place of the text with a lexicon term; longer terms take precedence."""
    taken: set[int] = set()
    targets: list[Target] = []
    for term in sorted(lexicon.terms, key=lambda t: -len(t.term)):
        mistakes = tuple(m.phones for m in term.mistakes)
        for index, n_words in find_term(list(words), term.term):
            places = set(range(index, index + n_words))
            if not taken & places:
                taken |= places
                targets.append(Target(term.term, index, n_words, term.readings, mistakes))
    return sorted(targets, key=lambda t: t.word_index)


def _given_targets(words: list[str], terms: Sequence[ManifestTerm]) -> list[Target]:
    """The first free place of each term; a term given twice takes the next place."""
    taken: set[int] = set()
    targets: list[Target] = []
    for term in terms:
        try:
            for reading in (*term.readings, *term.mistakes):
                parse_phones(reading)
        except PhoneError as error:
            raise HearingError(f"the term {term.term!r}: {error}") from error
        places = find_term(words, term.term)
        if not places:
            raise HearingError(f"the term {term.term!r} is not in the text")
        free = [(index, n) for index, n in places if not taken & set(range(index, index + n))]
        if not free:
            raise HearingError(
                f"every place of the term {term.term!r} in the text is taken by the terms before it"
            )
        index, n_words = free[0]
        taken |= set(range(index, index + n_words))
        targets.append(Target(term.term, index, n_words, term.readings, term.mistakes))
    return targets


def result_entry(heard: Heard) -> dict[str, Any]:
    """One term's result, as JSON."""
    return {
        "term": heard.term,
        "word_index": heard.word_index,
        "verdict": heard.verdict,
        "phones": heard.phones,
        "confidence": round(heard.confidence, 4),
        "start_s": round(heard.start_s, 3),
        "end_s": round(heard.end_s, 3),
    } | ({} if heard.fault is None else {"fault": heard.fault})


def named_audio(raw: object) -> str | None:
    """The ``audio`` of a decoded line, whatever else is wrong with it."""
    audio = raw.get("audio") if isinstance(raw, Mapping) else None
    return audio if isinstance(audio, str) else None


def hear_entry(
    hearing: Hearing, raw: object, clip: Clip, lexicon: Lexicon | None = None
) -> dict[str, Any]:
    """Judge one decoded manifest line; faults are in the result, never raised.

    Args:
        hearing: the hearing to use; keep one for all lines.
        raw: the decoded line, e.g. ``{"audio": "x.flac", "text": "...", "terms": [...]}``.
        clip: the sound of its ``audio``.
        lexicon: for lines without ``terms``.

    Returns:
        ``{"audio": ..., "terms": [...]}``, or ``{"audio": ..., "error": "one clear line"}``;
        ``audio`` is ``None`` if the line names none.
    """
    audio = named_audio(raw)
    try:
        entry = parse_entry(raw)
        terms = lexicon if entry.terms is None else entry.terms
        if terms is None:
            raise HearingError("the line names no terms and there is no lexicon")
        heard = hear_terms(hearing, clip, entry.text, terms)
    except PronunciationError as error:
        return {"audio": audio, "error": str(error)}
    return {"audio": audio, "terms": [result_entry(one) for one in heard]}
