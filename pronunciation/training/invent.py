"""Words that no dictionary has, built as terms of the trade are: spelled, joined, cut, made up."""

import random
from functools import cache

from pronunciation.g2p.dictionary import dictionary
from pronunciation.phones import CONSONANTS, VOWELS
from pronunciation.training.utterance import Phones


@cache
def _letter_names() -> tuple[Phones, ...]:
    known = dictionary()
    return tuple(known[f"{letter}."][0] for letter in "abcdefghijklmnopqrstuvwxyz")


@cache
def _words() -> tuple[Phones, ...]:
    """The dictionary's words of two to eight phones."""
    return tuple(p[0] for w, p in dictionary().items() if w.isalpha() and 2 <= len(p[0]) <= 8)


def stressed(phones: Phones, rng: random.Random) -> Phones:
    """Phones with stress put on one vowel, so that a voice can say them; now and then two."""
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
