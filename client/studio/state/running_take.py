"""An answer being spoken into the studio: written to disk and transcribed as it arrives."""

import time
from collections.abc import Callable
from typing import Final

from client.answering.live_answer import LiveAnswer
from client.answering.session import handed_over
from client.answering.submission import Outcome
from client.audio.take_file import TakeWriter
from client.audio.zeros import zeros_remedy
from client.core.errors import ClientError, RecordingError
from client.journal.kept_answer import KeptAnswer, why_unfinished
from pronunciation.clip import SAMPLE_RATE_HZ
from pronunciation.pcm import BYTES_PER_SAMPLE, decode_pcm16

LIMIT_OVER_TARGET: Final = 2.0
MIN_LIMIT_S: Final = 600.0
"""A recording ends by itself at twice the question's target, but never before ten minutes."""
MAX_BLOCK_BYTES: Final = 64 * 1024
"""2 s of sound; the page sends 50 ms at a time."""
BURST_S: Final = 30.0
"""A page that hung sends what it gathered at once. Sound that is further ahead of the clock than
this comes from no microphone."""
_ZEROS: Final = "the microphone gave only exact zeros, so nothing was recorded"


class TakeProtocolError(ClientError):
    """The data is not sound from the studio's page; the text says what is wrong with it."""


def limit_s_for(target_s: float) -> float:
    """How long an answer to a question of this target may be."""
    return max(MIN_LIMIT_S, LIMIT_OVER_TARGET * target_s)


class RunningTake:
    """One take. Its methods may be called from any thread, but not at the same time.

    Args:
        writer: the file that it is written to.
        live: what works on it while it is spoken.
        kept: the answer in the journal.
        target_s: how long the answer should be.
        on_end: called once, when no more sound will come.
        clock_s: a clock that never goes back.
    """

    def __init__(
        self,
        writer: TakeWriter,
        live: LiveAnswer,
        kept: KeptAnswer,
        target_s: float,
        on_end: Callable[[], None],
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.target_s = target_s
        self.limit_s = limit_s_for(target_s)
        self.paused = False
        self._writer = writer
        self._live = live
        self.kept = kept
        self._on_end = on_end
        self._clock_s = clock_s
        self._began_s = clock_s()
        self._only_zeros = True
        self._ended = False

    @property
    def name(self) -> str:
        """The name of its file, by which it is finished if it is interrupted."""
        return self.kept.name

    @property
    def recorded_s(self) -> float:
        """How much has been recorded, pauses left out."""
        return self._writer.samples_written / SAMPLE_RATE_HZ

    @property
    def is_there(self) -> bool:
        """Whether there is an unfinished take on the disk, with sound in it."""
        return self.recorded_s > 0 and self._writer.part_path.exists()

    @property
    def is_full(self) -> bool:
        """Whether the time limit has been reached."""
        return self.recorded_s >= self.limit_s

    @property
    def captioned_share(self) -> float:
        """How much of the recording has been transcribed, 0 to 1."""
        captions = self._live.captions
        return min(1.0, captions[-1].end_s / self.recorded_s) if captions else 0.0

    def take_in(self, pcm: bytes) -> None:
        """Take the next sound: 16 bits, little-endian, mono, 16 kHz. A paused take ignores it.

        Raises:
            TakeProtocolError: it is no such sound, or comes faster than anybody can speak.
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
        samples = decode_pcm16(pcm)
        left = round(self.limit_s * SAMPLE_RATE_HZ) - self._writer.samples_written
        samples = samples[:left]
        passed_s = self._clock_s() - self._began_s
        if self.recorded_s + samples.size / SAMPLE_RATE_HZ > passed_s + BURST_S:
            raise TakeProtocolError("the sound comes faster than it can be spoken")
        self._only_zeros = self._only_zeros and not samples.any()
        self._writer.append(samples)
        self._live.feed(samples)

    def stop(self) -> None:
        """The candidate has stopped: from now on another take can begin.

        Raises:
            RecordingError: there is no sound in it; the file is deleted.
        """
        self._end()
        if self._writer.samples_written == 0 or self._only_zeros:
            self._drop()
            if self._writer.samples_written == 0:
                raise RecordingError("nothing was recorded", "record again, and speak")
            raise RecordingError(_ZEROS, zeros_remedy("browser"))

    def finish(self) -> Outcome:
        """Have the answer graded; stops it where it runs. It stays in the journal until ``keep``.

        Raises:
            RecordingError: as ``stop``.
            ClientError: no speech, or engine or server failed; the take is left unfinished.
        """
        if not self._ended:
            self.stop()
        self.kept.recorded()
        try:
            return handed_over(self.kept, self._live.finish)
        except BaseException as error:
            self._writer.abandon()
            self.kept.let_go(why_unfinished(error))
            raise

    def keep(self) -> str:
        """The answer is graded and reported: name the recording after it.

        Returns:
            Why the recording was not kept; empty if it was.
        """
        self._writer.abandon()
        return self.kept.stored()

    def discard(self) -> None:
        """Delete the take."""
        self._end()
        self._drop()

    def abandon(self, reason: str) -> None:
        """The page is closed: leave what was said as an unfinished take, with the reason."""
        if self._ended:
            return
        self._end()
        if self._writer.samples_written == 0:
            self._drop()
        else:
            self._live.cancel()
            self._writer.abandon()
            self.kept.let_go(reason)

    def _drop(self) -> None:
        self._live.cancel()
        self._writer.abandon()
        self.kept.discard()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._on_end()
