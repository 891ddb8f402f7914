"""A mock interview in the terminal: question spoken and shown, answer recorded, report."""

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.rule import Rule
from rich.text import Text

from client.answer.answer import Answer, Outcome
from client.answer.answers import Answers
from client.answer.live import LiveTranscript
from client.answer.session import Session
from client.audio import Level, OnSamples, Recorder, RecorderSettings, Recording
from client.audio.recorder import OpenTake
from client.backend.protocol import Backend
from client.core.errors import NoSpeech, RecordingError
from client.core.settings import ClientSettings
from client.doctor import check_microphone
from client.practice.interviews import (
    ALL_ROUNDS,
    CLOSING_ASK,
    CLOSING_MOST_S,
    InterviewRecord,
    Interviews,
    find_answers,
    first_of,
    last_practiced,
    plan_interview,
    report_interview,
    topic_scores,
)
from client.terminal.keys import Keys, key_reader, one_of, quiet_libraries
from client.terminal.recording_screen import End, Repeat, countdown, watch_recording
from client.terminal.report import print_debrief, print_report
from client.terminal.unfinished import ask_what_was_meant, offer_repairs, offer_unfinished
from question_bank.models import Question, RoundName, round_text
from server.contract import FOLLOW_UP_S, FollowUp, LanguageRequest, Report, Submission, aim_result
from server.contract.transcript import MOST_FOLLOW_UPS, MOST_PROBES

LIMIT_OVER_TARGET: Final = 2.0
"""A recording ends by itself at this many times the question's target length."""

MOST_LOADING_S: Final = 10.0
"""Somebody who leaves at once waits this long for what is loading: a few seconds, usually."""

MAX_MISSING_S: Final = 0.1
"""More sound than this that is on the disk but did not reach the live answer is made up for."""

_KEPT: Final = "The recording is kept. Aloud offers it next time; or now: aloud unfinished"


@dataclass(frozen=True)
class InterviewOptions:
    """What was asked for on the command line.

    ``only``: these questions, not the role's. ``full``: the whole round against the clock, with one
    report at the end.
    """

    role: str | None
    round: RoundName | None
    questions: int
    only: tuple[str, ...]
    device: str | None
    prepare_s: int
    auto_stop: bool
    speak: bool
    save: bool
    follow_ups: bool = False
    full: bool = False


class Interview:
    """One mock interview.

    ``speak`` says a text aloud and comes back when it is said or the event is set; ``answers``
    finishes what is said, and what was interrupted before.
    """

    def __init__(
        self,
        settings: ClientSettings,
        backend: Backend,
        session: Session,
        options: InterviewOptions,
        console: Console,
        speak: Callable[[str, threading.Event], None],
        answers: Answers,
    ) -> None:
        self._settings = settings
        self._backend = backend
        self._session = session
        self._options = options
        self._console = console
        self._speak = speak
        self._answers = answers
        self._before: dict[str, Report] = {}
        self._kept = Interviews.of(settings)
        self._record: InterviewRecord | None = None
        self._spent_s = 0.0
        self._asking: _Background | None = None

    def run(self) -> None:
        """Go through the questions.

        Raises:
            ClientError: no such role, no microphone, or an engine that cannot be loaded.
        """
        questions = self._choose()
        with quiet_libraries():  # before a word is spoken that nobody would hear
            check = check_microphone(name_part=self._options.device or "")
        if not check.ok:
            raise RecordingError(check.detail, check.remedy)
        with key_reader() as keys:
            offer_unfinished(self._console, keys, self._answers, drills=False)
            try:
                if self._questions(questions, keys):
                    self._closing(keys)
            except BaseException:
                self._ended()
                raise
            self._debrief(keys)

    def _questions(self, questions: list[Question], keys: Keys) -> bool:
        """Ask them; ``False``: the candidate leaves."""
        done = 0
        while done < len(questions) and not self._is_over():
            question = questions[done]
            about = self._record.planned if self._record else len(questions)
            of = f" of {'about ' if self._options.full else ''}{about}" if done < about else ""
            self._console.print(Rule(f"Question {done + 1}{of}"))
            answer = self._ask(question, keys)
            if answer is None:
                return False
            if self._options.follow_ups:
                answer = self._follow_ups(question, answer, keys)
            self._keep(question, answer)
            if self._options.full:
                done += 1
                continue
            self._report(question, answer, keys)
            choice = self._what_next(keys, last=done + 1 == len(questions))
            if choice == "q":
                return False
            done += choice == "n"
        return True

    def _choose(self) -> list[Question]:
        options, bank = self._options, self._backend.bank()
        if options.only or options.role is None:
            return [self._backend.question(each) for each in options.only]
        guide = next(
            (each for each in bank.field_of(options.role).rounds if each.id == options.round),
            ALL_ROUNDS,
        )
        plan = plan_interview(
            bank,
            options.role,
            options.round,
            guide.minutes[0],
            last_practiced(self._backend),
            random.Random(),
            topic_scores(self._backend),
        )
        if not options.full:
            plan = first_of(plan, options.questions)
        minutes = guide.minutes[0] if options.full else max(1, round(plan.planned_s / 60))
        role = bank.role(options.role)
        if options.save and role is not None:
            follow_ups = options.follow_ups
            self._record = self._kept.start(role, guide, minutes, plan, follow_ups=follow_ups)
        return list(plan.questions)

    def _is_over(self) -> bool:
        return self._record is not None and self._record.ended_at is not None

    def _keep(self, question: Question, answer: Outcome) -> None:
        """Note the answer in the interview; of several takes the first counts."""
        record = self._record
        if record is None or record.current is None or record.current.question_id != question.id:
            return
        spent_s = record.spent_s + (self._spent_s if self._options.full else 0.0)
        self._spent_s = 0.0
        sent, now = answer.submission.submission_id, self._kept.now()
        self._record = self._kept.change(
            record.id,
            lambda each: each.model_copy(update={"spent_s": spent_s}).answered(
                question.id, sent, answer.attempt_id, now
            ),
        )

    def _closing(self, keys: Keys) -> None:
        """Ask for the candidate's own questions; they are written down, their sound is not kept."""
        record, console = self._record, self._console
        if record is None or not self._options.follow_ups or len(record.asked) < 2:
            return
        console.print(Rule("Your questions for us"))
        console.print(Text(CLOSING_ASK, "bold"))
        console.print(Text(f"about three, up to {CLOSING_MOST_S:.0f} s · q: I have none", "dim"))
        if self._options.speak:
            self._say(CLOSING_ASK, keys)
        text = ""
        with TemporaryDirectory(dir=self._settings.home, prefix=".closing-") as folder:
            limit_s, kept_in = CLOSING_MOST_S, Path(folder)
            taken = self._take(keys, CLOSING_ASK, limit_s, limit_s, folder=kept_in)
            if isinstance(taken, Recording):
                with suppress(NoSpeech), console.status(Text("Writing them down …", "dim")):
                    text = self._session.transcribe(taken.clip).text
        self._kept.close(record.id, text)

    def _ended(self) -> InterviewRecord | None:
        """End the interview; one without an answer is forgotten."""
        if self._record is None:
            return None
        record = self._kept.end(self._record.id)
        if any(each.state == "answered" for each in record.asked):
            return record
        self._kept.delete(record.id)
        return None

    def _debrief(self, keys: Keys) -> None:
        record = self._ended()
        if record is not None and len(record.asked) > 1:
            tongue = self._settings.preferences.mother_tongue
            with self._console.status(Text("Looking at your English …", "dim")):
                asked = LanguageRequest(mother_tongue=tongue)
                answers = find_answers(self._backend, record, asked)
            report = report_interview(record, answers)
            print_debrief(self._console, report)
            offer_repairs(self._console, keys, self._settings, report.language)

    def _ask(self, question: Question, keys: Keys) -> Outcome | None:
        """Ask one question until there is an answer; ``None``: the candidate leaves."""
        console = self._console
        console.print(Text(question.prompt, "bold"))
        if question.snippet:
            console.print(Text(f"\n{question.snippet}\n"))
        target = f"{question.answer_seconds} s"
        about = f"{question.topic} · {round_text(question.round)} · aim for {target}"
        console.print(Text(about, "dim"))
        loading = _Background(lambda: self._warm(question))
        try:
            if self._options.speak:
                self._say(question.prompt, keys)
            while True:
                repeat = self._repeat(question.prompt, keys)
                thought_s = countdown(console, keys, self._options.prepare_s, repeat)
                if thought_s is None:
                    return None
                self._spent_s += thought_s
                with self._answers.journal.answer(question.id) as answer:
                    outcome = self._answered(question, question.prompt, keys, answer, loading)
                if not isinstance(outcome, End):
                    return outcome
                if outcome is End.keep:
                    console.print(Text("Kept. Aloud offers it when you come back.", "dim"))
                if outcome in (End.quit, End.keep):
                    return None
                console.print(Text("Once more:", "dim"))
        finally:  # Python aborts if it ends while another thread loads a library
            loading.ended(within_s=MOST_LOADING_S)

    def _warm(self, question: Question) -> None:
        self._session.warm()
        if self._settings.server is None:
            self._session.warm_grader(question.id)

    def _follow_ups(self, question: Question, outcome: Outcome, keys: Keys) -> Outcome:
        """Ask what follows from the answer; a skipped or empty one changes nothing."""
        console = self._console
        loading = _Background(lambda: None)
        for _ in range(MOST_PROBES if question.kind == "design" else MOST_FOLLOW_UPS):
            asked = self._session.next_follow_up(outcome, probes=True)
            if asked is None:
                break
            if self._asking is None:
                self._ask_follow_up(asked)
            asking, self._asking = self._asking, None
            assert asking is not None
            self._hear_out(asking, keys)
            follow_up = self._answers.journal.follow_up(question.id, asked, outcome.attempt_id)
            follow_up.after = outcome.submission
            with follow_up as answer:
                try:
                    said = self._answered(question, asked.ask, keys, answer, loading, FOLLOW_UP_S)
                except NoSpeech as error:
                    console.print(Text(f"! {error}", "yellow"))
                    break
            if isinstance(said, End):
                break
            outcome = said
        return outcome

    def _ask_follow_up(self, asked: FollowUp) -> None:
        """Show a follow-up and begin to say it; the first while its answer's report is made."""
        self._console.print(Rule("Follow-up", style="dim"))
        self._console.print(Text(asked.ask, "bold"))
        self._console.print(Text(f"up to {FOLLOW_UP_S:.0f} s · q skips it", "dim"))
        self._asking = self._speech(asked.ask if self._options.speak else "")

    def _answered(
        self,
        question: Question,
        ask: str,
        keys: Keys,
        answer: Answer,
        loading: "_Background",
        limit_s: float | None = None,
    ) -> Outcome | End:
        """Record an answer and have it graded; ``End``: there is none, and what is to be done."""
        console = self._console
        is_first = self._options.follow_ups and limit_s is None
        live = self._session.listen(
            question.id,
            answer=answer,
            on_asked=self._ask_follow_up if is_first else None,
            probes=True,
        )
        try:
            target_s = limit_s or float(question.answer_seconds)
            recording = self._take(
                keys,
                ask,
                target_s,
                limit_s or target_s * LIMIT_OVER_TARGET,
                listen=live.feed,
                open_take=answer.open,
            )
            if isinstance(recording, End):
                return recording
            self._spent_s += recording.duration_s
            answer.recorded()
            answer.claim()
            for notice in recording.notices:
                console.print(Text(f"! {notice}", "yellow"))
            loading.join()
            with console.status(Text("Transcribing the last words …", "dim")):
                self._answers.finish(
                    answer, lambda: self._words(live, recording, answer), save=self._options.save
                )
            if answer.notice:
                console.print(Text(f"! {answer.notice}", "yellow"))
            assert answer.outcome is not None
            return answer.outcome
        except NoSpeech as error:
            if not console.is_terminal:
                raise  # nobody there to say it once more
            console.print(Text(f"! {error}; the recording is kept", "yellow"))
            return End.discard
        except BaseException:
            if answer.sound() is not None:
                console.print(Text(_KEPT))
            raise
        finally:
            live.cancel()

    def _words(self, live: LiveTranscript, recording: Recording, answer: Answer) -> Submission:
        """What was heard while it was spoken, or, where a piece is missing there, the recording."""
        if abs(live.duration_s - recording.duration_s) > MAX_MISSING_S:
            live.cancel()
            return self._session.prepare(recording.clip, answer.asked, answer=answer)
        return live.result()

    def _say(self, text: str, keys: Keys) -> None:
        """Say a text aloud; any key skips the rest of it."""
        self._hear_out(self._speech(text), keys)

    def _hear_out(self, speaking: "_Background", keys: Keys) -> None:
        with Live(console=self._console, transient=True, auto_refresh=False) as live:
            speaking.hear_out(live, keys)

    def _speech(self, text: str) -> "_Background":
        """Begin to say a text."""
        stop = threading.Event()
        return _Background(lambda: text and self._speak(text, stop), stop)

    def _repeat(self, text: str, keys: Keys) -> Repeat | None:
        """What says a text again on a screen that is redrawn; ``None``: nothing is spoken."""
        if not self._options.speak:
            return None
        return lambda live: self._speech(text).hear_out(live, keys)

    def _take(
        self,
        keys: Keys,
        ask: str,
        target_s: float,
        limit_s: float,
        *,
        listen: OnSamples | None = None,
        open_take: OpenTake | None = None,
        folder: Path | None = None,
    ) -> Recording | End:
        """A take, or how it ended if there is none to be used.

        ``ask``: what is answered, to be heard again. ``limit_s``: when it ends by itself.
        ``listen`` takes the sound meanwhile. ``open_take`` makes its file; else it is one in
        ``folder``, for takes that are not kept.
        """
        recorder = Recorder(
            RecorderSettings(
                folder=folder or self._settings.recordings,
                device_name=self._options.device,
                silence_stop_s=RecorderSettings.silence_stop_s if self._options.auto_stop else None,
                time_limit_s=limit_s,
            )
        )
        levels: list[Level] = []
        with quiet_libraries(), recorder:
            if not self._console.is_terminal:
                self._console.print("Recording. A long silence or the time limit ends it.")
            recorder.start(
                lambda level: levels.__setitem__(slice(None), [level]),
                on_samples=listen,
                open_take=open_take,
            )
            repeat = self._repeat(ask, keys)
            end = watch_recording(self._console, keys, recorder, levels, target_s, repeat)
            if end is End.stop:
                return recorder.stop()
            if end is not End.keep:  # which leaving the recorder does
                recorder.discard()
            return end

    def _report(self, question: Question, outcome: Outcome, keys: Keys) -> None:
        if outcome.report is None:
            self._console.print(Text(f"! {outcome.waiting}", "yellow"))
            return
        before = self._before.get(question.id)
        if before is not None and before.aim is not None:
            result = aim_result(before.aim, outcome.report)
            told = f"Your aim: {before.aim.text} {result.text[0].upper()}{result.text[1:]}."
            self._console.print(Text(told, "green" if result.met else "yellow"))
        self._before[question.id] = outcome.report
        print_report(self._console, outcome.report, question.prompt)
        if outcome.attempt_id is not None:
            ask_what_was_meant(
                self._console, keys, self._backend, outcome.attempt_id, outcome.report
            )

    def _what_next(self, keys: Keys, *, last: bool) -> str:
        """``n`` next (or done), ``r`` this question once more, ``q`` leave."""
        if not self._console.is_terminal:
            return "n"
        following = "finish" if last else "next question"
        self._console.print(Text(f"n {following} · r retry · q leave", "dim"))
        return one_of(keys, "nrq", enter="n")


class _Background:
    """Runs a function beside the rest, which ``stop`` may end; ``join`` raises what it raised."""

    def __init__(self, function: Callable[[], object], stop: threading.Event | None = None) -> None:
        self.stop = stop or threading.Event()
        self._error: BaseException | None = None
        self._function = function
        self._thread = threading.Thread(target=self._run, name="aloud-engine", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._function()
        except BaseException as error:  # raised again in join, where it can be shown
            self._error = error

    def ended(self, *, within_s: float) -> bool:
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def join(self) -> None:
        self._thread.join()
        if self._error is not None:
            raise self._error

    def hear_out(self, live: Live, keys: Keys) -> None:
        """Wait for a speech; any key ends it."""
        live.update(Text("Speaking … any key skips", "dim"), refresh=True)
        while not self.ended(within_s=0.0):
            if keys.get(0.1) is not None:
                self.stop.set()
        self.join()
