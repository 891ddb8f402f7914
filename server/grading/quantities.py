"""The same quantity in other units: "500 milliseconds" is half a second, 0.9 TB/s is 900 GB/s."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product, zip_longest
from typing import Final

from server.grading.english import FUNCTION_WORDS, lemma, word_set
from server.grading.numbers import ORDINALS, SCALES, TABLES, number_text
from server.grading.tokenizer import Token

_MOST_DIGITS: Final = 5
"""Nobody says "86400000 milliseconds" for a day."""
_LEAST, _MOST = Decimal("1e-9"), Decimal(100_000)
_KINDS: Final[tuple[Mapping[str, Decimal], ...]] = tuple(
    {unit: Decimal(size) for unit, size in kind.items()} for kind in TABLES["kinds"]
)
"""Units of one kind, and how large each is."""
SECONDS: Final = _KINDS[0]
_PERIODS: Final = SECONDS.keys() | _KINDS[1].keys()
_ONE: Final = frozenset({"a", "an"})
_LONE: Final = frozenset(TABLES["lone"].split())
MEASURES: Final = frozenset(SCALES).union(*_KINDS, _LONE, ("am", "pm"))
"""Words that make another quantity of a number; one is never a mishearing of another."""
_SHORT: Final = {"gigabyte": "gig", "gigabit": "gig", "megabyte": "meg", "megabit": "meg"}
_EQUAL: Final = tuple(
    tuple((form, tuple(map(lemma, form.split()))) for form in forms.split(" = "))
    for forms in TABLES["equal"]
)
_IN: Final = (("in",), ("out", "of"), ("out", "of", "every"), ("of", "every"))
"""One in four."""
_NAMES_OF_PARTS: Final = {parts: name for name, parts in ORDINALS.items()} | {
    2: "half", 3: "third", 4: "quarter"
}  # fmt: skip
_PARTS: Final = {
    **{name: parts for parts, name in _NAMES_OF_PARTS.items()},
    **{f"{parts}th": parts for parts in _NAMES_OF_PARTS},
}
_HALVED: Final = word_set("of the all our my your their its")
"""After "half" of something; "half-open" is no share."""
_MOST_TIMES: Final = 100
"""How often within a period somebody would say: "60 times an hour"."""

Change = tuple[int, int, str]
"""First token, the one behind the last, and what may be said instead."""


def in_other_units(tokens: Sequence[Token]) -> Iterator[str]:
    """The texts of a phrase with one or two of its quantities said in another way."""
    texts = [token.text for token in tokens]
    found = dict.fromkeys(_changes(texts, [token.lemma for token in tokens]))
    changes = [each for each in found if each[2].split() != texts[each[0] : each[1]]]

    def with_them(*some: Change) -> str:
        said, at = list[str](), 0
        for start, end, words in some:
            said, at = [*said, *texts[at:start], words], end
        return " ".join([*said, *texts[at:]])

    for one in changes:
        yield with_them(one)
    for one, other in product(changes, changes):
        if one[1] == other[0]:  # both are of one quantity: "2 times" and "every week"
            yield with_them(one, other)


def _changes(texts: Sequence[str], lemmas: Sequence[str]) -> Iterator[Change]:
    """Each quantity of a phrase in each other unit and form that suits it."""
    for at, text in enumerate(texts):
        for group in _EQUAL:
            for form, keys in group:
                if keys == tuple(lemmas[at : at + len(keys)]):
                    yield from ((at, at + len(keys), each) for each, _ in group if each != form)
        yield from _shares(texts, lemmas, at)
        yield from _rates(texts, lemmas, at)
        value = Decimal(1) if at == 0 and text in _ONE else _value(text)
        if value is not None:
            yield from _measured(value, lemmas, at)
            yield from _pairs(texts, at)
            whole, _, part = text.partition(".")
            is_named = at and lemmas[at - 1].isalpha() and lemmas[at - 1] not in FUNCTION_WORDS
            if is_named and len(part) == 2 and MEASURES.isdisjoint(lemmas[at + 1 : at + 2]):
                yield at, at + 1, whole + part  # the version "three eleven"


def _measured(value: Decimal, lemmas: Sequence[str], at: int) -> Iterator[Change]:
    """A number and its unit in other units: 50 GB/s are 400 Gb/s, 20 minutes a third of an hour."""
    unit = lemmas[at + 1] if at + 1 < len(lemmas) else ""
    for kind in _KINDS:
        for other, size in kind.items() if unit in kind else ():
            count = value * kind[unit] / size
            said, article = _said(count), "an" if other == "hour" else "a"
            if other != unit and said:
                yield at, at + 2, f"{said} {other}"
            if said == "1":
                yield at, at + 2, f"{article} {other}"
            if value * kind[unit] * 3 in (size, 2 * size):
                yield at, at + 2, f"{count * 3:.0f} third of {article} {other}"
    if unit == "o'clock":
        yield from ((at, at + 2, f"{value} {half}") for half in ("am", "pm"))
    if unit == "pm" and value < 12:
        yield at, at + 2, f"{value + 12}00"
    if lemmas[at + 2 : at + 3] == ["per"]:  # a rate
        if unit in _SHORT:
            yield from ((at + 1, at + 3, f"{_SHORT[unit]} {each}") for each in ("per", "a"))
        for one, other, times in (("byte", "bit", Decimal(8)), ("bit", "byte", Decimal("0.125"))):
            if unit.endswith(one) and (said := _said(value * times)):
                yield at, at + 2, f"{said} {unit.removesuffix(one)}{other}"


def _pairs(texts: Sequence[str], at: int) -> Iterator[Change]:
    """Ranges and ratios: between 5 and 10, 16 by 9."""
    number, word, other = (*texts[at : at + 3], "", "")[:3]
    if word in ("to", "by") and _value(other):
        yield at, at + 3, f"{number} {other}"
        yield at + 1, at + 2, "to" if word == "by" else "by"
        yield at, at + 3, f"between {number} and {other}"


def _rates(texts: Sequence[str], lemmas: Sequence[str], at: int) -> Iterator[Change]:
    """Rates: "a second" is per second, every 15 minutes 4 times an hour."""
    text, following = texts[at], "".join(lemmas[at + 1 : at + 2])
    if text == "per" or (at and text in (*_ONE, "each", "every") and following in _PERIODS):
        article = "an" if following == "hour" else "a"
        yield from ((at, at + 1, each) for each in ("per", article, "each", "every"))
    count, unit = _value("".join(texts[at + 1 : at + 2])), "".join(lemmas[at + 2 : at + 3])
    kind = next((kind for kind in _KINDS[:2] if unit in kind), {})
    for other, size in kind.items() if text == "every" and count else ():
        times = size / (count * kind[unit]) if count else 0
        if 2 <= times <= _MOST_TIMES and times == int(times):
            yield at, at + 3, f"{times:.0f} times per {other}"
            yield at, at + 3, f"{times:.0f} times {'an' if other == 'hour' else 'a'} {other}"
    if text == "every" and count == 2:
        yield at + 1, at + 2, "other"
    if following == "time" or text == "twice":
        start = at + 1 + (text != "twice")
        count, unit = (_value(text) or Decimal(2)), "".join(lemmas[start + 1 : start + 2])
        is_rate = "".join(texts[start : start + 1]) in ("per", "each", "every", *_ONE)
        kind = next((kind for kind in _KINDS[:2] if is_rate and unit in kind), {})
        for other, size in kind.items():
            each = kind[unit] / count / size
            if 1 <= each <= _MOST_TIMES and each == int(each):
                yield at, start + 2, f"every {each:.0f} {other}" if each > 1 else f"every {other}"


def _shares(texts: Sequence[str], lemmas: Sequence[str], at: int) -> Iterator[Change]:
    """25 percent is a quarter, 1 in 4, 1 out of every 4."""
    share, length = _share(texts, lemmas, at) or (Fraction(), 0)
    if not 0 < share < 1:
        return
    count, parts = share.numerator, share.denominator
    said = _said(Decimal(100 * count) / parts)
    ways = [f"{said} percent"] if said else []
    name = _NAMES_OF_PARTS.get(parts)
    if name:
        ways += [f"a {name}", f"1 {name}"] if count == 1 else [f"{count} {name}s"]
    if count == 1 and name:
        ways += ["half", "every other"] if parts == 2 else [f"every {parts}th", f"every {name}"]
    ways += [
        f"{count * whole // parts} {link} {whole}"
        for whole in (parts, 10, 100)
        for link in ("of", *map(" ".join, _IN))
        if whole % parts == 0
    ]
    yield from ((at, at + length, way) for way in ways)


def _share(texts: Sequence[str], lemmas: Sequence[str], at: int) -> tuple[Fraction, int] | None:
    """The part of a whole that is said here, and its words."""
    number, following = _value(texts[at]), "".join(lemmas[at + 1 : at + 2])
    goes_on = at + 2 < len(texts) and texts[at + 2] not in FUNCTION_WORDS
    if number is None:
        if texts[at] == "half" and (at + 1 == len(texts) or following in _HALVED):
            return Fraction(1, 2), 1
        parts = _PARTS.get(following, 0)
        return (Fraction(1, parts), 2) if texts[at] == "a" and parts and not goes_on else None
    if following == "percent":
        return Fraction(number) / 100, 2
    if following in _PARTS:
        return Fraction(number) / _PARTS[following], 2
    for link in _IN:
        end = at + 1 + len(link)
        whole = _value("".join(texts[end : end + 1]))
        if tuple(texts[at + 1 : end]) == link and whole:
            return Fraction(number) / Fraction(whole), end + 1 - at
    return None


def is_whole_of_share(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number is the 20 of "1 in 20", which counts nothing itself."""
    before = [token.text for token in tokens[max(0, at - 4) : at]]
    return any(
        tuple(before[-len(link) :]) == link and _value("".join(before[: -len(link)][-1:]))
        for link in _IN
    )


def numbers_in(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The numbers of a wording, each with the scale or unit after it, or with ""."""
    for number, after in zip_longest(texts, texts[1:], fillvalue=""):
        if number.lstrip("-")[:1].isdecimal():
            unit = lemma(after)
            yield number, unit if unit in MEASURES else ""


def _value(number: str) -> Decimal | None:
    digits = number.replace(".", "", 1)
    return Decimal(number) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None


def _said(value: Decimal) -> str:
    """Its digits, if somebody might say it."""
    value = value.normalize()
    likely = _LEAST <= value < _MOST and len(value.as_tuple().digits) <= _MOST_DIGITS
    return number_text(value) if likely else ""
