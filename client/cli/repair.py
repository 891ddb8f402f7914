"""``aloud retranscribe``, ``correct``: better words for answers that are stored."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.backend.protocol import Backend
from client.cli.common import command, errors, fail, out
from client.cli.loading import open_server, open_session
from client.cli.options import EngineOption, ModelOption
from client.cli.progress_bars import share_bar
from client.cli.transcripts import spoken_text
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.data.own_aliases import add_own_alias
from client.data.own_readings import add_own_readings
from client.data.own_recordings import OwnRecordings
from client.data.repair import (
    correct_words,
    replaced,
    restore_words,
    rough_answers,
    transcribe_again,
)
from client.practice.progress import all_attempts
from server.contract import Attempt, MeantAnswer, SaidRight, are_like
from server.ui.verdict_words import score_text

_PANEL = "Your own data"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "retranscribe", _PANEL, judged=True)(retranscribe)
    command(app, "correct", _PANEL)(correct)


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
        str | None,
        typer.Option("--term", help="“I said it right”: a term called mispronounced."),
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
