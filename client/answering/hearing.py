"""What the sound of an answer tells beyond its transcript: the evidence that is sent with it.

How the terms were said, and which key phrases were said where the transcriber wrote something
else. ``AnswerHearing`` judges a stretch of an answer, ``TermTrack`` takes an answer through it
piece by piece, so that nothing is lost where pieces meet.
"""

from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from client.answering.pieces import Sound
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.errors import HearingError
from pronunciation.hearing import HEARING_VERSION, Heard, Hearing
from pronunciation.hearing.habits import habits, is_habit
from pronunciation.hearing.layout import Phones, bare_phones, lay_out
from pronunciation.hearing.phrases import (
    Floats,
    Found,
    Wanted,
    Written,
    candidates,
    likeliest,
    phrase_model,
)
from pronunciation.hearing.respelled import Sounding, find_terms, in_both_numbers, sounds_like
from pronunciation.hearing.results import Target
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

SURE_FROM: Final = 0.6
"""Probability that a term was said where something else was written, from which it may be called
mispronounced. From there on 92 % of the terms found in answers with accents had been said."""

BREAK_S: Final = 3.0
"""Nobody says a term over a silence as long as this: words on either side are heard apart."""

MARGIN_S: Final = 0.5
"""Sound kept on either side of the words: word times are off by some tenths of a second."""


@dataclass(frozen=True)
class _Asked:
    """What to listen for: a question's key phrases and the terms of the lexicon.

    ``wanted``: how the phrases, and after them the terms that the question is about, may be said.
    ``soundings``: these terms, and after them all others of the lexicon.
    """

    phrases: tuple[str, ...]
    wanted: tuple[Wanted, ...]
    soundings: tuple[Sounding, ...]

    @property
    def names(self) -> frozenset[str]:
        """The terms that the question is about, to be looked up."""
        return frozenset(each.term for each in self.soundings if each.expected)


class AnswerHearing:
    """Judges how the lexicon's terms were said in answers; keep one for many.

    Args:
        lexicon: the terms.
        ordinary: gives the words (lower case) that people in the field say anyway.
    """

    def __init__(self, lexicon: Lexicon, ordinary: Callable[[], Container[str]]) -> None:
        self._lexicon = lexicon
        self._load_ordinary = ordinary
        self.asked = lru_cache(maxsize=8)(self._ask)

    def __call__(
        self, clip: Clip, transcribed: Sequence[Word], question: Question | None = None
    ) -> HeardStretch:
        """How each lexicon term was said, and the question's phrases that were not written.

        Args:
            clip: the answer, or a stretch of it.
            transcribed: its words with their times.
            question: what was asked, if it is known: the terms it is about are expected.
        """
        parts = self.spotter.take_apart([word.text for word in transcribed])
        words = parts.words
        # A part of a compound has the compound's times; they need not be exact.
        wholes = [transcribed[index] for index in parts.whole]
        known = [
            (word.start_s, word.end_s)
            for word in wholes
            if word.start_s is not None and word.end_s is not None
        ]
        times = known if len(known) == len(words) else None
        asked = self.asked(question)
        spots = self.spotter.spot(words)
        phrases: list[Found] = []
        heard: list[Heard] = []
        problem = ""
        try:
            scores = self._hearing.frame_scores(clip, has_times=times is not None)
            layout = lay_out(words, [spot.target for spot in spots])
            confidences = [word.confidence for word in wholes]
            written = Written.align(scores, layout, times, confidences)
            phrases, named = self._find(scores, written, words, asked)
            spots = self._with_terms(spots, named, words, asked)
            targets = [with_own_reading(spot) for spot in spots]
            aligned = written.layout, written.chain, written.states
            heard = self._hearing.hear(clip, words, targets, times, scores, aligned)
            heard = _without_accent(heard, targets, scores, written)
        except HearingError as error:
            problem = str(error) if spots else ""
        # A word that only sounds like a term counts where the sound says so, and only then.
        places = [parts.place(spot.target.word_index, spot.target.n_words) for spot in spots]
        terms = tuple(
            HeardTerm(
                term=each.term,
                word_index=index,
                word_count=count,
                verdict="unclear"
                if spot.doubtful and each.verdict == "mispronounced"
                else each.verdict,
                phones=each.phones,
                confidence=each.confidence,
                start_s=each.start_s,
                end_s=each.end_s,
                fault=each.fault,
            )
            for spot, (index, count), each in zip(spots, places, heard, strict=False)
            if spot.own is None or each.verdict == "mispronounced"
        )
        heard_phrases = tuple(
            HeardPhrase(
                phrase=asked.phrases[each.index],
                start_s=each.start_s,
                end_s=each.end_s,
                confidence=each.confidence,
            )
            for each in phrases
        )
        return HeardStretch(terms, heard_phrases, problem)

    def _find(
        self, scores: Floats, written: Written, words: Sequence[str], asked: _Asked
    ) -> tuple[list[Found], list[Found]]:
        """The phrases and the terms that were said where the transcript has something else."""
        first = len(asked.phrases)
        near = sounds_like(written, words, asked.soundings, self.ordinary, first)
        model = phrase_model()
        places = list(candidates(scores, written, asked.wanted, model.said_as, near))
        of_phrases = ((model.probability(each), each) for each in places if each.index < first)
        phrases = likeliest(of_phrases, written, model.found_from)
        of_terms = [each for each in places if each.index >= first]
        soundings, ordinary = asked.soundings, self.ordinary
        return phrases, find_terms(of_terms, written, words, soundings, ordinary, first)

    def _with_terms(
        self, spots: Sequence[Spot], found: Sequence[Found], words: Sequence[str], asked: _Asked
    ) -> list[Spot]:
        """What the text names, what was found in the sound, and what only sounds like a term."""
        all_spots = [*spots]
        taken = {place for spot in spots for place in spot.target.places}
        for each in sorted(found, key=lambda found: -found.confidence):
            places = range(each.word_index, each.word_index + each.n_words)
            if places and taken.isdisjoint(places):
                taken.update(places)
                name = asked.soundings[each.index - len(asked.phrases)].term
                target = self.spotter.target(name, places.start, len(places))
                all_spots.append(Spot(target, doubtful=each.confidence < SURE_FROM))
        all_spots += self.spotter.by_sound(words, taken, self.ordinary, asked.names)
        return sorted(all_spots, key=lambda spot: spot.target.word_index)

    def warm(self) -> None:
        """Load what takes a moment, so that the first answer does not wait for it."""
        self.spotter.spot(["RoCE"], self.ordinary)
        with suppress(HearingError):  # reported where there is something to hear
            self._hearing.model.scores(Clip(np.zeros(SAMPLE_RATE_HZ, np.float32)))

    def _ask(self, question: Question | None) -> _Asked:
        """What to listen for in answers to a question, or to one that is not known."""
        phrases = question.key_phrases if question else ()
        named = self.spotter.named(_text_of(question)) if question else frozenset[str]()
        expected = [
            Sounding(term, in_both_numbers(self.spotter.said(term)), True) for term in sorted(named)
        ]
        others = [
            Sounding(each.term, in_both_numbers(map(bare_phones, each.readings)), False)
            for each in self._lexicon
            if each.term not in named
        ]
        wanted = (
            *(Wanted(phrase_wordings(each, self.spotter)) for each in phrases),
            *(Wanted(self.spotter.said(each.term)) for each in expected),
        )
        return _Asked(tuple(each.phrase for each in phrases), wanted, (*expected, *others))

    @cached_property
    def ordinary(self) -> Container[str]:
        """Words (lower case) that people in the field say anyway."""
        return self._load_ordinary()

    @cached_property
    def _hearing(self) -> Hearing:
        return Hearing()

    @cached_property
    def spotter(self) -> TermSpotter:
        """Finds terms in transcripts."""
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

    @property
    def needs_from_s(self) -> float | None:
        """No sound before this time will be heard any more; ``None``: none of it will."""
        if not self._words:
            return None
        first = self._words[max(0, min(self._done, len(self._words) - 1) - CONTEXT_WORDS - 1)]
        return _start_s(first) - MARGIN_S

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


def _without_accent(
    heard: Sequence[Heard], targets: Sequence[Target], scores: Floats, written: Written
) -> list[Heard]:
    """What was heard, a mistake unclear where the speaker says all words so."""
    if not any(each.verdict == "mispronounced" for each in heard):
        return [*heard]
    speakers = habits(scores, written, phrase_model().said_as)
    return [
        replace(each, verdict="unclear")
        if each.verdict == "mispronounced" and is_habit(each.phones, target.readings, speakers)
        else each
        for each, target in zip(heard, targets, strict=True)
    ]


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
