"""The same quantity in other units: "500 milliseconds" is half a second, 0.9 TB/s is 900 GB/s."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import Final

from server.grading.english import lemma
from server.grading.numbers import SCALES, number_text
from server.grading.tokenizer import Token

_MOST_DIGITS: Final = 5
"""Nobody says "86400000 milliseconds" for a day."""
_LEAST, _MOST = Decimal("0.001"), Decimal(100_000)
SECONDS: Final = {
    "nanosecond": Decimal("1e-9"), "microsecond": Decimal("1e-6"), "millisecond": Decimal("1e-3"),
    "second": Decimal(1), "minute": Decimal(60), "hour": Decimal(3600), "day": Decimal(86_400),
    "week": Decimal(604_800),
}  # fmt: skip
_MONTHS: Final = {"month": Decimal(1), "year": Decimal(12)}
_PERIODS: Final = SECONDS.keys() | _MONTHS.keys()
_ONE: Final = frozenset({"a", "an"})
_PREFIXES: Final = {"": 0, "kilo": 1, "mega": 2, "giga": 3, "tera": 4, "peta": 5}
_BINARY: Final = {"kibi": 1, "mebi": 2, "gibi": 3, "tebi": 4}


def _kinds() -> tuple[Mapping[str, Decimal], ...]:
    scaled = [
        {prefix + unit: Decimal(1000) ** power for prefix, power in _PREFIXES.items()}
        for unit in ("byte", "bit", "hertz", "watt", "watthour", "flop", "volt", "gram")
    ]
    money = {"cent": Decimal("1e-2"), "dollar": Decimal(1)}
    lengths = {"nanometer": Decimal("1e-9"), "micrometer": Decimal("1e-6"),
               "millimeter": Decimal("1e-3"), "centimeter": Decimal("1e-2"), "meter": Decimal(1),
               "kilometer": Decimal(1000)}  # fmt: skip
    binary = {prefix + "byte": Decimal(1024) ** power for prefix, power in _BINARY.items()}
    return (SECONDS, _MONTHS, *scaled, binary, lengths, money)


_KINDS: Final = _kinds()
"""Units of one kind, and how large each is."""
_LONE: Final = frozenset((
    "gig", "meg", "percent", "euro", "pound", "mile", "foot", "inch", "yard", "ounce", "ton",
    "liter", "gallon", "acre", "hectare", "celsius", "fahrenheit", "kelvin", "knot",
))  # fmt: skip
MEASURES: Final = frozenset(SCALES).union(*_KINDS, _LONE, ("am", "pm"))
"""Words that make another quantity of a number; one is never a mishearing of another."""
_SHORT: Final = {"gigabyte": "gig", "gigabit": "gig", "megabyte": "meg", "megabit": "meg"}
_EQUAL: Final = (
    ("half", "a half", "50 percent"), ("twice", "2 times"), ("3 quarters", "75 percent"),
    ("1 quarter", "a quarter", "25 percent"), ("degrees celsius", "degrees c"),
    ("degrees fahrenheit", "degrees f"),
)  # fmt: skip
_AFTER_AN_HOUR: Final = (
    ("am", "in the morning", "at night"),
    ("pm", "in the afternoon", "in the evening", "at night"),
)


def in_other_units(tokens: Sequence[Token]) -> Iterator[str]:
    """The texts of a phrase with one of its quantities in each other unit that suits it."""
    texts = [token.text for token in tokens]
    lemmas = [token.lemma for token in tokens]

    def with_it(at: int, count: int, *other: str) -> str:
        return " ".join([*texts[:at], *other, *texts[at + count :]])

    for at, number in enumerate(texts):
        unit = "".join(lemmas[at + 1 : at + 2])
        if number == "per" or (number in _ONE and at and unit in _PERIODS):
            for each in ("per", "an" if unit == "hour" else "a", "each", "every"):
                yield with_it(at, 1, each)
        is_hour = at > 0 and _value(texts[at - 1]) is not None
        for group in (*_EQUAL, *_AFTER_AN_HOUR) if is_hour else _EQUAL:
            for one in group:
                count = len(one.split())
                if list(map(lemma, one.split())) == lemmas[at : at + count]:
                    yield from (with_it(at, count, each) for each in group if each != one)
        if unit == "to" and _value(number) and _value("".join(texts[at + 2 : at + 3])):
            yield with_it(at, 3, "between", number, "and", texts[at + 2])
            yield with_it(at, 3, number, texts[at + 2])
        value = Decimal(1) if at == 0 and number in _ONE else _value(number)
        if value is None:
            continue
        for kind in _KINDS:
            if unit in kind:
                for other, size in kind.items():
                    said = _said(value * kind[unit] / size)
                    if other != unit and said:
                        yield with_it(at, 2, said, other)
                    if said == "1":
                        yield with_it(at, 2, "an" if other == "hour" else "a", other)
        if texts[at + 2 : at + 3] == ["per"]:  # a rate: 50 GB/s are 400 Gb/s
            if unit in _SHORT:
                for each in ("per", "a"):
                    yield with_it(at + 1, 2, _SHORT[unit], each)
            for one, other, times in (
                ("byte", "bit", Decimal(8)),
                ("bit", "byte", Decimal("0.125")),
            ):
                if unit.endswith(one) and (said := _said(value * times)):
                    yield with_it(at, 2, said, unit.removesuffix(one) + other)


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
