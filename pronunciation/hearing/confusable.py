"""Phones that learners and listeners mistake for each other."""

from collections.abc import Sequence

__all__ = ["CONFUSABLE", "LEARNERS", "partners"]

LEARNERS = (
    "TH S", "TH F", "DH D", "DH Z", "V W", "V F", "IH IY", "EH AE", "AA AH", "AO OW", "UH UW",
    "R L", "R W", "L N", "N NG", "S SH", "S Z", "P B", "T D", "K G", "CH SH", "JH ZH", "CH JH",
)  # fmt: skip


def partners(pairs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Pairs of phones as a table from each to its partners, both ways."""
    table: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        one, two = pair.split()
        table[one] = (*table.get(one, ()), two)
        table[two] = (*table.get(two, ()), one)
    return table


CONFUSABLE = partners(LEARNERS)
