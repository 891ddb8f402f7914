"""An answer being spoken into the studio: written to disk and transcribed as it arrives."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final

from filelock import FileLock, Timeout

from client.answer.answer import Answer
from client.answer.answers import Answers
from client.answer.live import Caption, LiveTranscript
from client.answer.session import Session
from client.audio.devices import zeros_remedy
from client.backend.protocol import Backend, UnavailableError
from client.core.errors import ClientError, RecordingError
from client.core.settings import ClientSettings
from pronunciation.clip import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ, decode_pcm16
from server.contract import FOLLOW_UP_S, FollowUp

DEFAULT_TARGET_S: Final = 120.0
"""Used if the server is away, so that the question's own target is not known."""
LIMIT_OVER_TARGET: Final = 2.0
MIN_LIMIT_S: Final = 600.0
"""A recording ends by itself at twice the question's target, but never before ten minutes."""
MAX_BLOCK_BYTES: Final = 64 * 1024
"""2 s of sound; the page sends 50 ms at a time."""
STORED_WITHIN_S: Final = 9.0
"""An answer whose follow-up is being answered is stored by then; the page waits 10 s."""
_ZEROS: Final = "the microphone gave only exact zeros, so nothing was recorded"


class TakeProtocolError(ClientError):
    """The data is not sound from the studio's page; the text says what is wrong with it."""


class TakeBusyError(ClientError):
    """Another tab, window or program is recording; the text says what to do."""


def limit_s_for(target_s: float) -> float:
    """How long an answer to a question of this target may be."""
    return max(MIN_LIMIT_S, LIMIT_OVER_TARGET * target_s)


def asked_in_page(
    asked: FollowUp, question_id: str, attempt_id: int | None, *, probes: bool, after: str = ""
) -> dict[str, Any]:
    """A follow-up for the page that asks it; ``after``: the answer's name, while it is finished."""
    return {
        "asked": asked.model_dump(),
        "question_id": question_id,
        "follows": attempt_id,
        "after": after,
        "limit_s": FOLLOW_UP_S,
        "probes": probes,
    }


class PageRecording:
    """The sound that a page sends. Its methods may be called from any thread, one at a time.

    Args:
        answer: what is recorded, begun.
        live: what works on it while it is spoken.
        target_s: how long the answer should be.
        on_end: called once, when no more sound will come.
        limit_s: when it ends by itself; ``None``: by its target.
    """

    def __init__(
        self,
        answer: Answer,
        live: LiveTranscript,
        target_s: float,
        on_end: Callable[[], None],
        limit_s: float | None = None,
    ) -> None:
        self.answer = answer
        self.live = live
        self.target_s = target_s
        self.limit_s = limit_s or limit_s_for(target_s)
        self.paused = False
        self._on_end = on_end
        self._only_zeros = True
        self._ended = False

    @property
    def recorded_s(self) -> float:
        """How much has been recorded, pauses left out."""
        return self.answer.samples_written / SAMPLE_RATE_HZ

    @property
    def is_there(self) -> bool:
        """Whether there is an unfinished answer on the disk, with sound in it."""
        return self.recorded_s > 0 and self.answer.sound() is not None

    @property
    def is_full(self) -> bool:
        """Whether the time limit has been reached."""
        return self.recorded_s >= self.limit_s

    @property
    def captioned_share(self) -> float:
        """How much of the recording has been transcribed, 0 to 1."""
        captions = self.live.captions
        return min(1.0, captions[-1].end_s / self.recorded_s) if captions else 0.0

    def take_in(self, pcm: bytes) -> None:
        """Take the next sound: 16 bits, little-endian, mono, 16 kHz. A paused page is ignored.

        Raises:
            TakeProtocolError: it is no such sound.
            RecordingError: the disk is full or gone; what was written before is kept.
        """
        if not pcm or len(pcm) % BYTES_PER_SAMPLE:
            raise TakeProtocolError(f"a piece of sound has {len(pcm)} bytes, not whole samples")
        if len(pcm) > MAX_BLOCK_BYTES:
            raise TakeProtocolError(
                f"a piece of sound has {len(pcm)} bytes, more than {MAX_BLOCK_BYTES}"
            )
        if self.paused or self.is_full:
            return
        left = round(self.limit_s * SAMPLE_RATE_HZ) - self.answer.samples_written
        samples = decode_pcm16(pcm)[:left]
        self._only_zeros = self._only_zeros and not samples.any()
        self.answer.add(samples)
        self.live.feed(samples)

    def stop(self) -> None:
        """The candidate has stopped: from now on another recording can begin.

        Raises:
            RecordingError: there is no sound in it; the file is deleted.
        """
        is_empty = self.recorded_s == 0
        if is_empty or self._only_zeros:
            self.discard()
            if is_empty:
                raise RecordingError("nothing was recorded", "record again, and speak")
            raise RecordingError(_ZEROS, zeros_remedy("browser"))
        self._end()
        self.answer.recorded()

    def discard(self) -> None:
        """Delete what was said."""
        self._end()
        self.live.cancel()
        self.answer.discard()

    def abandon(self, reason: str) -> None:
        """The page is closed: leave what was said to be finished later, with the reason."""
        if self._ended:
            return
        if self.recorded_s == 0:
            self.discard()
        else:
            self._end()
            self.live.cancel()
            self.answer.leave(reason)

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._on_end()


class Microphone:
    """Lets one page at a time record, of all studios with this data folder.

    Args:
        settings: name the folder.
        backend: knows the questions.
        session: gives what works on an answer, with the engine that is there now.
        answers: where the answer goes.
    """

    def __init__(
        self,
        settings: ClientSettings,
        backend: Backend,
        session: Callable[[], Session],
        answers: Answers,
    ) -> None:
        self._settings = settings
        self._backend = backend
        self._session = session
        self._answers = answers
        self._lock = threading.Lock()
        self.recording: PageRecording | None = None
        """What is being recorded now."""

    @property
    def recording_name(self) -> str | None:
        """The name of the answer that is being recorded now."""
        recording = self.recording
        return None if recording is None else recording.answer.name

    def asked_early(self, name: str, *, probes: bool) -> dict[str, Any] | None:
        """What is asked after an answer that is still being finished, if it is chosen already."""
        for answer in self._answers.taken_up(name):
            asked = self._session().asked_early(answer.submission_id)
            if asked is not None and answer.at_work:
                return asked_in_page(asked, answer.asked, None, probes=probes, after=name)
        return None

    def number_of(self, name: str) -> int:
        """The number in the history of an answer that is being finished; waits until it is there.

        Raises:
            TakeBusyError: it takes too long, or could not be finished.
        """
        until_s = time.monotonic() + STORED_WITHIN_S
        while time.monotonic() < until_s:
            (answer,) = self._answers.taken_up(name) or (None,)
            if answer is None or answer.problem or answer.waiting:
                break
            if answer.attempt_id is not None:
                return answer.attempt_id
            time.sleep(0.05)
        raise TakeBusyError("the answer before has no report yet: wait for it, then answer this")

    def next_follow_up(self, answer: Answer, *, probes: bool) -> dict[str, Any] | None:
        """What is asked after a finished answer, for its page; ``None``: nothing, or not now."""
        outcome = answer.outcome
        if outcome is None or outcome.attempt_id is None:
            return None
        asked = self._session().next_follow_up(outcome, probes=probes)
        if asked is None:
            return None
        return asked_in_page(asked, answer.asked, outcome.attempt_id, probes=probes)

    def begin(
        self,
        question_id: str,
        on_caption: Callable[[Caption], None] | None = None,
        follow_up: tuple[FollowUp, int | None] | None = None,
        on_asked: Callable[[FollowUp], None] | None = None,
        *,
        probes: bool = False,
    ) -> PageRecording:
        """Begin to record an answer, or what is said to a follow-up of the answer of a number.

        ``on_asked`` and ``probes``: see ``Session.listen``.

        Raises:
            TakeBusyError: something else is recording.
            RejectedError: the bank has no such question.
            RecordingError: the folder cannot be written.
        """
        try:
            target_s = float(self._backend.question(question_id).answer_seconds)
        except UnavailableError:
            target_s = DEFAULT_TARGET_S  # the answer will wait in the outbox
        limit_s = None if follow_up is None else FOLLOW_UP_S
        target_s = limit_s or target_s
        session = self._session()
        with self._lock:
            if self.recording is not None:
                raise TakeBusyError(
                    f"another tab is recording an answer ({self.recording.recorded_s:.0f} s so "
                    "far): stop it there, then record here"
                )
            with ExitStack() as claim:
                path = self._settings.home / "recording.lock"
                try:
                    claim.enter_context(FileLock(path, blocking=False, thread_local=False))
                except Timeout as error:
                    raise TakeBusyError(
                        "another Aloud on this machine is recording an answer: stop it there, "
                        "then record here"
                    ) from error
                if follow_up is None:
                    answer = self._answers.journal.answer(question_id)
                else:
                    answer = self._answers.journal.follow_up(question_id, *follow_up)
                answer.open(SAMPLE_RATE_HZ)
                live = session.listen(
                    question_id,
                    answer=answer,
                    on_caption=on_caption,
                    on_asked=on_asked,
                    probes=probes,
                )
                if on_asked is not None and self._settings.server is None:
                    warm, asked = session.warm_grader, (question_id,)
                    threading.Thread(target=warm, args=asked, daemon=True).start()
                self.recording = PageRecording(
                    answer, live, target_s, self._free(claim.pop_all()), limit_s=limit_s
                )
                return self.recording

    def _free(self, claim: ExitStack) -> Callable[[], None]:
        def end() -> None:
            with self._lock:
                self.recording = None
            claim.close()

        return end
