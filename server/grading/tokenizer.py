"""The words of an answer as comparable tokens, with one form for every way of writing them.

``A100``, ``F.S.D.P.``, ``78%`` and ``all-reduce`` become ``a 100``, ``fsdp``, ``78 percent`` and
``all reduce``; number words become digits. Every token records which of the answer's words it came
from, so that a match can point at them.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from server.grading.lexis.words import by_word, family, lemma, word_set
from server.grading.numbers import NUMBER_STARTS, read_number

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
_PIECES = re.compile(
    r"\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+|[^\W\d_]+(?:'[^\W\d_]+)*|[%$€£&+@=]|[^\W_]", re.UNICODE
)
_SYMBOLS = {
    "%": "percent", "$": "dollar", "€": "euro", "£": "pound", "&": "and", "+": "plus", "@": "at",
    "=": "equals",
}  # fmt: skip
_SENTENCE_END = re.compile(r"[.?!;。？！]+[\"'”’)\]]*$")
_COMMA_END = re.compile(r"[,:—–、，][\"'”’)\]]*$|[)\]]$")
_ELLIPSIS = re.compile(r"(\.\.+|…)[\"'”’)\]]*$")
_ABBREVIATIONS = frozenset(["e.g.", "i.e.", "etc.", "vs.", "dr.", "mr.", "mrs.", "ms.", "approx."])
_CUT_OFF = re.compile(r"[^\W\d_](-|—|–|\.\.\.|…)$")
# After a number these are units; elsewhere "k" and "m" are letters.
_UNIT_NAMES = {
    "gb": "gigabyte", "gig": "gigabyte", "gigs": "gigabyte", "mb": "megabyte", "meg": "megabyte",
    "megs": "megabyte", "tb": "terabyte", "kb": "kilobyte", "pb": "petabyte",
    "ms": "millisecond", "milli": "millisecond", "millis": "millisecond", "msec": "millisecond",
    "sec": "second", "secs": "second", "hr": "hour", "hrs": "hour",
    "min": "minute", "mins": "minute", "b": "billion", "bn": "billion", "m": "million",
    "gbps": "gigabit per second", "gbit": "gigabit", "mbit": "megabit", "pct": "percent",
    "kg": "kilogram", "mg": "milligram", "km": "kilometer", "cm": "centimeter",
    "bits": "bit", "x": "times",
}  # fmt: skip
_POSSESSIVE_KEPT = word_set(
    "it's that's what's he's she's there's let's who's here's where's how's when's"
)
_ONES = {"1st": "first", "2nd": "second", "3rd": "third"}
_NOT_BEFORE_AN_ARTICLE = word_set(
    "an the this that these those each every our your their my single"
)
_NOT_AS_IT_IS = NUMBER_STARTS | {"per", "oh"}
_MAX_WORD_CHARS = 120
"""Nobody says a longer word. Pasted text is cut, to keep tokenizing fast."""
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
    word = (
        unicodedata.normalize("NFKC", written[:_MAX_WORD_CHARS])
        .translate(_APOSTROPHES)
        .casefold()
        .strip()
    )
    break_after = NO_BREAK
    if _SENTENCE_END.search(word):
        letters = re.sub(r"[^\w.]", "", word)
        initial = re.fullmatch(r"[^\W\d_]\.", letters) or _DOTTED.fullmatch(letters)
        if not (initial or _ELLIPSIS.search(word) or letters in _ABBREVIATIONS):
            break_after = SENTENCE
    elif _COMMA_END.search(word):
        break_after = COMMA
    cut = bool(_CUT_OFF.search(word)) and not word[:-1].count("-")
    word = _RATIO.sub(r"\1 to \2", word)
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
    plain = [text not in _NOT_AS_IT_IS and text.isalpha() for text in pieces]
    return tuple(pieces), break_after, cut, tuple(plain)


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
    pieces = _pieces(words)
    texts = [piece[0] for piece in pieces]
    out: list[Token] = []
    make, end = tuple.__new__, len(pieces)
    after_number = False
    at = 0
    while at < end:
        text, word, gap, inside, cut, plain = pieces[at]
        after_digits = after_number and gap == NO_BREAK and out[-1].text[-1].isdecimal()
        if plain and not after_digits:
            # Token(…) without the cost of the call: nearly all tokens of an answer are made here
            out.append(make(Token, (text, text, *keys_of(text), word, word, gap, inside, cut)))
            at += 1
            after_number = False
            continue
        after_number = True
        length = 1
        if text in NUMBER_STARTS:
            limit = at + 1
            while limit < len(pieces) and pieces[limit][2] == NO_BREAK and limit - at < 12:
                limit += 1
            text, length = read_number(texts[at:limit], 0) or (text, 1)
            if pieces[at][0] == "hundred" and gap == NO_BREAK and _ends_in_article(out):
                article = out.pop()
                word, gap = article.first, article.gap
        elif after_digits:
            if inside and text == "s":  # the plural of "A100s"
                at += 1
                continue
            splits_on = at + 1 < len(pieces) and pieces[at + 1][3]  # the "k" of "k8s"
            spelt_out = not inside and len(text) == 1 and _letter_follows(pieces, at)
            if (
                text in ("k", "thousand")
                and out[-1].text.isdecimal()
                and not (splits_on or spelt_out)
            ):
                out[-1] = _thousandfold(out[-1], pieces[at])
                at += 1
                continue
            if not (inside and out[-1].inside) and not spelt_out:  # not the second "b" of "b2b"
                text = _UNIT_NAMES.get(text, text)
        if text == "per" and at + 1 < len(pieces) and texts[at + 1] in ("cent", "cents"):
            text, length = "percent", 2
        elif text == "oh":
            text = "o"
        elif text.endswith(".0"):
            text = text[:-2]
        _, last, _, _, cut, _ = pieces[at + length - 1]
        for part in text.split() if " " in text else (text,):
            key, wide = keys_of(part)
            out.append(Token(part, texts[at], key, wide, word, last, gap, inside, cut))
        at += length
    return out


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


def _thousandfold(number: Token, piece: _Piece) -> Token:
    """The number times a thousand: "10k" as 10000."""
    digits = str(int(number.text) * 1000) if len(number.text) < _MAX_DIGITS else number.text
    return number._replace(
        text=digits, raw=digits, lemma=digits, family=digits, last=piece[1], cut=piece[4]
    )
