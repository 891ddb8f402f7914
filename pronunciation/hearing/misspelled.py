"""What a transcriber writes where somebody with an accent says a phone, learned from recordings.

A memoryless stochastic transducer (Ristad and Yianilos, Learning string-edit distance, 1998): each
phone that is meant is written as some phone or left out, and between them phones are put in. A
likeness is a log ratio, how much likelier written phones are where the term was meant than
anywhere, so stretches of different length compare.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pronunciation.hearing.acoustic import LABEL_INDEX, LABELS, N_CLASSES
from pronunciation.hearing.layout import Phones

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_NEVER = -1e9
MOST_LEFT_OUT = 2
"""Phones in a row."""


def indices(phones: Sequence[str]) -> Indices:
    """Phones without stress as numbers, shape (phones,)."""
    return np.array([LABEL_INDEX[phone] for phone in phones], np.int64)


@dataclass(frozen=True, eq=False)
class Misspellings:
    """Probabilities of what is written, in all accents together.

    Attributes:
        written_as: that a phone that is meant is written as another, shape (classes, classes).
        left_out: that nothing is written for it, shape (classes,).
        put_in: that a phone is written between two that are meant, shape (classes,).
        anywhere: that a written phone is this one, shape (classes,).
    """

    written_as: Floats
    left_out: Floats
    put_in: Floats
    anywhere: Floats

    @classmethod
    def from_table(cls, table: Mapping[str, Mapping[str, object]]) -> "Misspellings":
        """From what ``table`` gave."""
        rest = {name: np.full(N_CLASSES, 1e-4) for name in ("left_out", "put_in", "anywhere")}
        for name, values in rest.items():
            for phone, share in table[name].items():
                values[LABEL_INDEX[phone]] = share
        written_as = np.full((N_CLASSES, N_CLASSES), 1e-4)
        for meant, others in table["written_as"].items():
            assert isinstance(others, Mapping)
            for other, share in others.items():
                written_as[LABEL_INDEX[meant], LABEL_INDEX[other]] = share
        return cls(written_as, **rest)

    def table(self) -> dict[str, dict[str, object]]:
        """As written to a file: by phone, without what hardly ever happens."""

        def shares(values: Floats) -> dict[str, object]:
            pairs = zip(LABELS, values, strict=True)
            return {label: round(float(share), 4) for label, share in pairs if share >= 0.001}

        return {
            "written_as": {
                label: shares(row) for label, row in zip(LABELS, self.written_as, strict=True)
            },
            "left_out": shares(self.left_out),
            "put_in": shares(self.put_in),
            "anywhere": shares(self.anywhere),
        }

    @cached_property
    def _logs(self) -> tuple[Floats, Floats, Floats]:
        """Of ``written_as`` and ``put_in`` beside anywhere, and of ``left_out``."""
        return (
            np.log(self.written_as / self.anywhere),
            np.log(self.put_in / self.anywhere),
            np.log(self.left_out),
        )

    def best_ends(
        self,
        wordings: Sequence[Phones],
        written: Indices,
        breaks: Sequence[int] = (),
        whole: Sequence[bool] = (),
    ) -> tuple[Floats, npt.NDArray[np.int32]]:
        """The likeness of each wording with the best stretch of written phones that ends anywhere.

        Args:
            wordings: what may have been meant.
            written: the transcript's phones, shape (phones,).
            breaks: places in ``written`` over which no stretch may go.
            whole: for each wording whether its stretches begin with the first written phone.

        Returns:
            Likeness in nats, and the stretch's first phone, both of shape (phones, wordings).
        """
        meant = np.concatenate([indices(phones) for phones in wordings])
        lengths = np.array([len(phones) for phones in wordings])
        last = np.cumsum(lengths) - 1
        first = last - lengths + 1
        place = np.arange(meant.size) - np.repeat(first, lengths)
        as_other_of, put_in, left_out_of = self._logs
        as_other = as_other_of[meant].T.copy()
        left_out = left_out_of[meant]
        before = np.cumsum(left_out) - left_out
        skipped = before - np.repeat(before[first], lengths)  # all phones before this one
        first_entry = np.where(place <= MOST_LEFT_OUT, skipped, _NEVER)
        is_whole = np.repeat(np.array(whole or [False] * len(wordings)), lengths)
        later_entry = np.where(is_whole, _NEVER, first_entry)
        score, start = np.full(meant.size, _NEVER), np.zeros(meant.size, np.int32)
        scores = np.empty((written.size, last.size))
        starts = np.empty((written.size, last.size), np.int32)
        edges = set(breaks)
        for at, phone in enumerate(written):
            if at in edges:
                score[:] = _NEVER
            came = np.concatenate([[_NEVER], score[:-1]])
            came_start = np.concatenate([[0], start[:-1]])
            came[first] = _NEVER
            begins = later_entry if at else first_entry
            came_start = np.where(begins > came, at, came_start)
            came = np.maximum(came, begins) + as_other[phone]
            stayed = score + put_in[phone]
            start = np.where(stayed > came, start, came_start).astype(np.int32)
            score = np.maximum(stayed, came)
            for _ in range(MOST_LEFT_OUT):
                shorter = np.concatenate([[_NEVER], score[:-1]]) + left_out
                shorter[first] = _NEVER
                start = np.where(shorter > score, np.concatenate([[0], start[:-1]]), start)
                score = np.maximum(score, shorter)
            scores[at], starts[at] = score[last], start[last]
        return scores, starts.astype(np.int32)

    def likeness(self, wordings: Sequence[Phones], written: Indices) -> tuple[float, float]:
        """Of written phones with the likeliest wording: of all of them, and of their best part."""
        if not written.size:
            return _NEVER, _NEVER
        half = len(wordings)
        both = [*wordings, *wordings]
        scores, _ = self.best_ends(both, written, whole=[True] * half + [False] * half)
        return float(scores[-1, :half].max()), float(scores[:, half:].max())
