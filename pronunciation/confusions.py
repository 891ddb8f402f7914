"""The distance between two phone sequences, from phones that listeners and recognizers confuse.

Phones are ARPAbet without stress, each written as one character, so that a word is a string.
"""

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final

from pronunciation.phones import CONSONANTS, VOWELS

CODES: Final = {phone: chr(ord("A") + at) for at, phone in enumerate((*VOWELS, *CONSONANTS))}
"""One character per phone."""

_CODE_OF: Final = {
    phone + stress: code for phone, code in CODES.items() for stress in ("", "0", "1", "2")
}

_CLASSES: Final = (
    "P B F V", "T D TH DH", "K G", "S Z SH ZH CH JH", "M N NG", "L R ER", "W", "Y", "HH",
    "IY IH EH EY AE AY", "AA AO AH AW OW UH UW OY",
)  # fmt: skip
_CLASS: Final = str.maketrans(
    {CODES[phone]: str(at)[-1] if at < 10 else "x"
     for at, group in enumerate(_CLASSES) for phone in group.split()}
)  # fmt: skip
_TABLE: Final = Path(__file__).parent / "data" / "confusions.json"


def encode(phones: Sequence[str]) -> str:
    """ARPAbet phones as a string; stress is dropped."""
    return "".join([_CODE_OF[phone] for phone in phones])


def merged(phones: str) -> str:
    """Phones, see ``encode``, with confusable ones merged, for a quick first comparison."""
    return phones.translate(_CLASS)


@cache
def _costs() -> tuple[dict[str, dict[str, float]], dict[str, float], dict[str, float]]:
    table = json.loads(_TABLE.read_text("utf-8"))
    swapped: dict[str, dict[str, float]] = {code: {code: 0.0} for code in CODES.values()}
    for pair, cost in table["swapped"].items():
        one, other = (CODES[phone] for phone in pair.split())
        swapped[one][other] = swapped[other][one] = cost
    left_out = {CODES[phone]: cost for phone, cost in table["left_out"].items()}
    put_in = {CODES[phone]: cost for phone, cost in table["put_in"].items()}
    return swapped, left_out, put_in


@lru_cache(maxsize=65536)
def distance(meant: str, written: str) -> float:
    """The cost of hearing ``meant`` as ``written``, divided by the length of the longer one.

    Returns:
        0 (the same sound) to about 1.
    """
    if meant == written:
        return 0.0
    if not meant or not written:
        return 1.0
    return _rows((meant,), written)[-1][-1] / max(len(meant), len(written))


def distances(meant: Sequence[str], written: str) -> list[float]:
    """How far each word of a passage is from the part of ``written`` that stands for it.

    Args:
        meant: the phones of each word, see ``encode``; none is empty.
        written: the phones of the whole passage.

    Returns:
        One distance per word, in their order, along the alignment of the whole passage.
    """
    after = _rows(meant, written)
    before = _rows([word[::-1] for word in reversed(meant)], written[::-1])
    cuts: list[int] = []  # in ``written``, where the best alignment passes from word to word
    for left, right in zip(after, reversed(before), strict=True):
        costs = [round(one + other, 6) for one, other in zip(left, reversed(right), strict=True)]
        cuts.append(costs.index(min(costs)))
    return [
        (after[at + 1][end] - after[at][start]) / max(len(meant[at]), end - start)
        for at, (start, end) in enumerate(pairwise(cuts))
    ]


def _rows(meant: Sequence[str], written: str) -> list[list[float]]:
    """The costs of hearing the first words, none to all, as each beginning of ``written``."""
    swapped, left_out, put_in = _costs()
    phones = [(at, phone, put_in.get(phone, 1.0)) for at, phone in enumerate(written, 1)]
    row = [0.0, *accumulate(cost for _, _, cost in phones)]
    rows = [row.copy()]
    for word in meant:
        for wanted in word:
            out, others = left_out.get(wanted, 1.0), swapped[wanted]
            diagonal, row[0] = row[0], row[0] + out
            best = row[0]
            for at, phone, added in phones:
                put, swap = best + added, diagonal + others.get(phone, 1.0)
                diagonal = row[at]
                best = diagonal + out
                # without calling min, because an answer takes tens of thousands of these steps
                if swap < best:
                    best = swap
                if put < best:
                    best = put
                row[at] = best
        rows.append(row.copy())
    return rows
