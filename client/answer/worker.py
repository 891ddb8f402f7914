"""The work on one answer, step by step, all on one thread, while it is spoken or on a whole file.

Sound → speech → pieces cut at pauses → words from the engine → terms heard in them.
"""

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

import numpy as np
import numpy.typing as npt

from client.answer.live import Caption, Draft, SampleBuffer
from client.answer.pieces import (
    CONTEXT_SPEECH_S,
    Pace,
    PieceCutter,
    SpokenPiece,
    count_that_fit,
    covered_s,
    segment_of,
    spans_of,
    speech_s,
)
from client.answer.term_track import PrepareWords, TermTrack
from client.audio.channels import OffsetRemover
from client.audio.files import SoundFile, blocks_of
from client.audio.sound_meter import SoundMeter, is_only_noise
from client.audio.voice_activity import VoiceActivity, no_speech
from client.engines.base import ProgressCallback, Transcriber, assemble, words_only
from pronunciation.clip import Clip
from server.contract import Evidence, Pause, SoundQuality, Stretch, Transcript, Word

_NOT_SHARED: Final = nullcontext()

SILENT_S: Final = 10.0
"""No term goes on over such a silence (``term_track.BREAK_S``): what is before it is heard."""

MIN_UNINTELLIGIBLE_S: Final = 3.0
"""Speech without words that is shorter may be a drawn-out "uhm", which Whisper leaves out."""


def ignore_caption(_caption: Caption) -> None:
    """Ignore it."""


class AnswerWorker:
    """Follows the voice, gives pieces to the engine and their words to the hearing.

    Args:
        transcriber: the engine, loaded.
        prepare: what hears the terms; ``None`` where nothing does.
        engine_lock: held while the engine runs, where it serves several answers.
        show: takes each piece as it is transcribed.
        clock: gives seconds; the engine's cost is measured by it.
    """

    def __init__(
        self,
        transcriber: Transcriber,
        prepare: PrepareWords | None = None,
        *,
        engine_lock: AbstractContextManager[object] = _NOT_SHARED,
        show: Callable[[Caption], None] = ignore_caption,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transcriber = transcriber
        self._engine_lock = engine_lock
        self._show = show
        self._clock = clock
        self._sound = SampleBuffer()
        self._voice = VoiceActivity()
        self._terms = None if prepare is None else TermTrack(prepare, self._sound)
        self._limit_s = transcriber.max_segment_s
        self._cutter = PieceCutter(self._limit_s)
        self._pace: Pace | None = Pace(self._limit_s)
        self._pieces: list[SpokenPiece] = []
        self._short: list[SpokenPiece] = []
        self._short_words: tuple[Word, ...] = ()
        self._words: list[Word] = []
        self._is_over = False
        self._meter = SoundMeter()
        self._offset = OffsetRemover()
        self._condition: SoundQuality | None = None
        self._is_due = False
        self.is_done = False

    @property
    def has_work(self) -> bool:
        """Whether ``step`` has something to do without more sound."""
        return self._is_due or self._is_over or self._may_hear()

    @property
    def has_all_words(self) -> bool:
        """Whether only terms are left to hear."""
        return self._is_over and not self._is_due and not self._short

    def draft(self) -> Draft:
        """The whole answer before its last terms are heard; raises what ``result`` raises."""
        perhaps = frozenset[str]() if self._terms is None else self._terms.perhaps()
        return Draft(*self.result(), perhaps)

    def take(self, samples: npt.NDArray[np.float32], *, is_over: bool) -> None:
        """Follow the voice through the next sound, and cut it where pieces are complete."""
        self._meter.feed(samples)
        samples = self._offset.feed(samples)
        self._sound.append(samples)
        self._voice.feed(samples)
        if is_over and not self._is_over:
            self._is_over = True
            self._voice.close()
        self._pieces += self._cutter.cut(self._voice, self._sound, is_over=self._is_over)
        self._is_due = self._asks_for_engine()

    def step(self) -> None:
        """Do one thing: words first, because somebody waits for them, then terms."""
        if self._is_due:
            self._transcribe()
            self._is_due = self._asks_for_engine()
        elif self._is_over and self._short:
            self._commit_short()
        elif self._terms is not None and self._may_hear():
            self._terms.run(is_over=self._is_complete())
        else:
            self.is_done = self._is_over

    def result(self) -> tuple[Transcript, Evidence]:
        """Transcript and evidence of the whole answer.

        Raises:
            NoSpeech: nobody speaks in it, or no words could be made out.
        """
        if not self._voice.spans:
            raise no_speech(self._voice.level, is_empty=not self._sound.duration_s)
        words = tuple(self._words)
        quality = self._meter.quality(self._voice.spans, self._condition)
        if not words and is_only_noise(quality):
            raise no_speech(self._voice.level, is_empty=False)
        transcript = assemble(
            words,
            engine=self._transcriber.name,
            model=self._transcriber.model,
            duration_s=self._sound.duration_s,
        )
        return transcript, self._evidence(words, quality)

    def _evidence(self, words: Sequence[Word], quality: SoundQuality) -> Evidence:
        evidence = evidence_of(self._voice.spans).model_copy(
            update={"unintelligible": unintelligible(self._voice.spans, words), "sound": quality}
        )
        return evidence if self._terms is None else self._terms.added_to(evidence)

    def _done_s(self) -> float:
        """How far the engine has come."""
        return self._pieces[0].start_s if self._pieces else self._voice.heard_s

    def _may_hear(self) -> bool:
        return self._terms is not None and self._terms.is_due(is_over=self._is_complete())

    def _is_complete(self) -> bool:
        """Whether no word can come that belongs to those that are there."""
        return self._is_over or (
            not self._pieces
            and not self._cutter.uncut(self._voice)
            and self._voice.silence_s > SILENT_S
        )

    def _asks_for_engine(self) -> bool:
        if self._is_over:
            return bool(self._pieces)
        waiting = spans_of(self._pieces)
        if self._pace is None:
            return covered_s(waiting) > self._limit_s
        uncut = self._cutter.uncut(self._voice)
        return self._pace.is_due(
            waiting_s=speech_s(waiting),
            covered_s=covered_s([*spans_of(self._short), *waiting, *uncut]),
            silence_s=self._voice.silence_s,
            phrase_s=self._phrase_s(),
        )

    def _phrase_s(self) -> float:
        start_s = self._voice.open_start_s
        return 0.0 if start_s is None else self._voice.heard_s - start_s

    def _transcribe(self) -> None:
        """Run the engine on as many pieces as one segment holds."""
        if self._short and covered_s(spans_of([*self._short, self._pieces[0]])) > self._limit_s:
            self._commit_short()
        pieces = [*self._short, *self._pieces]
        count = max(len(self._short) + 1, count_that_fit(pieces, self._limit_s))
        chosen, self._pieces = pieces[:count], pieces[count:]
        segment, offset_s = segment_of(self._sound, chosen)
        with self._engine_lock:
            began_s = self._clock()
            words = words_only(self._transcriber.transcribe_segment(segment, offset_s))
            if self._pace is not None:
                self._pace.ran(segment.clip.duration_s, self._clock() - began_s)
        is_short = self._pace is not None and speech_s(spans_of(chosen)) < CONTEXT_SPEECH_S
        if is_short and not (self._pieces or self._is_over):
            self._short, self._short_words = chosen, words
        else:
            self._short = []
            self._commit(chosen, words)

    def _commit_short(self) -> None:
        self._commit(self._short, self._short_words)
        self._short = []

    def _commit(self, pieces: Sequence[SpokenPiece], words: Sequence[Word]) -> None:
        self._words.extend(words)
        if self._terms is not None:
            self._terms.add(words)
        for caption in _captions(pieces, words):
            self._show(caption)


class RecordingWorker(AnswerWorker):
    """Works through a whole recording. Nobody waits for its first words, so segments are long."""

    def run(
        self,
        sound: Clip | SoundFile,
        on_progress: ProgressCallback | None = None,
        *,
        condition: SoundQuality | None = None,
    ) -> tuple[Transcript, Evidence]:
        """Work through a whole recording; a file is read as far as the work has come.

        Args:
            sound: the recording, a clip at any rate.
            on_progress: takes the share of the recording that is transcribed, 0 to 1.
            condition: of the file that the recording is a copy of, if it is one.

        Raises:
            NoSpeech: nobody speaks in it, or no words could be made out.
            EngineError: the engine failed.
        """
        self._cutter, self._pace = PieceCutter(self._limit_s, is_live=False), None
        self._condition = condition
        if condition is None and isinstance(sound, SoundFile):
            self._condition = sound.condition
        report = on_progress or _report_to_nobody
        report(0.0)
        for block in blocks_of(sound):
            self.take(block, is_over=False)
            while self._is_due:
                self.step()
                report(self._done_s() / max(sound.duration_s, self._sound.duration_s))
            if self._may_hear():
                self.step()
        self.take(np.empty(0, np.float32), is_over=True)
        while not self.is_done:
            self.step()
        report(1.0)
        return self.result()


def transcribe(
    transcriber: Transcriber, sound: Clip | SoundFile, on_progress: ProgressCallback | None = None
) -> Transcript:
    """What is said in a recording, nothing heard or graded; see ``RecordingWorker.run``."""
    return RecordingWorker(transcriber).run(sound, on_progress)[0]


def hear_words_again(
    prepare: PrepareWords, recording: Clip | SoundFile, words: Sequence[Word]
) -> TermTrack:
    """Hear how the terms were said, among words in order with known times."""
    sound = SampleBuffer()
    for block in blocks_of(recording):
        sound.append(block)
    track = TermTrack(prepare, sound)
    for word in words:
        track.add([word])
        if track.is_due(is_over=False):
            track.run(is_over=False)
    track.run(is_over=True)
    return track


def _report_to_nobody(_share: float) -> None:
    """Ignore it."""


def unintelligible(
    spans: Sequence[tuple[float, float]], words: Sequence[Word]
) -> tuple[Stretch, ...]:
    """Where somebody speaks for ``MIN_UNINTELLIGIBLE_S`` or longer without a word.

    The engines write no words for speech that they cannot make out: see
    ``whisper_words.believable``.

    Args:
        spans: the speech, (start_s, end_s) in order.
        words: in order, with their times.
    """
    found: list[Stretch] = []
    starts_s = np.array([word.start_s or 0.0 for word in words])
    ends_s = np.array([word.end_s or 0.0 for word in words])
    for start_s, end_s in spans:
        at_s = start_s
        inside = (ends_s > start_s) & (starts_s < end_s)
        times_s = zip(starts_s[inside].tolist(), ends_s[inside].tolist(), strict=True)
        for word_start_s, word_end_s in times_s:
            if word_end_s <= at_s:
                continue
            if word_start_s - at_s >= MIN_UNINTELLIGIBLE_S:
                found.append(Stretch(start_s=round(at_s, 3), end_s=round(word_start_s, 3)))
            at_s = max(at_s, word_end_s)
        if end_s - at_s >= MIN_UNINTELLIGIBLE_S:
            found.append(Stretch(start_s=round(at_s, 3), end_s=round(end_s, 3)))
    return tuple(found)


def evidence_of(spans: Sequence[tuple[float, float]]) -> Evidence:
    """When an answer starts and ends, and where it pauses.

    Args:
        spans: the speech in it, (start_s, end_s) in order; empty: no start, end or pauses.
    """
    if not spans:
        return Evidence(pauses=())
    pauses = tuple(
        Pause(start_s=round(end_s, 3), end_s=round(next_start_s, 3))
        for (_, end_s), (next_start_s, _) in itertools.pairwise(spans)
    )
    return Evidence(
        answer_start_s=round(spans[0][0], 3), answer_end_s=round(spans[-1][1], 3), pauses=pauses
    )


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
