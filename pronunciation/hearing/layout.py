"""A text prepared for alignment: its words and terms as phones, and the sound around a term."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pronunciation.errors import HearingError
from pronunciation.g2p import pronunciations
from pronunciation.hearing.acoustic import FRAME_S, LABEL_INDEX, SILENCE
from pronunciation.hearing.align import States, best_path, word_states
from pronunciation.hearing.results import Target
from pronunciation.phones import bare_phones, parse_phones

Floats = npt.NDArray[np.float32]
Phones = tuple[str, ...]

DRIFT_S = 4.0
"""How far a transcriber's word times may be off; they drift after silence (faster-whisper#125)."""
GARBAGE_SHARE = 0.55
"""Unwritten speech (an "um") may replace silence at this share of the best phone's score."""
CONTEXT_WORDS = 2
"""Words on either side scored together with a term, because the first alignment's borders may be
off."""
NEIGHBOR_PAUSE_S = 0.3
"""Beyond a pause this long, the word next to a term is not part of the term's window."""
EDGE_FRAMES = 2
"""Frames added to a window on either side: borders are no sharper than this."""


@dataclass(frozen=True)
class Layout:
    """The text as units to align: a word, or a term of one word or more."""

    phones: list[Phones] = field(default_factory=list)
    word_index: list[int] = field(default_factory=list)
    target: list[Target | None] = field(default_factory=list)


def check_targets(words: Sequence[str], targets: Sequence[Target]) -> None:
    """Check that targets lie within the text, apart, with readings that are ARPAbet.

    Raises:
        HearingError: one lies outside, overlaps another or has no accepted reading.
        PhoneError: a reading is not ARPAbet.
    """
    taken: set[int] = set()
    for target in targets:
        places = range(target.word_index, target.word_index + target.n_words)
        if target.n_words < 1 or target.word_index < 0 or places.stop > len(words):
            raise HearingError(f"the term {target.term!r} lies outside the text")
        if taken & set(places):
            raise HearingError(f"the term {target.term!r} overlaps another term of the text")
        taken |= set(places)
        if not target.readings:
            raise HearingError(f"the term {target.term!r} has no accepted reading")
        for reading in (*target.readings, *target.mistakes):
            parse_phones(reading)


def candidates_of(target: Target) -> list[str]:
    """The readings that compete, each once ignoring case, the accepted ones first."""
    different: dict[Phones, str] = {}
    for reading in filter(None, (*target.readings, target.own, *target.mistakes)):
        different.setdefault(parse_phones(reading), reading)
    return list(different.values())


def lay_out(words: Sequence[str], targets: Sequence[Target]) -> Layout:
    """Words as usually said, terms as taught; anything that is not spoken is left out."""
    layout = Layout()
    starts = {t.word_index: t for t in targets}
    index = 0
    while index < len(words):
        target = starts.get(index)
        phones = (
            bare_phones(target.readings[0])
            if target
            else next(iter(pronunciations(words[index])), ())
        )
        if phones:
            layout.phones.append(phones)
            layout.word_index.append(index)
            layout.target.append(target)
        index += target.n_words if target else 1
    return layout


def regrouped(
    layout: Layout, owner: npt.NDArray[np.int64], targets: Sequence[Target]
) -> tuple[Layout, npt.NDArray[np.int64]]:
    """An aligned text with the words of each target as one unit, and the new unit of each frame.

    Args:
        layout: the text as it was aligned.
        owner: the unit of each frame, -1 for none, shape (frames,).
        targets: those of ``layout`` and others, of words that it has as units.
    """
    starts = {target.word_index: target for target in targets}
    new, unit_of, end = Layout(), np.empty(len(layout.phones) + 1, np.int64), 0
    unit_of[-1] = -1
    for unit, index in enumerate(layout.word_index):
        target = starts.get(index) if index >= end else None
        if index >= end or not new.phones:
            if target is not None:
                end = index + target.n_words
            new.phones.append(bare_phones(target.readings[0]) if target else layout.phones[unit])
            new.word_index.append(index)
            new.target.append(target)
        unit_of[unit] = len(new.phones) - 1
    return new, unit_of[owner]


def align_layout(
    scores: Floats, layout: Layout, word_times: Sequence[tuple[float, float]] | None
) -> tuple[States, npt.NDArray[np.int64]]:
    """The text's states, and the state of each frame.

    Raises:
        HearingError: the text has more sounds than the clip.
    """
    chain = word_states(layout.phones)
    allowed = None
    if word_times is not None:
        allowed = window_by_times(chain, layout, word_times, scores.shape[0])
    return chain, best_states(scores, chain, allowed)


def best_states(
    scores: Floats, chain: States, allowed: npt.NDArray[np.int64] | None
) -> npt.NDArray[np.int64]:
    """The state of each frame; unwritten speech is placed where silence may be.

    Raises:
        HearingError: the text has more sounds than the clip.
    """
    silence = LABEL_INDEX[SILENCE]
    filled = scores.copy()
    filled[:, silence] = np.maximum(
        scores[:, silence], GARBAGE_SHARE * np.maximum(scores.max(axis=1), 0.0)
    )
    width = 4096 if allowed is None else window_width(allowed, chain)
    path = best_path(filled, chain, allowed=allowed, width=width)
    if path is None:
        raise HearingError("the text does not fit the sound: it has more sounds than the clip")
    return path.states


def window_by_times(
    chain: States, layout: Layout, word_times: Sequence[tuple[float, float]], frames: int
) -> npt.NDArray[np.int64]:
    """First state allowed at each frame; words that ended more than DRIFT_S ago are over."""
    ends_s = np.maximum.accumulate([word_times[i][1] for i in layout.word_index])
    over = np.searchsorted(ends_s, np.arange(frames) * FRAME_S - DRIFT_S, side="right")
    first_states = np.searchsorted(np.maximum.accumulate(chain.word), np.arange(len(ends_s) + 1))
    return np.maximum(0, first_states[over] - 1).astype(np.int64)


def window_width(allowed: npt.NDArray[np.int64], chain: States) -> int:
    """States needed so that words up to DRIFT_S ahead of their time may begin."""
    ahead = round(2 * DRIFT_S / FRAME_S)
    later = np.concatenate([allowed[ahead:], np.full(min(ahead, allowed.size), chain.labels.size)])
    return int(max(64, (later[: allowed.size] - allowed).max() + 16))


def between(
    scores: Floats, owner: npt.NDArray[np.int64], layout: Layout, unit: int, *, whole: bool = False
) -> tuple[list[Phones], list[Phones], int, Floats]:
    """The words before and after a term, the first frame of them all, and their scores."""
    first, last, left, right = context(owner, unit, len(layout.phones), whole=whole)
    offset = max(0, left - EDGE_FRAMES)
    window = scores[offset : right + 1 + EDGE_FRAMES]
    return layout.phones[first:unit], layout.phones[unit + 1 : last + 1], offset, window


def context(
    owner: npt.NDArray[np.int64], unit: int, units: int, *, whole: bool, words: int = CONTEXT_WORDS
) -> tuple[int, int, int, int]:
    """The units scored together with a term, up to a pause, and the first and last frame."""
    if whole:
        return 0, units - 1, 0, owner.size - 1
    near = round(NEIGHBOR_PAUSE_S / FRAME_S)
    spans = {}
    for other in range(max(0, unit - words), min(units, unit + words + 1)):
        frames = np.flatnonzero(owner == other)
        spans[other] = (int(frames[0]), int(frames[-1]))
    first = last = unit
    while first - 1 in spans and spans[first][0] - spans[first - 1][1] <= near:
        first -= 1
    while last + 1 in spans and spans[last + 1][0] - spans[last][1] <= near:
        last += 1
    left = spans[first][0] - (near if first == unit else 0)
    right = spans[last][1] + (near if last == unit else 0)
    return first, last, max(0, left), min(owner.size - 1, right)
