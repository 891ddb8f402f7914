"""Every way a term is said, accepted or mistaken, for pages where each can be heard."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from pronunciation.phones import to_ipa
from pronunciation.respelling.for_people import respell_phones
from pronunciation.terms import Mistake


@dataclass(frozen=True)
class WayView:
    """How something is said: a respelling for people, IPA, and where the app's voice says it.

    Attributes:
        ipa: empty for a phrase, which ``say`` has in words.
        tip: what helps, where it is a mistake.
    """

    say: str
    ipa: str
    sound: str
    tip: str = ""


@dataclass(frozen=True)
class Ways:
    """The accepted readings of a term, the taught one first, and the mistakes people make."""

    right: tuple[WayView, ...]
    wrong: tuple[WayView, ...]


def ways_of(term: str, say: str, readings: Sequence[str], mistakes: Iterable[Mistake]) -> Ways:
    """Every way that the lexicon, or a drill item, knows.

    Args:
        term: as it is written.
        say: the taught reading in plain letters.
        readings: accepted, in ARPAbet, the taught one first.
        mistakes: the mistaken ones.
    """
    return Ways(
        right=tuple(
            way_of(term, phones, respell_phones(phones, term) if number else say)
            for number, phones in enumerate(readings)
        ),
        wrong=tuple(
            way_of(term, each.phones, respell_phones(each.phones, term), each.tip)
            for each in mistakes
        ),
    )


def way_of(term: str, phones: str, say: str, tip: str = "") -> WayView:
    """One way, given in ARPAbet."""
    return WayView(say, to_ipa(phones), reading_url(term, phones), tip)


def reading_url(term: str, phones: str) -> str:
    """Where the app's voice says one reading of a term, right or mistaken."""
    return "/sound/reading?" + urlencode({"term": term, "phones": phones})


def text_url(text: str) -> str:
    """Where the app's voice says a text."""
    return "/sound/text?" + urlencode({"text": text})
