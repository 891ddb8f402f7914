"""Mixes the channels of a recording: finds what must not be mixed, removes a constant offset."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ

Samples = npt.NDArray[np.float32]

Take = Literal["both", "left", "right", "unmixed"]
"""``both``: the mean of all. ``unmixed``: some are the opposite of others, and turned around."""

SILENT_CHANNEL_DB: Final = -30.0
"""A channel so far below the loudest holds nothing of its own: mixed in, it would only lower the
loudness and add its hiss."""

ANTIPHASE: Final = -0.5
"""Channels whose correlation lies below this cancel each other out when they are mixed: what is
left is below half of either. A line with one pole swapped has -1."""

OFFSET_FROM: Final = 0.003
"""A constant part larger than this (-50 dBFS) is taken out: it makes silence look loud, and speech
clip on one side. Of 120 sentences of ``shared/speech`` the largest mean is 0.0006."""

_OFFSET_EVERY: Final = SAMPLE_RATE_HZ // 2


@dataclass(frozen=True)
class Mix:
    """What is done to the channels of a recording.

    Attributes:
        take: which of them are used.
        offset: the constant part of the sound that is taken out, -1 to 1; 0: none.
        weights: of each channel, by the number of channels; where there are none, the mean.
    """

    take: Take = "both"
    offset: float = 0.0
    weights: Mapping[int, tuple[float, ...]] = field(default_factory=dict)

    def mixed(self, part: Samples) -> Samples:
        """Mono samples, float32 of shape ``(n,)``, from those of shape ``(channels, n)``."""
        count = len(part)
        mono: Samples = part[0]
        if count > 1:
            weights = self.weights.get(count, (1 / count,) * count)
            mono = np.asarray(weights, np.float32) @ part
        if not self.offset:
            return mono
        moved: Samples = np.clip(mono - np.float32(self.offset), -1.0, 1.0)
        return moved


class ChannelMeter:
    """Measures the channels of a recording that comes in blocks.

    Attributes:
        samples: how many of each channel came.
    """

    def __init__(self) -> None:
        self.samples = 0
        self._layouts: dict[int, _Layout] = {}

    def feed(self, part: Samples) -> None:
        """Take the next samples, float32 of shape ``(channels, n)``, of any number of channels."""
        if not part.shape[1]:
            return
        self.samples += part.shape[1]
        self._layouts.setdefault(len(part), _Layout(len(part))).feed(part)

    @property
    def mix(self) -> Mix:
        """How to mix a recording like this."""
        if not self.samples:
            return Mix()
        weights = {count: layout.weights for count, layout in self._layouts.items()}
        offset = sum(
            float(weights[count] @ layout.sums) / self.samples
            for count, layout in self._layouts.items()
        )
        longest = max(self._layouts, key=lambda count: self._layouts[count].samples)
        return Mix(
            _take(weights[longest]),
            offset if abs(offset) > OFFSET_FROM else 0.0,
            {count: tuple(each.tolist()) for count, each in weights.items()},
        )


class _Layout:
    """What is known of the parts of a recording that have a certain number of channels."""

    def __init__(self, count: int) -> None:
        self.samples = 0
        self.sums = np.zeros(count)
        self._products = np.zeros((count, count))

    def feed(self, part: Samples) -> None:
        self.samples += part.shape[1]
        self.sums += part.sum(axis=1, dtype=np.float64)
        if len(part) > 1:  # of one channel only the mean is needed
            exact = part.astype(np.float64)
            self._products += exact @ exact.T

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The mean of all that are not silent, each turned so that it adds to the others."""
        means = self.sums / max(1, self.samples)
        # of the sound alone: an offset would correlate with another channel's
        shared = self._products / max(1, self.samples) - np.outer(means, means)
        powers = np.maximum(np.diag(shared), 0.0)
        if not powers.any():
            return np.full(powers.size, 1 / powers.size)
        heard = powers >= powers.max() * 10 ** (SILENT_CHANNEL_DB / 10)
        signs = np.zeros(powers.size)
        for channel in np.argsort(-powers, kind="stable")[: heard.sum()]:
            placed = np.flatnonzero(signs)
            signs[channel] = 1.0
            if placed.size:
                likeness = shared[channel, placed] / np.sqrt(powers[channel] * powers[placed])
                most = int(np.abs(likeness).argmax())
                if abs(likeness[most]) > -ANTIPHASE:
                    signs[channel] = np.sign(likeness[most]) * signs[placed[most]]
        if signs[signs != 0][0] < 0:
            signs = -signs
        weights: npt.NDArray[np.float64] = signs / heard.sum()
        return weights


def _take(weights: npt.NDArray[np.float64]) -> Take:
    if (weights < 0).any():
        return "unmixed"
    if weights.size == 2 and not weights.all():
        return "left" if weights[0] else "right"
    return "both"


class OffsetRemover:
    """Takes a constant offset out of sound that comes in blocks of any size.

    What is taken out is the mean of all whole half seconds before, so nothing has to wait.
    """

    def __init__(self) -> None:
        self._sum = 0.0
        self._count = 0
        self._offset = 0.0

    def feed(self, samples: Samples) -> Samples:
        """The next samples without the offset, float32 of shape ``(n,)``."""
        parts: list[Samples] = []
        while samples.size:
            size = min(samples.size, _OFFSET_EVERY - self._count % _OFFSET_EVERY)
            part, samples = samples[:size], samples[size:]
            parts.append(Mix(offset=self._offset).mixed(part[None]))
            self._sum += float(part.sum(dtype=np.float64))
            self._count += size
            if self._count % _OFFSET_EVERY == 0:
                mean = self._sum / self._count
                self._offset = mean if abs(mean) > OFFSET_FROM else 0.0
        return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.float32), *parts])
