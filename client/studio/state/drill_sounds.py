"""Writes the sound of drill takes to the journal piece by piece, while they are spoken.

The page sends what it has four times a second, and at the end the whole take. So a studio that is
killed while somebody speaks has what was said, and a piece that was lost on the way costs nothing.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from client.audio.take_file import TakeWriter
from client.journal import Journal, KeptAnswer
from client.practice.drills.items import Item
from pronunciation.clip import SAMPLE_RATE_HZ
from pronunciation.pcm import BYTES_PER_SAMPLE, decode_pcm16

LEFT_AFTER_S: Final = 20.0
"""A take is at most 6 s long: a page that has not sent all of it by then has been closed."""
_REMEMBERED: Final = 100


@dataclass
class _Spoken:
    kept: KeptAnswer
    writer: TakeWriter | None
    leave: threading.Timer | None = None


class DrillSounds:
    """The takes that are being spoken, by the page's names for them; safe for several threads.

    Args:
        journal: where they are kept until they are heard and stored.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._takes: OrderedDict[str, _Spoken] = OrderedDict()
        self._lock = threading.Lock()

    def take_in(self, take_id: str, item: Item, at: int, pcm: bytes) -> None:
        """Take the next piece of a take; a piece that does not follow the last one is left out.

        Args:
            take_id: the page's name for the take.
            item: what is said.
            at: how many bytes came before.
            pcm: the piece, 16-bit samples at 16 kHz.

        Raises:
            RecordingError: the folder cannot be written.
        """
        with self._lock:
            spoken = self._takes.get(take_id) or self._begin(take_id, item)
            if spoken.writer is not None and at == _written_bytes(spoken.writer):
                spoken.writer.append(decode_pcm16(pcm))

    def complete(self, take_id: str, item: Item, pcm: bytes) -> KeptAnswer:
        """Everything that was said: the take is ready to be heard.

        The same take again gets the same place in the journal, so that it is stored once.

        Raises:
            RecordingError: the folder cannot be written, or another tab works on this take.
        """
        with self._lock:
            spoken = self._takes.get(take_id) or self._begin(take_id, item)
            if spoken.leave is not None:
                spoken.leave.cancel()
            if spoken.writer is not None:
                spoken.writer.append(decode_pcm16(pcm[_written_bytes(spoken.writer) :]))
                spoken.writer.abandon()
                spoken.writer = None
                spoken.kept.recorded()
            spoken.kept.hold()
            return spoken.kept

    def drop(self, take_id: str) -> None:
        """The page has nothing to be heard, e.g. because the microphone gave no sound."""
        with self._lock:
            spoken = self._takes.pop(take_id, None)
            if spoken is not None and spoken.writer is not None:
                if spoken.leave is not None:
                    spoken.leave.cancel()
                spoken.writer.abandon()
                spoken.kept.discard()

    def _begin(self, take_id: str, item: Item) -> _Spoken:
        kept = self._journal.drill(item.id, item.set)
        spoken = _Spoken(kept, kept.open(SAMPLE_RATE_HZ))
        spoken.leave = threading.Timer(LEFT_AFTER_S, self._leave, args=(spoken,))
        spoken.leave.daemon = True
        spoken.leave.start()
        self._takes[take_id] = spoken
        while len(self._takes) > _REMEMBERED:
            self._takes.popitem(last=False)
        return spoken

    def _leave(self, spoken: _Spoken) -> None:
        """The page was closed while somebody spoke: what was said is offered."""
        with self._lock:
            if spoken.writer is not None:
                spoken.writer.abandon()
                spoken.writer = None
                spoken.kept.let_go("the page was closed or lost its connection")


def _written_bytes(writer: TakeWriter) -> int:
    return writer.samples_written * BYTES_PER_SAMPLE
