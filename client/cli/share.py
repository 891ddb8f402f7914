"""``aloud share``, ``bundle``: an answer for a coach, on a shared server or as a file."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.backend.opening import open_reviews
from client.cli.commands import command_group, commands
from client.cli.common import checked, command, errors, fail, out, print_json, writing
from client.cli.loading import open_server
from client.cli.options import JsonOption
from client.cli.progress_bars import counting
from client.core.durable_file import write_durably
from client.core.settings import ClientSettings
from client.data import sharing as sharing_of
from client.data.bundle import bundle_of, merge_each, news_of, read_review
from client.data.own_recordings import OwnRecordings
from client.data.sharing import RemoteSharing, interview_of, open_sharing
from server.contract import LinkRequest, Preparing, Sharing

app = commands()
group = command_group(app, "bundle")


@command(app, "share")
def share(
    settings: ClientSettings,
    attempt: Annotated[int, typer.Argument(metavar="ID", help="The attempt.", min=1)],
    cohort: Annotated[
        str | None, typer.Option("--cohort", help="Share it with the coaches of this cohort.")
    ] = None,
    link: Annotated[
        str | None,
        typer.Option("--link", metavar="LABEL", help="Make a link for a coach without an account."),
    ] = None,
    days: Annotated[
        int, typer.Option("--days", min=1, max=90, help="Days until the link expires.")
    ] = 14,
    audio: Annotated[
        bool, typer.Option("--audio", help="Include the recording, which is uploaded.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--interview", help="Share all answers of its interview.")
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="Revoke every share of this attempt alone.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Share an answer with a coach, by cohort or by link; without options, show who sees it."""
    if stop and (cohort is not None or link is not None):
        raise typer.BadParameter("--stop goes with neither --cohort nor --link")
    if cohort is not None and link is not None:
        raise typer.BadParameter("name one of --cohort and --link")
    if (audio or whole) and cohort is None and link is None:
        raise typer.BadParameter("--audio and --interview go with --cohort or --link")
    wanted = checked(LinkRequest, label=link, days=days) if link is not None else None
    failed: list[Preparing] = []
    with open_sharing(settings) as sharing:
        if stop:
            _stop(sharing, attempt)
        elif cohort is not None or wanted is not None:
            recordings = OwnRecordings(settings.recordings)

            def uploaded(attempt_id: int) -> None:
                left = _wait(sharing, attempt_id)
                if left is not None and left.state == "failed":
                    failed.append(left)

            submission_id = sharing.attempt(attempt).submission.submission_id
            cohort_id = _cohort(sharing, attempt, cohort) if cohort is not None else None
            record = interview_of(settings, submission_id) if whole else None
            if whole and record is None:
                raise fail("this answer does not belong to an interview that is kept here")
            address = sharing_of.share(
                sharing,
                recordings,
                attempt,
                submission_id,
                record,
                cohort_id=cohort_id,
                link=wanted,
                with_audio=audio,
                uploaded=uploaded,
            )
            if address is not None:
                errors().print(
                    "Anyone with this link sees the answer. The link is shown only once:"
                )
                (errors() if as_json else out()).print(address, markup=False, soft_wrap=True)
        shown = sharing.sharing(attempt)
    if as_json:
        print_json(shown)
    else:
        _print_sharing(shown)
    if failed:
        raise fail(f"it is shared without its recording: {failed[0].problem}")


def _wait(sharing: RemoteSharing, attempt_id: int) -> Preparing | None:
    """Waits for the server's work on a recording, and shows its progress."""
    with counting("the server prepares the recording") as report:

        def tell(now: Preparing) -> None:
            if now.total_s:
                report(now.done_s, now.total_s)

        return sharing.prepared(attempt_id, tell)


def _cohort(sharing: RemoteSharing, attempt_id: int, name: str) -> int:
    cohorts = sharing.sharing(attempt_id).cohorts
    for each in cohorts:
        if each.name.casefold() == name.strip().casefold():
            return each.id
    known = ", ".join(each.name for each in cohorts) or "none"
    raise fail(f"you are not a candidate in a cohort {name!r}; yours: {known}")


def _stop(sharing: RemoteSharing, attempt_id: int) -> None:
    for each in sharing.sharing(attempt_id).shares:
        if each.attempt_id is not None:
            sharing.revoke(each.id)


def _print_sharing(shown: Sharing) -> None:
    if not shown.shares:
        out().print("nobody else sees this answer")
    for share in shown.shares:
        whole = ", with its interview" if share.interview_id is not None else ""
        sound = ", with the recording" if share.with_audio else ""
        to = f"coaches of {share.cohort}" if share.cohort is not None else "by link"
        out().print(Text(f"{to}{whole}{sound}"), soft_wrap=True)
        for link in share.links:
            used = (
                f"last used {link.last_used_at:%Y-%m-%d %H:%M}" if link.last_used_at else "unused"
            )
            end = "revoked" if link.revoked_at else f"until {link.expires_at:%Y-%m-%d}"
            out().print(Text(f"  link {link.label}: {end}, {used}"), soft_wrap=True)
    if shown.preparing is not None:
        out().print(Text(_of_recording(shown.attempt_id, shown.preparing)), soft_wrap=True)
    elif shown.wants_audio:
        out().print("the recording is not on the server")


def _of_recording(attempt_id: int, preparing: Preparing) -> str:
    if preparing.state == "failed":
        return f"the last recording that was sent cannot be heard: {preparing.problem}"
    far = f" ({preparing.done_s} of {preparing.total_s} s)" if preparing.total_s else ""
    return f"the recording is being prepared{far}; `aloud share {attempt_id}` shows its progress"


@command(group, "export")
def export(
    settings: ClientSettings,
    attempt: Annotated[int, typer.Argument(metavar="ID", help="The attempt.", min=1)],
    audio: Annotated[bool, typer.Option("--audio", help="Include the recording.")] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="The file; by default named after the question."
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
) -> None:
    """Make a bundle: transcript, report, a page that opens offline to comment in."""
    recordings = OwnRecordings(settings.recordings)
    with open_server(settings) as backend, open_reviews(settings) as reviews:
        packed = bundle_of(backend, reviews, recordings, attempt, with_audio=audio)
    target = file or Path(packed.name)
    if target.exists() and not replace:
        raise fail(f"{target} already exists; name another file with --out, or --replace it")
    with writing(target):
        write_durably(target, packed.content)
    out().print(str(target), markup=False, soft_wrap=True)
    errors().print("Your coach opens answer.html in it, writes comments and sends them back.")


@command(group, "merge")
def merge(
    settings: ClientSettings,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Files with comments, or bundles.")
    ],
) -> None:
    """Merge a coach's comments into your answers. Merging a file twice changes nothing."""
    # one bad file, and nothing is merged
    documents = [(str(each), read_review(each)) for each in files]
    with open_reviews(settings) as reviews:
        for name, merged in merge_each(reviews, documents):
            line = f"{name}: {news_of(merged)} on attempt {merged.attempt_id}"
            out().print(Text(f"{line}, {merged.known} already known"), soft_wrap=True)
            for each in merged.added:
                out().print(Text(f"  {each.author}: {' '.join(each.text.split())}"), soft_wrap=True)
