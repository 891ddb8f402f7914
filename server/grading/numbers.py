"""Number words to digits: "seventy eight" → "78", "two fifty six" → "256", "ninety-ninth" → "99th".

Written for how people read technical numbers aloud: in full ("two hundred fifty six"), by halves
("two fifty six", "ten twenty four", "nineteen ninety nine") and digit by digit ("one three seven").
"""

from collections.abc import Sequence
from decimal import Decimal
from importlib import resources
from typing import Any

from question_bank.strict_yaml import parse_yaml

_DATA = resources.files("server.grading").joinpath("data/units.yaml")
TABLES: dict[str, Any] = parse_yaml(_DATA.read_text("utf-8"), "units.yaml").data
_UNITS: dict[str, int] = TABLES["units"]
_TEENS: dict[str, int] = TABLES["teens"]
_TENS: dict[str, int] = TABLES["tens"]
ORDINALS: dict[str, int] = TABLES["ordinals"]
_LOW_ORDINALS = {"first": 1, "second": 2, "third": 3}
"""Words, but for numbers after tens ("ninety third")."""
POINT = frozenset({"point", "dot"})
"""Between a number and its decimals, or the parts of a version."""
_OH = frozenset({"oh", "o"})
"""How a zero is read in a row of digits: "four oh four"."""
_NUMBER_WORDS = frozenset([*_UNITS, *_TEENS, *_TENS, "hundred", "thousand"])
NUMBER_STARTS = _NUMBER_WORDS | frozenset(ORDINALS)
"""Words that a number may start with."""
_MIN_DIGITS_READ_OUT = 3
"""Single digits in a row that make one number; two may be a range ("one, two passes")."""


def _below_hundred(words: Sequence[str], at: int) -> tuple[int, int] | None:
    """The value and the length of a number from 0 to 99 that starts at ``at``."""
    word = words[at] if at < len(words) else ""
    if word in _TENS:
        follower = words[at + 1] if at + 1 < len(words) else ""
        unit = _UNITS.get(follower, 0)
        return (_TENS[word] + unit, 2) if unit else (_TENS[word], 1)
    if word in _TEENS:
        return _TEENS[word], 1
    if word in _UNITS:
        return _UNITS[word], 1
    return None


def _below_thousand(words: Sequence[str], at: int) -> tuple[int, int] | None:
    """The value and length of a number up to 9999 that starts at ``at``, halves included."""
    is_one = at < len(words) and words[at] == "hundred"  # "a hundred and ten"
    head = (1, 0) if is_one else _below_hundred(words, at)
    if head is None:
        return None
    value, length = head
    follower = words[at + length] if at + length < len(words) else ""
    if follower == "hundred" and value > 0:
        value, length = value * 100, length + 1
        rest_at = at + length
        if rest_at < len(words) and words[rest_at] == "and":
            rest = _below_hundred(words, rest_at + 1)
            return (value + rest[0], length + 1 + rest[1]) if rest else (value, length)
        rest = _below_hundred(words, rest_at)
        return (value + rest[0], length + rest[1]) if rest and rest[0] else (value, length)
    digit = words[at + length + 1] if at + length + 1 < len(words) else ""
    if 10 <= value < 100 and follower in _OH and _UNITS.get(digit, 0):
        return value * 100 + _UNITS[digit], length + 2  # "thirty-three oh six"
    if value > 0 and (follower in _TENS or follower in _TEENS):
        by_halves = value < 10 or (value < 100 and length <= 2 and value % 10 == 0) or value > 9
        half = _below_hundred(words, at + length)
        if by_halves and half is not None:
            return value * 100 + half[0], length + half[1]
    return value, length


def _digits_read_out(words: Sequence[str], at: int) -> tuple[str, int] | None:
    digits: list[str] = []
    end = at
    while end < len(words):
        repeat = 2 if words[end] == "double" and digits else 1
        place = end + repeat - 1
        word = words[place] if place < len(words) else ""
        digit = "0" if word in _OH and digits else str(_UNITS.get(word, ""))
        if not digit:
            break
        digits.extend([digit] * repeat)
        end = place + 1
    if len(digits) < _MIN_DIGITS_READ_OUT:
        return None
    if end < len(words) and words[end] in _NUMBER_WORDS:
        return None
    return "".join(digits), end - at


def _is_digit(word: str) -> bool:
    return word in _UNITS or word in _OH


def _ordinal(words: Sequence[str], at: int) -> tuple[str, int] | None:
    word = words[at]
    if word in ORDINALS:
        return f"{ORDINALS[word]}th", 1
    if word in _TENS and at + 1 < len(words):
        low = {**ORDINALS, **_LOW_ORDINALS}.get(words[at + 1])
        if low is not None and low < 10:
            return f"{_TENS[word] + low}th", 2
    return None


SCALES: dict[str, int] = TABLES["scales"]
_NAMED = {12: "trillion", 9: "billion", 6: "million"}
_PARTS = {tuple(said.split()): part for said, part in TABLES["parts"].items()}


def read_number(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """The number that starts at a given word.

    Args:
        words: lower-case words of one sentence.
        at: index to start at.

    Returns:
        Its digits ("256", "3.5", "99th", "2.5 million") and how many words it takes; ``None`` if
        none starts there.
    """
    if words[at] not in NUMBER_STARTS:
        return None
    ordinal = _ordinal(words, at)
    if ordinal is not None:
        return ordinal
    read_out = _digits_read_out(words, at)
    if read_out is not None:
        return read_out
    value, end = Decimal(0), at
    limit = max(SCALES.values()) + 1
    while end < len(words):
        start = end + 1 if end > at and words[end] == "and" else end
        group = _group(words, start)
        if group is None or (end > at and (limit == 0 or group[0] >= 10**limit)):
            break
        part, length = group
        end = start + length
        power = SCALES.get(words[end], 0) if end < len(words) else 0
        if power >= limit:
            break
        if power:
            end += 1
        value += part * 10**power
        if not power or part != int(part):
            break
        limit = power
    return number_text(value), end - at


def number_text(value: Decimal) -> str:
    """Its digits; a million and more as it is said: "2.5 million", but "1156173"."""
    is_round = value % 1000 == 0
    power = next((power for power in _NAMED if is_round and abs(value) >= 10**power), 0)
    text = f"{value / 10**power:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {_NAMED[power]}" if power else text


def _group(words: Sequence[str], at: int) -> tuple[Decimal, int] | None:
    """What stands before a "thousand" or "million": "two hundred", "one point five"."""
    if at >= len(words):
        return None
    if words[at] in SCALES:  # "a million": the article is no number word
        return Decimal(1), 0
    small = _below_thousand(words, at)
    if small is None:
        return None
    value, length = small
    end = at + length
    decimals = decimals_after_point(words, end)
    if decimals is not None:
        return Decimal(f"{value}.{decimals[0]}"), end + decimals[1] - at
    part = _PARTS.get((words[end + 1], words[end + 2])) if end + 2 < len(words) else None
    if part is not None and words[end] == "and":
        return value + Decimal(part), end + 3 - at
    return Decimal(value), length


def decimals_after_point(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """The digits after "point" or "dot" ("five", "two five", "75"), and how many words."""
    if at + 1 >= len(words) or words[at] not in POINT:
        return None
    if words[at + 1].isdecimal():
        return words[at + 1], 2
    end = at + 1
    while end < len(words) and _is_digit(words[end]):
        end += 1
    if end > at + 1:
        return "".join(str(_UNITS.get(word, 0)) for word in words[at + 1 : end]), end - at
    pair = _below_hundred(words, at + 1)
    return None if pair is None else (str(pair[0]), 1 + pair[1])
