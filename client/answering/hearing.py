"""What the sound of an answer tells beyond its transcript: the evidence that is sent with it.

How the terms were said, and which key phrases were said where the transcriber wrote something
else. ``AnswerHearing`` judges a stretch of an answer, ``TermTrack`` takes an answer through it
piece by piece, so that nothing is lost where pieces meet.
"""

from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from client.answering.pieces import Sound
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.errors import HearingError
from pronunciation.hearing import HEARING_VERSION, Heard, Hearing
from pronunciation.hearing.layout import Phones, lay_out
from pronunciation.hearing.phrases import Found, Wanted, Written, find_phrases
from pronunciation.hearing.spotting import Spot, TermSpotter, with_own_reading
from pronunciation.terms import Lexicon
from question_bank.models import KeyPhrase, Question
from server.contract import Evidence, HeardPhrase, HeardTerm, Word


@dataclass(frozen=True)
class HeardStretch:
    """What was heard in a stretch of an answer; times and word indices count from its start.

    ``problem``: why its terms could not be judged; empty where they were, or none was said.
    """

    terms: tuple[HeardTerm, ...] = ()
    phrases: tuple[HeardPhrase, ...] = ()
    problem: str = ""


Hear = Callable[[Clip, Sequence[Word], Question | None], HeardStretch]
"""Hears a stretch of an answer to a question, where it is known."""

HearWords = Callable[[Clip, Sequence[Word]], HeardStretch]
"""The same for answers to one question."""

CONTEXT_WORDS: Final = 4
"""Words before a term that are heard with it: two are scored with it (``hearing.hear``)."""

LONGEST_TERM_WORDS: Final = 6
"""A term may go on into the next piece: the last words wait for what follows. The built-in
lexicon's longest names have 6 ("gpu direct r d m a")."""

BATCH_WORDS: Final = 8
"""So many new words are heard at once: each time costs ``CONTEXT_WORDS`` more."""

MIN_PHRASE_PHONES: Final = 6
"""Of a key phrase's wordings to be heard in the sound: of 61 phrases that nobody said in 15
answers, two were heard, as INT8 and Nsight, which have 5. A term also competes as a reading."""

BREAK_S: Final = 3.0
"""Nobody says a term over a silence as long as this: words on either side are heard apart."""

MARGIN_S: Final = 0.5
"""Sound kept on either side of the words: word times are off by some tenths of a second."""


@dataclass(frozen=True)
class _Asked:
    """What a question is about: its key phrases and the lexicon terms it names.

    ``wanted``: how the phrases, and after them the terms, may be said.
    """

    phrases: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    wanted: tuple[Wanted, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The terms, to be looked up."""
        return frozenset(self.terms)


_NOTHING_ASKED: Final = _Asked()


class AnswerHearing:
    """Judges how the lexicon's terms were said in answers; keep one for many.

    Args:
        lexicon: the terms.
        ordinary: gives the words (lower case) that people in the field say anyway.
    """

    def __init__(self, lexicon: Lexicon, ordinary: Callable[[], Container[str]]) -> None:
        self._lexicon = lexicon
        self._load_ordinary = ordinary
        self._asked = lru_cache(maxsize=8)(self._ask)

    def __call__(
        self, clip: Clip, transcribed: Sequence[Word], question: Question | None = None
    ) -> HeardStretch:
        """How each lexicon term was said, and the question's phrases that were not written.

        Args:
            clip: the answer, or a stretch of it.
            transcribed: its words with their times.
            question: what was asked, if it is known: the terms it is about are expected.
        """
        parts = self._spotter.take_apart([word.text for word in transcribed])
        words = parts.words
        # A part of a compound has the compound's times; they need not be exact.
        wholes = [transcribed[index] for index in parts.whole]
        known = [
            (word.start_s, word.end_s)
            for word in wholes
            if word.start_s is not None and word.end_s is not None
        ]
        times = known if len(known) == len(words) else None
        asked = self._asked(question) if question else _NOTHING_ASKED
        spots = self._spotter.spot(words, self._ordinary, asked.names)
        if not (spots or asked.wanted):
            return HeardStretch()
        found: list[Found] = []
        heard: list[Heard] = []
        problem = ""
        try:
            scores = self._hearing.frame_scores(clip, has_times=times is not None)
            layout = lay_out(words, [spot.target for spot in spots if spot.own is None])
            confidences = [word.confidence for word in wholes]
            written = Written.align(scores, layout, times, confidences)
            found = find_phrases(scores, written, asked.wanted)
            spots += self._terms_among(found, spots, asked)
            targets = [with_own_reading(spot) for spot in spots]
            heard = self._hearing.hear(clip, words, targets, times, scores)
        except HearingError as error:
            problem = str(error) if spots else ""
        # A word that only sounds like a term counts where the sound says so, and only then.
        places = [parts.place(spot.target.word_index, spot.target.n_words) for spot in spots]
        terms = tuple(
            HeardTerm(
                term=each.term,
                word_index=index,
                word_count=count,
                verdict=each.verdict,
                phones=each.phones,
                confidence=each.confidence,
                start_s=each.start_s,
                end_s=each.end_s,
            )
            for spot, (index, count), each in zip(spots, places, heard, strict=False)
            if spot.own is None or each.verdict == "mispronounced"
        )
        phrases = tuple(
            HeardPhrase(
                phrase=asked.phrases[each.index],
                start_s=each.start_s,
                end_s=each.end_s,
                confidence=each.confidence,
            )
            for each in found
            if each.index < len(asked.phrases)
        )
        return HeardStretch(terms, phrases, problem)

    def _terms_among(
        self, found: Sequence[Found], spots: Sequence[Spot], asked: "_Asked"
    ) -> list[Spot]:
        """Places of the terms that were found in the sound, where no other was written."""
        taken = {
            place
            for spot in spots
            for place in range(spot.target.word_index, spot.target.word_index + spot.target.n_words)
        }
        new: list[Spot] = []
        for each in sorted(found, key=lambda found: -found.confidence):
            places = range(each.word_index, each.word_index + each.n_words)
            if each.index >= len(asked.phrases) and places and taken.isdisjoint(places):
                taken.update(places)
                name = asked.terms[each.index - len(asked.phrases)]
                new.append(Spot(self._spotter.target(name, places.start, len(places))))
        return new

    def warm(self) -> None:
        """Load what takes a moment, so that the first answer does not wait for it."""
        self._spotter.spot(["RoCE"], self._ordinary)
        with suppress(HearingError):  # reported where there is something to hear
            self._hearing.model.scores(Clip(np.zeros(SAMPLE_RATE_HZ, np.float32)))

    def _ask(self, question: Question) -> "_Asked":
        """A question made ready for listening."""
        terms = tuple(sorted(self._spotter.named(_text_of(question))))
        wanted = (
            *(Wanted(phrase_wordings(each, self._spotter)) for each in question.key_phrases),
            *(Wanted(self._spotter.said(term)) for term in terms),
        )
        return _Asked(tuple(each.phrase for each in question.key_phrases), terms, wanted)

    @cached_property
    def _ordinary(self) -> Container[str]:
        return self._load_ordinary()

    @cached_property
    def _hearing(self) -> Hearing:
        return Hearing()

    @cached_property
    def _spotter(self) -> TermSpotter:
        return TermSpotter(self._lexicon)


class TermTrack:
    """Hears each term and phrase once, with the words around it.

    Args:
        hear: hears a stretch.
        sound: the answer so far.
    """

    def __init__(self, hear: HearWords, sound: Sound) -> None:
        self._hear = hear
        self._sound = sound
        self._words: list[Word] = []
        self._done = 0
        self._heard: list[HeardTerm] = []
        self._phrases: list[HeardPhrase] = []
        self._problem = ""

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
        """Why there is nothing heard; empty where something was, or no term was said."""
        return "" if self._heard else self._problem

    def added_to(self, evidence: Evidence) -> Evidence:
        """The evidence of the same answer, with what was heard."""
        return evidence.model_copy(
            update={
                "heard": self.heard,
                "heard_phrases": self.phrases,
                "hearing_problem": self.problem or None,
                "hearing_version": HEARING_VERSION,
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
        while self._done < len(self._words):
            end = self._break_after(self._done)
            complete = is_over or end < len(self._words)
            until = end if complete else end - LONGEST_TERM_WORDS + 1
            if until <= self._done:
                return
            first = self._break_before(self._done)
            self._hear_stretch(max(first, self._done - CONTEXT_WORDS), end, until)
            self._done = until

    def _hear_stretch(self, first: int, end: int, until: int) -> None:
        """Hear the words from ``first`` to ``end``, keep what is from ``_done`` to ``until``."""
        words = self._words[first:end]
        from_s, to_s = _start_s(words[0]) - MARGIN_S, _end_s(words[-1]) + MARGIN_S
        if first:
            from_s = max(from_s, (_end_s(self._words[first - 1]) + _start_s(words[0])) / 2)
        if end < len(self._words):
            to_s = min(to_s, (_end_s(words[-1]) + _start_s(self._words[end])) / 2)
        clip, offset_s = self._sound.cut(from_s, to_s)
        local = [_moved(word, -offset_s, clip.duration_s) for word in words]
        found = self._hear(clip, local)
        self._problem = self._problem or found.problem
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


def phrase_wordings(phrase: KeyPhrase, spotter: TermSpotter) -> tuple[Phones, ...]:
    """How a key phrase may be said; what stands in parentheses may be left out."""
    names = (phrase.phrase, *phrase.aliases, *phrase.any_of)
    texts = dict.fromkeys(name.split(" (")[0] for name in names)
    wordings = dict.fromkeys(said for text in texts for said in spotter.said(text))
    return tuple(phones for phones in wordings if len(phones) >= MIN_PHRASE_PHONES)


def _text_of(question: Question) -> str:
    names = [name for each in question.key_phrases for name in (each.phrase, *each.aliases)]
    return " , ".join([question.prompt, question.model_answer, *names])


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
