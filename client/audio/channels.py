"""Mixes the channels of a recording: finds what must not be mixed, removes a constant offset."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from pronunciation.clip import SAMPLE_RATE_HZ

Samples = npt.NDArray[np.float32]

Take = Literal["both", "left", "right", "unmixed"]
"""``unmixed``: the channels are each other's opposite, and one is turned around."""

SILENT_CHANNEL_DB: Final = -30.0
"""A channel so far below the other holds nothing of its own: mixed in, it would only halve the
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
    """

    take: Take = "both"
    offset: float = 0.0

    def mixed(self, part: Samples) -> Samples:
        """Mono samples, float32 of shape ``(n,)``, from those of shape ``(channels, n)``."""
        mono = _taken(part, self.take)
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
        self._sums = np.zeros(2)
        self._powers = np.zeros(2)
        self._product = 0.0
        self._is_stereo = False

    def feed(self, part: Samples) -> None:
        """Take the next samples, float32 of shape ``(channels, n)``, one channel or two."""
        if not part.shape[1]:
            return
        self.samples += part.shape[1]
        self._is_stereo = part.shape[0] == 2
        if not self._is_stereo:  # only its mean is needed
            self._sums += part.sum(dtype=np.float64)
            return
        exact = part.astype(np.float64)
        self._sums += exact.sum(axis=1)
        self._powers += np.square(exact).sum(axis=1)
        self._product += float(exact[0] @ exact[1])

    @property
    def mix(self) -> Mix:
        """How to mix a recording like this."""
        if not self.samples:
            return Mix()
        means = self._sums / self.samples
        # of the sound alone: an offset would correlate with another channel's
        left, right = np.maximum(self._powers / self.samples - np.square(means), 0.0)
        take: Take = "both"
        if self._is_stereo and max(left, right) > 0.0:
            between = self._product / self.samples - means[0] * means[1]
            if min(left, right) < max(left, right) * 10 ** (SILENT_CHANNEL_DB / 10):
                take = "left" if left > right else "right"
            elif between / np.sqrt(left * right) < ANTIPHASE:
                take = "unmixed"
        offset = float(_taken(means.astype(np.float32)[:, None], take)[0])
        return Mix(take, offset if abs(offset) > OFFSET_FROM else 0.0)


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


def _taken(part: Samples, take: Take) -> Samples:
    left, right = part[0], part[-1]
    mixed: Samples = (left + right * np.float32(-1 if take == "unmixed" else 1)) / np.float32(2)
    if len(part) == 1 or take == "left":
        mixed = left
    elif take == "right":
        mixed = right
    return mixed
