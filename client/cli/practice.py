"""``aloud demo``, ``interview``, ``assess``, ``grade``: answers in, reports out."""

import functools
import os
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from client.answer.answer import Outcome
from client.answer.hearing import load_hearing
from client.answer.journal import Journal
from client.answer.session import Session
from client.audio.files import SoundFile
from client.audio.voice_activity import check_for_speech
from client.backend.protocol import Backend, UnavailableError
from client.bulk.recordings import is_bulk, recordings_of
from client.bulk.results import Line, open_results
from client.bulk.workers import AssessorOptions, ClusterWorkers, ProcessWorkers, Workers, assess_all
from client.cli import loading
from client.cli.commands import commands
from client.cli.common import command, errors, fail, out, print_json
from client.cli.loading import answers_here, name_track, open_judge, open_server
from client.cli.options import EngineOption, ModelOption, RoundOption, TrackOption
from client.cli.progress_bars import counting, share_bar
from client.cli.transcripts import read_transcript
from client.core.errors import BrokenFileError, RecordingError
from client.core.settings import ClientSettings
from client.data import demo as sample
from client.judging.judge import Judge
from client.practice.interviews import loop_of
from client.speaking import Speaker
from client.terminal.interview import Interview, InterviewOptions
from client.terminal.keys import key_reader
from client.terminal.report import print_report
from client.terminal.unfinished import ask_what_was_meant
from pronunciation.lexicon_loader import load_lexicon
from server.contract import HistoryQuery, LanguageRequest

_PREPARE_S: Final = 5
"""Seconds to think in the terminal, where nobody chose others."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
QuestionOption = Annotated[
    str, typer.Option("--question", metavar="ID", help="The question's ID; see `aloud bank list`.")
]

app = commands()


@command(app, "demo")
def demo(settings: ClientSettings, as_json: JsonOption = False) -> None:
    """Assess a sample answer; needs no microphone and no download."""
    if not as_json:
        out().print(Text(sample.INTRODUCTION, "dim"))
        out().print()
    outcome, prompt = _assess(
        settings, sample.AUDIO, sample.QUESTION_ID, None, None, offline=True, save=False
    )
    _show(outcome, prompt, as_json)


@command(app, "assess", judged=True)
def assess(
    settings: ClientSettings,
    audio: Annotated[
        Path,
        typer.Argument(
            metavar="AUDIO",
            help="An audio or video file; for many, a folder or a manifest (JSON lines or CSV).",
        ),
    ],
    question: Annotated[
        str | None,
        typer.Option("--question", metavar="ID", help="The question's ID; see `aloud bank list`."),
    ] = None,
    engine: EngineOption = None,
    model: ModelOption = None,
    as_json: JsonOption = False,
    save: Annotated[
        bool, typer.Option("--save/--no-save", help="Keep the attempt in the history.")
    ] = True,
    partial: Annotated[
        bool, typer.Option("--partial", help="Assess what can be read of a damaged file.")
    ] = False,
    track: TrackOption = None,
    results: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE.jsonl", help="Many recordings: write their reports here."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=1, help="Many recordings: how many at a time."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="ADDRESS", help="Many recordings: use this Ray cluster."),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Many recordings: assess failed ones again.")
    ] = False,
) -> None:
    """Assess a recorded answer: transcript, coverage, pronunciation, delivery.

    An answer in the history keeps a copy of its recording on this machine.

    Many recordings are assessed in parallel. Their reports go to --out, one per line, and nothing
    goes into the history. Run the same command again to continue a run that stopped.
    """
    if is_bulk(audio):
        if partial:
            raise typer.BadParameter("--partial is for one recording")
        if track is not None:
            raise typer.BadParameter("--track is for one recording")
        if results is None:
            raise typer.BadParameter("many recordings need --out FILE.jsonl for their results")
        make = functools.partial(_workers, settings, engine, model, workers, cluster)
        _assess_many(audio, question, results, retry_failed, make)
        return
    if question is None:
        raise typer.BadParameter("which question does it answer? Name one with --question")
    if retry_failed or any(each is not None for each in (results, workers, cluster)):
        raise typer.BadParameter(
            "--out, --workers, --cluster and --retry-failed are for many recordings"
        )
    outcome, prompt = _assess(
        settings,
        audio,
        question,
        engine,
        model,
        open_judge(settings),
        save=save,
        partial=partial,
        track=track,
    )
    _show(outcome, prompt, as_json)
    if not as_json and sys.stdin.isatty():
        _ask_what_was_meant(settings, outcome)


@command(app, "grade", judged=True)
def grade(
    settings: ClientSettings,
    question: QuestionOption,
    transcript: Annotated[
        str,
        typer.Option(
            "--transcript", metavar="FILE", help="Text, JSON or subtitles; - reads standard input."
        ),
    ],
    as_json: JsonOption = False,
    save: Annotated[
        bool, typer.Option("--save/--no-save", help="Keep the answer in the history.")
    ] = False,
) -> None:
    """Grade a written answer, or a transcript: JSON of `aloud transcribe`, subtitles (SRT, VTT)."""
    answer = read_transcript(transcript, sys.stdin.buffer)
    judge = open_judge(settings)
    with open_server(settings, reading=not save) as backend:
        prompt = _prompt_of(backend, question, settings, save=save)
        session = Session(backend, judge=judge, language=_language(settings))
        outcome = session.read(answer, question, save=save)
    _show(outcome, prompt, as_json)


@command(app, "interview", judged=True)
def interview(
    settings: ClientSettings,
    role: Annotated[
        str | None,
        typer.Option("--role", metavar="R", help="The role's ID; see `aloud bank list`."),
    ] = None,
    round_: RoundOption = None,
    question: Annotated[
        list[str] | None,
        typer.Option("--question", metavar="ID", help="Just this question. May be repeated."),
    ] = None,
    questions: Annotated[
        int, typer.Option("--questions", metavar="N", min=1, max=50, help="Number of questions.")
    ] = 3,
    engine: EngineOption = None,
    model: ModelOption = None,
    device: Annotated[
        str | None, typer.Option("--device", help="The microphone's name, or a part of it.")
    ] = None,
    prepare_s: Annotated[
        int | None,
        typer.Option(
            "--prepare",
            min=0,
            max=600,
            help="Seconds to think before recording; default: the settings, or 5.",
        ),
    ] = None,
    auto_stop: Annotated[
        bool,
        typer.Option("--auto-stop/--no-auto-stop", help="Stop recording after a long silence."),
    ] = True,
    aloud: Annotated[bool, typer.Option("--speak/--no-speak", help="Speak the questions.")] = True,
    loop: Annotated[
        bool, typer.Option("--loop", help="Only show a whole loop: which round to do on which day.")
    ] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="The whole round against the clock, with one report at the end."
        ),
    ] = False,
    follow_ups: Annotated[
        bool, typer.Option("--follow-ups/--no-follow-ups", help="Ask up to two more questions.")
    ] = True,
    save: Annotated[
        bool, typer.Option("--save/--no-save", help="Keep the attempts in the history.")
    ] = True,
) -> None:
    """Rehearse a mock interview in the terminal."""
    if not role and not question:
        raise typer.BadParameter("name the role, or the question")
    if full and not (role and round_):
        raise typer.BadParameter("--full needs --role and --round: a whole round is of one role")
    if loop and role:
        with open_server(settings) as backend:
            for line in loop_of(backend.bank(), role, datetime.now().date()):
                out().print(line, highlight=False)
        return
    speaker = Speaker.of(settings, load_lexicon(settings.lexicon, settings.cache))
    if aloud:
        speaker.warm_up()

    def speak(text: str, stop: threading.Event) -> None:
        outcome = speaker.speak(text, stop=stop)
        if not outcome.spoken:
            errors().print(Text(f"! {outcome.reason}", "yellow"))

    if prepare_s is None:
        chosen_s = settings.preferences.thinking_s
        prepare_s = _PREPARE_S if chosen_s is None else chosen_s
    loaded = loading.begin_loading(settings, engine, model)
    with open_server(settings) as backend:
        session = Session(backend, loaded, load_hearing(settings), open_judge(settings))
        options = InterviewOptions(
            role=role,
            round=round_,
            questions=questions,
            only=tuple(question or ()),
            device=device or settings.preferences.microphone or None,
            prepare_s=prepare_s,
            auto_stop=auto_stop,
            speak=aloud,
            save=save,
            follow_ups=follow_ups,
            full=full,
        )
        answers = answers_here(settings, backend, lambda: session)
        Interview(settings, backend, session, options, out(), speak, answers).run()


def _assess(
    settings: ClientSettings,
    audio: Path,
    question_id: str,
    engine: str | None,
    model: str | None,
    judge: Judge | None = None,
    *,
    offline: bool = False,
    save: bool,
    partial: bool = False,
    track: int | None = None,
) -> tuple[Outcome, str]:
    try:
        sound = SoundFile(audio, allow_truncated=partial, track=track)
    except BrokenFileError as error:
        hint = "--partial assesses what can be read"
        raise BrokenFileError(f"{error}; {hint}") from error
    name_track(sound)
    check_for_speech(sound.blocks())  # before an engine takes time and memory for it
    loaded = loading.begin_loading(settings, engine, model, offline=offline)
    # the database takes 40 MB: it is opened when engine and hearing are gone
    with open_server(settings, reading=True) as backend:
        if save and settings.server is None:
            # nothing is asked for: only an unusable database has something to say
            backend.history(HistoryQuery(since=datetime.now(UTC), limit=1))
        prompt = _prompt_of(backend, question_id, settings, save=save)
        session = Session(backend, loaded, load_hearing(settings), judge, _language(settings))
        with share_bar("transcribing") as report:
            submission = session.prepare(sound, question_id, on_progress=report)
        session.rest()
        if not save:
            return session.submit(submission, save=False), prompt
        with Journal.of(settings).sending(submission) as answer:
            try:
                answer.copy(sound)
            except RecordingError as error:  # the answer itself can be sent
                answer.notice = f"the recording was not kept: {error}"
            outcome = session.store_or_grade(submission, answer)
            if not outcome.unsaved:
                answer.stored()
    if answer.notice and not outcome.unsaved:
        errors().print(Text(answer.notice, "yellow"))
    return outcome, prompt


def _language(settings: ClientSettings) -> LanguageRequest:
    return LanguageRequest(mother_tongue=settings.preferences.mother_tongue)


def _prompt_of(backend: Backend, question_id: str, settings: ClientSettings, *, save: bool) -> str:
    """A question's prompt; its id where the server is away and the answer will wait for it."""
    try:
        return backend.question(question_id).prompt
    except UnavailableError:
        if settings.server is None or not save:
            raise
        return question_id


def _show(outcome: Outcome, prompt: str, as_json: bool) -> None:
    if outcome.report is None:
        raise fail(outcome.waiting)
    if as_json:
        print_json(outcome.report)
    else:
        print_report(out(), outcome.report, prompt)
    if outcome.unsaved:
        raise fail(f"{outcome.unsaved}, then run the same command again")
    if not as_json and outcome.attempt_id is not None:
        errors().print(Text(f"stored as attempt {outcome.attempt_id}", "dim"))


def _ask_what_was_meant(settings: ClientSettings, outcome: Outcome) -> None:
    if outcome.attempt_id is None or outcome.report is None:
        return
    with open_server(settings) as backend, key_reader() as keys:
        ask_what_was_meant(out(), keys, backend, outcome.attempt_id, outcome.report)


def _assess_many(
    path: Path,
    question: str | None,
    out_file: Path,
    retry_failed: bool,
    make: Callable[[], Workers],
) -> None:
    """Assess the recordings that a path names, and report the progress on standard error."""
    ids = [each.id for each in recordings_of(path, question)]
    done = failed = 0
    with open_results(out_file, retry_failed=retry_failed) as results:
        before = len(results.done.intersection(ids))
        if before < len(ids):
            with (
                closing(make()) as workers,
                counting("assessing the answers and their English") as show,
            ):

                def on_done(line: Line) -> None:
                    nonlocal done, failed
                    done += 1
                    failed += "error" in line
                    show(before + done, len(ids))

                show(before, len(ids))
                assess_all(recordings_of(path, question), workers, results, on_done)
        every_one_failed = results.failed.issuperset(ids)
    line = f"{done} assessed" + (f", {failed} of them failed" if failed else "")
    earlier = f"; {before} were done before" if before else ""
    errors().print(Text(f"{line}{earlier}: {out_file}", "yellow" if failed else ""))
    if every_one_failed:
        raise fail(f"every recording failed: the errors are in {out_file}")


def _workers(
    settings: ClientSettings,
    engine: str | None,
    model: str | None,
    count: int | None,
    cluster: str | None,
) -> Workers:
    """Workers, once what they all need is there: the weights, the data folder."""
    open_judge(settings)  # for its warning
    with open_server(settings):
        loading.begin_loading(settings, engine, model)()
    chosen = settings.preferences.engine_or(engine, model)
    if cluster is not None:
        return ClusterWorkers(cluster, count, AssessorOptions(settings, *chosen, threads=1))
    processors = os.cpu_count() or 1
    count = count or processors
    threads = max(1, processors // count)
    return ProcessWorkers(count, AssessorOptions(settings, *chosen, threads=threads))
