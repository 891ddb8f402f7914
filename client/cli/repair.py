"""``aloud unfinished``, ``retranscribe``, ``correct``: interrupted answers, and better words."""

import sys
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.answer.answer import Answer
from client.answer.answers import Answers
from client.backend.protocol import Backend
from client.cli.commands import commands
from client.cli.common import command, errors, fail, out, print_json
from client.cli.loading import answers_here, open_server, open_session
from client.cli.options import EngineOption, ModelOption
from client.cli.progress_bars import share_bar
from client.cli.transcripts import spoken_text
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.data.corrections import add_own_alias, add_own_readings
from client.data.own_recordings import OwnRecordings
from client.data.repair import (
    correct_words,
    replaced,
    restore_words,
    rough_answers,
    transcribe_again,
)
from client.practice.progress import all_attempts
from client.terminal.unfinished import described, finish_offered
from pronunciation.errors import PronunciationError
from server.contract import Attempt, MeantAnswer, SaidRight, are_like
from server.ui.verdict_words import score_text

app = commands()


@command(app, "unfinished", judged=True)
def unfinished(
    settings: ClientSettings,
    finish: Annotated[
        list[str] | None,
        typer.Option("--finish", metavar="NAME", help="Finish this one, or all. May be repeated."),
    ] = None,
    discard: Annotated[
        list[str] | None,
        typer.Option("--discard", metavar="NAME", help="Delete this one, or all. May be repeated."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    engine: EngineOption = None,
    model: ModelOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List interrupted answers that have no report yet, and finish or discard them."""
    with open_server(settings) as backend:
        session = cache(lambda: open_session(settings, backend, engine, model, judged=True))
        answers = answers_here(settings, backend, session)
        found = answers.unfinished()
        to_finish, to_discard = _chosen(found, finish), _chosen(found, discard)
        if finish or discard:
            _discard(answers, to_discard, yes=yes)
            _finish(answers, [each for each in to_finish if each not in to_discard])
        elif as_json:
            print_json([_plain(each) for each in found])
        else:
            _list(found)


def _list(found: tuple[Answer, ...]) -> None:
    for each in found:
        out().print(described(each))
        out().print(Text(f"  {each.name}", "dim"), soft_wrap=True)
    if found:
        out().print(
            Text("aloud unfinished --finish NAME, or --discard NAME; NAME may be all", "dim")
        )
    else:
        out().print("Nothing is unfinished.")


def _finish(answers: Answers, chosen: list[Answer]) -> None:
    failed = 0
    for each in chosen:
        out().print(described(each))
        try:
            finish_offered(out(), answers, each)
        except (ClientError, PronunciationError) as error:
            errors().print(Text(f"! {error}", "yellow"), soft_wrap=True)
            failed += 1
    if failed:
        raise fail(f"{failed} of {len(chosen)} could not be finished and are kept")


def _discard(answers: Answers, chosen: list[Answer], *, yes: bool) -> None:
    for each in chosen:
        if not yes:
            out().print(described(each))
            typer.confirm("Delete it for good?", abort=True)
        answers.discard(each)
    if chosen:
        out().print(f"{len(chosen)} discarded")


def _chosen(found: tuple[Answer, ...], names: list[str] | None) -> list[Answer]:
    if not names:
        return []
    if "all" in names:
        return list(found)
    by_name = {each.name: each for each in found}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise fail(f"nothing unfinished is called {missing[0]}; aloud unfinished lists them")
    return [by_name[name] for name in dict.fromkeys(names)]


def _plain(answer: Answer) -> dict[str, object]:
    return {
        "name": answer.name,
        "kind": answer.entry.kind,
        "asked": answer.asked,
        "state": answer.state,
        "server": answer.entry.server,
        "engine": answer.entry.engine,
        "spoken_at": answer.spoken_at,
        "duration_s": round(answer.duration_s, 2),
        "submission_id": answer.submission_id,
        "reason": answer.entry.reason,
        "problem": answer.obstacle,
    }


@command(app, "retranscribe", judged=True)
def retranscribe(
    settings: ClientSettings,
    attempt: Annotated[
        list[int] | None, typer.Argument(metavar="ID…", help="The attempts to transcribe again.")
    ] = None,
    rough: Annotated[
        bool,
        typer.Option("--rough", help="All attempts with a rough transcript, made by PocketSphinx."),
    ] = False,
    engine: EngineOption = None,
    model: ModelOption = None,
) -> None:
    """Transcribe recorded answers again and grade them; the earlier reports are kept."""
    if bool(attempt) == rough:
        raise typer.BadParameter("name the attempts, or --rough for all with a rough transcript")
    recordings = OwnRecordings(settings.recordings)
    with open_server(settings) as backend:
        ids = attempt or [each.id for each in rough_answers(all_attempts(backend), recordings)]
        if not ids:
            out().print("No recorded answer has a rough transcript.")
            return
        session = open_session(settings, backend, engine, model, judged=True)
        failed = 0
        for number, attempt_id in enumerate(ids, 1):
            try:
                before = backend.attempt(attempt_id)
                with share_bar(f"attempt {attempt_id}, {number} of {len(ids)}") as progress:
                    after = transcribe_again(backend, session, recordings, attempt_id, progress)
            except ClientError as error:
                if len(ids) == 1:
                    raise
                failed += 1
                errors().print(Text(f"attempt {attempt_id}: {error}", "red"))
            else:
                _print_change(before, after)
    if failed:
        raise fail(f"{failed} of {len(ids)} could not be transcribed again and keep their reports")


@command(app, "correct")
def correct(
    settings: ClientSettings,
    attempt: Annotated[int, typer.Argument(metavar="ID", help="One of `aloud history`.")],
    was: Annotated[
        str | None, typer.Argument(metavar="WAS", help="Words as the transcript has them.")
    ] = None,
    now: Annotated[
        str | None, typer.Argument(metavar="NOW", help="What you said; '' takes them out.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="The whole transcript, corrected; - reads standard input."),
    ] = None,
    restore: Annotated[
        bool, typer.Option("--restore", help="Restore all of the engine's words.")
    ] = False,
    phrase: Annotated[
        str | None,
        typer.Option("--phrase", help="“I did say it”: a key phrase that the words in WAS say."),
    ] = None,
    no: Annotated[
        bool, typer.Option("--no", help="With --phrase, without WAS: no to “Did you mean …?”.")
    ] = False,
    term: Annotated[
        str | None, typer.Option("--term", help="“I said it right”: a term called mispronounced.")
    ] = None,
    always: Annotated[
        bool,
        typer.Option(
            "--always",
            help="With --phrase: in all answers to the question. With --term: as you say it, in"
            " all answers and drills.",
        ),
    ] = False,
) -> None:
    """Correct words of a transcript, say which words say a key phrase, or that a term is right."""
    if term is not None:
        ways = [was is None, file is None, not restore, phrase is None, not no]
    elif phrase is not None:
        ways = [(was is None) == no, now is None, file is None, not restore, not (always and no)]
    else:
        ways = [[now is not None, file is not None, restore].count(True) == 1, not always, not no]
        ways += [was is None or now is not None]
    if not all(ways):
        raise typer.BadParameter(
            "give WAS and NOW, or --file, or --restore, or WAS with --phrase, "
            "or --no with --phrase, or --term"
        )
    with open_server(settings) as backend:
        before = backend.attempt(attempt)
        if term is not None:
            after = _said_right(settings, backend, before, term, always=always)
        elif phrase is not None:
            after = _say(settings, backend, before, phrase, was, always=always)
        elif restore:
            after = restore_words(backend, attempt)
        elif file is not None:
            after = _correct(settings, backend, attempt, spoken_text(_read(file)))
        else:
            text = replaced(before.report.transcript, was or "", now or "")
            after = _correct(settings, backend, attempt, text)
    _print_change(before, after)


def _correct(settings: ClientSettings, backend: Backend, attempt_id: int, text: str) -> Attempt:
    recordings = OwnRecordings(settings.recordings)
    return correct_words(backend, open_session(settings, backend), recordings, attempt_id, text)


def _say(
    settings: ClientSettings,
    backend: Backend,
    attempt: Attempt,
    phrase: str,
    words: str | None,
    *,
    always: bool,
) -> Attempt:
    """Yes to "Did you mean …?", or "I did say it", in these words; no if there are none."""
    if words is None:
        return backend.confirm(attempt.id, MeantAnswer(phrase=phrase, meant=False))
    if always:
        add_own_alias(backend, settings, attempt, phrase, words)
        return backend.attempt(attempt.id)
    return backend.confirm(attempt.id, MeantAnswer(phrase=phrase, meant=True, words=words))


def _said_right(
    settings: ClientSettings, backend: Backend, attempt: Attempt, term: str, *, always: bool
) -> Attempt:
    if not always:
        return backend.said_right(attempt.id, SaidRight(term=term))
    add_own_readings(backend, settings, attempt, term)
    backend.regrade()
    return backend.attempt(attempt.id)


def _read(file: Path) -> str:
    try:
        if str(file) == "-":
            return sys.stdin.read()
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise fail(f"{file} cannot be read: {error}") from error


def _print_change(before: Attempt, after: Attempt) -> None:
    transcript = after.report.transcript
    scores = f"{score_text(before.report)} → {score_text(after.report)}"
    out().print(
        Text.assemble(
            (f"attempt {after.id} ", "bold"),
            f"{after.report.question_id}: {scores}",
            (f"  by {transcript.engine} {transcript.model}".rstrip(), "dim"),
        )
    )
    if not are_like(before.report, after.report):
        out().print(Text("  graded in different ways: these scores cannot be compared", "dim"))
    for now, was in transcript.corrected_texts:
        out().print(Text(f"  “{was}” → “{now}”"))
    if after.version > before.version:
        out().print(Text(f"  aloud history {after.id} --version {before.version}: before", "dim"))
