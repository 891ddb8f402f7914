"""``aloud bundle``: an answer as a file for a coach without any server, and their comments."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from client.cli.common import command, errors, fail, out

if TYPE_CHECKING:
    from client.settings import ClientSettings

__all__ = ["register"]

_PANEL = "Your own data"


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="An answer as one file for a coach without any server; and back.",
        no_args_is_help=True,
    )
    app.add_typer(group, name="bundle", rich_help_panel=_PANEL)
    command(group, "export")(export)
    command(group, "merge")(merge)


def export(
    settings: "ClientSettings",
    attempt: Annotated[int, typer.Argument(metavar="ID", help="The attempt.", min=1)],
    audio: Annotated[bool, typer.Option("--audio", help="With the recording.")] = False,
    file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Else named by the question.")
    ] = None,
) -> None:
    """Make a bundle: transcript, report, a page that opens offline to comment in."""
    from client.audio_file import read_audio
    from client.bundle import make_bundle
    from client.cli.connection import open_server
    from client.durable_file import write_durably
    from client.embedded import open_reviews
    from client.own_recordings import OwnRecordings
    from client.sharing import as_flac
    from server.review_contract import ReviewDocument

    with open_server(settings) as backend:
        archive = backend.export_one(attempt)
    submission_id = archive.attempts[0].submission.submission_id
    review = ReviewDocument(submission_id=submission_id)
    if settings.server is None:
        with open_reviews(settings) as reviews:
            review = reviews.document(attempt)
    recording = None
    if audio:
        path = OwnRecordings(settings.recordings).path_of(submission_id)
        if not path.is_file():
            raise fail("there is no recording of this answer on this machine")
        recording = as_flac(read_audio(path))
    packed = make_bundle(archive, review, recording)
    target = file or Path(packed.name)
    if file is None and target.exists():
        raise fail(f"{target} is there already; name another file with --out")
    try:
        write_durably(target, packed.content)
    except OSError as error:
        raise fail(f"{target} cannot be written: {error.strerror}") from error
    out().print(str(target), markup=False, soft_wrap=True)
    errors().print("Your coach opens answer.html in it, comments, and sends the comments back.")


def merge(
    settings: "ClientSettings",
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Comments or bundles.")],
) -> None:
    """Add the comments that came back to your answers. Twice the same changes nothing."""
    from client.bundle import read_review
    from client.embedded import open_reviews

    if settings.server is not None:
        raise fail("comments are merged on this machine; leave --server and ALOUD_SERVER out")
    documents = [read_review(each) for each in files]  # one bad file, and nothing is merged
    with open_reviews(settings) as reviews:
        for path, document in zip(files, documents, strict=True):
            merged = reviews.merge(document)
            count = len(merged.added)
            out().print(
                Text(
                    f"{path}: {count} new comment{'' if count == 1 else 's'} "
                    f"on attempt {merged.attempt_id}, {merged.known} known already"
                ),
                soft_wrap=True,
            )
            for each in merged.added:
                out().print(Text(f"  {each.author}: {' '.join(each.text.split())}"), soft_wrap=True)
