"""``aloud bundle``: an answer as a file for a coach, without a server, and their comments."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.backend.reviews import open_reviews
from client.cli.commands import command_group
from client.cli.common import command, errors, fail, out
from client.cli.loading import open_server
from client.core.durable_file import write_durably
from client.core.settings import ClientSettings
from client.data.bundle import bundle_of, merge_each, news_of, read_review
from client.data.own_recordings import OwnRecordings

_PANEL = "Your own data"


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = command_group(
        app,
        "bundle",
        "Send an answer to a coach as one file, without a server; merge the comments.",
        _PANEL,
    )
    command(group, "export")(export)
    command(group, "merge")(merge)


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
    try:
        write_durably(target, packed.content)
    except OSError as error:
        raise fail(f"{target} cannot be written: {error.strerror}") from error
    out().print(str(target), markup=False, soft_wrap=True)
    errors().print("Your coach opens answer.html in it, writes comments and sends them back.")


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
