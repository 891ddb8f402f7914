"""How well a transcriber understood a speaker, by its own confidence in the words."""

from collections.abc import Iterable
from statistics import fmean

from server.grading.sense.thresholds import CLEAR, UNCLEAR


def clearness_of(confidences: Iterable[float | None]) -> float:
    """From 0 (it hardly understood the speaker) to 1; a typed answer is clear.

    Args:
        confidences: of the transcript's words, 0 to 1; ``None`` for those that the candidate
            corrected.
    """
    known = [confidence for confidence in confidences if confidence is not None]
    if not known:
        return 1.0
    return min(1.0, max(0.0, (fmean(known) - UNCLEAR) / (CLEAR - UNCLEAR)))
