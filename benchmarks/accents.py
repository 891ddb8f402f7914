"""Accents as sound rules on the phones of an American voice.

Each rule is what textbooks on the accent name first: sounds that the first language lacks, ends of
words, clusters of consonants. Every rule is always applied, so these are strong accents, and said
at the pace of the American voice. Phones are letters of the voice's alphabet (``neural_voice``).
Source: Swan and Smith, Learner English (2nd ed., 2001), the chapters on each language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

VOWEL = "[AIOWYQaeiouɑæʌəɔɛɜɪʊᵊᵻ]"
CONSONANT = "[bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθT]"
_END = r"(?![^\s.,;:!?—…])"
"""The end of a word."""
_START = r"(?<![^\s])"


@dataclass(frozen=True)
class Accent:
    """An accent: patterns and what each becomes, applied in order.

    Attributes:
        name: the speaker's first language or country.
        rules: regular expression → replacement, on the phones of a sentence.
    """

    name: str
    rules: tuple[tuple[str, str], ...] = ()

    def __call__(self, phones: str) -> str:
        """A sentence's phones as this accent says them."""
        for pattern, replacement in self.rules:
            phones = re.sub(pattern, replacement, phones)
        return phones


def _each(before: str, after: str, where: str = "") -> tuple[tuple[str, str], ...]:
    """One rule for each pair of letters."""
    return tuple((f"{a}{where}", b) for a, b in zip(before, after, strict=True))


ACCENTS: dict[str, Accent] = {
    accent.name: accent
    for accent in (
        Accent("American"),
        Accent("German", (*_each("wθðæ", "vszɛ"), *_each("bdɡvzʒʤ", "ptkfsʃʧ", _END), ("ʤ", "ʧ"))),
        Accent(
            "Spanish",
            (
                (f"{_START}s(?={CONSONANT})", "ɛs"),
                *_each("vzθðʃɪʊæʌ", "bstdʧiuɑɑ"),
                ("ʤ", "j"),
                *_each("mŋ", "nn", _END),
            ),
        ),
        Accent(
            "Mandarin",
            (
                *_each("θðvɪ", "sdwi"),
                (f"(?<={CONSONANT})[tdkɡpb]{_END}", ""),
                (f"[tdkɡpb]{_END}", ""),
                (f"[zs]{_END}", "s"),
                (f"(?<={VOWEL})l{_END}", "ʊ"),
                ("ʒ", "ʃ"),
            ),
        ),
        Accent("Indian", (*_each("wθðæʒT", "vtdɛzt"), ("ɔ", "ɑ"))),
        Accent("French", (("h", ""), *_each("θðɪʊʤʧæʌ", "sziuʒʃɑɛ"), ("ˌ", ""))),
        Accent(
            "Japanese",
            (
                *_each("lθðvæʌ", "ɹszbɑɑ"),
                ("sɪ", "ʃi"),
                ("tɪ", "ʧi"),
                ("ɜɹ", "ɑ"),
                (f"([bdɡʧʤ]){_END}", r"\1ʊ"),
                ("ɹ(?=[sztdkɡpbfv])", ""),
            ),
        ),
        Accent(
            "Brazilian",
            (
                (f"{_START}s(?={CONSONANT})", "is"),
                *_each("θðæɪ", "tdɛi"),
                ("t(?=[ˈˌ]?i)", "ʧ"),
                ("d(?=[ˈˌ]?i)", "ʤ"),
                (f"([tdkɡpbf]){_END}", r"\1i"),
                (f"l{_END}", "w"),
                (f"{_START}ɹ", "h"),
                (f"ŋ{_END}", "n"),
            ),
        ),
        Accent(
            "Korean",
            (
                (f"([ʃʧʤ]){_END}", r"\1i"),
                (f"{_START}s(?=[tpkmnl])", "sʊ"),
                *_each("fvθðzɪæ", "pbsdʤiɛ"),
                ("ʒ", "ʤ"),
                (f"(?<={VOWEL})l(?=[ˈˌ]?{VOWEL})", "ɹ"),
                (f"{_START}ɹ", "l"),
                (f"([sfk]){_END}", r"\1ʊ"),
            ),
        ),
        Accent(
            "Arabic",
            (
                (f"{_START}s(?={CONSONANT})", "is"),
                *_each("pvθðʧŋ", "bfszʃn"),
                *_each("ɛʌ", "ɪɑ"),
                (f"(?<={CONSONANT})([lnm]){_END}", r"ɪ\1"),
            ),
        ),
        Accent(
            "Russian",
            (*_each("wθðɪæŋ", "vsziɛn"), ("ɜɹ", "ɛɹ"), *_each("bdɡvzʒʤ", "ptkfsʃʧ", _END)),
        ),
        Accent(
            "Italian",
            (
                ("h", ""),
                *_each("θðɪæʌ", "tdiɛɑ"),
                (f"{_START}s(?=[mnlbdɡv])", "z"),
                (r"([tdkɡpbfvszmn])(?=\s*[.,;:!?])", r"\1ə"),
            ),
        ),
    )
}

LEARNED_FROM: dict[str, Accent] = {
    accent.name: accent
    for accent in (
        Accent("Swedish", (*_each("wθðzʒʤʧ", "vtdsʃjʃ"), ("æ", "ɛ"))),
        Accent("Greek", (("ʤ", "dz"), ("ʧ", "ts"), ("ŋ", "nɡ"), *_each("ʃʒɪʊæʌ", "sziuɑɑ"))),
        Accent(
            "Turkish",
            (
                (f"{_START}s(?=[tpkmnl])", "sɪ"),
                *_each("wθðæʌ", "vtdɛɑ"),
                *_each("bdɡʤ", "ptkʧ", _END),
            ),
        ),
        Accent(
            "Vietnamese",
            (
                (f"(?<={CONSONANT})[tdkɡpbszθ]{_END}", ""),
                (f"[szʃʒʧʤ]{_END}", ""),
                (f"(?<={VOWEL})l{_END}", "n"),
                *_each("θðʃʒʤɪʊ", "tzszziu"),
                (f"{_START}p", "b"),
            ),
        ),
        Accent(
            "Thai",
            (
                ("(?<=[pbtdkɡf])ɹ", ""),
                *_each("vɹθðzʒʤɡ", "wltdsʃʧk"),
                (f"l{_END}", "n"),
                (f"[sʃʧ]{_END}", "t"),
            ),
        ),
        Accent(
            "Polish",
            (
                *_each("θðɪæʌ", "fdiɛɑ"),
                ("ɜɹ", "ɛɹ"),
                (f"ŋ{_END}", "nk"),
                *_each("bdɡvzʒʤ", "ptkfsʃʧ", _END),
            ),
        ),
        Accent(
            "Dutch",
            (
                *_each("θðæʌ", "sdɛə"),
                (f"{_START}z", "s"),
                (f"{_START}v", "f"),
                ("ɡ", "k"),
                *_each("bdvzʒʤ", "ptfsʃʧ", _END),
            ),
        ),
        Accent("Filipino", (("ʧ", "ts"), *_each("fvθðzʃʒɪʊæ", "pbtdsssiuɑ"))),
    )
}
"""Accents that only the scripts under ``scripts/`` let speak: what is learned from is not what it
is measured on."""


def choose(names: Sequence[str]) -> list[Accent]:
    """Accents by name, without a name all of ``ACCENTS``.

    Raises:
        SystemExit: an accent is unknown.
    """
    known = ACCENTS | LEARNED_FROM
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no accent {unknown[0]!r}; known are {', '.join(known)}")
    return [known[name] for name in names or ACCENTS]
