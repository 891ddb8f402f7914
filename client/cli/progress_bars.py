"""Progress bars on standard error; nothing at all if it is not a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from client.cli.common import errors


@contextmanager
def share_bar(title: str) -> Iterator[Callable[[float], None]]:
    """A bar whose function takes the share done, 0 to 1."""
    with _progress(TimeElapsedColumn()) as progress:
        task = progress.add_task(title, total=1.0)
        yield lambda share: progress.update(task, completed=share)


@contextmanager
def counting(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar whose function takes how many are done and how many there are."""
    with _progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def download_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar whose function takes bytes done and bytes in all."""
    with _progress(DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task(title, total=None, visible=False)
        yield lambda done, total: progress.update(task, completed=done, total=total, visible=True)


def _progress(*columns: ProgressColumn) -> Progress:
    return Progress(
        *(TextColumn("{task.description}"), BarColumn(), *columns),
        console=errors(),
        transient=True,
        disable=not errors().is_terminal,
    )
