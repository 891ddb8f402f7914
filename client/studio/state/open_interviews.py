"""The running interviews of one studio, and the recordings that belong to them.

An answer is spoken into an interview, and its report is made while the next question is asked. Here
the two meet: every recording that ends, however it came to its end, is noted in the interview that
it belongs to.
"""

from collections.abc import Callable

from client.answer.answer import Answer
from client.answer.answers import Answers, NoSuchAnswerError
from client.practice.interviews import InterviewError, InterviewRecord, Interviews


class OpenInterviews:
    """Notes in each interview the result of its recordings; safe to use from several threads.

    Args:
        interviews: where they are kept.
        answers: the person's.
        recording: gives the name of the answer that is being recorded.
    """

    def __init__(
        self, interviews: Interviews, answers: Answers, recording: Callable[[], str | None]
    ) -> None:
        self.kept = interviews
        self._answers = answers
        self._recording = recording
        self._begun_at = interviews.now()
        answers.subscribe(self._note)

    def use_interrupted(self, interview_id: str, question_id: str) -> InterviewRecord:
        """Take the interrupted recording of the open question as its answer.

        Raises:
            InterviewError: there is none.
        """
        record = self.kept.get(interview_id)
        found = self.interrupted(record)
        if found is None or record.current is None or record.current.question_id != question_id:
            raise InterviewError("there is no longer an interrupted recording of this question")
        return self.resume(self.kept.give(interview_id, question_id, found.name))

    def resume(self, record: InterviewRecord) -> InterviewRecord:
        """After a crash: have every answer transcribed that waits; its gap is not on the clock."""
        if record.seen_at is not None and record.seen_at < self._begun_at:
            record = self.kept.change(record.id, lambda now: now.left_behind())
        for take in [each.take or "" for each in record.transcribing]:
            if self._answers.is_at_work(take):
                continue
            record = self.kept.get(record.id)  # its end may have been noted just now
            if any(each.take == take for each in record.transcribing):
                record = self._resume(record, take)
        return record

    def interrupted(self, record: InterviewRecord) -> Answer | None:
        """The recording of the open question that broke off."""
        take = record.current.take if record.current else None
        if take is None:
            return None
        return next((each for each in self._answers.unfinished() if each.name == take), None)

    def is_recording(self, record: InterviewRecord) -> bool:
        """Whether the open question is being answered now, in this tab or another."""
        name, current = self._recording(), record.current
        return name is not None and current is not None and name == current.take

    def _resume(self, record: InterviewRecord, take: str) -> InterviewRecord:
        problem = ""
        found = [each for each in self._answers.unfinished() if each.name == take]
        if found:
            try:
                self._answers.finish_later(found[0])
            except NoSuchAnswerError as error:
                problem = str(error)
        elif not self._answers.is_there(take):
            problem = "its recording is no longer on this machine"
        if problem:
            return self.kept.change(record.id, lambda now: now.failed(take, problem))
        return record

    def _note(self, answer: Answer) -> None:
        take = answer.name
        record = self.kept.of_take(take)
        if record is None:
            return
        asked = next(each for each in record.questions if each.take == take)
        if answer.problem:
            self.kept.change(record.id, lambda now: now.failed(take, answer.problem))
        elif answer.outcome is not None:
            self.kept.answer(record.id, asked.question_id, answer.submission_id, answer.attempt_id)
        else:
            self.kept.change(record.id, lambda now: now.dropped(take))
