"""The drills that are open in the studio: one for each tab, kept in memory only.

What was said is stored take by take, so a drill that is lost (Aloud was restarted) loses only the
order of the cards.

The sound of each take goes to the journal piece by piece while it is spoken: the page sends what it
has four times a second, and at the end the whole take. A studio that is killed while somebody
speaks still has what was said, and a piece that was lost on the way costs nothing.
"""

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from client.answer.answer import Answer
from client.answer.journal import Journal
from client.core.errors import DrillError
from client.practice.drills.drill_session import DrillSession
from client.practice.drills.items import DrillVerdict, HearDrill, Item, Step
from client.studio.views.drill import (
    CardView,
    ResultView,
    StepView,
    view_card,
    view_result,
    view_step,
)
from pronunciation.clip import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ, Clip, decode_pcm16
from pronunciation.errors import HearingError


class DrillGoneError(DrillError):
    """The drill is no longer in memory; the text says what to do."""


@dataclass(frozen=True)
class DrillView:
    """The state of a drill.

    Attributes:
        id: what it is asked for by.
        position: which item is up, from 1; ``total`` once it is over.
        total: how many items it began with.
        card: what is to be said; ``None``: it is over.
        results: at the end, one line for each item, those to work on first.
    """

    id: str
    position: int
    total: int
    card: CardView | None
    results: tuple[ResultView, ...]


@dataclass(frozen=True)
class TakeView:
    """The result of a take, and the state of the drill after it."""

    step: StepView
    drill: DrillView


@dataclass
class _Record:
    """What is known about one item of a drill."""

    item: Item
    misses: int = 0
    step: Step | None = None


class OpenDrill:
    """One drill. Takes come one at a time, whatever the browser does.

    Args:
        session: what is to be said, and the result of each take.
        title: of the set, for people.
        clock: gives the time.
    """

    def __init__(self, session: DrillSession, title: str, clock: Callable[[], datetime]) -> None:
        self.id = uuid.uuid4().hex
        self.title = title
        self._session = session
        self._total = len(session)
        self._clock = clock
        self._records: dict[str, _Record] = {}
        self._last: tuple[str, TakeView] | None = None
        self._lock = threading.Lock()

    def view(self) -> DrillView:
        with self._lock:
            return self._view()

    def spoken(self, item_id: str) -> Item:
        """The item that is being said.

        Raises:
            DrillError: another item is up by now.
        """
        with self._lock:
            return self._expected(item_id)

    def take(
        self, take_id: str, item_id: str, clip: Clip, keep: Callable[[Item], Answer] | None = None
    ) -> TakeView:
        """Hear a take of the current item. The same take again gets the same answer.

        Args:
            take_id: the browser's name for the take: a connection may break after it was heard.
            item_id: the item that the person saw.
            clip: the sound, 16 kHz.
            keep: gives its place in the journal, which it leaves when it is stored.

        Raises:
            DrillError: another item is up by now.
            HearingError: the clip cannot be heard.
            BackendError: the server refused it.
        """
        with self._lock:
            if self._last is not None and self._last[0] == take_id:
                return self._last[1]
            item = self._expected(item_id)
            step = self._hear(clip, keep(item) if keep is not None else None)
            shown = view_step(step, self._clock())
            if not shown.undecided:
                record = self._records.setdefault(item.id, _Record(item))
                record.step = step
                record.misses += step.heard.verdict == "mispronounced"
            view = TakeView(shown, self._view())
            self._last = (take_id, view)
            return view

    def _hear(self, clip: Clip, answer: Answer | None) -> Step:
        with answer or nullcontext():
            try:
                return self._session.take(clip, answer)
            except HearingError:  # said at once, and the item is said again
                if answer is not None:
                    answer.discard()
                raise

    def skip(self, item_id: str) -> DrillView:
        """Go on without a verdict.

        Raises:
            DrillError: another item is up by now.
        """
        with self._lock:
            item = self._expected(item_id)
            self._session.skip()
            self._records.setdefault(item.id, _Record(item))
            return self._view()

    def _expected(self, item_id: str) -> Item:
        item = self._session.current
        if item is None:
            raise DrillError("this drill is over")
        if item.id != item_id:
            raise DrillError(
                f"this drill has moved on to “{item.prompt}” (in another tab?); reload the page"
            )
        return item

    def _view(self) -> DrillView:
        item = self._session.current
        left = len(self._session)
        if item is None:
            return DrillView(self.id, self._total, self._total, None, self._results())
        card = view_card(item, again=item.id in self._records)
        return DrillView(self.id, self._total - left + 1, self._total, card, ())

    def _results(self) -> tuple[ResultView, ...]:
        now = self._clock()
        lines = [
            view_result(record.item, record.step, record.misses, now)
            for record in self._records.values()
        ]
        return tuple(sorted(lines, key=lambda line: line.rank))


class OpenDrills:
    """All open drills of a studio.

    Args:
        hear: hears how an item was said; never called twice at once.
        clock: gives the time of takes.
    """

    def __init__(
        self, hear: HearDrill, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._hear = hear
        self._clock = clock
        self._drills: dict[str, OpenDrill] = {}
        self._hearing = threading.Lock()

    def hear(self, clip: Clip, item: Item) -> DrillVerdict:
        """Hear one take; what a ``DrillSession`` of a drill is made with."""
        with self._hearing:
            return self._hear(clip, item)

    def add(self, session: DrillSession, title: str) -> OpenDrill:
        """Open a drill for this session."""
        drill = OpenDrill(session, title, self._clock)
        self._drills[drill.id] = drill
        return drill

    def get(self, drill_id: str) -> OpenDrill:
        """An open drill by its id.

        Raises:
            DrillGoneError: it is no longer open.
        """
        if drill_id not in self._drills:
            raise DrillGoneError(
                "this drill is no longer open, because Aloud was restarted. Every take is kept; "
                "start again with what is due."
            )
        return self._drills[drill_id]


LEFT_AFTER_S: Final = 30.0
"""A take is at most 12 s long: a page that has not sent all of it by then has been closed."""
_REMEMBERED: Final = 100


@dataclass
class _Take:
    answer: Answer
    leave: threading.Timer
    is_over: bool = False


class DrillSounds:
    """The takes that are being spoken, by the page's names for them; safe for several threads.

    Args:
        journal: where they are kept until they are heard and stored.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._takes: OrderedDict[str, _Take] = OrderedDict()
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
            take = self._takes.get(take_id) or self._begin(take_id, item)
            if not take.is_over and at == _written_bytes(take.answer):
                take.answer.add(decode_pcm16(pcm))

    def complete(self, take_id: str, item: Item, pcm: bytes) -> Answer:
        """Everything that was said: the take is ready to be heard.

        The same take again gets the same place in the journal, so that it is stored once.

        Raises:
            RecordingError: the folder cannot be written, or another tab works on this take.
        """
        with self._lock:
            take = self._takes.get(take_id) or self._begin(take_id, item)
            take.leave.cancel()
            if not take.is_over:
                take.answer.add(decode_pcm16(pcm[_written_bytes(take.answer) :]))
                take.answer.recorded()
                take.is_over = True
            return take.answer.claim()

    def drop(self, take_id: str) -> None:
        """The page has nothing to be heard, e.g. because the microphone gave no sound."""
        with self._lock:
            take = self._takes.pop(take_id, None)
            if take is not None and not take.is_over:
                take.leave.cancel()
                take.answer.discard()

    def _begin(self, take_id: str, item: Item) -> _Take:
        answer = self._journal.drill(item.id, item.set)
        answer.open(SAMPLE_RATE_HZ)
        take = _Take(answer, threading.Timer(LEFT_AFTER_S, lambda: self._leave(take)))
        take.leave.daemon = True
        take.leave.start()
        self._takes[take_id] = take
        while len(self._takes) > _REMEMBERED:
            self._takes.popitem(last=False)
        return take

    def _leave(self, take: _Take) -> None:
        """The page was closed while somebody spoke: what was said is offered."""
        with self._lock:
            if not take.is_over:
                take.is_over = True
                take.answer.leave("the page was closed or lost its connection")


def _written_bytes(answer: Answer) -> int:
    return answer.samples_written * BYTES_PER_SAMPLE
