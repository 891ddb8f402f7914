"""Training batches: utterances of about the same length, augmented."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pronunciation.g2p.words import Phones
from pronunciation.hearing.acoustic import FRAME_S, leveled
from pronunciation.hearing.features import N_MELS, log_mel_energies, scaled
from pronunciation.training.augment import Noises, augment
from pronunciation.training.utterance import Utterance

Row = tuple[npt.NDArray[np.float32], Utterance, float]
"""Features, of what, and by what factor its times shrank."""

LONGEST_S = 11.0
BUCKET_FRAMES = 48
"""Rows are padded to a multiple of these 10 ms frames: the CPU's convolutions are compiled for
each shape again, which takes longer than a training step."""
BABBLE_UTTERANCES = 60


@dataclass(frozen=True, eq=False)
class Batch:
    """A padded batch.

    Attributes:
        mels: features, shape (rows, 80, n).
        frames: valid 20 ms frames of each row.
        labels: phone of each frame, -100 if unknown, shape (rows, frames).
        words: of each row the words' phones, and each word's first and last frame.
    """

    mels: Tensor
    frames: Tensor
    labels: Tensor
    words: list[tuple[tuple[Phones, ...], tuple[tuple[int, int], ...]]]


def energies_of(utterance: Utterance) -> npt.NDArray[np.float16]:
    """log10 mel energies at the level that the product hears at, small to keep."""
    return log_mel_energies(leveled(utterance.sound())).astype(np.float16)


def frame_labels(utterance: Utterance, frames: int, speed: float = 1.0) -> Tensor:
    """The label of each 20 ms frame after the stored alignment, -100 if there is none."""
    if not utterance.ends:
        return torch.full((frames,), -100)
    labels, ends_s = zip(*utterance.ends, strict=True)
    middles_s = (np.arange(frames) + 0.5) * FRAME_S * speed
    places = np.searchsorted(np.array(ends_s), middles_s).clip(max=len(labels) - 1)
    return torch.from_numpy(np.array(labels)[places])


class Batches:
    """Draws augmented batches without end.

    Args:
        real: real speech, of which what is aligned is used.
        synthetic: synthetic speech, may be empty.
        seed: chance.
        real_share: share of the utterances drawn that are real.
        seconds: speech in a batch.
    """

    def __init__(
        self,
        real: Sequence[Utterance],
        synthetic: Sequence[Utterance],
        seed: int,
        real_share: float,
        seconds: float,
    ) -> None:
        self.chance = random.Random(seed)
        self._rng = np.random.default_rng(seed)
        self._real_share, self._seconds = real_share, seconds
        self._pools = [
            [(u, energies_of(u)) for u in pool if u.ends and u.samples.size <= LONGEST_S * 16_000]
            for pool in (real, synthetic or real)
        ]
        self._waiting: dict[int, list[Row]] = {}
        some = self.chance.sample(self._pools[0], min(BABBLE_UTTERANCES, len(self._pools[0])))
        self._noises = Noises([energies for _, energies in some], self._rng)

    def draw(self) -> Batch:
        """The next batch."""
        while True:
            pool = self._pools[0 if self.chance.random() < self._real_share else 1]
            utterance, stored = self.chance.choice(pool)
            energies, speed = augment(stored.astype(np.float32), self._rng, self._noises)
            length = -(-energies.shape[1] // BUCKET_FRAMES) * BUCKET_FRAMES
            rows = self._waiting.setdefault(length, [])
            rows.append((scaled(energies.astype(np.float32)), utterance, speed))
            if len(rows) >= self._seconds * 100 / length:
                return _collated(self._waiting.pop(length), length)


def _collated(rows: Sequence[Row], longest: int) -> Batch:
    frames = torch.tensor([(mel.shape[1] + 1) // 2 for mel, _, _ in rows])
    mels = torch.full((len(rows), N_MELS, longest), -1.0)
    labels = torch.full((len(rows), (longest + 1) // 2), -100)
    words = []
    for i, (mel, utterance, speed) in enumerate(rows):
        mels[i, :, : mel.shape[1]] = torch.from_numpy(mel)
        labels[i, : frames[i]] = frame_labels(utterance, int(frames[i]), speed)
        frame_s = FRAME_S * speed
        spans = [(int(a / frame_s), int(b / frame_s)) for a, b in utterance.word_spans_s()]
        words.append((utterance.words, tuple(spans)))
    return Batch(mels, frames, labels, words)
