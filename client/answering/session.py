"""Turns the sound of one answer into a graded and stored attempt.

Terminal and studio are thin over this module. Live or recorded, an answer takes the same path:
clip → speech segments → transcript → hearing → submission (→ judge) → backend → outcome.
"""

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from client.answering.hearing import AnswerHearing, Hear, HeardStretch
from client.answering.live_answer import LiveAnswer
from client.answering.recorded import RecordingWorker, hear_words_again
from client.answering.submission import Outcome
from client.answering.term_track import HearWords
from client.answering.worker import AnswerWorker, Caption, ignore_caption
from client.answering.written import WrittenSession
from client.audio.files import SoundFile
from client.backend.protocol import (
    SET_ASIDE,
    Backend,
    RejectedError,
    UnavailableError,
)
from client.journal.kept_answer import KeptAnswer
from client.transcription.base import ProgressCallback, Transcriber
from pronunciation.clip import Clip
from pronunciation.passage import LogProbs, Passage
from server.contract import Evidence, Revision, Submission, Transcript, Word

if TYPE_CHECKING:  # it brings an HTTP client
    from client.judging.judge import Judge

T = TypeVar("T")


class Session(WrittenSession):
    """Turns sound into graded attempts.

    Args:
        backend: the server, embedded or shared.
        load_transcriber: gives the engine; called once, at the first answer or by ``warm``.
        hear: judges how the terms were said; ``None`` where there is no hearing.
        judge: is asked about key phrases that are not found; ``None``: nothing is asked.
    """

    def __init__(
        self,
        backend: Backend,
        load_transcriber: Callable[[], Transcriber],
        hear: Hear | None = None,
        judge: "Judge | None" = None,
    ) -> None:
        super().__init__(backend, judge)
        self._load_transcriber = load_transcriber
        self._transcriber: Transcriber | None = None
        self._hear = hear
        self._loading = threading.Lock()
        self._engine_lock = threading.Lock()
        self._hearing_lock = threading.Lock()

    def warm(self) -> Transcriber:
        """Load the engine if it is not loaded; call it while the question is being spoken."""
        with self._loading:
            if self._transcriber is None:
                self._transcriber = self._load_transcriber()
            self._transcriber.warm()
            return self._transcriber

    def rest(self) -> None:
        """Release the memory of engine and hearing, because nobody will speak for now.

        The engine is loaded again where it is needed; the session continues without its hearing.
        """
        with self._loading:
            if self._transcriber is not None:
                self._transcriber.rest()
        self._hear = None

    def listen(
        self,
        question_id: str,
        *,
        kept: KeptAnswer | None = None,
        on_caption: Callable[[Caption], None] | None = None,
    ) -> LiveAnswer:
        """Begin an answer that is worked on while it is spoken.

        Args:
            question_id: the question it answers.
            kept: the answer in the journal; what is sent is noted there first.
            on_caption: called from another thread with each piece as it is transcribed.
        """
        return LiveAnswer(
            lambda show: self.worker(question_id, show),
            lambda transcript, evidence: self._noted(question_id, transcript, evidence, kept),
            self.submit,
            on_caption,
        )

    def answer(
        self,
        sound: Clip | SoundFile,
        question_id: str,
        *,
        save: bool = True,
        kept: KeptAnswer | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> Outcome:
        """Transcribe, hear and grade a recording.

        Args:
            sound: the recording.
            question_id: the question it answers.
            save: store the attempt in the history.
            kept: the answer in the journal; what is sent is noted there first.
            on_progress: takes the share of the transcription that is done, 0 to 1.

        Raises:
            NoSpeech: nobody speaks in the recording.
            EngineError, BackendError: the engine or the server failed.
        """
        submission = self.prepare(sound, question_id, kept=kept, on_progress=on_progress)
        return self.submit(submission, save=save)

    def prepare(
        self,
        sound: Clip | SoundFile,
        question_id: str,
        *,
        kept: KeptAnswer | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> Submission:
        """Transcribe and hear a recording: what ``submit`` takes. See ``answer``."""
        condition = None if kept is None else kept.entry.condition
        transcript, evidence = self.recording_worker(question_id).run(
            sound, on_progress, condition=condition
        )
        return self._noted(question_id, transcript, evidence, kept)

    def transcribe_again(
        self,
        sound: Clip | SoundFile,
        submission: Submission,
        on_progress: ProgressCallback | None = None,
    ) -> Revision:
        """Another transcript of an answer that was sent, and what is heard with it.

        Args:
            sound: its recording.
            submission: the answer.
            on_progress: takes the share of the transcription that is done, 0 to 1.

        Raises:
            NoSpeech: nobody speaks in the recording.
            EngineError: the engine failed.
        """
        transcript, evidence = self.recording_worker(submission.question_id).run(
            sound, on_progress, condition=submission.evidence.sound
        )
        made = submission.model_copy(update={"transcript": transcript, "evidence": evidence})
        if self._judge is not None:
            made = self._judge.judged(made, self._backend)
        return Revision(transcript=made.transcript, evidence=made.evidence)

    def hear_again(self, sound: Clip | SoundFile, question_id: str, revision: Revision) -> Revision:
        """A transcript whose words were corrected, with how its terms were said.

        The engine is not loaded for it; see ``Revision.heard_again`` for what was heard before.

        Args:
            sound: the recording.
            question_id: the question it answers.
            revision: the transcript; without word times nothing can be heard.

        Raises:
            PronunciationError: a reading of the lexicon is broken.
        """
        hear, words = self._hearing_for(question_id), revision.transcript.words
        if hear is None or any(each.start_s is None for each in words):
            return revision
        track = hear_words_again(hear, sound, words)
        return revision.heard_again(track.added_to(revision.evidence))

    def transcribe(self, clip: Clip) -> Transcript:
        """What is said in a recording that answers no question.

        Raises:
            NoSpeech: nobody speaks in the recording.
            EngineError: the engine failed.
        """
        return RecordingWorker(self.warm(), engine_lock=self._engine_lock).run(clip)[0]

    def worker(
        self,
        question_id: str,
        show: Callable[[Caption], None] = ignore_caption,
        clock: Callable[[], float] = time.monotonic,
    ) -> AnswerWorker:
        """What works on an answer while it is spoken, its engine and its hearing loaded.

        Args:
            question_id: the question it answers.
            show: takes each piece as it is transcribed.
            clock: gives seconds; the engine's cost is measured by it.
        """
        return AnswerWorker(
            self.warm(),
            self._hearing_for(question_id),
            engine_lock=self._engine_lock,
            show=show,
            clock=clock,
        )

    def recording_worker(self, question_id: str) -> RecordingWorker:
        """What works through a recorded answer to this question; see ``worker``."""
        hear_words = self._hearing_for(question_id)
        return RecordingWorker(self.warm(), hear_words, engine_lock=self._engine_lock)

    def _noted(
        self, question_id: str, transcript: Transcript, evidence: Evidence, kept: KeptAnswer | None
    ) -> Submission:
        """What is sent of an answer, noted in the journal first."""
        entry = None if kept is None else kept.entry
        submission = self._prepare(question_id, transcript, evidence, entry)
        if kept is not None:
            kept.transcribed(submission)
        return submission

    def _hearing_for(self, question_id: str) -> HearWords | None:
        """The hearing for answers to this question, loaded; ``None`` if there is none."""
        if self._hear is None:
            return None
        hear = self._hear
        try:
            question = self._backend.question(question_id)
        except UnavailableError:
            question = None  # the hearing does without; the answer will wait
        if isinstance(hear, AnswerHearing):
            with self._hearing_lock:
                hear.warm()
            hear = partial(hear, decode=self._decode)

        def hear_words(clip: Clip, words: Sequence[Word]) -> HeardStretch:
            with self._hearing_lock:
                return hear(clip, words, question)

        return hear_words

    def _decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        """What the engine's decoder says, if the engine is loaded and has one."""
        if self._transcriber is None:
            return None
        with self._engine_lock:
            return self._transcriber.decode(passages)


def handed_over(kept: KeptAnswer, submit: Callable[[], T]) -> T:
    """Send an answer; if the server refuses it, the outbox keeps it with its recording.

    Raises:
        RejectedError: the server refused it.
    """
    try:
        return submit()
    except RejectedError as error:
        if error.code == SET_ASIDE:
            kept.stored()
        raise
