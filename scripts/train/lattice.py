"""Batched alignments in PyTorch, and the loss of the task itself, which uses them."""

import random
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from pronunciation.g2p import Phones
from pronunciation.hearing.align import word_states
from scripts.train.corrupt import corrupt

_NEVER = -1e9

Said = tuple[tuple[Phones, ...], tuple[tuple[int, int], ...]]
RIVALS = 5
WORDS_A_ROW = 3
MAX_WINDOW_FRAMES = 150
RIVAL_SCALE = 0.5
"""Nats of score difference count half, because neighboring frames are not independent."""


def collate(hypotheses: Sequence[Sequence[Sequence[str]]]) -> tuple[Tensor, Tensor, Tensor]:
    """State labels and skip flags of shape (rows, states), and the number of states of each."""
    rows = [word_states(words) for words in hypotheses]
    width = max(len(r.labels) for r in rows)
    labels = torch.zeros(len(rows), width, dtype=torch.long)
    skips = torch.zeros(len(rows), width, dtype=torch.bool)
    for i, row in enumerate(rows):
        labels[i, : len(row.labels)] = torch.as_tensor(row.labels)
        skips[i, : len(row.labels)] = torch.as_tensor(row.may_skip_previous)
    return labels, skips, torch.tensor([len(r.labels) for r in rows])


def _moves(alpha: Tensor, skips: Tensor) -> Tensor:
    """Scores of arriving by staying, by one step, and over an optional silence."""
    one = F.pad(alpha, (1, 0), value=_NEVER)[:, :-1]
    two = F.pad(alpha, (2, 0), value=_NEVER)[:, :-2]
    return torch.stack([alpha, one, two.masked_fill(~skips, _NEVER)])


def forward_scores(
    emissions: Tensor, frames: Tensor, labels: Tensor, skips: Tensor, states: Tensor
) -> Tensor:
    """Log of the sum over alignments, shape (rows,).

    Args:
        emissions: frame scores, shape (rows, frames, classes).
        frames: valid frames of each row.
        labels: state labels, shape (rows, states).
        skips: whether the state before may be left out.
        states: valid states of each row.
    """
    emitted = emissions.gather(2, labels[:, None, :].expand(-1, emissions.shape[1], -1))
    alpha = torch.full_like(emitted[:, 0], _NEVER)
    alpha[:, :2] = emitted[:, 0, :2]
    for t in range(1, emitted.shape[1]):
        new = torch.logsumexp(_moves(alpha, skips), dim=0) + emitted[:, t]
        alpha = torch.where((t < frames)[:, None], new, alpha)
    ends = torch.stack([states - 1, states - 2], dim=1)
    return alpha.gather(1, ends).logsumexp(1)


@torch.no_grad()
def best_path(
    emissions: Tensor, frames: Tensor, labels: Tensor, skips: Tensor, states: Tensor
) -> Tensor:
    """The state of each frame in the best alignment, shape (rows, frames); padding is state 0."""
    emitted = emissions.gather(2, labels[:, None, :].expand(-1, emissions.shape[1], -1))
    rows, length, _ = emitted.shape
    alpha = torch.full_like(emitted[:, 0], _NEVER)
    alpha[:, :2] = emitted[:, 0, :2]
    came = []
    for t in range(1, length):
        best, how = _moves(alpha, skips).max(dim=0)
        came.append(how)
        alpha = torch.where((t < frames)[:, None], best + emitted[:, t], alpha)
    last, before = alpha.gather(1, states[:, None] - 1), alpha.gather(1, states[:, None] - 2)
    state = torch.where(last >= before, states[:, None] - 1, states[:, None] - 2)
    path = torch.zeros(rows, length, dtype=torch.long)
    for t in range(length - 1, -1, -1):
        valid = (t < frames)[:, None]
        path[:, t] = torch.where(valid, state, 0)[:, 0]
        if t > 0:
            step = came[t - 1].gather(1, state)
            state = torch.where(valid, state - step, state).clamp(min=0)
    return path


def rival_loss(
    scores: Tensor, frames: Tensor, batch: Sequence[Said], rng: random.Random
) -> tuple[Tensor, float]:
    """How far words as said score above rivals with one word changed, and the share won.

    Each word is scored as in the product, in the window from the word before to the word after.

    Args:
        scores: frame scores, shape (rows, frames, classes).
        frames: valid frames of each row.
        batch: the words of each row and the frames at which each begins and ends.
        rng: source of random numbers.
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
    # one lookup for all, because a slice per window would copy all scores in the backward pass
    places = starts[:, None] + torch.arange(int(lengths.max()))[None, :]
    padded = scores[rows[:, None], places.clamp(max=scores.shape[1] - 1)]
    padded, lengths = (x.repeat_interleave(RIVALS + 1, 0) for x in (padded, lengths))
    totals = forward_scores(padded, lengths, *collate(hypotheses)).view(-1, RIVALS + 1)
    margins = (totals[:, :1] - totals[:, 1:]).clamp(-60, 60)
    return F.softplus(-RIVAL_SCALE * margins).mean(), (margins > 0).float().mean().item()
