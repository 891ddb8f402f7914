"""The words of an answer that carry a judgment, as every report quotes them."""

from collections.abc import Sequence
from typing import Final

from server.contract.report import CoverageEvidence
from server.contract.transcript import Word

EDGES: Final = "\"'“”‘’()[]{}.,;:!?…"
"""Punctuation that a quote does not begin or end with."""


def evidence_of(
    texts: Sequence[str], words: Sequence[Word], indices: Sequence[int]
) -> CoverageEvidence:
    """The quote from the first of these words to the last, and when they were said.

    Args:
        texts: the answer's words.
        words: the same with their times; empty for a typed answer.
        indices: of the words that carry the judgment, in order; at least one.
    """
    timed = [words[index] for index in indices] if words else []
    return CoverageEvidence(
        text=" ".join(texts[indices[0] : indices[-1] + 1]).strip(EDGES),
        start_s=min((w.start_s for w in timed if w.start_s is not None), default=None),
        end_s=max((w.end_s for w in timed if w.end_s is not None), default=None),
        word_indices=tuple(indices),
    )
