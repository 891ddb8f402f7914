"""An answer that is transcribed, heard and measured while it is spoken.

After "stop" only the last piece is left, however long the answer was: voice activity is followed
as the sound comes, pieces between pauses go to the engine while the candidate continues, and the
terms in them are heard at once.
"""

import threading
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from client.answering.submission import Outcome
from client.answering.worker import AnswerWorker, Caption
from client.core.errors import ClientError
from pronunciation.clip import SAMPLE_RATE_HZ
from pronunciation.errors import AudioError
from server.contract import Evidence, Submission, Transcript

Samples = npt.NDArray[np.float32]


class AnswerCancelledError(ClientError):
    """The answer was discarded: there is nothing to finish."""


class Prepare(Protocol):
    """Makes what is sent of an answer."""

    def __call__(self, transcript: Transcript, evidence: Evidence) -> Submission:
        """The answer with its own ID."""


class Submit(Protocol):
    """Sends an answer."""

    def __call__(self, submission: Submission, *, save: bool) -> Outcome:
        """Have it graded, and stored if ``save``."""


class LiveAnswer:
    """Takes the sound of one answer block by block; made by ``Session.listen``.

    All methods may be called from any thread. A separate thread does the work; it ends by
    itself after ``finish`` or ``cancel``.

    Args:
        make_worker: gives what works on it and shows its captions; called on that thread.
        prepare: makes what is sent of the finished answer; called once, on that thread.
        submit: sends the finished answer; called again with the same one where it failed.
        on_caption: called on that thread with each piece as it is transcribed.
    """

    def __init__(
        self,
        make_worker: Callable[[Callable[[Caption], None]], AnswerWorker],
        prepare: Prepare,
        submit: Submit,
        on_caption: Callable[[Caption], None] | None = None,
    ) -> None:
        self._make_worker = make_worker
        self._prepare = prepare
        self._submit = submit
        self._on_caption = on_caption
        self._changed = threading.Condition()
        self._blocks: list[Samples] = []
        self._fed = 0
        self._is_over = False
        self._cancelled = False
        self._captions: tuple[Caption, ...] = ()
        self._submission: Submission | None = None
        self._failure: BaseException | None = None
        self._outcomes: dict[bool, Outcome] = {}
        self._submitting = threading.Lock()
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

        Sound that comes after ``finish`` or ``cancel`` is ignored.

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

    def finish(self, *, save: bool = True) -> Outcome:
        """The candidate has stopped: wait for what is left, and have the answer graded.

        May be called again where the server failed; the answer keeps its id.

        Raises:
            NoSpeech: nobody speaks in the answer.
            AnswerCancelledError: it was discarded.
            EngineError, WeightsError, BackendError: engine or server failed.
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
        with self._submitting:
            if save not in self._outcomes:
                self._outcomes[save] = self._submit(self._submission, save=save)
            return self._outcomes[save]

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
                worker.step()
            if not self._cancelled:
                self._submission = self._prepare(*worker.result())
        except BaseException as error:  # raised again by finish, in the caller's thread
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
