"""``aloud history``, ``regrade``, ``export``, ``import``, ``purge``: your own data."""

import shlex
from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from client.backend.opening import read_review
from client.backend.protocol import BackendError, RejectedError
from client.cli.commands import commands
from client.cli.common import checked, command, errors, fail, out, print_file, print_json, writing
from client.cli.loading import open_server
from client.cli.options import JsonOption, RoundOption, day
from client.cli.progress_bars import counting
from client.core.settings import ClientSettings
from client.core.wording import count_of
from client.data.deleting import KEPT, delete_answers, delete_everything
from client.data.exports import SUBTITLES, export_attempts, import_archive, read_archive
from client.data.own_recordings import OwnRecordings
from client.data.repair import earlier_version
from client.data.whole_archive import is_whole, read_whole, write_archive
from client.terminal.keys import key_reader
from client.terminal.report import history_table, print_report, render_review
from client.terminal.unfinished import offer_repairs
from server.contract import Attempt, HistoryPage, HistoryQuery, PurgeRequest, RegradeChange, clock
from server.ui.verdict_words import VERDICT_WORDS, question_about

app = commands()


@command(app, "history")
def history(
    settings: ClientSettings,
    attempt: Annotated[
        int | None, typer.Argument(metavar="ID", help="Show this attempt's report.")
    ] = None,
    version: Annotated[
        int | None,
        typer.Option("--version", metavar="N", min=1, help="With ID: its Nth report, from 1."),
    ] = None,
    hear: Annotated[
        bool, typer.Option("--hear", help="With ID: hear the repairs of its English by number.")
    ] = False,
    role: Annotated[str | None, typer.Option("--role", help="Only this role's attempts.")] = None,
    round_: RoundOption = None,
    question: Annotated[
        str | None, typer.Option("--question", metavar="ID", help="Only this question's attempts.")
    ] = None,
    limit: Annotated[
        int,
        typer.Option("--limit", metavar="N", min=1, max=500, help="Number of attempts to list."),
    ] = 20,
    as_json: JsonOption = False,
) -> None:
    """List past attempts, newest first, or show one."""
    with open_server(settings, reading=True) as backend:
        if attempt is not None:
            stored = newest = backend.attempt(attempt)
            if version is not None and version != stored.version:
                stored = earlier_version(backend, attempt, version)
            if as_json:
                print_json(stored)
                return

            try:
                prompt = backend.question(stored.report.question_id).prompt
            except RejectedError:  # the question is no longer in the bank
                prompt = stored.report.question_id
            print_report(out(), stored.report, prompt)
            if stored is newest:  # comments count the words of the newest transcript
                _print_how_to_confirm(stored)
                _print_review(settings, stored)
            if stored.version > 1:
                earlier = f"report {stored.version} of this answer; --version shows an earlier one"
                out().print(Text(earlier, "dim"))
            if hear:
                with key_reader() as keys:
                    offer_repairs(out(), keys, settings, stored.report.language)
            return
        page = backend.history(
            checked(HistoryQuery, role=role, round=round_, question_id=question, limit=limit)
        )
    if as_json:
        print_json(page)
    else:
        _print_history(page, filtered=any((role, round_, question)))


@command(app, "regrade")
def regrade(
    settings: ClientSettings,
    diff: Annotated[
        bool, typer.Option("--diff", help="Only show what would change; keep the old reports.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Grade all past attempts again with today's grader and bank."""
    with open_server(settings) as backend, counting("grading again") as progress:
        result = backend.regrade(dry_run=diff, progress=progress)
    if as_json:
        print_json(result)
    else:
        for change in result.changes:
            _print_change(change)
        would = "would change" if diff else "changed"
        graded = count_of(result.graded, "attempt")
        out().print(f"{graded} graded again, {len(result.changes)} {would}")
    for failure in result.failures:
        errors().print(
            Text(f"attempt {failure.attempt_id} ({failure.question_id}): {failure.reason}", "red")
        )
    if result.failures:
        raise fail(f"{len(result.failures)} could not be graded again and keep their reports")


@command(app, "export")
def export(
    settings: ClientSettings,
    attempt: Annotated[int | None, typer.Argument(metavar="ID", help="Only this attempt.")] = None,
    format_: Annotated[
        Literal["markdown", "html", "json", "csv", "zip", "srt", "vtt"],
        typer.Option("--format", help="JSON and ZIP can be imported again; ZIP has everything."),
    ] = "markdown",
    recordings: Annotated[
        bool, typer.Option("--recordings", help="With ZIP: the recordings, too.")
    ] = False,
    out_file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write to this file, not to the screen."),
    ] = None,
) -> None:
    """Export attempts as Markdown, HTML, JSON, CSV; one as SRT or VTT; everything as ZIP."""
    if format_ == "zip":
        if attempt is not None or out_file is None:
            raise typer.BadParameter("zip has everything, in a file: name it with --out")
        with open_server(settings) as backend, writing(out_file):
            sounds = write_archive(backend, settings, out_file, recordings=recordings)
        held = f", with {count_of(sounds, 'recording')}" if recordings else ", without recordings"
        errors().print(f"wrote {out_file}{held}", markup=False, soft_wrap=True)
        return
    if recordings:
        raise typer.BadParameter("--recordings goes with --format zip")
    if format_ in SUBTITLES and attempt is None:
        raise typer.BadParameter(f"{format_} is for one attempt: name it")
    with open_server(settings) as backend:
        text = export_attempts(backend, format_, attempt)
    if out_file is None:
        print_file(text)
        return
    with writing(out_file):
        out_file.write_text(text, encoding="utf-8")
    errors().print(f"wrote {out_file}", markup=False, soft_wrap=True)


@command(app, "import")
def import_file(
    settings: ClientSettings,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `aloud export --format json|zip` wrote.")
    ],
) -> None:
    """Import exported attempts and drills, or everything; what is here stays as it is."""
    with open_server(settings) as backend:
        if file.is_file() and is_whole(file):
            everything = read_whole(backend, settings, file)
            done = everything.answers
            out().print(
                f"{count_of(everything.files, 'other file')}, "
                f"{count_of(everything.recordings, 'recording')}, "
                f"{count_of(everything.settings, 'setting')} imported"
            )
            if everything.waiting:
                out().print(f"{count_of(everything.waiting, 'answer')} that waited to be sent")
        else:
            done = import_archive(backend, read_archive(file))
    answers, drills = done.attempts, done.drills
    out().print(f"{answers.imported} imported, {answers.skipped} already there")
    if drills.imported or drills.skipped:
        out().print(f"drills: {drills.imported} imported, {drills.skipped} already there")
    if done.conflicts:
        raise fail(
            f"{len(done.conflicts)} not imported: different answers have the same ID here "
            f"({', '.join(done.conflicts)})"
        )


@command(app, "purge")
def purge(
    settings: ClientSettings,
    attempt: Annotated[
        list[int] | None, typer.Argument(metavar="ID…", help="Delete these attempts.")
    ] = None,
    before: Annotated[
        date | None,
        typer.Option(
            "--before", metavar="DAY", parser=day, help="Delete all attempts before this day."
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Delete everything, also recordings, spoken prompts and what waits for a server.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete attempts for good, and their recordings with them."""
    ids = sorted(set(attempt or ()))
    if [bool(ids), before is not None, everything].count(True) != 1:
        raise typer.BadParameter("name exactly one of ID, --before and --all")
    moment = datetime.combine(before, time()).astimezone() if before else None
    request = checked(PurgeRequest, attempt_ids=tuple(ids), before=moment, everything=everything)
    if not yes:
        _warn_of_unfinished(settings, moment, everything=everything)
        if everything:
            errors().print(Text(f"This keeps {', '.join(KEPT)}.", "dim"), soft_wrap=True)
        typer.confirm("Delete for good?", abort=True)
    with open_server(settings) as backend:
        if everything:
            result = delete_everything(backend, settings)
        elif ids:
            result = delete_answers(backend, settings, ids)
        else:
            result = backend.purge(request)
    if moment is not None:
        OwnRecordings(settings.recordings).forget_before(moment)
    if ids and not result.deleted:
        raise fail(f"there is no attempt {', '.join(map(str, ids))}; `aloud history` lists them")
    out().print(f"{count_of(result.deleted, 'attempt')} deleted")
    if result.drill_reviews:
        out().print(f"{count_of(result.drill_reviews, 'drill take')} deleted")
    if result.deleted < len(ids):
        raise fail(f"{len(ids) - result.deleted} of {len(ids)} attempts were not there")


def _warn_of_unfinished(
    settings: ClientSettings, before: datetime | None, *, everything: bool
) -> None:
    """Name the unfinished answers that would be deleted too."""
    if before is None and not everything:
        return
    unfinished = OwnRecordings(settings.recordings).unfinished(before)
    if unfinished:
        length = clock(sum(each.duration_s for each in unfinished))
        errors().print(
            Text(
                f"! this also deletes {count_of(len(unfinished), 'unfinished answer')}, "
                f"{length} of speech; to see: aloud unfinished",
                "yellow",
            )
        )


def _print_how_to_confirm(attempt: Attempt) -> None:
    """Print how to answer "Did you mean …?", which is only asked when the answer is new."""
    for phrase in attempt.report.coverage.phrases:
        if question_about(phrase) and phrase.evidence is not None:
            words, name = (shlex.quote(each) for each in (phrase.evidence.text, phrase.phrase))
            for reply, typed in (
                ("Yes", f"aloud correct {attempt.id} {words} --phrase {name}"),
                ("No", f"aloud correct {attempt.id} --phrase {name} --no"),
            ):
                out().print(Text(f"{reply} to “{phrase.phrase}”: {typed}", "dim"), soft_wrap=True)


def _print_review(settings: ClientSettings, attempt: Attempt) -> None:
    """Print what coaches wrote. If it cannot be read, the report was still worth showing."""
    try:
        review = read_review(settings, attempt.id)
    except BackendError as error:
        errors().print(Text(f"! what coaches wrote cannot be read: {error}", "yellow"))
        return
    out().print(render_review(review, attempt.report.transcript.tokens))


def _print_history(page: HistoryPage, *, filtered: bool) -> None:
    if not page.attempts:
        out().print(
            "No attempt matches. Leave out the options to list all."
            if filtered
            else "No attempts yet. Begin with: aloud interview --role ROLE"
        )
        return

    out().print(history_table(page.attempts, out().width))
    if page.total > len(page.attempts):
        out().print(Text(f"{len(page.attempts)} of {page.total}; to see more: --limit", "dim"))


def _print_change(change: RegradeChange) -> None:
    out().print(
        Text.assemble(
            (f"attempt {change.attempt_id} ", "bold"),
            f"{change.question_id}: {change.score_before:.0%} → {change.score_after:.0%}",
            (f"  grader {change.grader_version_before} → {change.grader_version_after}", "dim"),
        )
    )

    for phrase in change.phrases:
        before, after = (
            VERDICT_WORDS[each] if each else "not asked for"
            for each in (phrase.before, phrase.after)
        )
        out().print(Text(f"  {phrase.phrase}: {before} → {after}"))
    for part in change.parts:
        out().print(
            Text(f"  {part.name}: {part.before or 'not judged'} → {part.after or 'not judged'}")
        )
