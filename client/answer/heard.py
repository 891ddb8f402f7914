"""What a session asks of a hearing: what the sound of an answer says and its words do not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pronunciation.clip import Clip
from pronunciation.passage import Decode
from question_bank.models import Question
from server.contract import HeardPhrase, HeardTerm, Word


@dataclass(frozen=True)
class HeardStretch:
    """What was heard in a stretch of an answer; times and word indices count from its start.

    ``problem``: why its terms could not be judged; empty where they were, or none was said.
    ``version``: of what heard it.
    """

    terms: tuple[HeardTerm, ...] = ()
    phrases: tuple[HeardPhrase, ...] = ()
    problem: str = ""
    version: str = ""


Hear = Callable[[Clip, Sequence[Word], Question | None], HeardStretch]
"""Hears a stretch of an answer to a question, where it is known."""


@dataclass(frozen=True)
class Prepared:
    """A stretch that is ready to be heard.

    ``hear``: hears it. ``perhaps``: the key phrases that this may find; quick, no decoder is asked.
    """

    hear: Callable[[], HeardStretch]
    perhaps: Callable[[], frozenset[str]] = frozenset


Prepare = Callable[[Clip, Sequence[Word], Question | None], Prepared]
"""Prepares what ``Hear`` hears."""


@runtime_checkable
class Hearing(Protocol):
    """A hearing with models to load, which also asks the engine's decoder."""

    def __call__(
        self, clip: Clip, transcribed: Sequence[Word], question: Question | None = None
    ) -> HeardStretch:
        """Hear a stretch of an answer to a question, where it is known."""

    def warm(self) -> None:
        """Load what takes a moment, so that the first answer does not wait for it."""

    def with_decoder(self, decode: Decode) -> Prepare:
        """What prepares stretches, and asks this decoder about them."""
