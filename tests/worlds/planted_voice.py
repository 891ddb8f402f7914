"""Speech that is planted, so that no detector and no engine is needed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from client.answer.live import SampleBuffer

RATE_HZ = 16_000


@dataclass
class PlantedVoice:
    """Stands in for ``VoiceActivity``: knows when somebody speaks, and hears up to ``heard_s``."""

    planted: Sequence[tuple[float, float]]
    heard_s: float = 0.0
    is_over: bool = False
    open_is_tone: bool = False
    pause_s: float = 0.25
    spans: list[tuple[float, float]] = field(default_factory=list)

    def hear(self, until_s: float, *, is_over: bool = False) -> None:
        self.heard_s, self.is_over = until_s, is_over
        self.spans = [
            (start_s, min(end_s, until_s))
            for start_s, end_s in self.planted
            if end_s + self.pause_s <= until_s or (is_over and start_s < until_s)
        ]

    @property
    def open_start_s(self) -> float | None:
        begun = [span for span in self.planted if span[0] < self.heard_s]
        if self.is_over or len(begun) == len(self.spans):
            return None
        return begun[-1][0]

    @property
    def silence_s(self) -> float:
        ends_s = [end_s for start_s, end_s in self.planted if start_s < self.heard_s]
        return max(0.0, self.heard_s - (ends_s[-1] if ends_s else 0.0))


class FedVoice(PlantedVoice):
    """The same, and hears as far as it is fed."""

    def feed(self, samples: np.ndarray) -> None:
        self.hear(self.heard_s + samples.size / RATE_HZ)

    def close(self) -> None:
        self.hear(self.heard_s, is_over=True)


def noise(duration_s: float, quiet_s: Sequence[tuple[float, float]] = ()) -> SampleBuffer:
    """A sound without any quiet moment but those given."""
    rng = np.random.default_rng(4)
    samples = (0.1 * rng.standard_normal(round(duration_s * RATE_HZ))).astype(np.float32)
    for start_s, end_s in quiet_s:
        samples[round(start_s * RATE_HZ) : round(end_s * RATE_HZ)] = 0.0
    sound = SampleBuffer()
    sound.append(np.clip(samples, -1, 1))
    return sound
