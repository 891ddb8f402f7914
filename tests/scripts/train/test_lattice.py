"""Training must score as the product does."""

import random

import numpy as np
import pytest

from pronunciation.hearing.acoustic import LABELS, N_CLASSES
from pronunciation.hearing.align import sum_over_alignments, word_states

torch = pytest.importorskip("torch", reason="training needs PyTorch, the product does not")

from scripts.train.lattice import (  # noqa: E402
    collate,
    forward_scores,
    rival_loss,
)


def test_the_sum_over_alignments_is_the_products() -> None:
    chance, rng = random.Random(1), np.random.default_rng(1)
    texts = [
        [tuple(chance.choices(LABELS[1:], k=chance.randint(1, 5))) for _ in range(3)]
        for _ in range(6)
    ]
    lengths = [30, 41, 55, 60, 36, 48]
    scores = rng.normal(0, 2, (6, 60, N_CLASSES)).astype(np.float32)
    found = forward_scores(torch.from_numpy(scores), torch.tensor(lengths), *collate(texts))
    for row, (text, frames) in enumerate(zip(texts, lengths, strict=True)):
        (expected,) = sum_over_alignments(scores[row, :frames], [word_states(text)])
        assert float(found[row]) == pytest.approx(expected, abs=1e-2)


def test_words_that_the_frames_say_win_over_their_rivals() -> None:
    said = (("R", "AA", "K", "IY"), ("S", "EY"), ("N", "OW", "D"))
    spans = ((0, 24), (24, 36), (36, 54))
    labels = [LABELS.index(phone) for word in said for phone in word for _ in range(6)]
    scores = torch.full((1, 54, N_CLASSES), -4.0)
    scores[0, torch.arange(54), torch.tensor(labels)] = 3.0
    frames = torch.tensor([54])
    loss, won = rival_loss(scores, frames, [(said, spans)], random.Random(1))
    assert won == 1.0
    worse, lost = rival_loss(-scores, frames, [(said, spans)], random.Random(1))
    assert lost < 0.5
    assert float(worse) > 10 * float(loss)
