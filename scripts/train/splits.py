"""Which speakers are for training, calibration and the benchmark, by a rule that anyone can check.

``l2-mandarin`` is split by speaker number modulo 5. Nothing is trained, chosen or calibrated on the
held-out speakers; the benchmark's table is measured on them alone. Dev's are used for calibration
with a network that never heard them, and only then for training.
"""

import zlib
from typing import Literal

Split = Literal["train", "dev", "heldout"]
_BY_REMAINDER: dict[int, Split] = {0: "train", 1: "heldout", 2: "train", 3: "dev", 4: "train"}


def split_of(speaker: str) -> Split:
    """The split of a speaker of ``l2-mandarin``, e.g. ``split_of("0036")``."""
    return _BY_REMAINDER[int(speaker) % 5]


def term_split(term: str) -> Split:
    """The split of a lexicon term: half for calibration, half for the benchmark."""
    return "heldout" if zlib.crc32(term.casefold().encode()) % 2 else "dev"
