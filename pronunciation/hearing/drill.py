"""Hearing a term said alone, when anything else, or nothing, may have been said instead."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip
from pronunciation.errors import HearingError
from pronunciation.hearing.acoustic import FRAME_S, LABEL_INDEX, SILENCE
from pronunciation.hearing.align import best_path, word_states
from pronunciation.hearing.hear import Hearing
from pronunciation.hearing.results import DrillHeard, Target
from pronunciation.hearing.speech import is_steady, speech_span
from pronunciation.phones import base_phone, parse_phones

Floats = npt.NDArray[np.float32]

LONGEST_DRILL_S = 20.0
SWITCH_NATS = 3.0
"""Cost of changing phones in the free phone loop, so that it does not follow noise."""
STEEPNESS = 6.0
"""How fast confidence grows with the distance of a reading's fit from the threshold, per nat per
frame."""


def free_phones_score(scores: Floats) -> npt.NDArray[np.float64]:
    """The score of each frame on the best path through any phones in any order, shape (frames,)."""
    n, classes = scores.shape
    alpha = scores[0].astype(np.float64)
    came = np.zeros((n, classes), np.int64)
    for t in range(1, n):
        jump = int(alpha.argmax())
        better = alpha[jump] - SWITCH_NATS > alpha
        came[t] = np.where(better, jump, np.arange(classes))
        alpha = np.where(better, alpha[jump] - SWITCH_NATS, alpha) + scores[t]
    state = int(alpha.argmax())
    path = np.zeros(n, np.int64)
    for t in range(n - 1, -1, -1):
        path[t] = state
        state = int(came[t][state])
    return scores[np.arange(n), path].astype(np.float64)


def drill_fit(scores: Floats, reading: str) -> tuple[float, int, int] | None:
    """How much worse a reading fits than free phones, in nats per speech frame, and its frames.

    Sound outside the reading counts against it, so that a long answer does not pass for a short
    term.
    """
    phones = tuple(base_phone(p) for p in parse_phones(reading))
    chain = word_states([phones])
    path = best_path(scores, chain)
    if path is None:
        return None
    said = scores[np.arange(len(scores)), chain.labels[path.states]].astype(np.float64)
    free = free_phones_score(scores)
    speech = scores.argmax(axis=1) != LABEL_INDEX[SILENCE]
    inside = np.flatnonzero(chain.word[path.states] == 0)
    counted = speech.copy()
    counted[inside] = True
    return float((said - free)[counted].mean()), int(inside[0]), int(inside[-1])


def hear_drill(
    hearing: Hearing, clip: Clip, readings: Sequence[str], mistakes: Sequence[str] = ()
) -> DrillHeard:
    """Which reading of one term is in a clip, if any.

    Args:
        hearing: the hearing to use.
        clip: one attempt at one term, up to 20 s.
        readings: accepted readings, ARPAbet.
        mistakes: mistaken readings.

    Raises:
        HearingError: the clip is too long or at another rate, or no reading is accepted.
        PhoneError: a reading is not ARPAbet.
    """
    if not readings:
        raise HearingError("the term has no accepted reading")
    for reading in (*readings, *mistakes):
        parse_phones(reading)
    if clip.duration_s > LONGEST_DRILL_S:
        raise HearingError(f"a drill's answer takes at most {LONGEST_DRILL_S:.0f} s: say the term")
    begin, behind = speech_span(clip)
    if is_steady(Clip(clip.samples[begin:behind], clip.sample_rate_hz)):
        return DrillHeard("nothing", None, 1.0)
    try:
        speech = hearing.speech(clip)
    except HearingError as error:
        if "no speech" in str(error):
            return DrillHeard("nothing", None, 1.0)
        raise
    scores = speech.scores
    fits = [fit for r in (*readings, *mistakes) if (fit := drill_fit(scores, r)) is not None]
    threshold = hearing.fusion.drill_fits_from
    best = max(fits, default=(threshold - 1.0, 0, len(scores) - 1))
    belongs = float(1 / (1 + np.exp(-STEEPNESS * (best[0] - threshold))))
    target = Target("term", 0, 1, tuple(readings), tuple(mistakes))
    heard = hearing.judge_alone(speech, target) if fits else None

    if heard is None or belongs < 0.5:
        phones = heard.phones if heard else None
        found = heard.readings if heard else ()
        times = speech.in_clip(clip, best[1] * FRAME_S, (best[2] + 1) * FRAME_S)
        return DrillHeard("something_else", phones, 1 - belongs, *times, found)
    times = speech.in_clip(clip, heard.start_s, heard.end_s)
    return DrillHeard(heard.verdict, heard.phones, heard.confidence, *times, heard.readings)
