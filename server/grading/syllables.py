"""How many syllables a word has, as its rate of speech counts them."""

import re
from functools import lru_cache

_VOWEL_GROUPS = re.compile(r"[aeiouy]+")
_DIGIT_SYLLABLES = {"7": 2, "0": 2}


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
