"""Cuts an answer into pieces while it is spoken, and decides when the engine gets them.

The cuts are at pauses; if nobody pauses, between words.
"""

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from client.answer.live import SampleBuffer
from client.audio.voice_activity import VoiceActivity
from client.engines.base import (
    CUT_SEARCH_S,
    KEEP_SILENCE_S,
    Segment,
    cut_segment,
    dip_s,
    quietest_s,
)

Span = tuple[float, float]

PAUSE_S = 0.5
"""A pause this long ends a piece: within a clause pauses are shorter."""

LONG_PIECE_S = 6.0
"""Once a piece has so much speech, any pause ends it, and if there is none, a dip between words.
So what is left after "stop" stays short."""

DIP_FROM_S = 4.0
"""No piece that ends at a dip is shorter."""

DIP_MARGIN_S = 0.3
"""The last sound before now is no place to cut: the quiet may be the start of a pause."""

SHORTEST_S = 0.05
"""Less speech than this, left over by a cut, is part of no word."""

_LOOK_AROUND_S = 0.5

CONTEXT_SPEECH_S: Final = 4.0
"""Less speech than this is recognized worse on its own, and again with what follows."""

SHARE_OF_TIME: Final = 3.0
"""So many times what a run costs however short it is (Whisper: nearly all of it) of speech is
gathered first, so that the engine is idle for most of the time and "stop" seldom finds it busy."""

FALLEN_SILENT_S: Final = 1.0
"""Somebody who is silent for this long may be about to press stop: the tail is begun at once."""

QUICK_S: Final = 0.5
"""An engine as quick as this may be started at any moment, a slower one in a pause or within
``YOUNG_S`` after it: speech that follows a pause lasts a while, and by then it is done. No pause is
waited for longer than until twice as much waits as is enough."""

YOUNG_S: Final = 1.0

ROOM_S: Final = 2.0
"""The engine is given what waits when a segment has only this much room left, so that after "stop"
one segment holds all."""

_RUNS_REMEMBERED: Final = 8


@dataclass(frozen=True)
class SpokenPiece:
    """Speech between two cuts.

    Attributes:
        spans: where somebody speaks in it, (start_s, end_s) in order, at least one.
        before_s: from here on the silence before it is its own.
        after_s: up to here the silence after it is.
    """

    spans: tuple[Span, ...]
    before_s: float
    after_s: float

    @property
    def start_s(self) -> float:
        return self.spans[0][0]

    @property
    def end_s(self) -> float:
        return self.spans[-1][1]


def speech_s(spans: Sequence[Span]) -> float:
    """How long somebody speaks in these spans."""
    return sum(end_s - start_s for start_s, end_s in spans)


def covered_s(spans: Sequence[Span]) -> float:
    """How long a segment of these spans is at most, with the silence that is kept."""
    if not spans:
        return 0.0
    kept_s = 2 * KEEP_SILENCE_S
    gaps = itertools.pairwise(spans)
    return speech_s(spans) + kept_s + sum(min(kept_s, b[0] - a[1]) for a, b in gaps)


def spans_of(pieces: Sequence[SpokenPiece]) -> list[Span]:
    """The speech of all these pieces, (start_s, end_s) in order."""
    return [span for piece in pieces for span in piece.spans]


def count_that_fit(pieces: Sequence[SpokenPiece], limit_s: float) -> int:
    """How many of these pieces, from the first one on, one segment of ``limit_s`` holds."""
    count, spans = 0, list[Span]()
    for piece in pieces:
        spans += piece.spans
        if covered_s(spans) > limit_s:
            break
        count += 1
    return count


def segment_of(sound: SampleBuffer, pieces: Sequence[SpokenPiece]) -> tuple[Segment, float]:
    """The segment that holds these pieces, and where its clip starts within the answer."""
    spans = spans_of(pieces)
    first_s = max(pieces[0].before_s, spans[0][0] - _LOOK_AROUND_S)
    last_s = min(pieces[-1].after_s, spans[-1][1] + _LOOK_AROUND_S)
    clip, offset_s = sound.cut(first_s, last_s)
    local = [
        (max(0.0, start_s - offset_s), min(clip.duration_s, end_s - offset_s))
        for start_s, end_s in spans
    ]
    return cut_segment(clip, local), offset_s


class PieceCutter:
    """Follows the speech that is found and says which piece of it is complete.

    Args:
        limit_s: no piece, with its silences, is longer.
        is_live: somebody waits for the words: speech that continues is cut between words too, and a
            pause ends a piece as soon as it is long enough.
    """

    def __init__(self, limit_s: float, *, is_live: bool = True) -> None:
        self._limit_s = limit_s
        self._is_live = is_live
        self._speech_limit_s = limit_s - 2 * KEEP_SILENCE_S
        self._taken = 0
        self._cut_s = 0.0
        self._waiting: list[Span] = []
        self._before_s = 0.0
        self._pieces: list[SpokenPiece] = []

    def uncut(self, voice: VoiceActivity) -> list[Span]:
        """Speech that is part of no piece yet, that which continues now included."""
        spans = [*self._waiting]
        for start_s, end_s in voice.spans[self._taken :]:
            if end_s > self._cut_s:
                spans.append((max(start_s, self._cut_s), end_s))
        if voice.open_start_s is not None and voice.heard_s > self._cut_s:
            spans.append((max(voice.open_start_s, self._cut_s), voice.heard_s))
        return spans

    def cut(self, voice: VoiceActivity, sound: SampleBuffer, *, is_over: bool) -> list[SpokenPiece]:
        """The pieces that are complete since the call before.

        Args:
            voice: the speech found so far.
            sound: the answer so far.
            is_over: no more sound follows, so everything is complete.
        """
        self._pieces = []
        while self._taken < len(voice.spans):
            gap_s = self._gap_after_s(voice, is_over=is_over)
            start_s, end_s = voice.spans[self._taken]
            start_s = max(start_s, self._cut_s)
            uncut_s = speech_s(self._waiting) + end_s - start_s
            ends_here = gap_s >= PAUSE_S or uncut_s >= LONG_PIECE_S or is_over
            if self._is_last(voice) and not is_over and not self._is_known(gap_s, ends_here):
                break  # how long this pause will be is not known yet
            self._taken += 1
            if end_s - start_s >= SHORTEST_S:
                self._take((start_s, end_s), sound)
            if ends_here:
                self._end_piece(end_s + gap_s / 2)
        if voice.open_start_s is not None and not is_over:
            self._cut_open(voice, sound)
        return self._pieces

    def _gap_after_s(self, voice: VoiceActivity, *, is_over: bool) -> float:
        end_s = voice.spans[self._taken][1]
        if self._taken + 1 < len(voice.spans):
            return voice.spans[self._taken + 1][0] - end_s
        if voice.open_start_s is not None:
            return voice.open_start_s - end_s
        # after the answer's end nothing follows: all of the silence belongs to the last piece
        return (voice.heard_s - end_s) * (2.0 if is_over else 1.0)

    def _is_known(self, gap_s: float, ends_here: bool) -> bool:
        """Whether all is known of a pause that is not over yet."""
        return ends_here if self._is_live else gap_s >= 2 * _LOOK_AROUND_S

    def _is_last(self, voice: VoiceActivity) -> bool:
        return self._taken + 1 == len(voice.spans) and voice.open_start_s is None

    def _take(self, span: Span, sound: SampleBuffer) -> None:
        """Add speech to the piece that is being gathered, which ends before where it grew full."""
        start_s, end_s = span
        if self._waiting and covered_s([*self._waiting, span]) > self._limit_s:
            self._end_piece((self._waiting[-1][1] + start_s) / 2)
        while end_s - start_s > self._speech_limit_s:
            start_s = self._split(start_s, sound)
        self._waiting.append((start_s, end_s))

    def _cut_open(self, voice: VoiceActivity, sound: SampleBuffer) -> None:
        assert voice.open_start_s is not None
        start_s, now_s = max(voice.open_start_s, self._cut_s), voice.heard_s
        gathered = [*self._waiting, (start_s, now_s)]
        if self._waiting and covered_s(gathered) > self._limit_s:
            self._end_piece((self._waiting[-1][1] + start_s) / 2)
        while now_s - start_s > self._speech_limit_s:
            start_s = self._split(start_s, sound, drop=voice.open_is_tone)
        before_s = speech_s(self._waiting)
        is_long = self._is_live and before_s + now_s - start_s >= LONG_PIECE_S
        if is_long and not voice.open_is_tone:
            from_s = start_s + max(0.0, DIP_FROM_S - before_s)
            clip, offset_s = sound.cut(from_s, now_s - DIP_MARGIN_S)
            at_s = dip_s(clip)
            if at_s is not None:
                self._waiting.append((start_s, offset_s + at_s))
                self._end_piece(offset_s + at_s)

    def _split(self, start_s: float, sound: SampleBuffer, *, drop: bool = False) -> float:
        """Cut speech that is too long at its quietest moment; gives that moment."""
        to_s = start_s + self._speech_limit_s
        clip, offset_s = sound.cut(max(start_s, to_s - CUT_SEARCH_S), to_s)
        cut_s = offset_s + quietest_s(clip)
        if not drop:
            self._waiting.append((start_s, cut_s))
        self._end_piece(cut_s)
        return cut_s

    def _end_piece(self, at_s: float) -> None:
        if self._waiting:
            self._pieces.append(SpokenPiece(tuple(self._waiting), self._before_s, at_s))
        self._waiting = []
        self._before_s = self._cut_s = at_s


class Pace:
    """Decides when the engine gets waiting pieces, from what its last runs have cost.

    Soon enough to be fast, rarely enough to be free.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._runs: deque[tuple[float, float]] = deque(maxlen=_RUNS_REMEMBERED)

    def ran(self, sound_s: float, cost_s: float) -> None:
        """Record one run of the engine: how much sound, how long it took."""
        self._runs.append((sound_s, cost_s))

    @property
    def fixed_cost_s(self) -> float:
        """What a run costs however short it is, from a line through the last runs."""
        if not self._runs:
            return 0.0
        sounds_s, costs_s = np.array(self._runs).T
        spread = float(np.square(sounds_s - sounds_s.mean()).sum())
        if spread < 1.0:
            return float(costs_s.min())  # runs of one length do not tell: suppose the worst
        slope = float(((sounds_s - sounds_s.mean()) * (costs_s - costs_s.mean())).sum()) / spread
        at_zero_s = float(costs_s.mean()) - max(0.0, slope) * float(sounds_s.mean())
        return min(max(0.0, at_zero_s), float(costs_s.min()))

    def is_due(
        self, *, waiting_s: float, covered_s: float, silence_s: float, phrase_s: float
    ) -> bool:
        """Whether the engine is to run now on the pieces that wait.

        Args:
            waiting_s: speech in pieces that wait for the engine; none: there is nothing to run on.
            covered_s: length of the segment that all speech would make that is not recognized
                yet, that which continues now included.
            silence_s: for how long nobody has spoken.
            phrase_s: how long the speech that continues now has lasted; 0 in a pause.
        """
        if not waiting_s:
            return False
        if covered_s >= self._limit_s - ROOM_S:
            return True
        fixed_s = self.fixed_cost_s
        if silence_s >= max(FALLEN_SILENT_S, fixed_s / 2):
            return True
        last_s = self._runs[-1][1] if self._runs else 0.0
        enough_s = max(CONTEXT_SPEECH_S, SHARE_OF_TIME * fixed_s)
        is_good_moment = phrase_s <= YOUNG_S or last_s <= QUICK_S
        return waiting_s >= (enough_s if is_good_moment else 2 * enough_s)
