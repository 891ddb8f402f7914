"""The loss of the task itself: words as said against the same words with something changed."""

import random
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from pronunciation.training.corrupt import corrupt
from pronunciation.training.lattice import collate, forward_scores
from pronunciation.training.utterance import Phones

Said = tuple[tuple[Phones, ...], tuple[tuple[int, int], ...]]
RIVALS = 5
WORDS_A_ROW = 3
MAX_WINDOW_FRAMES = 150
RIVAL_SCALE = 0.5
"""Nats of score difference count half: neighbouring frames are not independent."""


def rival_loss(
    scores: Tensor, frames: Tensor, batch: Sequence[Said], rng: random.Random
) -> tuple[Tensor, float]:
    """How far words as said score above rivals with one word changed; and the share won.

    Each word is scored as the product does it: in the window from the word before to the word
    after.

    Args:
        scores: frame scores, shape (rows, frames, classes).
        frames: valid frames of each row.
        batch: the words of each row and the frames at which each begins and ends.
        rng: source of chance.
    """
    windows: list[tuple[int, int, int]] = []
    hypotheses: list[list[Phones]] = []
    for row, (said, spans) in enumerate(batch):
        for place in rng.sample(range(len(spans)), min(WORDS_A_ROW, len(spans))):
            first, last = max(0, place - 1), min(len(said) - 1, place + 1)
            start = max(0, spans[first][0] - 2)
            end = min(int(frames[row]), spans[last][1] + 3)
            if not 2 < end - start <= MAX_WINDOW_FRAMES:
                continue
            windows.append((row, start, end))
            context = said[first : last + 1]
            for rival in range(RIVALS + 1):
                other = corrupt(said[place], rng) if rival else said[place]
                hypotheses.append([*context[: place - first], other, *context[place - first + 1 :]])
    if not windows:
        return scores.sum() * 0.0, 1.0
    rows, starts, ends = torch.tensor(windows).T
    lengths = ends - starts
    # One lookup for all: a slice for each window would cost a copy of all scores going back.
    places = starts[:, None] + torch.arange(int(lengths.max()))[None, :]
    padded = scores[rows[:, None], places.clamp(max=scores.shape[1] - 1)]
    padded, lengths = (x.repeat_interleave(RIVALS + 1, 0) for x in (padded, lengths))
    totals = forward_scores(padded, lengths, *collate(hypotheses)).view(-1, RIVALS + 1)
    margins = (totals[:, :1] - totals[:, 1:]).clamp(-60, 60)
    return F.softplus(-RIVAL_SCALE * margins).mean(), (margins > 0).float().mean().item()
