"""The acoustic network in PyTorch: a convolutional phone classifier trained from scratch.

Log-mel frames of 10 ms are halved to 20 ms, then pass residual blocks of dilated convolutions (Bai
et al., "An Empirical Evaluation of Generic Convolutional and Recurrent Networks for Sequence
Modeling", 2018, here looking both ways), which see 0.9 s to either side. Each block weighs its
channels by their mean over the clip (Hu et al., "Squeeze-and-Excitation Networks", 2018; for speech
Han et al., "ContextNet", 2020), which adapts it to voice and microphone.
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pronunciation.hearing.acoustic import N_CLASSES

N_MELS = 80
WIDTH = 320
"""Channels, by default."""
KERNEL = 5
DILATIONS = (1, 1, 2, 4, 8, 1, 2, 4)
SQUEEZED = 64


class Block(nn.Module):
    """Normalize, rectify, convolve, weigh the channels, and add to the input."""

    def __init__(self, width: int, dilation: int, dropout: float) -> None:
        super().__init__()
        padding = dilation * (KERNEL // 2)
        self.norm = nn.BatchNorm1d(width)
        self.conv = nn.Conv1d(width, width, KERNEL, padding=padding, dilation=dilation)
        self.squeeze = nn.Linear(width, SQUEEZED)
        self.excite = nn.Linear(SQUEEZED, width)
        self.dropout = nn.Dropout1d(dropout)

    def forward(self, x: Tensor, seen: Tensor, count: Tensor) -> Tensor:
        """``x`` of shape (batch, width, frames); ``seen`` of (batch, 1, frames), 1 where valid."""
        inner = self.conv(F.gelu(self.norm(x)) * seen)
        mean = (inner * seen).sum(dim=2) / count
        gate = torch.sigmoid(self.excite(F.relu(self.squeeze(mean))))
        return x + self.dropout(inner * gate[:, :, None])


class PhoneNet(nn.Module):
    """Log-mel to phone logits, one row per 20 ms.

    Args:
        width: channels.
        dropout: share of channels left out while training.
    """

    def __init__(self, width: int = WIDTH, dropout: float = 0.1) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(N_MELS, width, 5, padding=2)
        self.conv2 = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList(Block(width, dilation, dropout) for dilation in DILATIONS)
        self.norm = nn.BatchNorm1d(width)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, N_CLASSES)

    def forward(self, mel: Tensor, frames: Tensor | None = None) -> Tensor:
        """Logits of shape (batch, ceil(n / 2), N_CLASSES) for ``mel`` of shape (batch, 80, n).

        Args:
            mel: log-mel energies, 10 ms apart.
            frames: valid output frames of each row of a padded batch; ``None``: all of them.
        """
        x = self.conv2(F.gelu(self.conv1(mel)))
        seen = torch.ones_like(x[:, :1])
        if frames is not None:
            places = torch.arange(x.shape[2], device=x.device)
            seen = (places[None, :] < frames[:, None]).to(x.dtype)[:, None, :]
        count = seen.sum(dim=2)
        for block in self.blocks:
            x = block(x, seen, count)
        x = F.gelu(self.norm(x)).transpose(1, 2)
        logits: Tensor = self.head(self.dropout(x))
        return logits


def save(net: nn.Module, log_prior: Tensor, path: Path) -> None:
    """Write a network with the prior of its training data's phones."""
    torch.save({"net": net.state_dict(), "log_prior": log_prior}, path)


def load(path: Path) -> tuple[PhoneNet, Tensor]:
    """A network that ``save`` wrote, and its prior."""
    saved = torch.load(path)
    net = PhoneNet(saved["net"]["head.weight"].shape[1])
    net.load_state_dict(saved["net"])
    return net, saved["log_prior"]
