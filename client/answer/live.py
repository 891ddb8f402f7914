"""What an answer says, worked out while it is spoken.

After "stop" only the last piece is left, however long the answer was: voice activity is followed
as the sound comes, pieces between pauses go to the engine while the candidate continues, and the
terms in them are heard at once.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from client.core.errors import ClientError
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.errors import AudioError, PronunciationError
from server.contract import Evidence, Submission, Transcript

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Caption:
    """What was said between two pauses.

    Attributes:
        text: as the engine wrote it.
        start_s: when its first word starts, in seconds from the start of the answer.
        end_s: when its last word ends.
    """

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Draft:
    """An answer whose words are all there, while its last terms are still to be heard.

    ``perhaps``: the key phrases that hearing them may find.
    """

    transcript: Transcript
    evidence: Evidence
    perhaps: frozenset[str]


class Worker(Protocol):
    """What works on an answer, all on one thread; see ``AnswerWorker``."""

    is_done: bool

    @property
    def has_work(self) -> bool:
        """Whether ``step`` has something to do without more sound."""

    @property
    def has_all_words(self) -> bool:
        """Whether the answer is over, and a draft of it is there."""

    def draft(self) -> Draft:
        """The answer before its last terms are heard."""

    def take(self, samples: Samples, *, is_over: bool) -> None:
        """Take the next sound."""

    def step(self) -> None:
        """Do one thing."""

    def result(self) -> tuple[Transcript, Evidence]:
        """Transcript and evidence of the whole answer."""


class AnswerCancelledError(ClientError):
    """The answer was discarded: there is nothing to finish."""


class LiveTranscript:
    """Takes the sound of one answer block by block; made by ``Session.listen``.

    All methods may be called from any thread. A separate thread does the work; it ends by
    itself after ``result`` or ``cancel``.

    Args:
        make_worker: gives what works on it and shows its captions; called on that thread.
        prepare: makes what is sent of the finished answer; called once, on that thread.
        on_caption: called on that thread with each piece as it is transcribed.
        on_draft: called on that thread as soon as all words are there, before terms are heard.
    """

    def __init__(
        self,
        make_worker: Callable[[Callable[[Caption], None]], Worker],
        prepare: Callable[[Transcript, Evidence], Submission],
        on_caption: Callable[[Caption], None] | None = None,
        on_draft: Callable[[Draft], None] | None = None,
    ) -> None:
        self._make_worker = make_worker
        self._prepare = prepare
        self._on_caption = on_caption
        self._on_draft = on_draft
        self._changed = threading.Condition()
        self._blocks: list[Samples] = []
        self._fed = 0
        self._is_over = False
        self._cancelled = False
        self._captions: tuple[Caption, ...] = ()
        self._submission: Submission | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="aloud-live-answer", daemon=True)
        self._thread.start()

    @property
    def captions(self) -> tuple[Caption, ...]:
        """What has been transcribed so far, in order."""
        return self._captions

    @property
    def duration_s(self) -> float:
        """How much sound there is so far."""
        return self._fed / SAMPLE_RATE_HZ

    def feed(self, samples: Samples) -> None:
        """Take the next block and return at once.

        Sound that comes after ``result`` or ``cancel`` is ignored.

        Args:
            samples: 16 kHz, mono, float32 of shape ``(n,)``; what lies outside [-1, 1] is cut.

        Raises:
            AudioError: another shape or type.
        """
        if samples.ndim != 1 or samples.dtype != np.float32:
            raise AudioError(
                f"an answer takes float32 of shape (n,), not {samples.dtype} of {samples.shape}"
            )
        # a copy: sound systems reuse the memory of their blocks
        block = np.clip(np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0), -1.0, 1.0)
        with self._changed:
            if self._is_over or self._cancelled or not block.size:
                return
            self._blocks.append(block)
            self._fed += block.size
            self._changed.notify_all()

    def result(self) -> Submission:
        """The candidate has stopped: wait for what is left.

        Raises:
            NoSpeech: nobody speaks in the answer.
            AnswerCancelledError: it was discarded.
            EngineError, WeightsError: the engine failed.
        """
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        self._thread.join()
        if self._cancelled:
            raise AnswerCancelledError("the answer was discarded")
        if self._failure is not None:
            raise self._failure
        assert self._submission is not None
        return self._submission

    def cancel(self) -> None:
        """Discard the answer; returns at once, what runs in the engine is dropped."""
        with self._changed:
            self._cancelled = True
            self._blocks = []
            self._changed.notify_all()

    def _work(self) -> None:
        try:
            worker = self._make_worker(self._show)
            while not worker.is_done:
                taken = self._next(wait=not worker.has_work)
                if taken is None:
                    return
                worker.take(taken[0], is_over=taken[1])
                if worker.has_all_words and self._on_draft is not None:
                    on_draft, self._on_draft = self._on_draft, None
                    with suppress(ClientError, PronunciationError):  # the result says it again
                        on_draft(worker.draft())
                worker.step()
            if not self._cancelled:
                self._submission = self._prepare(*worker.result())
        except BaseException as error:  # raised again by result, in the caller's thread
            self._failure = error

    def _next(self, *, wait: bool) -> tuple[Samples, bool] | None:
        """The sound that has come, and whether it is all; ``None``: the answer is discarded."""
        with self._changed:
            while wait and not (self._blocks or self._is_over or self._cancelled):
                self._changed.wait()
            if self._cancelled:
                return None
            blocks, self._blocks = self._blocks, []
            return np.concatenate([np.empty(0, np.float32), *blocks]), self._is_over

    def _show(self, caption: Caption) -> None:
        if self._cancelled:
            return
        self._captions = (*self._captions, caption)
        if self._on_caption is not None:
            try:
                self._on_caption(caption)
            except Exception:  # a broken screen must not cost the answer
                self._on_caption = None


class SampleBuffer:
    """The answer's samples so far. Taking more costs the same however many there are."""

    def __init__(self) -> None:
        self._buffer: npt.NDArray[np.float32] = np.empty(0, np.float32)
        self._size = 0

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self._size / SAMPLE_RATE_HZ

    def append(self, samples: npt.NDArray[np.float32]) -> None:
        """Take the next samples, float32 of shape ``(n,)``."""
        end = self._size + samples.size
        if end > self._buffer.size:
            # sound that was cut from the old buffer stays valid
            grown = np.empty(max(end, 2 * self._size), np.float32)
            grown[: self._size] = self._buffer[: self._size]
            self._buffer = grown
        self._buffer[self._size : end] = samples
        self._size = end

    def cut(self, start_s: float, end_s: float) -> tuple[Clip, float]:
        """The sound between two times, and where exactly it starts, in seconds."""
        first = min(self._size, max(0, round(start_s * SAMPLE_RATE_HZ)))
        last = min(self._size, max(first, round(end_s * SAMPLE_RATE_HZ)))
        return Clip(self._buffer[first:last]), first / SAMPLE_RATE_HZ
