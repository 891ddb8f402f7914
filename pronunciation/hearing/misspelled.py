"""What a transcriber writes when somebody with an accent says a phone, learned from recordings.

A memoryless stochastic transducer (Ristad and Yianilos, Learning string-edit distance, 1998): each
phone that is meant is written as some phone or left out, and phones are inserted between them. A
likeness is a log ratio, how much more likely the written phones are if the term was meant than
anywhere else, so that passages of different length can be compared.
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
"""A sequence of phones."""


def indices(phones: Sequence[str]) -> Indices:
    """Phones without stress as numbers, shape (phones,)."""
    return np.array([LABEL_INDEX[phone] for phone in phones], np.int64)


@dataclass(frozen=True, eq=False)
class Misspellings:
    """Probabilities of what is written, over all accents.

    Attributes:
        written_as: that a meant phone is written as another, shape (classes, classes).
        left_out: that nothing is written for it, shape (classes,).
        put_in: that a phone is written between two meant ones, shape (classes,).
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
        """As written to a file: by phone, without what is very rare."""

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
        """Log ratios of ``written_as`` and ``put_in`` to anywhere, and logs of ``left_out``."""
        return (
            np.log(self.written_as / self.anywhere),
            np.log(self.put_in / self.anywhere),
            np.log(self.left_out),
        )

    def best_ends(
        self, wordings: Sequence[Phones], written: Indices, breaks: Sequence[int] = ()
    ) -> tuple[Floats, "Starts"]:
        """The likeness of each wording with the best passage of phones ending at each one.

        Args:
            wordings: what may have been meant.
            written: the transcript's phones, shape (phones,).
            breaks: places in ``written`` that no passage may cross.

        Returns:
            Likeness in nats, shape (phones, wordings), and the first phone of each passage.
        """
        chains = _Chains.of(wordings)
        as_other_of, put_in, _ = self._logs
        as_other = as_other_of[chains.meant].T[written]
        anywhere = np.zeros(len(wordings), bool)
        return self._scan(chains, as_other, put_in[written][:, None], anywhere, breaks)

    def likenesses(
        self, pairs: Sequence[tuple[Sequence[Phones], Indices]]
    ) -> list[tuple[float, float]]:
        """The likeness of written phones with the likeliest of some wordings, many in one pass.

        Returns:
            For each pair, the likeness of all the phones, and of their best part.
        """
        some = [(at, *pair) for at, pair in enumerate(pairs) if pair[1].size]
        found = [(_NEVER, _NEVER)] * len(pairs)
        if not some:
            return found
        sizes = np.array([written.size for _, _, written in some])
        padded = np.zeros((len(some), sizes.max()), np.int64)
        for row, (_, _, written) in enumerate(some):
            padded[row, : written.size] = written
        # each wording twice: once beginning with the first phone, once anywhere
        counts = [len(wordings) for _, wordings, _ in some]
        wanted = [each for _, wordings, _ in some for _ in range(2) for each in wordings]
        row_of = np.repeat(np.arange(len(some)), 2 * np.array(counts))
        is_whole = np.concatenate([np.repeat([True, False], count) for count in counts])
        chains = _Chains.of(wanted)
        as_other_of, put_in_of, _ = self._logs
        written_there = padded[np.repeat(row_of, chains.lengths)].T
        as_other = as_other_of[chains.meant, written_there]
        scores, _ = self._scan(chains, as_other, put_in_of[written_there], is_whole)
        behind = np.cumsum(2 * np.array(counts))
        for row, (at, _, _) in enumerate(some):
            middle, end = behind[row] - counts[row], behind[row]
            mine = scores[: sizes[row]]
            whole, part = mine[-1, middle - counts[row] : middle], mine[:, middle:end]
            found[at] = float(whole.max()), float(part.max())
        return found

    def likeness(self, wordings: Sequence[Phones], written: Indices) -> tuple[float, float]:
        """The likeness of one pair, see ``likenesses``."""
        return self.likenesses([(wordings, written)])[0]

    def _scan(
        self,
        chains: "_Chains",
        as_other: Floats,
        put_in: Floats,
        is_whole: npt.NDArray[np.bool_],
        breaks: Sequence[int] = (),
    ) -> tuple[Floats, "Starts"]:
        """The best passage of written phones for each wording that ends at each phone.

        ``as_other``, ``put_in``: log ratios, shape (written, meant), the second or (written, 1).
        """
        first, last = chains.first, chains.last
        left_out = self._logs[2][chains.meant]
        before = np.cumsum(left_out) - left_out
        skipped = before - np.repeat(before[first], chains.lengths)  # all phones before this one
        place = np.arange(chains.meant.size) - np.repeat(first, chains.lengths)
        first_entry = np.where(place <= MOST_LEFT_OUT, skipped, _NEVER)
        later_entry = np.where(np.repeat(is_whole, chains.lengths), _NEVER, first_entry)
        left_out[first] = -np.inf  # no path crosses from one wording into the next
        # one more in front, so that all but the last are the previous ones
        score = np.full(chains.meant.size + 1, _NEVER)
        came, stayed = np.empty(chains.meant.size), np.empty(chains.meant.size)
        starts = Starts.of(len(as_other), chains)
        scores = np.empty((len(as_other), last.size))
        edges = frozenset(breaks)
        for at in range(len(as_other)):
            if at in edges:
                score[:] = _NEVER
            came[:] = score[:-1]
            came[first] = _NEVER
            entry = later_entry if at else first_entry
            np.greater(entry, came, out=starts.entered[at])
            np.maximum(came, entry, out=came)
            came += as_other[at]
            np.add(score[1:], put_in[at], out=stayed)
            np.greater(stayed, came, out=starts.stayed[at])
            np.maximum(stayed, came, out=score[1:])
            for omitted in starts.omitted[at]:
                np.add(score[:-1], left_out, out=came)
                np.greater(came, score[1:], out=omitted)
                np.maximum(score[1:], came, out=score[1:])
            score[1:].take(last, out=scores[at], mode="clip")
        return scores, starts


@dataclass(frozen=True, eq=False)
class Starts:
    """The first written phone of a passage, by its last one and the wording; few are asked for.

    Attributes:
        entered: whether the likeliest passage begins with a meant phone at a written one, if it
            came there from the meant phone before, shape (written, meant).
        stayed: whether the written phone is inserted after the meant one instead, of the same
            shape.
        omitted: whether a meant phone is left out, one after the other, shape (written,
            ``MOST_LEFT_OUT``, meant).
        last: the last phone of each wording.
    """

    entered: npt.NDArray[np.bool_]
    stayed: npt.NDArray[np.bool_]
    omitted: npt.NDArray[np.bool_]
    last: Indices

    @classmethod
    def of(cls, written: int, chains: "_Chains") -> "Starts":
        """Of passages that are still to be found."""
        shape, meant = (written, chains.meant.size), chains.meant.size
        omitted = np.empty((written, MOST_LEFT_OUT, meant), bool)
        return cls(np.empty(shape, bool), np.empty(shape, bool), omitted, chains.last)

    def __getitem__(self, place: tuple[int, int]) -> int:
        at, wording = place
        phone = int(self.last[wording])
        while at > 0:
            for omitted in self.omitted[at, ::-1]:
                phone -= int(omitted[phone])
            if not self.stayed[at, phone]:
                if self.entered[at, phone]:
                    break
                phone -= 1
            at -= 1
        return at


@dataclass(frozen=True, eq=False)
class _Chains:
    """Concatenated wordings: all phones, the number of phones of each, its first and last."""

    meant: Indices
    lengths: Indices
    first: Indices
    last: Indices

    @classmethod
    def of(cls, wordings: Sequence[Phones]) -> "_Chains":
        meant = indices([phone for phones in wordings for phone in phones])
        lengths = np.array([len(phones) for phones in wordings], np.int64)
        last = np.cumsum(lengths) - 1
        return cls(meant, lengths, last - lengths + 1, last)
