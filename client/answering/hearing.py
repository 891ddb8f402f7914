"""Hearing the terms of an answer: from clip and transcript to the evidence that is sent."""

from collections.abc import Callable, Container
from contextlib import suppress
from functools import cached_property

import numpy as np

from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.errors import HearingError
from pronunciation.hearing import Hearing
from pronunciation.hearing.spotting import TermSpotter, with_own_reading
from pronunciation.terms import Lexicon
from question_bank.models import Question
from server.contract import HeardTerm, Transcript

__all__ = ["AnswerHearing"]


class AnswerHearing:
    """Judges how the lexicon's terms were said in answers; keep one for many.

    Args:
        lexicon: the terms.
        ordinary: gives the words (lower case) that people in the field say anyway.
    """

    def __init__(self, lexicon: Lexicon, ordinary: Callable[[], Container[str]]) -> None:
        self._lexicon = lexicon
        self._load_ordinary = ordinary

    def __call__(
        self, clip: Clip, transcript: Transcript, question: Question | None = None
    ) -> tuple[HeardTerm, ...]:
        """How each lexicon term of the transcript was said.

        Args:
            clip: the answer.
            transcript: its words with their times.
            question: what was asked, if it is known: the terms it is about are expected.

        Raises:
            HearingError: the transcript does not fit the clip, or the clip cannot be judged.
        """
        parts = self._spotter.take_apart([word.text for word in transcript.words])
        words = parts.words
        # A part of a compound has the compound's times; they need not be exact.
        wholes = [transcript.words[index] for index in parts.whole]
        times = [(w.start_s, w.end_s) for w in wholes]
        expected = self._spotter.named(_text_of(question)) if question else frozenset()
        spots = self._spotter.spot(words, self._ordinary, expected)
        known = [(s, e) for s, e in times if s is not None and e is not None]
        heard = self._hearing.hear(
            clip,
            words,
            [with_own_reading(spot) for spot in spots],
            known if len(known) == len(words) else None,
        )
        # A word that only sounds like a term counts where the sound says so, and only then.
        places = [parts.place(spot.target.word_index, spot.target.n_words) for spot in spots]
        return tuple(
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
            for spot, (index, count), each in zip(spots, places, heard, strict=True)
            if spot.own is None or each.verdict == "mispronounced"
        )

    def warm(self) -> None:
        """Load what takes a moment, so that the first answer does not wait for it."""
        self._spotter.spot(["RoCE"], self._ordinary)
        with suppress(HearingError):  # it is said again where something is to be heard
            self._hearing.model.scores(Clip(np.zeros(SAMPLE_RATE_HZ, np.float32)))

    @cached_property
    def _ordinary(self) -> Container[str]:
        return self._load_ordinary()

    @cached_property
    def _hearing(self) -> Hearing:
        return Hearing()

    @cached_property
    def _spotter(self) -> TermSpotter:
        return TermSpotter(self._lexicon)


def _text_of(question: Question) -> str:
    names = [name for each in question.key_phrases for name in (each.phrase, *each.aliases)]
    return " , ".join([question.prompt, question.model_answer, *names])
