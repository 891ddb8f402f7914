"""Wrong pronunciations made by rule: one phone replaced, dropped or added.

Training and the benchmark draw from these; nothing here is seen by the product.
"""

import random
from collections.abc import Sequence

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
"""Beyond what learners mistake for each other (the benchmark's confusable phones)."""

NEAR = partners((*LEARNERS_CONFUSE, *_SIMILAR))
"""Those and others that sound alike: no unrelated phone is drawn from these."""


def replace_one(
    phones: Sequence[str], rng: random.Random, *, confusable: bool
) -> tuple[str, ...] | None:
    """One random phone replaced by a confusable or by an unrelated one, vowels by vowels.

    Stress digits stay. ``None`` where no phone of the word has such a partner.
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
