"""The words of an answer as comparable tokens, with one form for every way of writing them.

``A100``, ``F.S.D.P.``, ``78%`` and ``all-reduce`` become ``a 100``, ``fsdp``, ``78 percent`` and
``all reduce``; number words become digits. Every token records which of the answer's words it came
from, so that a match can point at them.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from server.grading.english import FUNCTION_WORDS, by_word, family, lemma, word_class, word_set
from server.grading.numbers import (
    NUMBER_STARTS,
    ORDINALS,
    POINT,
    SCALES,
    TABLES,
    decimals_after_point,
    number_text,
    read_number,
)

NO_BREAK, COMMA, SENTENCE = 0, 1, 2


class Token(NamedTuple):
    """One comparable word.

    Attributes:
        text: lower case, digits for numbers.
        raw: as written, in lower case, for words that matter only as words ("one").
        lemma: key that its inflections share.
        family: key that its derivations share.
        first: index of the first of the answer's words it came from.
        last: index of the last.
        gap: the break before it: ``NO_BREAK``, ``COMMA`` or ``SENTENCE``.
        inside: it continues the word of the token before it ("reduce" of "all-reduce").
        cut: broken off by the speaker ("continu-").
    """

    text: str
    raw: str
    lemma: str
    family: str
    first: int
    last: int
    gap: int = NO_BREAK
    inside: bool = False
    cut: bool = False


_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'"})
_DOTTED = re.compile(r"(?<![^\W_])((?:[^\W\d_]\.){2,})([^\W\d_](?![^\W_]))?", re.UNICODE)
_RATIO = re.compile(r"(?<![\w:])(\d{1,4}):(\d{1,4})(?![\w:])")
"""A ratio, "2:1", is read "two to one"."""
_TIME = re.compile(r"(?<![\w:.])([01]?\d|2[0-3]):([0-5]\d)(?![\w:])")
"""A time of day, "10:30", is read "ten thirty"; a whole hour "10 o'clock", "3 pm" if it tells."""
_PIECES = re.compile(
    r"\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+|[^\W\d_]+(?:'[^\W\d_]+)*|[%$€£&+@=]|[^\W_]", re.UNICODE
)
_SYMBOLS: dict[str, str] = TABLES["signs"]
_CURRENCIES = frozenset({"dollar", "euro", "pound"})
_SENTENCE_END = re.compile(r"[.?!;。？！]+[\"'”’)\]]*$")
_COMMA_END = re.compile(r"[,:—–、，][\"'”’)\]]*$|[)\]]$")
_ELLIPSIS = re.compile(r"(\.\.+|…)[\"'”’)\]]*$")
_ABBREVIATIONS = frozenset(["e.g.", "i.e.", "etc.", "vs.", "dr.", "mr.", "mrs.", "ms.", "approx."])
_CUT_OFF = re.compile(r"[^\W\d_](-|—|–|\.\.\.|…)$")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_OTHER_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_BITS = re.compile(r"(?<![^\W\d_])([kKMGTPE]i?)b(?=ps\b|/|\b)")
_BYTES_PER_SECOND = re.compile(r"(?<![^\W\d_])([kKMGTPE]i?B)ps\b")
_MILLIWATT = re.compile(r"(?<![^\W\d_])mW\b")
"""What only capitals tell: Gb and GB, GBps and Gbps, mW and MW."""
_PER = re.compile(r"(?<=[\w%])/(s|secs?|seconds?|min|minute|h|hr|hour|day)\b")
_PERIODS: dict[str, str] = TABLES["periods"]
_NAMES = tuple((re.compile(name), text) for name, text in TABLES["names"].items())
"""Languages whose sign is part of the name: "C" is not in "C#", nor "net" in ".NET"."""
_SPOKEN_NAMES = {tuple(said.split()): name for said, name in TABLES["spoken_names"].items()}
_DOMAIN = re.compile(
    r"(?:https?://|www\.)\S+|\S+@[\w-]+\.[\w.-]+"
    r"|(?:[a-z0-9-]+\.)+(?:com?\.[a-z]{2}|com|org|net|edu|gov|info|io|dev|ai|app|cloud|internal"
    r"|local|uk|de|fr|eu|fm|tv|co|ca|jp|cn|nl|ch|xyz|tech|page|blog|site|consul|svc|lan|test)(?![\w-])(?:/\S*)?"
)
_SPOKEN_DOMAINS = frozenset(["com", "org", "io", "dev", "ai", "edu", "gov"])
"""After "dot"; "dot net" is a platform of its own."""
_NO_DOMAINS = frozenset(["socket.io", "draw.io", "fast.ai", "character.ai"])
"""Names of programs; of others, the name within an address is not the thing ("changelog.com")."""
_DECIMAL_START = re.compile(r"(?<![\w.])\.(?=\d)")
_POWER = re.compile(r"(?<![\w.-])\d(?:\.\d+)?e-?\d{1,2}(?![\w.]\w)")
_MINUS = re.compile(r"^[^\w.−-]*[−-](?=\.?\d)")
_CAPITALS_TELL = re.compile("b|mW|cpp|CPP|Cpp|Bps|olang|fold")
_DEGREES = re.compile(r"°\s?([cf])\b")
_SCALES_OF_HEAT = {"c": "celsius", "f": "fahrenheit"}
_PART = re.compile(r"(?<![\w/.])([1-9])/([2-9]|10)(?:th)?(?![\w/])")
_PARTS = {str(parts): name for name, parts in ORDINALS.items()} | {
    "2": "half", "3": "third", "4": "quarter"
}  # fmt: skip
"""Whisper writes "2/3 of the traffic" for two thirds."""
_RAISED = re.compile(r"((?<![^\W_])[^\W\d_]|[\d)])([⁰¹²³⁴-⁹⁻]+)")
_DIGITS_OF_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_TO_THE = re.compile(r"(?<=[\w)])(?:\^|\*\*)(-?\d+)(?!\w)")
_POWERS = {"2": " squared", "3": " cubed"}
"""n², n^2 and n**2 are read "n squared"; 2^32 "2 to the power of 32"."""
_BIG_O = re.compile(r"(?<!\w)[oθω]\((?=[^)]*(?:$|[^\w)]))")
"""Of O(n^2) and O(n log n), people say "n squared" and "n log n"; "1" is too little of O(1)."""
_BASES = frozenset({"2", "8", "10", "16"})
"""Numbers that "to the tenth" raises; "from 3 to the tenth" is a way."""
_GROUPED = re.compile(r"(?<=\d)_(?=\d{3})")


_UNIT_NAMES: dict[str, str] = {
    written: unit for unit, writings in TABLES["written"].items() for written in writings.split()
}
"""Elsewhere these are letters. A library of units (``pint``) knows no "gigs", no number words."""
_BITS_OR_BYTES = frozenset({"gig", "gigs", "meg", "megs"})
"""In a rate: a network's gig a second are bits, a disk's bytes."""
_SCALES = {**SCALES, "k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9}
_SCALE_WORDS = frozenset(SCALES)
_HUNDRED_AND_MORE = _SCALE_WORDS | {"hundred"}
_NAMES_A_POINT = word_class("names_a_point")
_BEFORE_POINT = (FUNCTION_WORDS - _NAMES_A_POINT) | word_class("before_point")
"""Before "point five", which is .5; in "at this point five of us left" it is none."""
_HALVED = _SCALE_WORDS | word_class("halved")
_EXACT = _HALVED | _CURRENCIES | set(" ".join(_UNIT_NAMES.values()).split())
"""What a measured number stands before: ".10 percent" is 0.1, but not "Python 3.10"."""
_MEASURED = _EXACT - {"per", "frame", "revolution"}
"""What there may be half of."""
_QUARTERS = 4
_PARTS_OF_ONE = {
    word + end: parts
    for word, parts in (
        ORDINALS | {"quarter": _QUARTERS, "millionth": 10**6, "billionth": 10**9}
    ).items()
    for end in ("", "s")
}
_LONGEST_PART = 12
"""Characters of a part of one that is a number: a seventh is none."""
_PAST = {"quarter": "15", "half": "30"}
"""Minutes: "half past two" is 2:30."""
_BEFORE_A_QUARTER = word_set("a at by until till about around")
"""Before "quarter to seven", which is 6:45; in "from one quarter to two" it is none."""
_PARTS_OF_DAY = {tuple(said.split()): half for said, half in TABLES["parts_of_day"].items()}
_NIGHT_FROM = 6
"""Ten at night is 22:00, two at night 2:00."""
_POINTS = ["percentage", "point"], ["percentage", "points"]
_CLOCK = re.compile(r"(\d{1,2})(?:\.?([0-5]\d))?$")
_IN_FULL = word_set("whole full entire solid")
"""Between a number and its unit they say nothing: "three whole seconds"."""
_MORE_THAN_WHOLE = {("a", "half"): ".5", ("a", "quarter"): ".25", ("3", "quarters"): ".75"}
"""After "and" ("an hour and a half")."""
_POSSESSIVE_KEPT = word_class("possessive_kept")
_ONES = {"1st": "first", "2nd": "second", "3rd": "third"}
_NOT_BEFORE_AN_ARTICLE = word_class("not_before_an_article")
_NOT_AS_IT_IS = (
    NUMBER_STARTS
    | _SCALE_WORDS
    | {"per", "oh", "point", "minus", "negative", "half", "dozen"}
    | _PARTS_OF_ONE.keys()
    | {name[0] for name in _SPOKEN_NAMES}
)
_MAX_WORD_CHARS = 120
"""Nobody says a longer word. Pasted text is cut, to keep tokenizing fast."""
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?$")
_MAX_SCALED = 15
_MAX_DIGITS = 9
"""Longer numbers are identifiers, not quantities to multiply."""
_ORDINAL_TAIL = re.compile(r"^(st|nd|rd|th)$")


# A piece of a word: text, index of the word, break before it, whether it continues the word,
# whether it was cut off, and whether it is a plain word, which does not depend on its neighbors.
# A plain tuple, because an answer has hundreds.
_Piece = tuple[str, int, int, bool, bool, bool]


@by_word
def _keys(text: str) -> tuple[str, str]:
    return lemma(text), family(text)


def _no_keys(text: str) -> tuple[str, str]:
    return "", ""


@by_word
def _split_word(
    written: str,
) -> tuple[tuple[str, ...], int, bool, tuple[bool, ...]]:
    """The pieces of a written word, the break after it, whether it was cut off, which are plain."""
    word = _normalized(written[:_MAX_WORD_CHARS])
    break_after = NO_BREAK
    if _SENTENCE_END.search(word):
        letters = re.sub(r"[^\w.]", "", word)
        initial = re.fullmatch(r"[^\W\d_]\.", letters) or _DOTTED.fullmatch(letters)
        if not (initial or _ELLIPSIS.search(word) or letters in _ABBREVIATIONS):
            break_after = SENTENCE
    elif _COMMA_END.search(word):
        break_after = COMMA
    cut = bool(_CUT_OFF.search(word)) and not word[:-1].count("-")
    address = _DOMAIN.search(word)
    if address is not None and address.group() not in _NO_DOMAINS and ".net" not in word[:5]:
        name = address.group().rstrip(".,;:!?)/\"'")
        return (name,), break_after, cut, (True,)
    word = _TIME.sub(_time, word)
    word = _RATIO.sub(r"\1 to \2", word)
    word = _PART.sub(_part, word)
    word = _POWER.sub(lambda m: f"{Decimal(m[0]):f}", word)
    is_negative = _MINUS.match(word) is not None
    word = _DECIMAL_START.sub("0.", word)
    word = _PER.sub(lambda m: f" per {_PERIODS.get(m[1], m[1])}", word)
    word = _DOTTED.sub(lambda m: m.group(1).replace(".", "") + (m.group(2) or ""), word)
    pieces: list[str] = []
    for piece in _PIECES.findall(word):
        text = _SYMBOLS.get(piece, piece)
        if text[0].isdecimal():
            text = text.replace(",", "")
        elif "'" in text:
            text = _apostrophe(text)
        if pieces and pieces[-1].isdecimal() and _ORDINAL_TAIL.match(text):
            ordinal = pieces[-1] + text
            pieces[-1] = _ONES.get(ordinal, pieces[-1] + "th")
            continue
        if piece in "$€£" and pieces == []:
            pieces.append("\0" + text)
            continue
        pieces.append(text)
    if pieces and pieces[0].startswith("\0"):
        pieces = [*pieces[1:], pieces[0][1:]]
    if is_negative:
        number = next(at for at, text in enumerate(pieces) if text[0].isdecimal())
        pieces[number] = f"-{pieces[number]}"
    plain = [
        text not in _NOT_AS_IT_IS and text.isalpha() and not (text == "us" and "us" in written)
        for text in pieces
    ]
    return tuple(pieces), break_after, cut, tuple(plain)


def _normalized(written: str) -> str:
    """In lower case, without accents, and with what only capitals tell written out."""
    if written.isascii() and written.isalpha() and not _CAPITALS_TELL.search(written):
        return written.lower()
    for sign, decimals in _FRACTIONS.items():
        written = written.replace(sign, decimals)
    written = _RAISED.sub(lambda m: f"{m[1]}^{m[2].translate(_DIGITS_OF_POWERS)}", written)
    written = _TO_THE.sub(_power, written)
    word = _ACCENTS.sub("", unicodedata.normalize("NFKD", written))
    word = unicodedata.normalize("NFKC", word)
    word = _BYTES_PER_SECOND.sub(r"\1/s", word)
    word = _BITS.sub(r"\1bit", word)
    word = _MILLIWATT.sub("milliw", word)
    word = word.translate(_APOSTROPHES).casefold().translate(_OTHER_LETTERS).strip()
    for pattern, name in _NAMES:
        word = pattern.sub(name, word)
    word = _BIG_O.sub("", word)
    word = _DEGREES.sub(lambda m: f" degree {_SCALES_OF_HEAT[m[1]]}", word)
    return _GROUPED.sub("", word)


def _power(written: re.Match[str]) -> str:
    return _POWERS.get(written[1]) or f" to the power of {written[1].replace('-', 'minus ')}"


def _part(written: re.Match[str]) -> str:
    if int(written[1]) >= int(written[2]):
        return written[0]
    name = _PARTS[written[2]] if written[2] in "234" or written[1] != "1" else f"{written[2]}th"
    return f"{written[1]} {name}{'s' * (written[1] != '1')}"


def _time(written: re.Match[str]) -> str:
    hour = int(written[1])
    if written[2] != "00":
        return f"{hour}{written[2]}"
    told = "am" if written[1][0] == "0" else "pm" if hour > 12 else "o'clock"
    return f"{hour % 12 or 12} {told}"


def _apostrophe(text: str) -> str:
    if text in _POSSESSIVE_KEPT:
        return text
    return text.removesuffix("'s")


def _pieces(words: Sequence[str]) -> list[_Piece]:
    out: list[_Piece] = []
    gap = SENTENCE
    for index, written in enumerate(words):
        texts, break_after, cut, plain = _split_word(written)
        if len(texts) == 1:
            out.append((texts[0], index, gap, False, cut, plain[0]))
            gap = break_after
            continue
        for place, text in enumerate(texts):
            before = gap if place == 0 else NO_BREAK
            last = place == len(texts) - 1
            out.append((text, index, before, place > 0, cut and last, plain[place]))
        if texts:
            gap = NO_BREAK
        gap = max(gap, break_after)
    return out


def tokenize(words: Sequence[str]) -> tuple[Token, ...]:
    """The tokens of an answer or of a phrase.

    Args:
        words: as the engine wrote them, with their punctuation.

    Returns:
        Tokens in order; a word without a letter or digit yields none.
    """
    return tuple(_tokens(words, _keys))


def texts_of(text: str) -> tuple[str, ...]:
    """The tokens of a text, as text: "SR-IOV" has two."""
    # Names of a thousand terms are compared as text; their lemmas would take four times as long.
    return tuple(token.text for token in _tokens(text.split(), _no_keys))


def _tokens(words: Sequence[str], keys_of: Callable[[str], tuple[str, str]]) -> list[Token]:
    """The tokens, with the lemma and family that ``keys_of`` gives for a text."""
    return _Reader(_pieces(words), keys_of).tokens()


class _Reader:
    """Reads the pieces one after the other, ``at`` being the next; a number takes in its own.

    ``after_digits``: the last token ends in a digit, and this piece follows without a break.
    """

    def __init__(self, pieces: list[_Piece], keys_of: Callable[[str], tuple[str, str]]) -> None:
        self.pieces = pieces
        self.out: list[Token] = []
        self.at = 0
        self.after_digits = False
        self._after_number = False
        self._keys_of = keys_of

    def tokens(self) -> list[Token]:
        """All tokens."""
        out, pieces, keys_of, make = self.out, self.pieces, self._keys_of, tuple.__new__
        while self.at < len(pieces):
            text, word, gap, inside, cut, plain = pieces[self.at]
            self.after_digits = (
                self._after_number and gap == NO_BREAK and out[-1].text[-1].isdecimal()
            )
            if plain and not self.after_digits:
                # Token(…) without the cost of the call: nearly all tokens are made here
                out.append(make(Token, (text, text, *keys_of(text), word, word, gap, inside, cut)))
                self.at += 1
                self._after_number = False
                continue
            self._after_number = True
            run = self._run()
            known = _read_in_one(run, out[-1] if out and gap == NO_BREAK else None)
            is_alone = known is not None or text in NUMBER_STARTS or gap != NO_BREAK
            self.at += (0 if is_alone else self._taken_in(run)) or self._added(run, known)
        return out

    def _run(self) -> list[str]:
        """The texts from here to the next break."""
        end = self.at + 1
        while end < len(self.pieces) and self.pieces[end][2] == NO_BREAK and end - self.at < 12:
            end += 1
        return [piece[0] for piece in self.pieces[self.at : end]]

    def _taken_in(self, run: Sequence[str]) -> int:
        """How many pieces become part of the tokens before, as "dozen" does after "five"."""
        piece, out = self.pieces[self.at], self.out
        if _adds_a_part(out, run[0], piece[1]):
            return 1
        if self.after_digits and out[-1].text.startswith("0.") and _is_of_one(run, 0):
            return 2  # "0.8 of a second"
        if self.after_digits and run[0] in POINT and run[1:] and run[1] in NUMBER_STARTS:
            return 1  # the second one of "1 dot 29 dot 3"
        if self.after_digits and (length := self._time_of_day(run)):
            return length
        if self.after_digits and (length := self._raised(run)):
            return length
        if run[0] in ("cent", "cents") and _adds_cents(out, piece[1]):
            return 1
        if self.after_digits and run[0] in _IN_FULL and run[1:] and _is_measure(run[1]):
            return 1
        if run[0] == "dot" and run[1:] and run[1] in _SPOKEN_DOMAINS and out:
            if not out[-1].text.isalnum():
                return 0
            out.append(_address(out, run[1], self.pieces[self.at + 1]))
            self._after_number = False
            return 2
        if run[0] == "dozen" and (self.after_digits or _ends_in_article(out)):
            count = Decimal(out[-1].text) if self.after_digits else Decimal(1)
            out[-1] = _number(out[-1], number_text(count * 12), piece)
            return 1
        return 0

    def _time_of_day(self, run: Sequence[str]) -> int:
        """Makes 1830 of "630 in the evening" and 6 pm of "6 o'clock in the evening"."""
        number, start = self.out[-1], int(run[0] == "o'clock")
        day = next(
            (day for day in _PARTS_OF_DAY if tuple(run[start : start + len(day)]) == day), ()
        )
        time = _CLOCK.match(number.text)
        if not day or time is None or time[2] == "00" or int(time[1]) > 12:
            return 0
        hour, length = int(time[1]), start + len(day)
        half = _PARTS_OF_DAY[day] or ("pm" if _NIGHT_FROM <= hour < 12 else "am")
        last = self.pieces[self.at + length - 1][1]
        if time[2]:
            hour = hour % 12 + (12 if half == "pm" else 0)
            self.out[-1] = _reading(number, f"{hour}{time[2]}")._replace(last=last)
        else:
            word = self.pieces[self.at][1]
            self.out.append(Token(half, half, *self._keys_of(half), word, last))
        return length

    def _raised(self, run: Sequence[str]) -> int:
        """Makes 2^10 of "2 to the tenth" and "2 to the power of ten"."""
        of = run[2:4] == ["power", "of"]
        at = 4 if of else 2
        sign = "-" if run[at : at + 1] in (["minus"], ["negative"]) else ""
        at += len(sign)
        if run[:2] != ["to", "the"] or len(run) <= at:
            return 0
        text, length = (read_number(run, at) if run[at] in NUMBER_STARTS else None) or (run[at], 1)
        is_way = not of and self.out[-1].text not in _BASES
        if is_way or not text.removesuffix("th").isdecimal():
            return 0
        length += at + (run[at + length : at + length + 1] == ["power"])
        last = self.pieces[self.at + length - 1][1]
        number = f"{self.out[-1].text}^{sign}{text.removesuffix('th')}"
        self.out[-1] = _reading(self.out[-1], number)._replace(last=last)
        return length

    def _added(self, run: Sequence[str], known: tuple[str, int] | None) -> int:
        """Adds the tokens of what is read here, and says of how many pieces they are."""
        written, word, gap, inside, _, _ = self.pieces[self.at]
        text, length, begins = self._quantity(run, known)
        if known is None and gap == NO_BREAK and _counts_money(self.out, text):  # "$5 million"
            self._put_off_money()
        is_power = self.after_digits and known is None and text.endswith(("watt", "watts"))
        if is_power and run[1:2] in (["hour"], ["hours"]):
            text, length = text.removesuffix("s") + "hour", 2
        if self.after_digits and run[:2] in _POINTS:
            text, length = "percentagepoint", 2
        is_large = written in _HUNDRED_AND_MORE and text[0].isdecimal() and gap == NO_BREAK
        if begins is None and is_large and _ends_in_article(self.out):
            begins = self.out.pop()
        if begins is not None:
            word, gap = begins.first, begins.gap
        elif self.after_digits and known is None and text == written:
            unit = self._unit(text)
            if unit is None:
                return 1
            text = unit
        if text == "per" and self._next()[0] in ("cent", "cents"):
            text, length = "percent", 2
        elif text == "oh":
            text = "o"
        elif text[-1].isdecimal() and known is None:
            text = _written_number(text)
        if self.after_digits and "." in self.out[-1].text and lemma(text) in _EXACT:
            exact = self.out[-1].text.rstrip("0").rstrip(".")
            self.out[-1] = self.out[-1]._replace(text=exact, lemma=exact, family=exact)
        _, last, _, _, cut, _ = self.pieces[self.at + length - 1]
        for part in text.split() if " " in text else (text,):
            key, wide = self._keys_of(part)
            self.out.append(Token(part, written, key, wide, word, last, gap, inside, cut))
        if text == "0":
            _turn_below_zero(self.out)
        return length

    def _quantity(
        self, run: Sequence[str], known: tuple[str, int] | None
    ) -> tuple[str, int, Token | None]:
        """What is read here, of how many pieces, and the token that it takes the place of."""
        if known is not None:
            return *known, None
        begins = self.pieces[self.at][2] != NO_BREAK
        if not begins and (part := _part_of(self.out, run)) is not None:
            self.after_digits = False
            return *part, self.out.pop()
        if run[0] in NUMBER_STARTS and not (self.after_digits and run[0] in SCALES):
            return *(read_number(run, 0) or (run[0], 1)), None
        if begins:
            return run[0], 1, None
        if run[0] in _SCALE_WORDS and _ends_in_article(self.out):
            text, length = read_number(["one", *run], 0) or (run[0], 1)
            return text, length - 1, None
        return run[0], 1, None

    def _put_off_money(self) -> None:
        """Has the currency, which was written before the number, come after its scale."""
        money = self.out.pop()
        self.after_digits = True
        self.pieces.insert(self.at + 1, (money.text, money.last, NO_BREAK, True, False, True))

    def _unit(self, text: str) -> str | None:
        """What follows a number, as its unit; ``None``: it is part of the number or its plural."""
        piece, number = self.pieces[self.at], self.out[-1]
        inside, plain = piece[3], piece[5]
        if text == "s" and inside:
            is_name = number.inside or len(number.text) >= 4
            if is_name or (len(self.out) > 1 and self.out[-2].text == "the"):
                return None  # the plural of "A100s", the "1990s"
            text = "second"
        following, goes_on = self._next()
        if text in ("x", "times") and following[:1].isdecimal():
            return "by"  # "1920x1080"
        splits_on = goes_on and following not in _CURRENCIES  # the "k" of "k8s"
        spelt_out = not inside and len(text) == 1 and _letter_follows(self.pieces, self.at)
        scaled = None if splits_on or spelt_out else _scaled(number, text)
        is_code = inside and number.inside  # the second "b" of "b2b"
        if scaled is not None and not is_code:
            self.out[-1] = _number(number, scaled[0], piece)
            return scaled[1] or None
        if is_code or spelt_out or (text == "us" and plain):  # "2 US regions"
            return text
        if text in _BITS_OR_BYTES and following in ("a", "per"):
            return lemma(text)
        return _UNIT_NAMES.get(text, text)

    def _next(self) -> tuple[str, bool]:
        """The text of the next piece, and whether it continues the word."""
        follows = self.pieces[self.at + 1 : self.at + 2]
        return (follows[0][0], follows[0][3]) if follows else ("", False)


def _adds_a_part(out: list[Token], text: str, word: int) -> bool:
    """Whether "an hour and a half" ends here; then its number and its unit are the last tokens."""
    if len(out) < 4 or any(token.gap for token in out[-2:]) or out[-2].text != "and":
        return False
    number, unit, _, article = out[-4:]
    part = _MORE_THAN_WHOLE.get((article.text, text))
    whole = "1" if number.text in ("a", "an") else number.text
    if part is None or not whole.isdecimal() or unit.lemma not in _MEASURED:
        return False
    out[-4:] = [_reading(number, whole + part), unit._replace(last=word)]
    return True


def _turn_below_zero(out: list[Token]) -> None:
    """Makes "-40 degrees" of "40 degrees below zero", if the last tokens are that."""
    if len(out) < 3 or out[-2].text not in ("below", "under") or out[-1].gap or out[-2].gap:
        return
    at = len(out) - 3
    while at and (out[at].lemma == "degree" or out[at].text in _SCALES_OF_HEAT.values()):
        at -= 1
    if _PLAIN_NUMBER.match(out[at].text) and not any(token.gap for token in out[at + 1 :]):
        last = out[-1].last
        out[at:] = [_reading(out[at], f"-{out[at].text.lstrip('-')}"), *out[at + 1 : -2]]
        out[-1] = out[-1]._replace(last=last)


def _adds_cents(out: list[Token], word: int) -> bool:
    """Whether "two dollars and fifty cents" ends here; then "2.5 dollars" are the last tokens."""
    at = len(out) - 1 - (len(out) > 1 and out[-2].text == "and")
    if at < 2 or any(token.gap for token in out[at - 1 :]):
        return False
    number, unit, cents = out[at - 2], out[at - 1], out[-1].text
    if unit.lemma not in _CURRENCIES or not (number.text.isdecimal() and cents.isdecimal()):
        return False
    sum_ = number_text(Decimal(number.text) + Decimal(cents) / 100)
    out[at - 2 :] = [_reading(number, sum_), unit._replace(last=word)]
    return True


def _is_of_one(texts: Sequence[str], at: int) -> bool:
    """Whether "of a second" is next, or another unit."""
    is_one = texts[at : at + 1] == ["of"] and texts[at + 1 : at + 2] in (["a"], ["an"], ["one"])
    return is_one and bool(texts[at + 2 :]) and _is_measure(texts[at + 2])


def _is_measure(text: str) -> bool:
    """Whether there may be a part of it: "second", "kilo"."""
    return lemma(_UNIT_NAMES.get(text, text)) in _MEASURED


def _part_of(out: Sequence[Token], texts: Sequence[str]) -> tuple[str, int] | None:
    """The number in "a quarter of an hour" or "three tenths of a million", and its words."""
    count = "1" if out and out[-1].text == "a" else out[-1].text if out else ""
    parts = _PARTS_OF_ONE.get(texts[0])
    if parts is None or not count.isdecimal() or len(count) > 3:
        return None
    length = 3 if _is_of_one(texts, 1) else 1
    if length == 1 and (parts != _QUARTERS or count not in ("1", "3")):
        return None  # "2 quarters" are half a year of a firm
    measured = texts[length] if length < len(texts) else ""
    part = Decimal(count) / parts
    if len(f"{part:f}") > _LONGEST_PART:
        return None
    if measured in _SCALE_WORDS:
        return number_text(part.scaleb(SCALES[measured])), length + 1
    return (f"{part:f}", length) if _is_measure(measured) else None


def _address(out: list[Token], ending: str, piece: _Piece) -> Token:
    """One name of "changelog dot com", as where it is written with a point."""
    first = out.pop()
    names = [first.text, ending]
    while len(out) > 1 and out[-1].text == "dot" and not first.gap and not out[-1].gap:
        out.pop()
        first = out.pop()
        names.insert(0, first.text)
    name = ".".join(names)
    return _reading(first, name)._replace(last=piece[1])


def _ends_in_article(tokens: Sequence[Token]) -> bool:
    """Whether the last token is an article: the a of "a hundred", not that of "an a hundred"."""
    if not tokens or tokens[-1].text != "a":
        return False
    return len(tokens) == 1 or tokens[-2].text not in _NOT_BEFORE_AN_ARTICLE


def _letter_follows(pieces: Sequence[_Piece], at: int) -> bool:
    """Whether the next piece is another single letter: the k in "8 k v heads" is not a thousand."""
    if at + 1 >= len(pieces) or pieces[at + 1][2] != NO_BREAK:
        return False
    follower = pieces[at + 1][0]
    return len(follower) == 1 and follower.isalpha() and follower not in ("a", "i")


def _read_in_one(texts: Sequence[str], before: Token | None) -> tuple[str, int] | None:
    """What several words are together, and how many: "C sharp", "point five", "minus five"."""
    first = texts[0]
    if first.isdecimal() and texts[1:2] == ["000"]:
        groups = next((at for at, text in enumerate(texts[1:]) if text != "000"), len(texts) - 1)
        return _written_number("".join(texts[: 1 + groups])), 1 + groups
    for name, text in _SPOKEN_NAMES.items():
        if first == name[0] and tuple(texts[: len(name)]) == name:
            return text, len(name)
    if ("past" in texts or first == "quarter") and (time := _past_or_to(texts, before)) is not None:
        return time
    if first == "half":
        of = 1 if texts[1:3] in (["of", "a"], ["of", "an"]) else 0
        has_article = texts[1 + of : 2 + of] in (["a"], ["an"])
        halved = texts[2 + of : 3 + of] if has_article else texts[1:2]  # "a half second"
        if halved and halved[0] in _SCALE_WORDS:
            return number_text(Decimal(5).scaleb(SCALES[halved[0]] - 1)), 2 + of + has_article
        is_one = halved and (has_article or halved[0] in _HALVED)
        return ("0.5", 1 + of + has_article) if is_one and _is_measure(halved[0]) else None
    starts = first == "point" and (before is None or before.text in _BEFORE_POINT)
    if starts or first == "oh" or first.isdecimal():
        decimals = decimals_after_point(texts, int(not starts))
        whole = first if first.isdecimal() else "0"
        return decimals and (f"{whole}.{decimals[0]}", (not starts) + decimals[1])
    if first in ("minus", "negative") and len(texts) > 1 and not _is_number(before):
        if texts[1][0].isdecimal():
            return f"-{texts[1]}", 2
        number = read_number(texts, 1) if texts[1] in NUMBER_STARTS else None
        return None if number is None else (f"-{number[0]}", 1 + number[1])
    return None


def _past_or_to(texts: Sequence[str], before: Token | None) -> tuple[str, int] | None:
    """The time in "half past two", "ten past six" or "a quarter to seven", and its words."""
    minutes, at = (_PAST[texts[0]], 1) if texts[0] in _PAST else _whole(texts, 0)
    at += texts[at : at + 1] == ["minutes"]
    is_to = texts[at : at + 1] == ["to"] and (before is None or before.text in _BEFORE_A_QUARTER)
    if not minutes or not (texts[at : at + 1] == ["past"] or (is_to and texts[0] == "quarter")):
        return None
    hour, length = _whole(texts, at + 1)
    if not hour or int(hour) > 23 or int(minutes) > 59:
        return None
    if is_to:
        hour, minutes = str((int(hour) - 1) or 12), "45"
    return f"{hour}{minutes:0>2}", at + 1 + length


def _whole(texts: Sequence[str], at: int) -> tuple[str, int]:
    """The whole number that is said here, and its words; "" without one."""
    text = texts[at] if at < len(texts) else ""
    number, length = (read_number(texts, at) if text in NUMBER_STARTS else None) or (text, 1)
    return (number, length) if number.isdecimal() else ("", 0)


def _counts_money(tokens: Sequence[Token], scale: str) -> bool:
    """Whether "million" follows "$5", of which the sign has become the word after the number."""
    return (
        scale in _SCALES
        and len(tokens) > 1
        and tokens[-1].inside
        and tokens[-1].text in _CURRENCIES
        and _is_number(tokens[-2])
    )


def _is_number(token: Token | None) -> bool:
    return token is not None and token.text[-1].isdecimal()


def _written_number(text: str) -> str:
    """Digits in the form that they are compared in: "2000000" as "2 million"."""
    digits = text.lstrip("-")
    sign = text[: len(text) - len(digits)]
    if digits.endswith(".0"):
        return sign + digits[:-2]
    if digits.isdecimal() and 6 < len(digits) <= _MAX_SCALED and digits.endswith("000"):
        return sign + number_text(Decimal(digits))
    return text


def _scaled(number: Token, scale: str) -> tuple[str, str] | None:
    """A number times what follows it, and what is left to say ("10k": 10000, "2m": 2 million)."""
    power = _SCALES.get(scale)
    if power is None or len(number.text) > _MAX_DIGITS or not _PLAIN_NUMBER.match(number.text):
        return None
    whole, _, name = number_text(Decimal(number.text).scaleb(power)).partition(" ")
    return whole, name


def _number(number: Token, text: str, piece: _Piece) -> Token:
    """The same token with another number."""
    last = piece[1] if text != number.text else number.last
    return _reading(number, text)._replace(last=last, cut=piece[4])


def _reading(token: Token, text: str) -> Token:
    return token._replace(text=text, raw=text, lemma=text, family=text)
