"""A drill session: its items, how each take is heard, and the item that comes next.

Data flows one way: clip → verdict of the hearing → review → backend → next item. Terminal and
studio are thin layers over it.
"""

import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Final

from client.answer.answer import Answer
from client.answer.answers import Answers
from client.answer.journal import Journal
from client.answer.session import Session
from client.backend.protocol import Backend, QueuedError
from client.backend.sending import OutboxBackend
from client.core.errors import DrillError
from client.core.settings import ClientSettings
from client.practice.drills.items import DrillItems, DrillVerdict, HearDrill, Item, ItemSets, Step
from pronunciation.clip import Clip
from pronunciation.errors import HearingError
from pronunciation.hearing import Hearing, Target, hear_drill
from server.contract import MAX_PAGE, DrillQuery, DrillQueue, DrillReview, DrillVerdictName

BACK_AFTER: Final = 3
"""A missed item returns after this many others: late enough that it must be remembered."""
MAX_RETURNS: Final = 3
"""An item missed more often waits for another day; a session must end."""


@dataclass
class Tally:
    """How a session went: how many items at their first verdict, and takes without one."""

    correct: int = 0
    mispronounced: int = 0
    undecided: int = 0


class DrillSession:
    """One session of drilling.

    Args:
        backend: stores the takes and knows what is due.
        hear: hears how an item was said.
        sets: what can be drilled.
        drill_set: which set; ``None``: all.
        count: how many items at most; those that come back are not counted.
        only: these items, due or not, instead of what is due.
        clock: gives the time of a take.

    Raises:
        DrillError: no such set, or nothing is due and nothing new.
        UnavailableError: the server is away: only it knows what is due.
    """

    def __init__(
        self,
        backend: Backend,
        hear: HearDrill,
        sets: ItemSets,
        *,
        drill_set: str | None = None,
        count: int = 10,
        only: Sequence[Item] = (),
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._backend = backend
        self._hear = hear
        self._clock = clock
        self._decided: set[str] = set()
        self.tally = Tally()
        chosen = list(only)
        if not chosen:
            query = DrillQuery(drill_set=drill_set, now=clock(), limit=MAX_PAGE)
            chosen = choose_items(sets.of(drill_set), backend.drills.queue(query), count)
        if not chosen:
            raise DrillError(
                "nothing is due and nothing is new here; come back later, or drill another set"
            )
        self._left = deque(chosen)
        self._returns: dict[str, int] = {}

    @property
    def current(self) -> Item | None:
        """What is to be said now; ``None``: the session is over."""
        return self._left[0] if self._left else None

    def __len__(self) -> int:
        """How many takes are left, if all are right."""
        return len(self._left)

    def take(self, clip: Clip, answer: Answer | None = None) -> Step:
        """Hear a take of the current item, store it, and continue if it has a verdict.

        A take that the hearing cannot decide is kept too; the item stays the current one, to be
        said again or skipped.

        Args:
            clip: the sound.
            answer: the take in the journal; it leaves it when the take is stored.

        Raises:
            PronunciationError: the clip cannot be heard.
            RejectedError: the server refused the take.
            OutboxError: the server is away and the take cannot be kept on the disk either.
        """
        item = self._current()
        heard = self._hear(clip, item)
        waiting, card = "", None
        if answer is None:
            review = review_of(item, heard, self._clock(), uuid.uuid4().hex)
        else:
            review = review_of(item, heard, answer.spoken_at, answer.submission_id)
            answer.heard(review)
        try:
            card = self._backend.drills.review(review).card
        except QueuedError as error:
            waiting = str(error)
        if answer is not None:
            answer.stored()
        self._count(item, heard)
        missed = heard.verdict == "mispronounced" and heard.phones
        return Step(
            item=item,
            heard=heard,
            tip=item.tip(heard.phones or "") if missed else "",
            card=card,
            waiting=waiting,
            comes_back=self._recorded(heard.verdict),
        )

    def skip(self) -> None:
        """Continue without a verdict on the current item."""
        self._current()
        self._left.popleft()

    def _current(self) -> Item:
        if self.current is None:
            raise DrillError("the drill is over: there is nothing more to say")
        return self.current

    def _recorded(self, verdict: DrillVerdictName) -> bool:
        """Go on to the next item; one without a verdict stays. Whether this one comes back."""
        if verdict not in ("correct", "mispronounced"):
            return False
        item = self._left.popleft()
        returns = self._returns.get(item.id, 0)
        if verdict != "mispronounced" or returns >= MAX_RETURNS:
            return False
        self._returns[item.id] = returns + 1
        self._left.insert(min(BACK_AFTER, len(self._left)), item)
        return True

    def _count(self, item: Item, heard: DrillVerdict) -> None:
        if heard.verdict not in ("correct", "mispronounced"):
            self.tally.undecided += 1
        elif item.id not in self._decided:
            self._decided.add(item.id)
            if heard.verdict == "correct":
                self.tally.correct += 1
            else:
                self.tally.mispronounced += 1


def review_of(item: Item, heard: DrillVerdict, at: datetime, review_id: str) -> DrillReview:
    """What is sent of a take of an item."""
    return DrillReview(
        review_id=review_id,
        item_id=item.id,
        drill_set=item.set,
        reviewed_at=at,
        verdict=heard.verdict,
        phones=heard.phones or "",
        confidence=min(max(heard.confidence, 0.0), 1.0),
    )


class TakesOfItems:
    """Hears takes that something interrupted; see ``client.answer.answers.DrillItems``.

    Args:
        item: gives an item by its id, if it is there.
        hear: hears how an item was said.
    """

    def __init__(self, item: Callable[[str], Item | None], hear: HearDrill) -> None:
        self._item = item
        self._hear = hear

    def prompt(self, item_id: str) -> str | None:
        """What is to be said; ``None``: there is no such item any more."""
        item = self._item(item_id)
        return None if item is None else item.prompt

    def review(self, answer: Answer) -> DrillReview:
        """Hear a take.

        Raises:
            DrillError: its item no longer exists.
        """
        item = self._item(answer.asked)
        if item is None:
            raise DrillError(f"the drill item {answer.asked} no longer exists")
        heard = self._hear(answer.clip(), item)
        return review_of(item, heard, answer.spoken_at, answer.submission_id)


def answers_of(
    settings: ClientSettings,
    backend: OutboxBackend,
    session: Callable[[], Session],
    items: DrillItems,
) -> Answers:
    """The unfinished answers of a person, with the drills' own hearing."""
    takes = TakesOfItems(items.item, lambda clip, item: drill_hearing()(clip, item))
    return Answers(Journal.of(settings), backend, session, takes)


def choose_items(items: Sequence[Item], queue: DrillQueue, count: int) -> list[Item]:
    """The items of a session: those due first, the longest overdue at the front, then new ones.

    Args:
        items: what can be drilled, the most useful first.
        queue: what is due and what is known, from the server.
        count: how many at most.
    """
    by_id = {item.id: item for item in items}
    due = [by_id[card.item_id] for card in queue.due if card.item_id in by_id]
    known = set(queue.known)
    new = [item for item in items if item.id not in known]
    return [*due, *new][:count]


@cache
def drill_hearing() -> HearDrill:
    """The hearing; its model loads at the first take."""
    hearing = Hearing()

    def hear(clip: Clip, item: Item) -> DrillVerdict:
        # "to record" is said as it is shown, or the term alone. Of 55 such prompts said by the
        # app's voice, 50 were heard as right within the prompt and 28 by the term alone.
        within = None if item.prompt == item.term else _within_prompt(hearing, clip, item)
        return within or _alone(hearing, clip, item)

    return hear


def _alone(hearing: Hearing, clip: Clip, item: Item) -> DrillVerdict:
    heard = hear_drill(hearing, clip, item.readings, [each.phones for each in item.mistakes])
    return DrillVerdict(heard.outcome, heard.phones, heard.confidence, heard.start_s, heard.end_s)


def _within_prompt(hearing: Hearing, clip: Clip, item: Item) -> DrillVerdict | None:
    """The verdict on the term within its prompt; ``None``: the prompt was not said."""
    words = item.prompt.split()
    place = _place(item)
    if place is None:
        return None
    mistakes = tuple(each.phones for each in item.mistakes)
    target = Target(item.term, place, len(item.term.split()), item.readings, mistakes, "drill")
    try:
        [heard] = hearing.hear(clip, words, [target])
    except HearingError:
        return None
    return DrillVerdict(heard.verdict, heard.phones, heard.confidence, heard.start_s, heard.end_s)


def _place(item: Item) -> int | None:
    """Index of the term's first word in the prompt."""
    words, term = (
        [word.casefold().strip(".,;:!?") for word in text.split()]
        for text in (item.prompt, item.term)
    )
    for start in range(len(words) - len(term) + 1):
        if words[start : start + len(term)] == term:
            return start
    return None
