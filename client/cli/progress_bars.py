"""Progress bars on standard error; nothing at all if it is not a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from client.cli.common import errors

T = TypeVar("T")


@contextmanager
def share_bar(title: str) -> Iterator[Callable[[float], None]]:
    """A bar whose function takes the share done, 0 to 1."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors(), transient=True, disable=not _visible()) as progress:
        task = progress.add_task(title, total=1.0)
        yield lambda share: progress.update(task, completed=share)


@contextmanager
def counting(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar whose function takes how many are done and how many there are."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=errors(), transient=True, disable=not _visible()) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def download_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar whose function takes bytes done and bytes in all."""
    columns = (
        *(TextColumn("{task.description}"), BarColumn(), DownloadColumn()),
        *(TransferSpeedColumn(), TimeRemainingColumn()),
    )
    with Progress(*columns, console=errors(), transient=True, disable=not _visible()) as progress:
        task = progress.add_task(title, total=None, visible=False)

        def report(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total, visible=True)

        yield report


def _visible() -> bool:
    return errors().is_terminal
