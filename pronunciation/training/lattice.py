"""Batched alignments in PyTorch: how well frames fit a phone sequence, over all alignments."""

from collections.abc import Sequence

import torch
from torch import Tensor

from pronunciation.hearing.align import word_states

_NEVER = -1e9


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
    one = torch.nn.functional.pad(alpha, (1, 0), value=_NEVER)[:, :-1]
    two = torch.nn.functional.pad(alpha, (2, 0), value=_NEVER)[:, :-2]
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
