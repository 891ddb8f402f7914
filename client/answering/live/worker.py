"""The work on one answer while it is spoken, step by step, all on one thread."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from client.answering.live.pace import CONTEXT_SPEECH_S, Pace
from client.answering.live.pieces import (
    PieceCutter,
    Sound,
    SpokenPiece,
    covered_s,
    segment_of,
    speech_s,
)
from client.answering.live.terms import HearWords, TermTrack
from client.transcription.base import SegmentedTranscriber, Transcriber, assemble, words_only
from client.transcription.gate import evidence_of, no_speech
from client.transcription.voice_activity import VoiceActivity
from pronunciation.errors import HearingError
from pronunciation.hearing import HEARING_VERSION
from server.contract import Evidence, HeardTerm, Transcript, Word

if TYPE_CHECKING:
    from client.answering.session import Outcome

__all__ = ["Caption", "Crew", "Worker"]


@dataclass(frozen=True)
class Caption:
    """What was said between two pauses.

    Attributes:
        text: as the engine wrote it.
        start_s: when its first word starts, in seconds from the start of the answer.
        end_s: when its last word ends.
    """

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Crew:
    """Who works on an answer.

    Attributes:
        load: gives the engine, loaded at the first call.
        engine_lock: held while the engine runs; engines serve one at a time.
        prepare_hearing: gives what hears the terms, made ready; ``None`` where nothing does.
        deliver: sends transcript and evidence, and stores them if told to. Called again with the
            same where it failed.
    """

    load: Callable[[], Transcriber]
    engine_lock: threading.Lock
    prepare_hearing: Callable[[], HearWords | None]
    deliver: Callable[[Transcript, Evidence, bool], "Outcome"]


class Worker:
    """Follows the voice, gives pieces to the engine and their words to the hearing.

    Args:
        crew: who does it; the engine is loaded here.
        show: takes each piece as it is transcribed.
        clock: gives seconds; what the engine costs is measured by it.
    """

    def __init__(
        self,
        crew: Crew,
        show: Callable[[Caption], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._crew = crew
        self._clock = clock
        self._show = show
        self._sound = Sound()
        self._voice = VoiceActivity()
        self._transcriber = crew.load()
        self._hear = crew.prepare_hearing()
        self._terms: TermTrack | None = None
        self._limit_s = float("inf")
        if isinstance(self._transcriber, SegmentedTranscriber):
            self._limit_s = self._transcriber.max_segment_s
            if self._hear is not None:
                engine, model = self._transcriber.name, self._transcriber.model
                self._terms = TermTrack(self._hear, self._sound, engine=engine, model=model)
        self._cutter = PieceCutter(self._limit_s)
        self._pace = Pace(self._limit_s)
        self._pieces: list[SpokenPiece] = []
        self._short: list[SpokenPiece] = []
        self._short_words: tuple[Word, ...] = ()
        self._words: list[Word] = []
        self._is_over = False
        self._is_due = False
        self.is_done = False

    @property
    def has_work(self) -> bool:
        """Whether ``step`` has something to do without more sound."""
        return self._is_due or self._is_over or self._may_hear()

    def take(self, samples: npt.NDArray[np.float32], *, is_over: bool) -> None:
        """Follow the voice through the next sound, and cut it where pieces are complete."""
        self._sound.append(samples)
        self._voice.feed(samples)
        if is_over and not self._is_over:
            self._is_over = True
            self._voice.close()
        if isinstance(self._transcriber, SegmentedTranscriber):
            self._pieces += self._cutter.cut(self._voice, self._sound, is_over=self._is_over)
        self._is_due = self._asks_for_engine()

    def step(self) -> None:
        """Do one thing: words first, for they are waited for, then terms."""
        if self._is_due and isinstance(self._transcriber, SegmentedTranscriber):
            self._transcribe(self._transcriber)
            self._is_due = self._asks_for_engine()
        elif self._is_over and self._short:
            self._commit_short()
        elif self._terms is not None and self._may_hear():
            self._terms.run(is_over=self._is_over)
        else:
            self.is_done = self._is_over

    def result(self) -> tuple[Transcript, Evidence]:
        """Transcript and evidence of the whole answer.

        Raises:
            NoSpeech: nobody speaks in it, or no words could be made out.
            EngineError: an engine that works on whole recordings only failed.
        """
        if not self._voice.spans:
            raise no_speech(self._voice.level, is_empty=not self._sound.duration_s)
        if not isinstance(self._transcriber, SegmentedTranscriber):
            return self._whole(self._transcriber)
        transcript = assemble(
            self._words,
            engine=self._transcriber.name,
            model=self._transcriber.model,
            duration_s=self._sound.duration_s,
        )
        evidence = evidence_of(self._voice.spans)
        if self._terms is not None:
            problem, heard = self._terms.problem or None, self._terms.heard
            evidence = _with_heard(evidence, heard, problem)
        return transcript, evidence

    def _may_hear(self) -> bool:
        return self._terms is not None and self._terms.is_due(is_over=self._is_over)

    def _asks_for_engine(self) -> bool:
        if self._is_over:
            return bool(self._pieces)
        uncut = self._cutter.uncut(self._voice)
        waiting = _spans(self._pieces)
        return self._pace.is_due(
            waiting_s=speech_s(waiting),
            covered_s=covered_s([*_spans(self._short), *waiting, *uncut]),
            silence_s=self._voice.silence_s,
            phrase_s=self._phrase_s(),
        )

    def _phrase_s(self) -> float:
        start_s = self._voice.open_start_s
        return 0.0 if start_s is None else self._voice.heard_s - start_s

    def _transcribe(self, transcriber: SegmentedTranscriber) -> None:
        """Run the engine on as many pieces as one segment holds."""
        if self._short and covered_s(_spans([*self._short, self._pieces[0]])) > self._limit_s:
            self._commit_short()
        pieces = [*self._short, *self._pieces]
        count = len(self._short) + 1
        while count < len(pieces) and covered_s(_spans(pieces[: count + 1])) <= self._limit_s:
            count += 1
        chosen, self._pieces = pieces[:count], pieces[count:]
        segment, offset_s = segment_of(self._sound, chosen)
        with self._crew.engine_lock:
            began_s = self._clock()
            words = words_only(transcriber.transcribe_segment(segment, offset_s))
            self._pace.ran(segment.clip.duration_s, self._clock() - began_s)
        if speech_s(_spans(chosen)) < CONTEXT_SPEECH_S and not (self._pieces or self._is_over):
            self._short, self._short_words = chosen, words
        else:
            self._short = []
            self._commit(chosen, words)

    def _commit_short(self) -> None:
        self._commit(self._short, self._short_words)
        self._short = []

    def _commit(self, pieces: Sequence[SpokenPiece], words: Sequence[Word]) -> None:
        self._words += words
        if self._terms is not None:
            self._terms.add(words)
        for caption in _captions(pieces, words):
            self._show(caption)

    def _whole(self, transcriber: Transcriber) -> tuple[Transcript, Evidence]:
        """What an engine that knows no segments makes of the answer, once it is over."""
        clip = self._sound.clip
        with self._crew.engine_lock:
            transcript = transcriber.transcribe(clip)
        self._show(Caption(transcript.text, self._voice.spans[0][0], self._voice.spans[-1][1]))
        evidence = evidence_of(self._voice.spans)
        if self._hear is None:
            return transcript, evidence
        try:
            return transcript, _with_heard(evidence, self._hear(clip, transcript), None)
        except HearingError as error:
            return transcript, _with_heard(evidence, (), str(error))


def _with_heard(evidence: Evidence, heard: tuple[HeardTerm, ...], problem: str | None) -> Evidence:
    return evidence.model_copy(
        update={
            "heard": heard,
            "hearing_problem": problem,
            "hearing_version": HEARING_VERSION,
        }
    )


def _spans(pieces: Sequence[SpokenPiece]) -> list[tuple[float, float]]:
    return [span for piece in pieces for span in piece.spans]


def _captions(pieces: Sequence[SpokenPiece], words: Sequence[Word]) -> list[Caption]:
    """The words of each piece; one that the engine heard nothing in has no caption."""
    captions = []
    rest = list(words)
    for following in [*pieces[1:], None]:
        count = len(rest)
        if following is not None:
            border_s = following.before_s
            count = sum(1 for word in rest if _middle_s(word) < border_s)
        mine, rest = rest[:count], rest[count:]
        if mine:
            text = " ".join(word.text for word in mine)
            captions.append(Caption(text, mine[0].start_s or 0.0, mine[-1].end_s or 0.0))
    return captions


def _middle_s(word: Word) -> float:
    return ((word.start_s or 0.0) + (word.end_s or 0.0)) / 2
