"""Turns the sound or the text of one answer into a graded and stored attempt.

Live or recorded, an answer takes the same path: clip → speech segments → transcript → hearing →
submission (→ judge) → backend → outcome.
"""

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from client.answer.answer import Answer, Outcome
from client.answer.live import Caption, Draft, LiveTranscript
from client.answer.term_track import Hear, HeardStretch, Hearing, Prepared, PrepareWords
from client.answer.worker import AnswerWorker, RecordingWorker, hear_words_again, ignore_caption
from client.audio.files import SoundFile
from client.backend.outbox import OutboxError
from client.backend.protocol import (
    SET_ASIDE,
    Backend,
    BackendError,
    QueuedError,
    RejectedError,
    UnavailableError,
)
from client.core.errors import ClientError
from client.engines.base import ProgressCallback, Transcriber
from client.judging.judge import Judge
from pronunciation.clip import Clip, LogProbs, Passage
from server.contract import (
    Evidence,
    FollowUp,
    FollowUpAnswer,
    LanguageRequest,
    Revision,
    Submission,
    Transcript,
    Word,
)
from server.contract.interviewer import next_follow_up


class Session:
    """Turns answers into graded attempts.

    Args:
        backend: the server, embedded or shared.
        load_transcriber: gives the engine; called once, at the first answer or by ``warm``;
            ``None``: every answer is text already.
        hear: judges how the terms were said; ``None`` where there is no hearing.
        judge: is asked about key phrases that are not found; ``None``: nothing is asked.
        language: has the English looked at before the report is handed over; ``None``: it is asked
            for later.
    """

    def __init__(
        self,
        backend: Backend,
        load_transcriber: Callable[[], Transcriber] | None = None,
        hear: Hear | None = None,
        judge: Judge | None = None,
        language: LanguageRequest | None = None,
    ) -> None:
        self._backend = backend
        self._load_transcriber = load_transcriber
        self._transcriber: Transcriber | None = None
        self._hear = hear
        self._judge = judge
        self._language = language
        self._graded_for = ""
        self._asked: dict[str, FollowUp] = {}
        self._loading = threading.Lock()
        self._engine_lock = threading.Lock()
        self._hearing_lock = threading.Lock()

    def warm(self) -> Transcriber:
        """Load the engine if it is not loaded; call it while the question is being spoken."""
        with self._loading:
            if self._transcriber is None:
                assert self._load_transcriber is not None, "it reads only text"
                self._transcriber = self._load_transcriber()
            self._transcriber.warm()
            return self._transcriber

    def warm_grader(self, question_id: str) -> None:
        """Have what grades answers to a question loaded and prepared, so that nobody waits for it.

        For a server in this process; a word is graded and thrown away. It takes 3 s of processor
        time the first time, and .2 s for each question after it.
        """
        if self._graded_for != question_id:
            self._graded_for = question_id
            with suppress(ClientError):  # the answer itself says what is wrong
                self._backend.grade(new_submission(question_id, Transcript(text="Well.")))

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
        answer: Answer | None = None,
        on_caption: Callable[[Caption], None] | None = None,
        on_asked: Callable[[FollowUp], None] | None = None,
        probes: bool = False,
    ) -> LiveTranscript:
        """Begin to work on an answer while it is spoken.

        Args:
            question_id: the question it answers.
            answer: it, in the journal; what is sent is written down there first.
            on_caption: called from another thread with each piece as it is transcribed.
            on_asked: called from there with the first follow-up, as soon as all words are there:
                how terms were said is heard after it. Not with a judge, which decides first.
            probes: see ``next_follow_up``.
        """
        chosen: list[FollowUp] = []

        def ask(draft: Draft) -> None:
            submission = new_submission(question_id, draft.transcript, draft.evidence, answer)
            report = self._backend.grade(submission)
            prompt = self._backend.question(question_id).prompt
            asked = next_follow_up(report, prompt, probes=probes, perhaps=draft.perhaps)
            if asked is not None and on_asked is not None:
                chosen.append(asked)
                self._asked[submission.submission_id] = asked
                on_asked(asked)

        def written(transcript: Transcript, evidence: Evidence) -> Submission:
            submission = self._written(question_id, transcript, evidence, answer)
            for asked in chosen:  # without a journal its number is another one
                self._asked[submission.submission_id] = asked
            return submission

        return LiveTranscript(
            lambda show: self.worker(question_id, show),
            written,
            on_caption,
            None if on_asked is None or self._judge is not None else ask,
        )

    def prepare(
        self,
        sound: Clip | SoundFile,
        question_id: str,
        *,
        answer: Answer | None = None,
        on_progress: ProgressCallback | None = None,
    ) -> Submission:
        """Transcribe and hear a recording: what ``submit`` takes.

        Args:
            sound: the recording.
            question_id: the question it answers.
            answer: it, in the journal; what is sent is written down there first.
            on_progress: takes the share of the transcription that is done, 0 to 1.

        Raises:
            NoSpeech: nobody speaks in the recording.
            EngineError, BackendError: the engine or the server failed.
        """
        condition = None if answer is None else answer.entry.condition
        transcript, evidence = self.recording_worker(question_id).run(
            sound, on_progress, condition=condition
        )
        return self._written(question_id, transcript, evidence, answer)

    def read(self, transcript: Transcript, question_id: str, *, save: bool = True) -> Outcome:
        """Grade an answer that is text already: typed, or transcribed elsewhere.

        Raises:
            BackendError: the server failed.
        """
        submission = self._written(question_id, transcript, Evidence())
        return self.store_or_grade(submission) if save else self.submit(submission, save=False)

    def store_or_grade(self, submission: Submission, answer: Answer | None = None) -> Outcome:
        """Have an answer stored; where neither store nor outbox can be written, graded at least.

        Raises:
            BackendError: the server refused it.
        """
        try:
            return self.submit(submission, save=True, answer=answer)
        except OutboxError as error:
            graded = self.submit(submission, save=False)
            return replace(graded, unsaved=f"the answer is graded but not stored: {error}")

    def submit(
        self, submission: Submission, *, save: bool, answer: Answer | None = None
    ) -> Outcome:
        """Have an answer graded, and stored in the history if ``save``.

        Where the server refuses it for good, the outbox keeps it, with its recording if ``answer``
        is what the journal has of it.

        Raises:
            BackendError: the server refused it, or (with ``save=False``) is away.
        """
        if answer is not None and answer.entry.follow_up is not None:
            return self._follow_up(submission, answer.entry.follow_up, answer)
        if not save:
            asked = () if self._language is None else (self._language,)
            return Outcome(submission, self._backend.grade(submission, *asked))
        try:
            attempt = self._backend.submit(submission)
            if self._language and attempt.report.language.waits_for(self._language.mother_tongue):
                attempt = self._backend.language(attempt.id, self._language)
        except QueuedError as error:
            return Outcome(submission, None, waiting=str(error))
        except RejectedError as error:
            if error.code == SET_ASIDE and answer is not None:
                answer.stored()
            raise
        return Outcome(submission, attempt.report, attempt.id)

    def next_follow_up(self, outcome: Outcome, *, probes: bool = False) -> FollowUp | None:
        """What is asked after an answer, in the judge's words if there is one; see its name."""
        if outcome.report is None:
            return None
        if not outcome.report.follow_ups and outcome.submission.submission_id in self._asked:
            return self._asked[outcome.submission.submission_id]
        prompt = ""
        with suppress(BackendError):
            prompt = self._backend.question(outcome.submission.question_id).prompt
        asked = next_follow_up(outcome.report, prompt, probes=probes)
        if asked is None or self._judge is None or not prompt:
            return asked
        return self._judge.put(asked, prompt, outcome.submission.transcript.text)

    def asked_early(self, submission_id: str) -> FollowUp | None:
        """The first follow-up of an answer whose report is still being made, if it is chosen."""
        return self._asked.get(submission_id)

    def _follow_up(self, said: Submission, asked: FollowUp, answer: Answer) -> Outcome:
        """Have what was said to a follow-up counted for the answer that it follows.

        It does not wait in the outbox: where the server is away, it stays unfinished.
        """
        follow_up = FollowUpAnswer(
            submission_id=said.submission_id,
            asked=asked,
            created_at=said.created_at,
            transcript=said.transcript,
            evidence=said.evidence,
        )
        if answer.entry.follows is not None:
            attempt = self._backend.follow_up(answer.entry.follows, follow_up)
            return Outcome(attempt.submission, attempt.report, attempt.id)
        assert answer.after is not None, "it follows no answer"
        before = answer.after
        whole = before.model_copy(update={"follow_ups": (*before.follow_ups, follow_up)})
        return Outcome(whole, self._backend.grade(whole))

    def transcribe_again(
        self,
        sound: Clip | SoundFile,
        submission: Submission,
        on_progress: ProgressCallback | None = None,
    ) -> Revision:
        """Another transcript of an answer that was sent, from its recording, and what is heard.

        ``on_progress`` takes the share of the transcription that is done, 0 to 1.

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
        """A transcript whose words were corrected, with how its terms were said in a recording.

        The engine is not loaded for it; see ``Revision.heard_again`` for what was heard before.
        Without word times nothing can be heard.

        Raises:
            PronunciationError: a reading of the lexicon is broken.
        """
        prepare, words = self._hearing_for(question_id), revision.transcript.words
        if prepare is None or any(each.start_s is None for each in words):
            return revision
        track = hear_words_again(prepare, sound, words)
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

        ``show`` takes each piece as it is transcribed; the engine's cost is measured by ``clock``.
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
        prepare = self._hearing_for(question_id)
        return RecordingWorker(self.warm(), prepare, engine_lock=self._engine_lock)

    def _written(
        self,
        question_id: str,
        transcript: Transcript,
        evidence: Evidence,
        answer: Answer | None = None,
    ) -> Submission:
        """What is sent of an answer, judged if there is a judge, and written down first."""
        submission = new_submission(question_id, transcript, evidence, answer)
        is_follow_up = answer is not None and answer.entry.follow_up is not None
        if self._judge is not None and not is_follow_up:
            submission = self._judge.judged(submission, self._backend)
        if answer is not None:
            answer.transcribed(submission)
        return submission

    def _hearing_for(self, question_id: str) -> PrepareWords | None:
        """The hearing for answers to this question, loaded; ``None`` if there is none."""
        if self._hear is None:
            return None
        hear, lock = self._hear, self._hearing_lock
        try:
            question = self._backend.question(question_id)
        except UnavailableError:
            question = None  # the hearing does without; the answer will wait
        if isinstance(hear, Hearing):
            with lock:
                hear.warm()
            prepared = hear.with_decoder(self._decode)
        else:

            def prepared(clip: Clip, words: Sequence[Word], _: object) -> Prepared:
                return Prepared(lambda: hear(clip, words, question))

        def prepare(clip: Clip, words: Sequence[Word]) -> Prepared:
            def hear_it() -> HeardStretch:
                with lock:
                    return ready.hear()

            with lock:
                ready = prepared(clip, words, question)
            return replace(ready, hear=hear_it)

        return prepare

    def _decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        """What the engine's decoder says, if the engine is loaded and has one."""
        if self._transcriber is None:
            return None
        with self._engine_lock:
            return self._transcriber.decode(passages)


def new_submission(
    question_id: str,
    transcript: Transcript,
    evidence: Evidence | None = None,
    answer: Answer | None = None,
) -> Submission:
    """An answer with its id and time from the journal; without one there, given now."""
    return Submission(
        submission_id=answer.submission_id if answer else uuid.uuid4().hex,
        question_id=question_id,
        created_at=answer.spoken_at if answer else datetime.now(UTC),
        transcript=transcript,
        evidence=evidence or Evidence(),
    )
