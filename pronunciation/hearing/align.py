"""Alignments of phone sequences with frames, in numpy: one state per phone, silence between words.

A score is a log likelihood ratio, the sum over frames of log p(phone | frame) - log p(phone), so
sequences of different length over the same frames can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pronunciation.hearing.acoustic import LABEL_INDEX, SILENCE
from pronunciation.phones import base_phone

Floats = npt.NDArray[np.float32]
_NEVER = np.float32(-1e9)
WORST_GOODNESS = -8.0
"""Nats below the best phone; no phone counts as worse."""


@dataclass(frozen=True, eq=False)
class States:
    """A left-to-right chain of phone states.

    Attributes:
        labels: label index of each state.
        may_skip_previous: whether the state may follow the one before the previous state, which is
            then an optional silence.
        word: index of the word a state belongs to, -1 for silence.
    """

    labels: npt.NDArray[np.int64]
    may_skip_previous: npt.NDArray[np.bool_]
    word: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Alignment:
    """The best alignment.

    Attributes:
        states: state of each frame, shape (frames,).
        score: sum of the frames' scores along the path.
    """

    states: npt.NDArray[np.int64]
    score: float

    def goodness(self, scores: Floats, chain: States, word: int) -> float:
        """How far a word's phones are below the best ones of their frames, the mean in nats.

        Each phone counts once, whatever its length. For one phone it is the GOP (Witt and Young,
        2000).
        """
        mine = np.flatnonzero(chain.word[self.states] == word)
        state = self.states[mine]
        below = scores[mine, chain.labels[state]] - scores[mine].max(axis=1)
        means = np.bincount(state - state[0], below) / np.bincount(state - state[0])
        return float(np.maximum(means, WORST_GOODNESS).mean())


def word_states(words: Sequence[Sequence[str]]) -> States:
    """The chain of words given as phones, with optional silence before, between and after."""
    silence = LABEL_INDEX[SILENCE]
    labels, skips, owners = [silence], [False], [-1]
    for index, phones in enumerate(words):
        for place, phone in enumerate(phones):
            labels.append(LABEL_INDEX[base_phone(phone)])
            skips.append(place == 0 and index > 0)
            owners.append(index)
        labels.append(silence)
        skips.append(False)
        owners.append(-1)
    return States(np.array(labels), np.array(skips), np.array(owners))


TOGETHER = 64
"""Chains aligned in one pass; more take more memory, and those of similar length waste little."""


def sum_over_alignments(scores: Floats, chains: Sequence[States]) -> npt.NDArray[np.float64]:
    """Log of the sum over all alignments of each chain with the same frames.

    Args:
        scores: frame scores, shape (frames, classes).
        chains: the hypotheses.

    Returns:
        One value per chain, shape (chains,); about -1e9 if there are fewer frames than phones.
    """
    width = max(c.labels.size for c in chains)
    labels = np.zeros((len(chains), width), np.int64)
    closed = np.ones((len(chains), width), bool)
    for row, chain in enumerate(chains):
        labels[row, : chain.labels.size] = chain.labels
        closed[row, : chain.labels.size] = ~chain.may_skip_previous
    barred = np.where(closed, _NEVER, np.float32(0.0))[:, 2:]
    alpha = np.full(labels.shape, _NEVER, np.float32)
    alpha[:, :2] = scores[0][labels[:, :2]]
    for frame in scores[1:]:
        new = alpha.copy()
        new[:, 1:] = np.logaddexp(new[:, 1:], alpha[:, :-1])
        new[:, 2:] = np.logaddexp(new[:, 2:], alpha[:, :-2] + barred)
        alpha = new + frame[labels]
    rows = np.arange(len(chains))
    last = np.array([c.labels.size for c in chains]) - 1
    return np.asarray(np.logaddexp(alpha[rows, last], alpha[rows, last - 1]), np.float64)


def best_path(
    scores: Floats,
    chain: States,
    *,
    allowed: npt.NDArray[np.int64] | None = None,
    width: int = 4096,
) -> Alignment | None:
    """The best alignment, searched in a window of states that moves with the frames.

    Args:
        scores: frame scores, shape (frames, classes).
        chain: what was said.
        allowed: first state of the window at each frame, not falling, shape (frames,); ``None``:
            the window follows the best state so far.
        width: states in the window; time and memory grow with frames times width.

    Returns:
        The path, or ``None`` if no path fits the window or the frames.
    """
    frames, n = scores.shape[0], chain.labels.size
    width = min(width, n)
    barred = np.where(chain.may_skip_previous, np.float32(0.0), _NEVER)
    came = np.zeros((2, frames, width), bool)  # from the state before; from the one before that
    starts = np.zeros(frames, np.int64)
    held = np.full(width + 2, _NEVER, np.float32)  # with two states before the window
    alpha, before, two_before = held[2:], held[1:-1], held[:-2]
    alpha[:2] = scores[0][chain.labels[:2]]
    best, over, emitted = (np.empty(width, np.float32) for _ in range(3))
    first = 0
    for t in range(1, frames):
        target = first + int(alpha.argmax()) - width // 2 if allowed is None else int(allowed[t])
        start = min(max(first, target), n - width)
        shift, first, starts[t] = min(start - first, width + 2), start, start
        if shift:
            held[: width + 2 - shift] = held[shift:].copy()
            held[width + 2 - shift :] = _NEVER
        np.greater(before, alpha, out=came[0, t])
        np.maximum(alpha, before, out=best)
        np.add(two_before, barred[start : start + width], out=over)
        np.greater(over, best, out=came[1, t])
        np.maximum(best, over, out=best)
        scores[t].take(chain.labels[start : start + width], out=emitted, mode="clip")
        np.add(best, emitted, out=alpha)
        held[:2] = _NEVER
    end = n - 1 - int(starts[-1])
    if end >= width or end < 0:
        return None
    state = end if width == 1 or alpha[end] >= alpha[end - 1] else end - 1
    score = float(alpha[state])
    if score < _NEVER / 2:
        return None
    state += int(starts[-1])
    states = np.empty(frames, np.int64)
    for t in range(frames - 1, -1, -1):
        states[t] = state
        place = state - int(starts[t])
        if t:
            state -= 2 if came[1, t, place] else int(came[0, t, place])
    return Alignment(states, score)


def straight_paths(
    scores: Floats, chains: Sequence[npt.NDArray[np.int64]], windows: Sequence[tuple[int, int]]
) -> list[npt.NDArray[np.int64] | None]:
    """The best alignments of many short chains, each with its own frames, in one pass.

    Only the first and the last state, the silence around a wording, may be left out.

    Args:
        scores: frame scores, shape (frames, classes).
        chains: the labels of each chain's states, three at least.
        windows: the first frame of each chain, and the frame after its last.

    Returns:
        The state of each frame; ``None`` if there are too few frames.
    """
    found: list[npt.NDArray[np.int64] | None] = [None] * len(chains)
    fits = [
        at for at, (start, end) in enumerate(windows) if end - start >= max(1, chains[at].size - 2)
    ]
    fits.sort(key=lambda at: windows[at][1] - windows[at][0])
    for first in range(0, len(fits), TOGETHER):
        some = fits[first : first + TOGETHER]
        frames = np.array([windows[at][1] - windows[at][0] for at in some])
        sizes = np.array([chains[at].size for at in some])
        emitted = np.full((frames.max(), len(some), sizes.max()), _NEVER, np.float32)
        for row, at in enumerate(some):
            start, end = windows[at]
            emitted[: end - start, row, : chains[at].size] = scores[start:end, chains[at]]
        for row, (at, states) in enumerate(
            zip(some, _straight(emitted, frames, sizes), strict=True)
        ):
            found[at] = states[: frames[row]]
    return found


def _straight(
    emitted: Floats, frames: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The best states of chains, shape (chains, frames), by scores of (frames, chains, states)."""
    longest, count, _ = emitted.shape
    rows = np.arange(count)
    came = np.zeros(emitted.shape, bool)
    alpha = np.full(emitted.shape[1:], _NEVER, np.float32)
    alpha[:, :2] = emitted[0, :, :2]
    state = np.zeros(count, np.int64)
    for t in range(longest):
        if t:
            before = alpha[:, :-1].copy()
            np.greater(before, alpha[:, 1:], out=came[t, :, 1:])
            np.maximum(alpha[:, 1:], before, out=alpha[:, 1:])
            alpha += emitted[t]
        over = frames == t + 1
        last = sizes - (alpha[rows, sizes - 1] < alpha[rows, sizes - 2]) - 1
        state[over] = last[over]
    states = np.empty((count, longest), np.int64)
    for t in range(longest - 1, -1, -1):
        states[:, t] = state
        state = state - (came[t, rows, state] & (t < frames))
    return states
