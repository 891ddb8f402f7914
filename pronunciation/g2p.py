"""From text to phones: the dictionary first, then letter names, then espeak-ng's rules.

The dictionary is the CMU dictionary in PocketSphinx's wheel. espeak-ng comes with the
``espeakng-loader`` wheel; it also reads numbers, symbols and acronyms, and its IPA is mapped to
ARPAbet.
"""

import ctypes
import re
import threading
from collections.abc import ItemsView, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

from pronunciation.errors import HearingError, reinstall_command
from pronunciation.phones import VOWELS
from pronunciation.written_terms import stripped

Phones = tuple[str, ...]

_VOWEL_LETTERS = set("aeiouy")
LONGEST_SPELLED = 5
"""Capitals or vowelless tokens up to this many letters are read letter by letter."""


def dictionary_path() -> Path:
    """The packaged ``cmudict-en-us.dict``: about 130,000 words, phones without stress."""
    package = find_spec("pocketsphinx")  # its file is enough: the decoder need not be loaded
    if package is None or package.origin is None:
        raise HearingError("pocketsphinx is not installed")
    return Path(package.origin).parent / "model" / "en-us" / "cmudict-en-us.dict"


class Dictionary(Mapping[str, tuple[Phones, ...]]):
    """Every word in lower case with its pronunciations, the usual one first.

    The text stays as it is and is searched by bisection. As Python objects, its words would take 80
    MB, and time to read at each start.

    Args:
        text: one line per pronunciation, ``word`` or ``word(2)`` and its phones, sorted by word.
    """

    def __init__(self, text: str) -> None:
        self._text = text if text.endswith("\n") or not text else text + "\n"

    def __getitem__(self, word: str) -> tuple[Phones, ...]:
        low, high = 0, len(self._text)
        while low < high:  # finds the first line whose word is not smaller
            middle = (low + high) // 2
            start = self._text.rfind("\n", low, middle) + 1 or low
            if self._word_at(start) < word:
                low = self._text.index("\n", middle) + 1
            else:
                high = start
        found = []
        while low < len(self._text) and self._word_at(low) == word:
            end = self._text.index("\n", low)
            found.append(tuple(self._text[low:end].split()[1:]))
            low = end + 1
        if not found:
            raise KeyError(word)
        return tuple(found)

    def __iter__(self) -> Iterator[str]:
        names = (_without_number(line.split(" ", 1)[0]) for line in self.lines())
        return (name for name, _ in groupby(names))

    def items(self) -> ItemsView[str, tuple[Phones, ...]]:
        """The words with their pronunciations, read in one pass."""
        return _Entries(self)

    def lines(self) -> list[str]:
        return self._text.splitlines()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _word_at(self, start: int) -> str:
        return _without_number(self._text[start : self._text.index(" ", start)])


class _Entries(ItemsView[str, tuple[Phones, ...]]):
    _mapping: Dictionary

    def __iter__(self) -> Iterator[tuple[str, tuple[Phones, ...]]]:
        lines = map(str.split, self._mapping.lines())
        for word, found in groupby(lines, key=lambda pieces: _without_number(pieces[0])):
            yield word, tuple(tuple(phones) for _, *phones in found)


def _without_number(name: str) -> str:
    """The word in a line's name: ``read`` in ``read(2)``."""
    return name.split("(", 1)[0] if name.endswith(")") else name


@cache
def dictionary() -> Dictionary:
    """The packaged dictionary."""
    return Dictionary(dictionary_path().read_text(encoding="utf-8"))


_IPA: dict[str, tuple[str, ...]] = {
    "i": ("IY",), "iː": ("IY",), "ɪ": ("IH",), "ᵻ": ("IH",), "eɪ": ("EY",), "ɛ": ("EH",),
    "æ": ("AE",), "a": ("AE",), "ɑː": ("AA",), "ɑ": ("AA",), "ɒ": ("AA",), "ɔː": ("AO",),
    "ɔ": ("AO",), "oː": ("AO",), "oʊ": ("OW",), "əʊ": ("OW",), "o": ("OW",), "ʊ": ("UH",),
    "uː": ("UW",), "u": ("UW",), "ʌ": ("AH",), "ə": ("AH",), "ɐ": ("AH",), "ɜː": ("ER",),
    "ɜ": ("ER",), "ɚ": ("ER",), "aɪ": ("AY",), "aʊ": ("AW",), "ɔɪ": ("OY",), "iə": ("IY", "AH"),
    "aɪɚ": ("AY", "ER"), "aɪə": ("AY", "AH"), "ɑːɹ": ("AA", "R"), "ɔːɹ": ("AO", "R"),
    "oːɹ": ("AO", "R"), "ɪɹ": ("IH", "R"), "ɛɹ": ("EH", "R"), "ʊɹ": ("UH", "R"),
    "əl": ("AH", "L"), "n̩": ("AH", "N"), "l̩": ("AH", "L"), "m̩": ("AH", "M"),
    "b": ("B",), "d": ("D",), "f": ("F",), "ɡ": ("G",), "g": ("G",), "h": ("HH",), "j": ("Y",),
    "k": ("K",), "l": ("L",), "ɬ": ("L",), "m": ("M",), "n": ("N",), "ŋ": ("NG",), "p": ("P",),
    "ɹ": ("R",), "r": ("R",), "s": ("S",), "t": ("T",), "ɾ": ("T",), "ʔ": ("T",), "v": ("V",),
    "w": ("W",), "z": ("Z",), "ʃ": ("SH",), "ʒ": ("ZH",), "θ": ("TH",), "ð": ("DH",),
    "tʃ": ("CH",), "dʒ": ("JH",), "x": ("K",), "ç": ("HH",), "nʲ": ("N",),
}  # fmt: skip
_RETRIEVAL = 1
_NO_EXIT = 0x8000
_UTF8 = 1
_IPA_MODE = 0x02 | (ord("_") << 8)
_lock = threading.Lock()


def _unusable(problem: str) -> HearingError:
    return HearingError(f"{problem}: reinstall it: {reinstall_command('espeakng-loader')}")


@cache
def _library() -> ctypes.CDLL:
    try:
        import espeakng_loader

        library = ctypes.CDLL(espeakng_loader.get_library_path())
        data = str(espeakng_loader.get_data_path()).encode()
    except (ImportError, OSError) as error:
        raise _unusable(f"espeak-ng's library cannot be loaded ({error})") from error
    if library.espeak_Initialize(_RETRIEVAL, 0, data, _NO_EXIT) < 0:
        raise _unusable("espeak-ng cannot read its data")
    if library.espeak_SetVoiceByName(b"en-us") != 0:
        raise _unusable("espeak-ng has no voice en-us")
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    library.espeak_TextToPhonemes.argtypes = [
        ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int,
    ]  # fmt: skip
    return library


def _arpabet(symbol: str) -> tuple[str, ...]:
    """One IPA symbol, or several joined, longest match first; unknown symbols are left out."""
    phones: list[str] = []
    while symbol:
        for length in range(min(3, len(symbol)), 0, -1):
            if symbol[:length] in _IPA:
                phones += _IPA[symbol[:length]]
                symbol = symbol[length:]
                break
        else:
            symbol = symbol[1:]
    return tuple(phones)


def _ipa(text: str) -> str:
    """IPA of a text, underscores between symbols, spaces between words."""
    ipa = ""
    with _lock:  # started by two threads at once, espeak-ng deadlocks
        library = _library()
        rest = ctypes.c_char_p(text.encode())
        while rest.value:
            piece = library.espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, _IPA_MODE)
            ipa += " " + (piece or b"").decode()
    return ipa


@cache
def espeak_phones(text: str) -> tuple[str, ...]:
    """ARPAbet phones without stress of any English text; empty if nothing is pronounced.

    Raises:
        HearingError: the wheel's library or data cannot be loaded.
    """
    bare = _ipa(text).replace("ˈ", "").replace("ˌ", "")
    return tuple(phone for s in bare.replace("_", " ").split() for phone in _arpabet(s))


@cache
def stressed_syllable_of(word: str) -> int | None:
    """Index of the syllable that espeak-ng stresses in a word; ``None`` if it marks none."""
    syllable = 0
    for symbol in _ipa(word).replace("_", " ").split():
        vowels = sum(p in VOWELS for p in _arpabet(symbol.replace("ˈ", "").replace("ˌ", "")))
        if "ˈ" in symbol and vowels:
            return syllable
        syllable += vowels
    return None


def spelled(letters: str) -> Phones:
    """The names of letters, a to z, one after the other."""
    known = dictionary()
    return tuple(phone for letter in letters.lower() for phone in known[f"{letter}."][0])


def _is_spelled(token: str) -> bool:
    letters = token.isascii() and token.isalpha() and len(token) <= LONGEST_SPELLED
    return letters and (
        (token.isupper() and len(token) > 1) or not _VOWEL_LETTERS & set(token.lower())
    )


def with_s(stem: Phones) -> Phones:
    """A stem with the spoken ending of a plural or possessive."""
    if stem[-1] in ("S", "Z", "SH", "ZH", "CH", "JH"):
        return (*stem, "IH", "Z")
    return (*stem, "S" if stem[-1] in ("P", "T", "K", "F", "TH") else "Z")


@cache
def pronunciations(word: str) -> tuple[Phones, ...]:
    """How an ordinary word may be said, the usual way first; empty for mere punctuation.

    Args:
        word: as written, with its punctuation and case.

    Raises:
        HearingError: espeak-ng, needed for a word that no dictionary has, cannot be loaded.
    """
    token = stripped(word)
    known = dictionary().get(token.lower())
    if known:
        return known
    if not any(c.isalnum() for c in token):
        return ()
    for ending in ("'s", "s"):
        stem = token[: -len(ending)]
        if token.endswith(ending) and len(stem) > 1:
            if stem.lower() in dictionary():
                return tuple(with_s(p) for p in dictionary()[stem.lower()])
            if stem.isupper() and _is_spelled(stem):
                return (with_s(spelled(stem)),)
    parts = [p for p in re.split(r"[-_/.]+", token) if p]
    if len(parts) > 1 and not any(c.isdigit() for c in token):
        phones = tuple(phone for part in parts for phone in next(iter(pronunciations(part)), ()))
        return (phones,) if phones else ()
    if _is_spelled(token):
        return (spelled(token),)
    phones = espeak_phones(token)
    return (phones,) if phones else ()
