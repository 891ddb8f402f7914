"""Text respelled so that a voice says every lexicon term right.

A text-to-speech voice guesses unfamiliar names ("RoCE" becomes "rose"), and an app that teaches a
wrong sound is worse than none. So each term is replaced by its taught reading: as phones for the
natural voice, as inline phonemes for eSpeak NG, and as a respelling in plain letters for every
other voice.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from typing import Any, Final, Literal

from pronunciation.phones import base_phone, parse_phones
from pronunciation.terms import Lexicon, Term
from question_bank.strict_yaml import parse_yaml

RespellingStyle = Literal["natural", "espeak", "plain"]

_DATA = resources.files("pronunciation").joinpath("data/voices.yaml")
_TABLES: Final[dict[str, Any]] = parse_yaml(_DATA.read_text("utf-8"), "voices.yaml").data

NATURAL: Final[dict[str, str]] = _TABLES["natural"]
_NATURAL_UNSTRESSED: Final = {"AH": "ə", "ER": "əɹ"}
_NATURAL_STRESS: Final = {"1": "ˈ", "2": "ˌ"}
_NATURAL_FLAP: Final = "T"
_NATURAL_SYLLABIC: Final = "ᵊ"
"""The t of "data" and the e of "token", as the voice's own dictionary writes American English."""

_ESPEAK: Final[dict[str, str]] = _TABLES["espeak"]
_ESPEAK_UNSTRESSED: Final = {"AH": "@", "ER": "3", "IY": "i"}
_ESPEAK_BEFORE_R: Final[dict[str, str]] = _TABLES["espeak_before_r"]
_STRESS: Final = {"1": "'", "2": ","}

_CLAUSE_BYTES: Final = 600
"""eSpeak NG cuts a clause after 725 bytes (N_TR_SOURCE - 75), even within phonemes."""

_VOICELESS: Final = {"P", "T", "K", "F", "TH"}
_SIBILANTS: Final = {"S", "Z", "SH", "ZH", "CH", "JH"}

_WORDS_LIKE_ACRONYMS: Final = frozenset(_TABLES["words_like_acronyms"].split())

_SUFFIX: Final = r"(?P<suffix>['’]s|s['’]|es|s)?"


def respell(text: str, lexicon: Lexicon, style: RespellingStyle = "plain") -> str:
    """``text`` with every lexicon term, including plurals, written as the voice needs it.

    Args:
        text: ordinary text; anything that a voice would take for phones is escaped.
        lexicon: the terms and their readings; the first reading is said.
        style: ``natural`` for the natural voice, which reads ``[term](/phones/)``; ``espeak`` for
            a voice of eSpeak NG that reads ``[[phonemes]]``; ``plain`` for all others.
    """
    safe = re.sub(r"\[(?=\[)|\](?=\()", r"\g<0> ", text)
    pattern, terms = _compiled(lexicon)
    if pattern is None:
        return safe
    write = _WRITERS[style]

    def replace(match: re.Match[str]) -> str:
        whole = match.group(0)
        term = terms[_key(match.group("term"))]
        if _is_an_ordinary_word(term, match.group("term"), whole.lstrip("/")):
            return whole
        before = safe[max(0, match.start() - 1) : match.start()]
        # eSpeak reads phonemes only if they begin a word: "(RoCE" would lose the term.
        needs_gap = style == "espeak" and before and not before.isspace()
        # "CI/CD" is said without its slash.
        gap = " " if needs_gap or whole.startswith("/") else ""
        return gap + write(term, (match.group("suffix") or "").strip("'’"))

    respelled = pattern.sub(replace, safe)
    return _in_short_clauses(respelled) if style == "espeak" else respelled


def to_natural(phones: str) -> str:
    """ARPAbet in the natural voice's alphabet: ``R AA1 K IY0`` → ``ɹˈɑki``.

    A stress mark comes before its vowel.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    parsed = parse_phones(phones)
    letters: list[str] = []
    for index, phone in enumerate(parsed):
        base, digit = base_phone(phone), phone[-1]
        letter = _NATURAL_UNSTRESSED.get(base, NATURAL[base]) if digit == "0" else NATURAL[base]
        if _is_syllabic(parsed, index):
            letter = _NATURAL_SYLLABIC
        elif _is_flapped(parsed, index):
            letter = _NATURAL_FLAP
        letters.append(_NATURAL_STRESS.get(digit, "") + letter)
    return "".join(letters)


def _is_syllabic(phones: tuple[str, ...], index: int) -> bool:
    """Whether a schwa hardly sounds between a stop and a closing n: token, button."""
    before, after = phones[index - 1 : index], phones[index + 1 : index + 3]
    return (
        phones[index] == "AH0"
        and before in (("P",), ("T",), ("K",))
        and after[:1] == ("N",)
        and not (len(after) > 1 and after[1][-1].isdigit())
    )


def _is_flapped(phones: tuple[str, ...], index: int) -> bool:
    """Whether a t is an American flap: after a vowel or r, before an unstressed vowel."""
    before, after = phones[index - 1 : index], phones[index + 1 : index + 2]
    return (
        phones[index] == "T"
        and bool(before)
        and (before[0][-1].isdigit() or before[0] == "R")
        and bool(after)
        and after[0].endswith("0")
        and not _is_syllabic(phones, index + 1)
    )


def to_espeak(phones: str) -> str:
    """ARPAbet as eSpeak NG's inline phonemes: ``R AA1 K IY0`` → ``[[r|'A:|k|i]]``.

    Raises:
        PhoneError: the string is not ARPAbet.
    """
    parsed = parse_phones(phones)
    names: list[str] = []
    index = 0
    while index < len(parsed):
        phone = parsed[index]
        base, digit = base_phone(phone), phone[-1] if phone[-1].isdigit() else ""
        name = _ESPEAK_UNSTRESSED.get(base, _ESPEAK[base]) if digit == "0" else _ESPEAK[base]
        if _r_closes_the_syllable(parsed, index) and base in _ESPEAK_BEFORE_R:
            name = _ESPEAK_BEFORE_R[base]
            index += 1
        names.append(_STRESS.get(digit, "") + name)
        index += 1
    return "[[" + "|".join(names) + "]]"  # the bar keeps t|S from being read as tS


def _in_short_clauses(text: str) -> str:
    """Puts a comma before phonemes that eSpeak NG would cut in two and then spell out."""
    out: list[str] = []
    clause_bytes = 0
    for piece in re.split(r"(\[\[[^\]]+\]\])", text):
        size = len(piece.encode("utf-8"))
        if piece.startswith("[[") and clause_bytes + size > _CLAUSE_BYTES:
            out.append(", ")
            clause_bytes = 0
        ends = [match.end() for match in re.finditer(r"[.,;:!?](?=\s)", piece)]
        clause_bytes = len(piece[ends[-1] :].encode("utf-8")) if ends else clause_bytes + size
        out.append(piece)
    return "".join(out)


def _r_closes_the_syllable(phones: tuple[str, ...], vowel_index: int) -> bool:
    following = phones[vowel_index + 1 : vowel_index + 3]
    if not following or following[0] != "R":
        return False
    return len(following) == 1 or not following[1][-1].isdigit()


def _reading(term: Term, suffix: str) -> str:
    """The reading that is taught, with the ending of a plural or possessive."""
    phones = term.readings[0]
    if not suffix:
        return phones
    last = base_phone(phones.split()[-1])
    return f"{phones} {'IH0 Z' if last in _SIBILANTS else 'S' if last in _VOICELESS else 'Z'}"


def _as_natural(term: Term, suffix: str) -> str:
    name = re.sub(r"[\[\]]", "", term.term) or "term"
    return f"[{name}](/{to_natural(_reading(term, suffix))}/)"


def _as_espeak(term: Term, suffix: str) -> str:
    return to_espeak(_reading(term, suffix))


def _as_plain(term: Term, suffix: str) -> str:
    if term.kind == "letters" and re.fullmatch(r"[A-Za-z0-9/&.-]+", term.term):
        letters = " ".join(re.findall(r"[A-Z]|[0-9]+", term.term.upper()))
        return letters + ("'s" if suffix else "")  # "G P U's": "Us" would be read as a word
    said = term.say.casefold()  # capitals mark the stress for people; a voice would spell them
    return said + ("s" if suffix else "")


_WRITERS: Final[dict[RespellingStyle, Callable[[Term, str], str]]] = {
    "natural": _as_natural,
    "espeak": _as_espeak,
    "plain": _as_plain,
}


def _is_an_ordinary_word(term: Term, stem: str, written: str) -> bool:
    if term.kind != "letters" or stem == term.term or any(map(str.isupper, stem[1:])):
        return False
    return stem.casefold() in _WORDS_LIKE_ACRONYMS or written.casefold() in _WORDS_LIKE_ACRONYMS


def _key(name: str) -> str:
    return re.sub(r"[\s-]+", " ", name).casefold()


def _compiled(lexicon: Lexicon) -> tuple[re.Pattern[str] | None, dict[str, Term]]:
    terms = {_key(term.term): term for term in lexicon}
    return _pattern(tuple(terms)), terms


@lru_cache(maxsize=8)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    if not names:
        return None
    # the longest first: "KV cache" before "KV"
    longest_first = sorted(names, key=len, reverse=True)
    choice = "|".join(r"[\s-]+".join(map(re.escape, name.split(" "))) for name in longest_first)
    return re.compile(rf"(?:(?<=\w)/|(?<!\w))(?P<term>{choice}){_SUFFIX}(?!\w)", re.IGNORECASE)


_BEFORE_A_NUMBER: Final[dict[str, str]] = _TABLES["before_a_number"]
_AFTER_A_NUMBER: Final = {
    short: tuple(full.split()) for short, full in _TABLES["after_a_number"].items()
}
_ALWAYS: Final[dict[str, str]] = _TABLES["always"]

_NUMBERED: Final = re.compile(rf"\b({'|'.join(_BEFORE_A_NUMBER)})\.\s*(?=#?\d)", re.IGNORECASE)
_MEASURED: Final = re.compile(
    rf"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s?({'|'.join(_AFTER_A_NUMBER)})\.(?!\w)(?P<end>\s*$|\s+(?=[A-Z\"“]))?"
)
_WRITTEN_OUT: Final = re.compile(rf"\b((?i:{'|'.join(_ALWAYS)}))\.(?=\s+[a-z\d(])")
_COUNT_OF: Final = re.compile(r"\b[Nn]o\.(?=\s+of\b)|(?<=\b[Tt]he )no\.(?=\s+one\b)")
_IN_FULL: Final[dict[str, str]] = _TABLES["in_full"]
_MONTH: Final = r"(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\."
_PLACES: Final = (
    re.compile(rf"()\b{_MONTH}(?=\s+\d)"),
    re.compile(rf"(\d(?:st|nd|rd|th)? ){_MONTH}"),
    re.compile(
        r"\b((?i:every|each|on|by|until|since|last|next|this) )"
        r"(Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun)\.(?=\s+[a-z\d])"
    ),
    re.compile(r"([A-Z][a-z]+ )(Dr|St|Rd|Ave|Blvd)\.(?!\s+[A-Z])"),
)
"""Where they are names; the voices read most, but as the end of a sentence."""
_READ_AS: Final = (
    (re.compile(r"\best\.(?=\s+[a-z])"), "estimated"),
    (re.compile(r"(?<=\d)(\s?)(mm|cm|km|m|kg|g|mg|ms|kB|MB|GB|TB)\.(?=\s+[a-z])"), r"\1\2"),
    (re.compile(r"\bvs\.(?=\s+\w)"), "versus"),
    (re.compile(r"(?<=\d(?:st|nd|rd|th)) ed\."), " edition"),
    (re.compile(r"\ba\.?k\.?a\.?(?=\s)", re.IGNORECASE), "also known as"),
    (re.compile(r"\be\.g\.,?", re.IGNORECASE), "for example"),
    (re.compile(r"\bi\.e\.,?", re.IGNORECASE), "that is"),
    (re.compile(r"\b24/7\b"), "twenty-four seven"),
)
_CLOCK: Final = re.compile(
    r"(?<=\d)\s?([ap])\.?\s?m\b\.?(?P<end>\s*$|\s+(?=[A-Z]))?", re.IGNORECASE
)
_LETTERS: Final = re.compile(r"(?<![\w.’'-])(IT|US|WHO)(?![\w.’'])")


def spelled_out(text: str) -> str:
    """``text`` with abbreviations as words where their place says that they are abbreviations."""
    text = _NUMBERED.sub(lambda m: f"{_like(m[1], _BEFORE_A_NUMBER[m[1].lower()])} ", text)
    text = _CLOCK.sub(lambda m: f" {m[1].upper()}.M.{m['end'] or ''}", text)
    text = _MEASURED.sub(_measure, text)
    text = _WRITTEN_OUT.sub(lambda m: _like(m[1], _ALWAYS[m[1].lower()]), text)
    text = _COUNT_OF.sub(lambda m: _like(m[0], "number"), text)
    for place in _PLACES:
        text = place.sub(lambda m: m[1] + _IN_FULL[m[2]], text)
    for written, words in _READ_AS:
        text = written.sub(words, text)
    if not text.isupper():  # a shout has no acronyms
        text = _LETTERS.sub(lambda m: ".".join(m[1]) + ".", text)
    return text


def _measure(match: re.Match[str]) -> str:
    one, more = _AFTER_A_NUMBER[match[2]]
    end = match["end"]
    return f"{match[1]} {one if match[1] == '1' else more}" + ("" if end is None else f".{end}")


def _like(written: str, word: str) -> str:
    return word.capitalize() if written[0].isupper() else word
