"""What the acoustic network tells apart: silence and the 39 ARPAbet phones, without stress."""

from pronunciation.phones import CONSONANTS, VOWELS

SILENCE = "SIL"
LABELS: tuple[str, ...] = (SILENCE, *sorted(VOWELS), *sorted(CONSONANTS))
"""The network's outputs in order; index 0 is silence, noise and breath."""

LABEL_INDEX: dict[str, int] = {label: index for index, label in enumerate(LABELS)}
N_CLASSES = len(LABELS)

FRAME_S = 0.02
"""Seconds from one output row to the next."""
