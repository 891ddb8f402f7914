"""Hears an answer piece by piece without losing a term where two pieces meet."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from client.answer.live import SampleBuffer
from pronunciation.clip import Clip, Decode
from question_bank.models import Question
from server.contract import Evidence, HeardPhrase, HeardTerm, Word


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


PrepareWords = Callable[[Clip, Sequence[Word]], Prepared]
"""Prepares a stretch of an answer to one question, see ``AnswerHearing``."""

CONTEXT_WORDS: Final = 4
"""Words before a term that are heard with it: two are scored with it (``hearing.hear``)."""

LONGEST_TERM_WORDS: Final = 6
"""A term may continue into the next piece: the last words wait for what follows. The built-in
lexicon's longest names have 6 ("gpu direct r d m a")."""

BATCH_WORDS: Final = 8
"""So many new words are heard at once: each time costs ``CONTEXT_WORDS`` more."""

BREAK_S: Final = 3.0
"""Nobody says a term over a silence as long as this: words on either side are heard apart."""

MARGIN_S: Final = 0.5
"""Sound kept on either side of the words: word times are off by some tenths of a second."""


class TermTrack:
    """Hears each term and phrase once, with the words around it."""

    def __init__(self, prepare: PrepareWords, sound: SampleBuffer) -> None:
        self._in_sound = prepare
        self._sound = sound
        self._ready: dict[tuple[int, int], tuple[Prepared, float]] = {}
        self._words: list[Word] = []
        self._done = 0
        self._heard: list[HeardTerm] = []
        self._phrases: list[HeardPhrase] = []
        self._problem = ""
        self._version = ""

    @property
    def heard(self) -> tuple[HeardTerm, ...]:
        """What was heard so far, word indices and times counted from the answer's start."""
        return tuple(self._heard)

    @property
    def phrases(self) -> tuple[HeardPhrase, ...]:
        """The key phrases found in the sound so far, times counted from the answer's start."""
        return tuple(self._phrases)

    @property
    def problem(self) -> str:
        """Why there is nothing heard; empty if something was, or no term was said."""
        return "" if self._heard else self._problem

    def added_to(self, evidence: Evidence) -> Evidence:
        """The evidence of the same answer, with what was heard."""
        return evidence.model_copy(
            update={
                "heard": self.heard,
                "heard_phrases": self.phrases,
                "hearing_problem": self.problem or None,
                "hearing_version": self._version or None,
            }
        )

    def add(self, words: Sequence[Word]) -> None:
        """Take the next words of the answer, with their times."""
        self._words.extend(words)

    def is_due(self, *, is_over: bool) -> bool:
        """Whether there are words to hear now."""
        new = len(self._words) - self._done
        return new > 0 if is_over else new >= BATCH_WORDS + LONGEST_TERM_WORDS

    def run(self, *, is_over: bool) -> None:
        """Hear the terms that are complete.

        Raises:
            PronunciationError: a reading of the lexicon is broken.
        """
        for first, end, until in self._stretches(is_over=is_over):
            self._hear_stretch(first, end, until)
            self._done = until

    def perhaps(self) -> frozenset[str]:
        """The key phrases that may yet be found, where no more words come."""
        for first, end, _ in self._stretches(is_over=True):
            self._ready[first, end] = self._prepare((first, end))
        return frozenset().union(*(each.perhaps() for each, _ in self._ready.values()))

    def _stretches(self, *, is_over: bool) -> Iterator[tuple[int, int, int]]:
        """First word, the one behind the last, and up to which one it is heard then."""
        done = self._done
        while done < len(self._words):
            end = self._break_after(done)
            complete = is_over or end < len(self._words)
            until = end if complete else end - LONGEST_TERM_WORDS + 1
            if until <= done:
                return
            yield max(self._break_before(done), done - CONTEXT_WORDS), end, until
            done = until

    def _prepare(self, words_at: tuple[int, int]) -> tuple[Prepared, float]:
        """The words from one to before another in their sound, and where it starts."""
        first, end = words_at
        words = self._words[first:end]
        from_s, to_s = _start_s(words[0]) - MARGIN_S, _end_s(words[-1]) + MARGIN_S
        if first:
            from_s = max(from_s, (_end_s(self._words[first - 1]) + _start_s(words[0])) / 2)
        if end < len(self._words):
            to_s = min(to_s, (_end_s(words[-1]) + _start_s(self._words[end])) / 2)
        clip, offset_s = self._sound.cut(from_s, to_s)
        local = [_moved(word, -offset_s, clip.duration_s) for word in words]
        return self._in_sound(clip, local), offset_s

    def _hear_stretch(self, first: int, end: int, until: int) -> None:
        """Hear the words from ``first`` to ``end``, keep what is from ``_done`` to ``until``."""
        is_ready = (first, end) in self._ready
        ready, offset_s = (self._ready.pop if is_ready else self._prepare)((first, end))
        found = ready.hear()
        self._problem = self._problem or found.problem
        self._version = found.version
        taken = self._heard[-1].word_index + self._heard[-1].word_count if self._heard else 0
        for term in sorted(found.terms, key=lambda each: each.word_index):
            index = first + term.word_index
            if max(self._done, taken) <= index < until:
                place = {"word_index": index} | _times(term, offset_s)
                self._heard.append(term.model_copy(update=place))
        begin_s = _start_s(self._words[self._done]) if self._done else 0.0
        for phrase in found.phrases:
            times = _times(phrase, offset_s)
            middle_s = (times["start_s"] + times["end_s"]) / 2
            if begin_s <= middle_s and (
                until == len(self._words) or middle_s < _start_s(self._words[until])
            ):
                self._phrases.append(phrase.model_copy(update=times))

    def _break_after(self, index: int) -> int:
        """The first word after ``index`` that follows a long silence, or the number of words."""
        for at in range(index + 1, len(self._words)):
            if _start_s(self._words[at]) - _end_s(self._words[at - 1]) > BREAK_S:
                return at
        return len(self._words)

    def _break_before(self, index: int) -> int:
        """The last word up to ``index`` that follows a long silence; no further than needed."""
        for at in range(index, max(0, index - CONTEXT_WORDS), -1):
            if _start_s(self._words[at]) - _end_s(self._words[at - 1]) > BREAK_S:
                return at
        return max(0, index - CONTEXT_WORDS)


def _times(heard: HeardTerm | HeardPhrase, offset_s: float) -> dict[str, float]:
    return {
        "start_s": max(0.0, heard.start_s + offset_s),
        "end_s": max(0.0, heard.end_s + offset_s),
    }


def _start_s(word: Word) -> float:
    return word.start_s or 0.0


def _end_s(word: Word) -> float:
    return word.end_s or 0.0


def _moved(word: Word, by_s: float, duration_s: float) -> Word:
    start_s = min(max(0.0, _start_s(word) + by_s), duration_s)
    end_s = min(max(start_s, _end_s(word) + by_s), duration_s)
    return word.model_copy(update={"start_s": start_s, "end_s": end_s})
