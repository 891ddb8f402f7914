"""Phones of text that no dictionary has: espeak-ng's rules, from the ``espeakng-loader`` wheel.

espeak-ng also reads numbers, symbols and acronyms. Its IPA is mapped to ARPAbet.
"""

import ctypes
import threading
from functools import cache

from pronunciation.errors import HearingError
from pronunciation.phones import VOWELS

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


@cache
def _library() -> ctypes.CDLL:
    try:
        import espeakng_loader

        library = ctypes.CDLL(espeakng_loader.get_library_path())
        data = str(espeakng_loader.get_data_path()).encode()
    except (ImportError, OSError) as error:
        raise HearingError(
            f"espeak-ng's library cannot be loaded ({error}): reinstall the package espeakng-loader"
        ) from error
    if library.espeak_Initialize(_RETRIEVAL, 0, data, _NO_EXIT) < 0:
        raise HearingError("espeak-ng cannot read its data: reinstall the package espeakng-loader")
    if library.espeak_SetVoiceByName(b"en-us") != 0:
        raise HearingError("espeak-ng has no voice en-us: reinstall the package espeakng-loader")
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    library.espeak_TextToPhonemes.argtypes = [
        ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int,
    ]  # fmt: skip
    return library


def _arpabet(symbol: str) -> tuple[str, ...]:
    """One IPA symbol, or several run together, longest match first; the unknown is left out."""
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
    with _lock:  # begun by two threads at once, espeak-ng waits for itself for ever
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
