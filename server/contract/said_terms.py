"""The terms of an answer, each once with all its places, however often it was said."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from server.contract.report import TermVerdict

NOT_KNOWN: Final = "–"
TERM_WORDS: Final[Mapping[str, str]] = {
    "correct": "said right",
    "mispronounced": "mispronounced",
    "unclear": "not clearly heard",
}
"""The verdicts on a term as people read them."""
_TELLS_MOST: Final = {"mispronounced": 0, "correct": 1, "unclear": 2}


@dataclass(frozen=True)
class SaidTerm:
    """A term with its places, the most telling first: mispronounced, right, unclear.

    Each place has its number among the report's terms.
    """

    places: tuple[tuple[int, TermVerdict], ...]

    @property
    def at(self) -> int:
        """The number of the most telling place."""
        return self.places[0][0]

    @property
    def first(self) -> TermVerdict:
        """The most telling place."""
        return self.places[0][1]

    @property
    def alike(self) -> tuple[TermVerdict, ...]:
        """The places with the verdict of the first, in the order of the answer."""
        return self._with(same=True)

    @property
    def others(self) -> tuple[TermVerdict, ...]:
        """The places with another verdict, in the order of the answer."""
        return self._with(same=False)

    @property
    def times(self) -> str:
        """When it was said: ``0:12, 0:45 (said right at 1:02)``; empty without times."""
        said = _times(self.alike)
        rest = ", ".join(
            f"{TERM_WORDS[verdict]} at {times}"
            for verdict in dict.fromkeys(place.verdict for place in self.others)
            if (times := _times(place for place in self.others if place.verdict == verdict))
        )
        return said + (f" ({rest})" if rest else "")

    @property
    def heard(self) -> str:
        """How it was heard at the places like the first, each way once, in plain letters."""
        return ", ".join(dict.fromkeys(each.heard for each in self.alike if each.heard))

    def _with(self, *, same: bool) -> tuple[TermVerdict, ...]:
        found = [each for _, each in self.places if (each.verdict == self.first.verdict) == same]
        return tuple(sorted(found, key=lambda each: (each.start_s or 0.0, each.word_indices)))


def said_terms(terms: Iterable[TermVerdict]) -> tuple[SaidTerm, ...]:
    """Each term of a report once, those mispronounced first."""
    places: dict[str, list[tuple[int, TermVerdict]]] = {}
    for at, term in enumerate(terms):
        places.setdefault(term.term, []).append((at, term))
    said = [SaidTerm(tuple(sorted(each, key=_rank))) for each in places.values()]
    return tuple(sorted(said, key=lambda each: _rank(each.places[0])))


def clock(seconds: float | None) -> str:
    """A moment as ``1:05``, from an hour on as ``1:00:05``; a dash if there is none.

    Parts of a second are cut off, as players do.
    """
    if seconds is None:
        return NOT_KNOWN
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def duration(seconds: float | None) -> str:
    """A length, written like a moment but rounded: the same number as in ``65 s``."""
    return clock(None if seconds is None else round(seconds))


def _times(places: Iterable[TermVerdict]) -> str:
    return ", ".join(clock(each.start_s) for each in places if each.start_s is not None)


def _rank(place: tuple[int, TermVerdict]) -> tuple[int, float, int]:
    at, verdict = place
    return _TELLS_MOST[verdict.verdict], -verdict.confidence, at
