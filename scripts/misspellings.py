"""Learns what a transcriber writes for which phones, for ``train_respelled``."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from pronunciation.hearing.acoustic import N_CLASSES
from pronunciation.hearing.misspelled import Indices, Misspellings
from scripts.speak_and_fit import confusions

ROUNDS, PRIOR = 3, 15.0
"""Of learning: rounds, and what each phone is given before, in phones."""
LEFT_OUT: Final = 1
PUT_IN: Final = 2


def learn(pairs: Iterable[tuple[Indices, Indices]]) -> Misspellings:
    """What is written for what is meant, by hard expectation maximization.

    Only from stretches that were not written as they were meant: it is asked of no others.
    """
    pairs = [
        (meant, written)
        for meant, written in pairs
        if meant.size and not np.array_equal(meant, written)
    ]
    prior = by_hand()
    learned = prior
    for _ in range(ROUNDS):
        as_other = PRIOR * prior.written_as
        left_out, put_in = PRIOR * prior.left_out, PRIOR * prior.put_in
        meant_as = np.full(N_CLASSES, float(PRIOR))
        slots = float(PRIOR)
        for meant, written in pairs:
            for one, other in edits(meant, written, learned):
                if one is None:
                    put_in[other] += 1
                    continue
                slots += 1
                meant_as[one] += 1
                if other is None:
                    left_out[one] += 1
                else:
                    as_other[one, other] += 1
        counts = np.bincount(np.concatenate([written for _, written in pairs]), minlength=N_CLASSES)
        learned = Misspellings(
            as_other / meant_as[:, None],
            left_out / meant_as,
            put_in / slots,
            (counts + 1) / (counts.sum() + N_CLASSES),
        )
    return learned


def by_hand() -> Misspellings:
    """The table of confusions as probabilities, to begin with."""
    share = confusions() * 0.95
    even = np.full(N_CLASSES, 1.0)
    return Misspellings(share, 0.05 * even, 0.1 * even / N_CLASSES, even / N_CLASSES)


def edits(
    meant: Indices, written: Indices, learned: Misspellings
) -> list[tuple[int | None, int | None]]:
    """The likeliest way from what is meant to what is written, phone by phone."""
    as_other = np.log(learned.written_as)
    left_out, put_in = np.log(learned.left_out), np.log(learned.put_in)
    best = np.full((meant.size + 1, written.size + 1), -np.inf)
    best[0, 0] = 0.0
    steps = np.zeros(best.shape, np.int64)
    for i, j in np.ndindex(best.shape):
        ways = (
            best[i - 1, j - 1] + as_other[meant[i - 1], written[j - 1]] if i and j else -np.inf,
            best[i - 1, j] + left_out[meant[i - 1]] if i else -np.inf,
            best[i, j - 1] + put_in[written[j - 1]] if j else -np.inf,
        )
        if i or j:
            steps[i, j] = int(np.argmax(ways))
            best[i, j] = ways[steps[i, j]]
    i, j = meant.size, written.size
    found: list[tuple[int | None, int | None]] = []
    while i or j:
        step = steps[i, j]
        found.append(
            (int(meant[i - 1]) if step < 2 else None, int(written[j - 1]) if step != 1 else None)
        )
        i, j = i - (step < 2), j - (step != 1)
    return found
