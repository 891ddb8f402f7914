"""A rough key of how a word sounds, from its letters: what a transcriber confuses shares a key.

The key is a consonant skeleton in the manner of Metaphone (Philips 1990, *Hanging on the
Metaphone*): vowels count only at the start. ``sound_key`` keeps voice apart ("B" and "P"),
``loose`` merges it, since an unknown word comes back with its plosives swapped ("cooper netties"
for Kubernetes).
"""

import re
from functools import lru_cache

__all__ = ["first_vowel", "join_keys", "loose", "sound_key", "syllables"]

_RULES = (
    (r"^(?:kn|gn|pn)", "N"), (r"^wr", "R"), (r"^ps", "S"), (r"^x", "Z"), (r"^wh", "W"),
    (r"mb$", "M"), (r"che$", "X"), (r"tch", "C"), (r"sch", "SK"), (r"ch(?=[rl])", "K"),
    (r"ch", "C"), (r"sh", "X"), (r"ph", "F"), (r"th", "0"), (r"gh(?=[tsdn]|$)", ""),
    (r"gh", "G"), (r"ck", "K"), (r"dg(?=[eiy])", "J"), (r"qu?", "K"),
    (r"[cst]i(?=[ao])", "X"), (r"ssi(?=[ao])", "X"), (r"sc(?=[eiy])", "S"),
    (r"c(?=[eiy])", "S"), (r"c", "K"), (r"x", "KS"), (r"g(?=[ey])", "J"), (r"ng(?=[kg])", "N"),
)  # fmt: skip
_SOUNDS = re.compile(
    "|".join(f"(?P<r{at}>{pattern})" for at, (pattern, _) in enumerate(_RULES)) + "|.", re.DOTALL
)
_SOUND_OF = {f"r{at}": sound for at, (_, sound) in enumerate(_RULES)}
_PLAIN = {
    "b": "B", "d": "D", "f": "F", "g": "G", "j": "J", "k": "K", "l": "L", "m": "M", "n": "N",
    "p": "P", "r": "R", "s": "S", "t": "T", "v": "V", "z": "Z",
}  # fmt: skip
_LOOSE = str.maketrans({"B": "P", "D": "T", "G": "K", "V": "F", "Z": "S", "J": "C", "0": "T"})
_VOWEL_GROUPS = re.compile(r"[aeiouy]+")


@lru_cache(maxsize=65536)
def sound_key(word: str) -> str:
    """The consonant skeleton of a lower-case word; ``A`` stands for a vowel at its start."""
    return _collapse(_SOUNDS.sub(_sound, word))


def _sound(hit: re.Match[str]) -> str:
    if hit.lastgroup is not None:
        return _SOUND_OF[hit.lastgroup]
    letter, at_start = hit.group(), hit.start() == 0
    if letter in "aeiou":
        return "A" if at_start else ""
    if letter in "wyh":
        return letter.upper() if at_start else ""
    return _PLAIN.get(letter, "")


def _collapse(key: str) -> str:
    return re.sub(r"(.)\1+", r"\1", key)


@lru_cache(maxsize=65536)
def loose(key: str) -> str:
    """The key with voiced and voiceless sounds merged."""
    return _collapse(key.translate(_LOOSE))


def join_keys(left: str, right: str) -> str:
    """The key of two words said as one: a vowel that starts the second is inside now."""
    right = right.lstrip("AHWY")
    return left + (right[1:] if right[:1] == left[-1:] else right)


def first_vowel(word: str) -> str:
    """The first vowel letter of a word; empty where it has none."""
    hit = _VOWEL_GROUPS.search(word)
    return hit.group()[0] if hit else ""


@lru_cache(maxsize=65536)
def syllables(word: str) -> int:
    """About how many syllables a lower-case word has (at least one).

    Vowel groups, less a silent final ``e`` and a silent ``-ed``/``-es``, plus the hiatus of
    ``-ia-``, ``-io-`` where no ``t``, ``s``, ``c`` or ``x`` stands before. A word without a vowel
    is spelled out: a syllable a letter, three for ``w``.
    """
    letters = "".join(letter for letter in word if letter.isalpha())
    if not letters:
        return sum(_DIGIT_SYLLABLES.get(digit, 1) for digit in word if digit.isdecimal()) or 1
    groups = len(_VOWEL_GROUPS.findall(letters))
    if groups == 0:
        return sum(3 if letter == "w" else 1 for letter in letters)
    if letters.endswith("e") and not letters.endswith("le") and groups > 1:
        groups -= letters[-2] not in "aeiouy"
    elif re.search(r"[^aeiouytd]ed$|[^aeiouyszxc]es$", letters) and groups > 1:
        groups -= 1
    groups += len(re.findall(r"(?<![tscx])i[ao]|eo|ua(?!r)|[aeo]i(?=ng)", letters))
    return max(1, groups)


_DIGIT_SYLLABLES = {"7": 2, "0": 2}
