"""An answer that is worked on while it is spoken."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from client.errors import ClientError
from pronunciation.clip import SAMPLE_RATE_HZ, Clip

if TYPE_CHECKING:
    from client.session import Outcome, Session

__all__ = ["AnswerCancelledError", "Caption", "LiveAnswer"]


class AnswerCancelledError(ClientError):
    """The answer was discarded: there is nothing to finish."""


@dataclass(frozen=True)
class Caption:
    """What was said between two pauses.

    Attributes:
        text: as the engine wrote it.
        start_s: when the first word starts, in seconds from the start of the answer.
        end_s: when the last one ends.
    """

    text: str
    start_s: float
    end_s: float


class LiveAnswer:
    """Takes the sound of one answer block by block; made by ``Session.listen``."""

    def __init__(
        self,
        session: "Session",
        question_id: str,
        on_caption: Callable[[Caption], None] | None = None,
    ) -> None:
        self._session = session
        self._question_id = question_id
        self._on_caption = on_caption
        self._blocks: list[npt.NDArray[np.float32]] = []
        self._captions: list[Caption] = []
        self._cancelled = False
        self._lock = threading.Lock()

    @property
    def captions(self) -> tuple[Caption, ...]:
        """What has been transcribed so far, in order."""
        with self._lock:
            return tuple(self._captions)

    @property
    def duration_s(self) -> float:
        """How much sound there is so far."""
        with self._lock:
            return sum(block.size for block in self._blocks) / SAMPLE_RATE_HZ

    def feed(self, samples: npt.NDArray[np.float32]) -> None:
        """Take the next block: 16 kHz, mono, float32 of shape ``(n,)``."""
        with self._lock:
            self._blocks.append(np.array(samples, dtype=np.float32))

    def finish(self, *, save: bool = True) -> "Outcome":
        """The candidate has stopped: wait for what is left, have the answer graded."""
        if self._cancelled:
            raise AnswerCancelledError("the answer was discarded")
        clip = Clip(np.concatenate([np.empty(0, np.float32), *self._blocks]))
        outcome = self._session.answer(clip, self._question_id, save=save)
        text = outcome.submission.transcript.text
        caption = Caption(text, 0.0, clip.duration_s)
        with self._lock:
            self._captions.append(caption)
        if self._on_caption is not None:
            self._on_caption(caption)
        return outcome

    def cancel(self) -> None:
        """Discard the answer."""
        self._cancelled = True
