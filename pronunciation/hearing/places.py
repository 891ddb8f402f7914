"""Places in the sound where a wanted phrase may have been said, with features of each.

Keyword spotting (Rose and Paul, A hidden Markov model based keyword recognition system, 1990): the
best alignment of a wording's phones with any part of the sound, compared with what else could have
been said there: the best phones in any order, and the transcript's own words.
"""

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from pronunciation.confusions import distance, encode
from pronunciation.hearing.acoustic import LABEL_INDEX, LABELS, SILENCE
from pronunciation.hearing.align import States, straight_paths
from pronunciation.hearing.layout import (
    EDGE_FRAMES,
    GARBAGE_SHARE,
    Layout,
    Phones,
    align_layout,
)
from pronunciation.phones import bare_phones

Floats = npt.NDArray[np.float32]

FREE_SHARE: Final = 0.8
"""How much of a frame's best phone counts against a wording's; with all of it, the shortest passage
would be the best. AUC of the path alone: 0.84 with 0.6, 0.86 with 0.8."""
MIN_PHONES: Final = 5
"""Four phones can be found in any sentence."""
PLACES: Final = 3
"""Places of a phrase that are examined more closely."""
MIN_PATH, MIN_PATH_NEAR = -1.0, -2.0
"""Nats per phone for a place to be examined; lower where the transcript says where to look. In 31
answers in twelve accents, the lowest value of a phrase with a probability of 0.3 or more was
-0.53."""
SHARE_OF_WORD: Final = 0.4
"""A word belongs to a place that holds this share of it."""
WORST: Final = 3
"""One phone in this many is among the worst."""
FEATURES: Final = ("path", "worst", "free", "own", "text", "confidence", "phones", "pace")
"""What decides about a place:

- path: score of the wording's best path, nats per phone;
- worst: mean of its worst third of phones, below the best phones, nats per frame;
- free: how far all of it is below the best phones, nats per frame;
- own: how far it is above the transcript's words, nats per frame;
- text: distance of the wording's phones from those of the transcript's words there;
- confidence: the transcriber's own in these words;
- phones: how many there are, up to ``MOST_PHONES``;
- pace: frames per phone.
"""
MOST_PHONES: Final = 14
UNKNOWN_CONFIDENCE: Final = 0.8


@dataclass(frozen=True)
class Query:
    """A phrase to search for.

    Attributes:
        wordings: how it may be said, as ARPAbet without stress; those under ``MIN_PHONES`` are not
            searched for.
    """

    wordings: tuple[Phones, ...]


@dataclass(frozen=True)
class Near:
    """A passage of the transcript that sounds like a wanted phrase.

    Attributes:
        index: the phrase's number among the wanted ones.
        wording: the wording that it sounds like, of any length.
        first: its first unit in the transcript's layout.
        last: its last unit.
    """

    index: int
    wording: Phones
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class AlignedTranscript:
    """The transcript aligned with the sound.

    Attributes:
        layout: its words as phones.
        chain: their states.
        states: the state of each frame, shape (frames,).
        confidences: the transcriber's confidence in each word; ``None`` if it gives none.
    """

    layout: Layout
    chain: States
    states: npt.NDArray[np.int64]
    confidences: Sequence[float | None]

    @classmethod
    def align(
        cls,
        scores: Floats,
        layout: Layout,
        word_times: Sequence[tuple[float, float]] | None,
        confidences: Sequence[float | None],
    ) -> "AlignedTranscript":
        """Align a transcript with frame scores.

        Raises:
            HearingError: it has more sounds than the clip.
        """
        return cls(layout, *align_layout(scores, layout, word_times), confidences)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A place where a phrase may have been said.

    Attributes:
        index: the phrase's number among the wanted ones.
        wording: how it may have been said there.
        words: the transcript's words there.
        start: the first frame.
        end: the frame after the last.
        features: see ``FEATURES``.
    """

    index: int
    wording: Phones
    words: tuple[int, ...]
    start: int
    end: int
    features: npt.NDArray[np.float64]

    def overlaps(self, other: "Candidate") -> bool:
        """Whether both are places of the same phrase that share a frame."""
        return self.index == other.index and self.start < other.end and other.start < self.end


def candidates(
    scores: Floats,
    written: AlignedTranscript,
    wanted: Sequence[Query],
    said_as: Floats,
    near: Sequence[Near] = (),
) -> Iterator[Candidate]:
    """The likeliest places of each phrase, except those where the transcript has exactly its sound.

    Args:
        scores: frame scores, shape (frames, classes).
        written: the transcript.
        wanted: what to search for.
        said_as: see ``phrases.PhraseModel``.
        near: other places to examine, regardless of sound and transcript.
    """
    anywhere = {
        (index, phones): None
        for index, each in enumerate(wanted)
        for phones in each.wordings
        if MIN_PHONES <= len(phones) < len(scores)
    }
    near = [each for each in near if len(each.wording) < len(scores)]
    columns = [*(anywhere | {(each.index, each.wording): None for each in near})]
    if not columns:
        return
    # p(sound | phone meant), as the network's scores are p(sound | phone said) up to a constant
    meant = np.log(np.exp(np.clip(scores, -20.0, 20.0)) @ said_as.T + np.float32(1e-9))
    free = meant.max(axis=1)
    own = meant[np.arange(len(meant)), written.chain.labels[written.states]]
    silent = written.chain.labels[written.states] == LABEL_INDEX[SILENCE]
    garbage = GARBAGE_SHARE * np.maximum(free, 0.0)
    own = np.where(silent, np.maximum(own, garbage), own)
    ends, starts = _paths(
        meant - FREE_SHARE * np.maximum(free, 0.0)[:, None], [phones for _, phones in columns]
    )
    frames, transcript = unit_frames(written), _Transcript(written)
    column_of = {key: column for column, key in enumerate(columns)}
    looked_at: list[_Look] = []
    for each in near:
        key = (each.index, each.wording)
        column = column_of[key]
        begin = max(0, frames[each.first][0] - EDGE_FRAMES)
        behind = min(len(scores), frames[each.last][1] + 1 + EDGE_FRAMES)
        end = (begin + behind) // 2 + int(ends[(begin + behind) // 2 : behind, column].argmax())
        path = float(ends[end, column]) / len(each.wording)
        if path < MIN_PATH_NEAR:
            continue
        start = max(begin, starts[end, column])
        words = tuple(written.layout.word_index[each.first : each.last + 1])
        looked_at.append(_Look(key, path, start, end + 1, words))
    places: dict[int, list[tuple[float, int, int, Phones]]] = {}
    for column, (index, phones) in enumerate(anywhere):
        column_scores = ends[:, column] / len(phones)
        for _ in range(PLACES):
            end = int(column_scores.argmax())
            path = float(column_scores[end])
            if path < MIN_PATH:
                break
            start = starts[end, column]
            places.setdefault(index, []).append((path, start, end + 1, phones))
            column_scores[start : end + len(phones)] = -np.inf
    for index, found in places.items():
        for path, start, end, phones in sorted(found, key=lambda each: -each[0])[:PLACES]:
            looked_at.append(_Look((index, phones), path, start, end))
    alignments = straight_paths(
        meant, [_labels(look.wording[1]) for look in looked_at], [look[2:4] for look in looked_at]
    )
    for look, states in zip(looked_at, alignments, strict=True):
        if states is None:
            continue
        place = _place(meant, free, own, transcript, look, states)
        if look.words:
            yield replace(place, words=look.words)
        elif _code(place.wording) not in transcript.sound(place.start, place.end):
            yield place


def unit_frames(written: AlignedTranscript) -> list[tuple[int, int]]:
    """First and last frame of each unit of the transcript's layout."""
    owner = written.chain.word[written.states]
    edges = np.flatnonzero(np.diff(owner, prepend=-1, append=-1))
    frames = [(0, 0)] * len(written.layout.phones)
    for begin, behind in itertools.pairwise(edges.tolist()):
        if owner[begin] >= 0:
            frames[int(owner[begin])] = (begin, behind - 1)
    return frames


def _paths(scores: Floats, wordings: Sequence[Phones]) -> tuple[Floats, "_Starts"]:
    """The best path of each wording that ends at each frame, starting anywhere.

    Returns:
        Scores, shape (frames, wordings), and the first frame of each path.
    """
    labels = np.array([LABEL_INDEX[phone] for phones in wordings for phone in phones])
    lengths = np.array([len(phones) for phones in wordings])
    last = np.cumsum(lengths) - 1
    first = last - lengths + 1
    emitted = scores[:, labels]
    score = np.full(labels.size, -np.inf, np.float32)
    before = score.copy()
    came = np.empty(emitted.shape, bool)
    ends = np.empty((len(scores), last.size), np.float32)
    for frame, row in enumerate(emitted):
        before[1:] = score[:-1]
        before[first] = 0.0
        np.greater(before, score, out=came[frame])
        np.maximum(score, before, out=score)
        score += row
        score.take(last, out=ends[frame], mode="clip")
    return ends, _Starts(came, first.tolist(), last.tolist())


@dataclass(frozen=True, eq=False)
class _Starts:
    """The first frame of a path, by its last frame and the wording; few are asked for.

    Attributes:
        came: whether a path came to a phone from the one before it, shape (frames, phones).
        first: the first phone of each wording.
        last: its last phone.
    """

    came: npt.NDArray[np.bool_]
    first: list[int]
    last: list[int]

    def __getitem__(self, place: tuple[int, int]) -> int:
        frame, wording = place
        phone = self.last[wording]
        while frame > 0 and not (self.came[frame, phone] and phone == self.first[wording]):
            phone -= int(self.came[frame, phone])
            frame -= 1
        return frame


class _Look(NamedTuple):
    """Frames where a wording may have been said, with its path there and the words, if known."""

    wording: tuple[int, Phones]
    path: float
    start: int
    end: int
    words: tuple[int, ...] = ()


def _labels(phones: Phones) -> npt.NDArray[np.int64]:
    """A wording's phones with silence around them."""
    return np.array([LABEL_INDEX[phone] for phone in (SILENCE, *phones, SILENCE)])


def _place(
    meant: Floats,
    free: Floats,
    own: Floats,
    transcript: "_Transcript",
    look: _Look,
    states: npt.NDArray[np.int64],
) -> Candidate:
    """The place with its features, by the state of each of its frames; see ``_labels``."""
    index, phones = look.wording
    window, labels = meant[look.start : look.end], _labels(phones)
    inside = np.flatnonzero((states > 0) & (states <= len(phones)))
    start, end = look.start + int(inside[0]), look.start + int(inside[-1]) + 1
    states = states[inside]
    mine = window[inside, labels[states]]
    below = mine - free[start:end]
    frames = np.bincount(states - 1, minlength=len(phones))
    by_phone = np.sort(np.bincount(states - 1, below, len(phones)) / np.maximum(1, frames))
    words = transcript.words(start, end)
    known = transcript.confidences(words)
    features = np.array(
        [
            look.path,
            by_phone[: max(1, len(phones) // WORST)].mean(),
            below.mean(),
            (mine - own[start:end]).mean(),
            distance(_code(phones), transcript.sound(start, end)),
            sum(known) / len(known) if known else UNKNOWN_CONFIDENCE,
            min(len(phones), MOST_PHONES),
            len(states) / len(phones),
        ]
    )
    return Candidate(index, phones, words, start, end, features)


@lru_cache(maxsize=4096)
def _code(phones: Phones) -> str:
    return encode(phones)


class _Transcript:
    """What the transcript has at some frames; computed once for many places."""

    def __init__(self, written: AlignedTranscript) -> None:
        self._written = written
        self._units = unit_frames(written)
        self._begins = [begin for begin, _ in self._units]
        first = np.flatnonzero(np.diff(written.states, prepend=-1))
        self._firsts = first.tolist()
        labels = written.chain.labels[written.states[first]]
        self._codes = ["" if at == LABEL_INDEX[SILENCE] else _code((LABELS[at],)) for at in labels]

    def sound(self, start: int, end: int) -> str:
        """The phones at these frames and directly beside them, see ``encode``."""
        first = bisect_right(self._firsts, max(0, start - 1)) - 1
        return "".join(self._codes[first : bisect_left(self._firsts, end + 1)])

    def words(self, start: int, end: int) -> tuple[int, ...]:
        """The words at these frames."""
        first = max(0, bisect_right(self._begins, start) - 1)
        found = set()
        for unit in range(first, bisect_left(self._begins, end)):
            begin, last = self._units[unit]
            here = min(end, last + 1) - max(start, begin)
            if here > 0 and here >= SHARE_OF_WORD * (last + 1 - begin):
                found.add(self._written.layout.word_index[unit])
        return tuple(sorted(found))

    def confidences(self, words: Iterable[int]) -> list[float]:
        """The transcriber's confidence in these words, if it gives one."""
        return [c for c in (self._written.confidences[at] for at in words) if c is not None]


SURE_WORD: Final = 0.6
"""The transcriber's confidence from which a word is taken as said."""
HABIT_SHARE: Final = 0.22
"""The probability of saying one phone as another from which it is a habit. With accents' rules, it
was 0.24 to 0.65 for the phones that they change, and without them 0.03 (SH as CH). TH as T is a
habit of most non-native speakers, and counts as one until the other words show otherwise."""
FEW_FRAMES: Final = 6.0
"""Frames of a phone (said two or three times) at which the speaker's own data and accents in
general have equal weight."""


def habits(scores: Floats, written: AlignedTranscript, said_as: Floats) -> Floats:
    """Probability that the speaker realizes one phone as another, shape (classes, classes).

    Args:
        scores: frame scores, shape (frames, classes).
        written: the transcript; sure words that do not name a term are used.
        said_as: the same for speakers in general, see ``phrases.PhraseModel``.
    """
    owner = written.chain.word[written.states]
    layout = written.layout
    is_sure = [
        target is None and (written.confidences[index] or 0.0) >= SURE_WORD
        for index, target in zip(layout.word_index, layout.target, strict=True)
    ]
    chosen = np.array([*is_sure, False])[owner]
    meant = written.chain.labels[written.states][chosen]
    shares = said_as[meant] * np.exp(np.clip(scores[chosen], -20.0, 20.0))
    counts = FEW_FRAMES * said_as
    np.add.at(counts, meant, shares / shares.sum(axis=1, keepdims=True))
    return np.asarray(counts / counts.sum(axis=1, keepdims=True), np.float32)


def is_habit(heard: str, accepted: Sequence[str], habits: Floats) -> bool:
    """Whether a mistaken reading is an accepted one with the speaker's habits.

    Args:
        heard: ARPAbet.
        accepted: the accepted readings, ARPAbet.
        habits: from the function with this name.
    """
    said = bare_phones(heard)
    for reading in accepted:
        meant = bare_phones(reading)
        edits = Levenshtein.editops(encode(meant), encode(said))
        if edits and all(
            edit.tag == "replace"
            and habits[LABEL_INDEX[meant[edit.src_pos]], LABEL_INDEX[said[edit.dest_pos]]]
            >= HABIT_SHARE
            for edit in edits
        ):
            return True
    return False
