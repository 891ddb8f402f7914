"""Evidence from the sound of an answer that its transcript lacks; sent with the answer.

How the terms were said, and which key phrases were said where the transcriber wrote something
else. ``AnswerHearing`` judges a stretch; ``term_track`` takes an answer through it, piece by piece.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial
from typing import Final

import numpy as np

from client.answer.term_track import HeardStretch, Prepare, Prepared
from client.core.own_lexicon import load_own_lexicon
from client.core.settings import ClientSettings
from client.engines.bank_vocabulary import BankVocabulary, bank_vocabulary
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, Decode, Passage
from pronunciation.errors import HearingError
from pronunciation.hearing import HEARING_VERSION, Heard, Hearing
from pronunciation.hearing.compounds import Parts
from pronunciation.hearing.hear import Speech
from pronunciation.hearing.layout import Phones, lay_out
from pronunciation.hearing.match import (
    ASKED_FROM,
    AlignedClip,
    Doubles,
    Match,
    asked_about,
    doubtful,
    find_phrases,
    phrase_model,
    phrase_odds,
    shares,
)
from pronunciation.hearing.places import (
    AlignedTranscript,
    Candidate,
    Floats,
    Query,
    candidates,
    habits,
)
from pronunciation.hearing.respelled import TermPlaces, find_terms, respelled_model, term_places
from pronunciation.hearing.results import Basis, Target
from pronunciation.hearing.sounding import (
    MIN_PHONES_UNEXPECTED,
    Sounding,
    in_both_numbers,
    one_for_each_sound,
    sounds_like,
)
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.phones import bare_phones
from pronunciation.terms import Lexicon, related
from pronunciation.written_terms import normal
from question_bank.loader import load_bank
from question_bank.models import KeyPhrase, Question
from server.contract import HeardPhrase, HeardTerm, Word

MIN_PHRASE_PHONES: Final = 6
"""Of a key phrase's wordings to be heard in the sound: of 61 phrases that nobody said in 15
answers, two were heard, as INT8 and Nsight, which have 5. With names of 4 and 5 phones too, 11 of
42 lost ones are found, and 3 of 438 that nobody said. A term also competes as a reading."""

SURE_FROM: Final = 0.6
"""Probability that a term was said where something else was written, from which it may be called
mispronounced. From there on 96 % of the terms found in answers with accents had been said."""


def no_decoder(_passages: Sequence[Passage]) -> None:
    """The decoder of an engine that has none."""


@dataclass(frozen=True)
class Keywords:
    """What to listen for: a question's key phrases and the terms of the lexicon.

    ``texts``: how the phrases are written, by how they may be said.
    ``wanted``: how the phrases, and after them the terms that the question is about, may be said.
    ``soundings``: these terms, and after them all others of the lexicon.
    ``said_by``: the phrases, by number, that a term alone says.
    """

    phrases: tuple[str, ...]
    texts: tuple[Mapping[Phones, str], ...]
    wanted: tuple[Query, ...]
    soundings: tuple[Sounding, ...]
    said_by: Mapping[str, tuple[int, ...]]

    @property
    def names(self) -> frozenset[str]:
        """The terms that the question is about, to be looked up."""
        return frozenset(each.term for each in self.soundings if each.expected)


@dataclass(frozen=True, eq=False)
class _Places:
    """Where phrases and terms may have been said; ``odds``: log odds of the phrases."""

    of_phrases: Sequence[Candidate]
    odds: Doubles
    of_terms: TermPlaces


@dataclass(frozen=True, eq=False)
class _Stretch:
    """A stretch of an answer, its words found in its sound, before the decoder is asked."""

    clip: Clip
    parts: Parts
    times: Sequence[tuple[float, float]] | None
    asked: Keywords
    spots: Sequence[Target]
    speech: Speech
    aligned: AlignedClip
    places: _Places


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
        self._is_warm = False

    def __call__(
        self,
        clip: Clip,
        transcribed: Sequence[Word],
        question: Question | None = None,
        decode: Decode = no_decoder,
    ) -> HeardStretch:
        """How each lexicon term was said, and the question's phrases that were not written.

        Args:
            clip: the answer, or a stretch of it.
            transcribed: its words with their times.
            question: what was asked, if it is known: the terms it is about are expected.
            decode: the decoder of the engine that transcribed it.
        """
        return self._prepared(clip, transcribed, question, decode).hear()

    def with_decoder(self, decode: Decode) -> Prepare:
        """What prepares stretches, and asks this decoder about them."""
        return partial(self._prepared, decode=decode)

    def _prepared(
        self, clip: Clip, transcribed: Sequence[Word], question: Question | None, decode: Decode
    ) -> Prepared:
        """Align a stretch and its words, which is most of the work; see ``__call__``."""
        texts = [word.text for word in transcribed]
        parts, asked = self.spotter.take_apart(texts), self.asked(question)
        words, of_parts = parts.words, [transcribed[index] for index in parts.whole]
        is_timed = all(word.start_s is not None and word.end_s is not None for word in of_parts)
        # a part of a compound has the compound's times, which may be rough
        known = [(word.start_s or 0.0, word.end_s or 0.0) for word in of_parts]
        times = known if is_timed else None
        spots = self.spotter.spot(words, expected=asked.names)
        try:
            speech = self._hearing.speech(clip, has_times=times is not None)
            written = AlignedTranscript.align(
                speech.scores,
                lay_out(words, spots),
                speech.times(times),
                [word.confidence for word in of_parts],
            )
            places = self._places(speech.scores, written, words, asked)
        except HearingError as error:
            nothing = HeardStretch(problem=str(error) if spots else "", version=HEARING_VERSION)
            return Prepared(lambda: nothing)
        aligned = AlignedClip(speech.clip, written, texts, words, parts.whole)
        given = _Stretch(clip, parts, times, asked, spots, speech, aligned, places)
        return Prepared(partial(self._heard, given, decode), partial(self._perhaps, places, asked))

    def _heard(self, given: _Stretch, decode: Decode) -> HeardStretch:
        clip, parts, asked, speech = given.clip, given.parts, given.asked, given.speech
        words, written, spots = parts.words, given.aligned.written, given.spots
        phrases: list[Match] = []
        heard: list[Heard] = []
        problem = ""
        try:
            phrases, named = self._find(given.places, given.aligned, asked, decode)
            phrases += self._named_by_terms(named, phrases, asked)
            phrases = [
                replace(each, start_s=start_s, end_s=end_s)
                for each in phrases
                for start_s, end_s in (speech.in_clip(clip, each.start_s, each.end_s),)
            ]
            spots = self._with_terms(spots, named, written, words, asked)
            aligned = written.layout, written.chain, written.states
            speaker = cache(lambda: habits(speech.scores, written, phrase_model().said_as))
            heard = self._hearing.hear(clip, words, spots, given.times, speech, aligned, speaker)
        except HearingError as error:
            problem = str(error) if spots else ""
        places = [parts.place(spot.word_index, spot.n_words) for spot in spots]
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
                fault=each.fault,
            )
            for (index, count), each in zip(places, heard, strict=False)
            if each.is_said
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
        return HeardStretch(terms, heard_phrases, problem, HEARING_VERSION)

    def _perhaps(self, places: _Places, asked: Keywords) -> frozenset[str]:
        """The key phrases that may be found, whatever a decoder says."""
        found = {
            place.index
            for place, share in zip(places.of_phrases, shares(places.odds), strict=True)
            if share >= ASKED_FROM
        }
        for (place, _), share in zip(
            places.of_terms.places, shares(places.of_terms.odds), strict=True
        ):
            if share >= ASKED_FROM:
                found.update(asked.said_by.get(self._name_at(place.index, asked), ()))
        return frozenset(asked.phrases[at] for at in found)

    def _find(
        self, places: _Places, stretch: AlignedClip, asked: Keywords, decode: Decode
    ) -> tuple[list[Match], list[Match]]:
        """The phrases and the terms that were said where the transcript has something else."""
        written = stretch.written
        of_phrases, odds, of_terms = places.of_phrases, places.odds, places.of_terms
        unsure_phrases = doubtful(odds)
        unsure_terms = of_terms.doubtful(stretch.clip.duration_s)
        # the decoder is asked once about all that is in doubt
        phrases = [of_phrases[at] for at in unsure_phrases]
        decoded = asked_about(
            [
                *(stretch.passage(each, asked.texts[each.index][each.wording]) for each in phrases),
                *(
                    stretch.passage(of_terms.places[at][0], of_terms.name(at), is_prompted=True)
                    for at in unsure_terms
                ),
            ],
            decode,
        )
        of_phrase = dict(zip(unsure_phrases, decoded, strict=False))
        of_term = dict(zip(unsure_terms, decoded[len(phrases) :], strict=False))
        return (
            find_phrases(of_phrases, odds, written, of_phrase),
            find_terms(of_terms, written, of_term),
        )

    def _places(
        self, scores: Floats, written: AlignedTranscript, words: Sequence[str], asked: Keywords
    ) -> _Places:
        """Where phrases and terms may have been said, by the sound."""
        first = len(asked.phrases)
        misspellings = respelled_model().misspellings
        near = sounds_like(written, words, asked.soundings, self.ordinary, misspellings, first)
        model = phrase_model()
        places = list(candidates(scores, written, asked.wanted, model.said_as, near))
        of_phrases = [each for each in places if each.index < first]
        odds = phrase_odds(of_phrases)
        spelled_out = _spelled_out(words, asked)
        free = [
            each
            for each in places
            if each.index >= first and not any({*each.words} <= span for span in spelled_out)
        ]
        of_terms = term_places(free, written, words, asked.soundings, self.ordinary, first)
        return _Places(of_phrases, odds, of_terms)

    def _named_by_terms(
        self, terms: Sequence[Match], phrases: Sequence[Match], asked: Keywords
    ) -> list[Match]:
        """The phrases that a surely found term says, and that were not found themselves."""
        known = {each.index for each in phrases}
        return [
            replace(each, index=phrase)
            for each in terms
            if each.confidence >= SURE_FROM and each.n_words
            for phrase in asked.said_by.get(self._name_at(each.index, asked), ())
            if phrase not in known
        ]

    def _name_at(self, index: int, asked: Keywords) -> str:
        name = asked.soundings[index - len(asked.phrases)].term
        return self.spotter.by_its_sound(name)

    def _with_terms(
        self,
        spots: Sequence[Target],
        found: Sequence[Match],
        written: AlignedTranscript,
        words: Sequence[str],
        asked: Keywords,
    ) -> list[Target]:
        """What the text names, what was found in the sound, and what only sounds like a term."""
        targets = []
        taken: set[int] = set()
        for each in found:
            places = range(each.word_index, each.word_index + each.n_words)
            if places:
                taken.update(places)
                name = asked.soundings[each.index - len(asked.phrases)].term
                target = self.spotter.target(name, places.start, len(places))
                basis: Basis = "found" if each.confidence >= SURE_FROM else "doubtful"
                own = "" if each.is_decoded else self._own_reading(places, written, words)
                targets.append(replace(target, basis=basis, own=own))
        # what was found may have a named term as a part, and stands for it
        named = [spot for spot in spots if taken.isdisjoint(spot.places)]
        targets += named
        taken.update(place for spot in named for place in spot.places)
        targets += self.spotter.by_sound(words, taken, self.ordinary, asked.names)
        return sorted(targets, key=lambda target: target.word_index)

    def _own_reading(self, places: range, written: AlignedTranscript, words: Sequence[str]) -> str:
        """How words that people say anyway are said; empty if there are others among them.

        Without a decoder, "every switch" and NVSwitch are told apart by this alone.
        """
        if not all(normal(words[at]) in self.ordinary for at in places):
            return ""
        units = zip(written.layout.word_index, written.layout.phones, strict=True)
        return " ".join(phone for at, phones in units if at in places for phone in phones)

    def warm(self) -> None:
        """Load what takes a moment, so that the first answer does not wait for it."""
        if self._is_warm:
            return
        self.spotter.spot(["RoCE"], self.ordinary)
        with suppress(HearingError):  # reported where there is something to hear
            self._hearing.model.scores(Clip(np.zeros(SAMPLE_RATE_HZ, np.float32)))
            self._is_warm = True

    def _ask(self, question: Question | None) -> Keywords:
        """What to listen for in answers to a question, or to one that is not known."""
        phrases = question.key_phrases if question else ()
        named = self.spotter.named(question.full_text) if question else frozenset[str]()
        return self.asked_about(phrases, named, related(named))

    def asked_about(
        self, phrases: Sequence[KeyPhrase], named: Container[str], beside: Mapping[str, float]
    ) -> Keywords:
        """What to listen for in answers to a question.

        Args:
            phrases: its key phrases.
            named: the terms that it is about.
            beside: how much other terms are related to it, see ``terms_together``.
        """
        expected = [
            Sounding(each.term, in_both_numbers(self.spotter.said(each.term)), True)
            for each in sorted(self._lexicon, key=lambda each: each.term)
            if each.term in named
        ]
        others = [
            Sounding(each.term, self._taught[each.term], False, beside.get(each.term, 0.0))
            for each in self._lexicon
            if each.term not in named
        ]
        soundings = one_for_each_sound([*expected, *others])
        texts = tuple(phrase_wordings(each, self.spotter) for each in phrases)
        wanted = (
            *(Query(tuple(each)) for each in texts),
            *(Query(self.spotter.said(each.term)) for each in expected),
        )
        said_by: dict[str, tuple[int, ...]] = {}
        for at, phrase in enumerate(phrases):
            for term in {*map(self.spotter.sole_term, phrase_texts(phrase))} - {None}:
                assert term is not None
                said_by[term] = (*said_by.get(term, ()), at)
        names = tuple(each.phrase for each in phrases)
        return Keywords(names, texts, wanted, tuple(soundings), said_by)

    @cached_property
    def _taught(self) -> dict[str, tuple[Phones, ...]]:
        """How the terms are taught, by name; made once, because every question has them."""
        return {
            each.term: in_both_numbers(
                phones
                for phones in map(bare_phones, each.readings)
                if len(phones) >= MIN_PHONES_UNEXPECTED
            )
            for each in self._lexicon
        }

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


def _spelled_out(words: Sequence[str], asked: Keywords) -> list[frozenset[int]]:
    """The places where the words are a key phrase, so that no misheard term is there.

    "context parallelism" is not tensor parallelism where the question waits for the former.
    """
    bare = [normal(word) for word in words]
    named = {text for texts in asked.texts for text in texts.values()}
    phrases = {tuple(map(normal, text.split())) for text in named}
    return [
        frozenset(range(at, at + len(phrase)))
        for phrase in phrases
        if len(phrase) > 1
        for at in range(len(bare) - len(phrase) + 1)
        if tuple(bare[at : at + len(phrase)]) == phrase
    ]


def phrase_wordings(phrase: KeyPhrase, spotter: TermSpotter) -> dict[Phones, str]:
    """How a key phrase may be said, and how it is written then."""
    wordings: dict[Phones, str] = {}
    for text in phrase_texts(phrase):
        for phones in spotter.said(text):
            if len(phones) >= MIN_PHRASE_PHONES:
                wordings.setdefault(phones, text)
    return wordings


def phrase_texts(phrase: KeyPhrase) -> tuple[str, ...]:
    """How a key phrase is written; text in parentheses may be left out."""
    return tuple(each.split(" (")[0] for each in (phrase.phrase, *phrase.aliases, *phrase.any_of))


def load_hearing(settings: ClientSettings) -> AnswerHearing:
    """What hears how the lexicon's terms were said; its model loads at the first answer.

    Raises:
        LexiconError: a lexicon of the settings is not valid.
    """

    def ordinary() -> frozenset[str]:
        return frozenset(word.casefold() for word in vocabulary(settings).words)

    return AnswerHearing(load_own_lexicon(settings), ordinary)


@cache
def vocabulary(settings: ClientSettings) -> BankVocabulary:
    """What the whole bank talks about, never one question; engine and hearing both need it.

    Raises:
        BankError, LexiconError: a file of the settings is not valid.
    """
    return bank_vocabulary(
        load_bank(settings.banks, settings.cache, stories=settings.stories),
        load_lexicon(settings.lexicon, settings.cache),
    )
