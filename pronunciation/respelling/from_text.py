"""Any technical phrase in plain letters: its lexicon terms as taught, its other words by rule.

``NCCL timeout`` → ``NICK-ul TIGHM-owt``. The phones of an ordinary word are the dictionary's, its
stress is eSpeak NG's; where the two count different syllables, both are eSpeak NG's.
"""

from functools import cache
from typing import Final

from pronunciation.g2p.letter_to_sound import espeak_phones, stressed_syllable_of
from pronunciation.g2p.words import dictionary, plain, pronunciations, split_words
from pronunciation.phones import VOWELS
from pronunciation.respelling.from_phones import respell_phones
from pronunciation.terms import Lexicon

_SHORTEST_PART: Final = 3
"""Letters: below, chance finds parts in words that have none."""


def respell_phrase(text: str, lexicon: Lexicon) -> str:
    """How a phrase is said, for people; the stressed syllable of each word in capitals.

    Args:
        text: a term or a few words.
        lexicon: its terms go first, the longest at each place.

    Raises:
        HearingError: eSpeak NG's library, needed for the stress, cannot be loaded.
    """
    words = split_words(text)
    said: list[str] = []
    at = 0
    while at < len(words):
        for end in range(len(words), at, -1):
            name = " ".join(words[at:end])
            term = lexicon.get(name) or lexicon.get(plain(name))
            if term is not None:
                said.append(term.say)
                at = end
                break
        else:
            said += [_respelled(part) for part in words[at].split("-") if part]
            at += 1
    return " ".join(each for each in said if each)


@cache
def _respelled(word: str) -> str:
    """One ordinary word; empty for mere punctuation."""
    phones = next(iter(pronunciations(word)), ())
    stressed = stressed_syllable_of(word) or 0
    parts = _parts(plain(word), phones)
    if parts and stressed < _syllables(pronunciations(parts[0])[0]):
        return f"{_respelled(parts[0])}-{_respelled(parts[1]).lower()}"
    if _syllables(phones) <= stressed:
        phones = espeak_phones(word)
    if not phones:
        return ""
    marked, syllable = [], 0
    for phone in phones:
        if phone in VOWELS:
            marked.append(f"{phone}{int(syllable == stressed)}")
            syllable += 1
        else:
            marked.append(phone)
    return respell_phones(" ".join(marked)) if syllable else word


def _syllables(phones: tuple[str, ...]) -> int:
    return sum(phone in VOWELS for phone in phones)


def _parts(word: str, phones: tuple[str, ...]) -> tuple[str, str] | None:
    """The two words of a compound (``heartbeat``), whose stress is on the first; else ``None``."""
    known = dictionary()
    for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        first, second = word[:cut], word[cut:]
        if any(a + b == phones for a in known.get(first, ()) for b in known.get(second, ())):
            return first, second
    return None
