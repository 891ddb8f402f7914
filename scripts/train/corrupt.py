"""Phones made by rule: wrong pronunciations, and words that no dictionary has.

Only training and the benchmark draw from these.
"""

import random
from collections.abc import Sequence
from functools import cache

from pronunciation.g2p import Phones, dictionary
from pronunciation.phones import (
    CONFUSABLE,
    CONSONANTS,
    LEARNERS_CONFUSE,
    VOWELS,
    base_phone,
    partners,
)

_SIMILAR = (
    "TH T", "V B", "IH EH", "AE AA", "AH AE", "AO AA", "UH AH", "N M", "Z JH", "Z ZH", "EY EH",
    "EY AY", "OW AW", "OW UH", "ER AH", "ER AO", "T CH", "D JH", "HH F", "Y JH", "OY AO", "AY AA",
    "AW AA",
)  # fmt: skip
"""Similar phones beyond those that learners confuse (the benchmark's confusable phones)."""

NEAR = partners((*LEARNERS_CONFUSE, *_SIMILAR))
"""All similar phones, from which no unrelated phone is drawn."""


def replace_one(
    phones: Sequence[str], rng: random.Random, *, confusable: bool
) -> tuple[str, ...] | None:
    """One random phone replaced by a confusable or an unrelated one, vowels by vowels.

    Stress digits stay. ``None`` if no phone of the word has such a partner.
    """
    places = list(range(len(phones)))
    rng.shuffle(places)
    for place in places:
        base = base_phone(phones[place])
        digit = phones[place][len(base) :]
        near = NEAR.get(base, ())
        kind = VOWELS if base in VOWELS else CONSONANTS
        far = [p for p in kind if p != base and p not in near]
        pool = list(CONFUSABLE.get(base, ())) if confusable else far
        if pool:
            new = rng.choice(pool)
            return (*phones[:place], new + (digit if new in VOWELS else ""), *phones[place + 1 :])
    return None


def _drop(phones: Sequence[str], rng: random.Random) -> tuple[str, ...]:
    place = rng.randrange(len(phones))
    return (*phones[:place], *phones[place + 1 :])


def _add(phones: Sequence[str], rng: random.Random) -> tuple[str, ...]:
    place = rng.randrange(len(phones) + 1)
    new = rng.choice([*VOWELS, *CONSONANTS])
    return (*phones[:place], new, *phones[place:])


def corrupt(phones: Sequence[str], rng: random.Random) -> tuple[str, ...]:
    """The phones changed in one to three places, never the same as they were."""
    source = tuple(phones)
    for _ in range(20):
        roll = rng.random()
        if roll < 0.35:
            made = replace_one(source, rng, confusable=True)
        elif roll < 0.65:
            made = replace_one(source, rng, confusable=False)
        elif roll < 0.75 and len(source) > 2:
            made = _drop(source, rng)
        elif roll < 0.85:
            made = _add(source, rng)
        else:
            made = source
            for _ in range(rng.randint(2, 3)):
                made = replace_one(made or source, rng, confusable=rng.random() < 0.5)
            if len(made or ()) > 3 and rng.random() < 0.5:
                made = _drop(made or source, rng)
        if made and tuple(map(base_phone, made)) != tuple(map(base_phone, source)):
            return made
    return _add(source, rng)


@cache
def _letter_names() -> tuple[Phones, ...]:
    known = dictionary()
    return tuple(known[f"{letter}."][0] for letter in "abcdefghijklmnopqrstuvwxyz")


@cache
def _words() -> tuple[Phones, ...]:
    """The dictionary's words of two to eight phones."""
    return tuple(p[0] for w, p in dictionary().items() if w.isalpha() and 2 <= len(p[0]) <= 8)


def stressed(phones: Phones, rng: random.Random) -> Phones:
    """Phones with stress on one vowel, sometimes two, so that a voice can say them."""
    vowels = [i for i, p in enumerate(phones) if p in VOWELS]
    if not vowels:
        return phones
    full = [i for i in vowels if phones[i] != "AH"] or vowels
    main = full[0] if rng.random() < 0.7 else rng.choice(vowels)
    second = rng.choice(full) if len(full) > 1 and rng.random() < 0.4 else main
    return tuple(
        p + ("1" if i == main else "2" if i == second else "0") if p in VOWELS else p
        for i, p in enumerate(phones)
    )


def _spelled(rng: random.Random, n_letters: int) -> Phones:
    """Letter names, the last one stressed: ``AA2 R D IY2 EH2 M EY1``."""
    names = rng.choices(_letter_names(), k=n_letters)
    return tuple(
        p + ("1" if i == n_letters - 1 else "2") if p in VOWELS else p
        for i, name in enumerate(names)
        for p in name
    )


def _made_up(rng: random.Random) -> Phones:
    phones: list[str] = []
    for _ in range(rng.randint(1, 3)):
        phones += rng.choices(list(CONSONANTS), k=rng.choice((0, 1, 1, 1, 2)))
        phones.append(rng.choice(list(VOWELS)))
        phones += rng.choices(list(CONSONANTS), k=rng.choice((0, 1, 1)))
    return tuple(p for p in phones if p != "ZH" or rng.random() < 0.5)


def _cut(rng: random.Random) -> Phones:
    """The beginning of one word and the end of another, or two short ones joined."""
    one, two = rng.choice(_words()), rng.choice(_words())
    if rng.random() < 0.4 and len(one) + len(two) < 11:
        return (*one, *two)
    return (*one[: rng.randint(1, len(one))], *two[rng.randint(0, len(two) - 1) :])


def invented(rng: random.Random) -> Phones:
    """A new word with stress: letter names, a mix of both, a cut or joined word, or made up."""
    roll = rng.random()
    if roll < 0.35:
        return _spelled(rng, rng.randint(2, 5))
    if roll < 0.45:
        parts = [_spelled(rng, rng.randint(1, 2)), stressed(_cut(rng), rng)]
        rng.shuffle(parts)
        return (*parts[0], *parts[1])
    return stressed(_cut(rng) if roll < 0.75 else _made_up(rng), rng)
