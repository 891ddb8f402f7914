"""What all commands share: consoles, the settings, and error handling."""

import functools
import inspect
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import typer
from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from client.cli.options import (
    BankOption,
    JudgeModelOption,
    JudgeOption,
    LexiconOption,
    ServerOption,
)
from client.core.settings import ClientSettings, load_settings
from client.core.wording import escaped, visible
from question_bank.errors import field_faults

M = TypeVar("M", bound="BaseModel")

PIPED_WIDTH: Final = 100
"""Columns when the output is not a terminal and COLUMNS does not say how many (rich would take 80
and break tables early)."""


class SafeConsole(Console):
    """Shows control characters in any text as signs; colors and cursor are only our own.

    What people stored (a coach's comment, an imported file, a bank) is never a command to the
    terminal of whoever reads it.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of anything that is printed."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    told = os.environ.get("COLUMNS", "")
    width = None if stream.isatty() or told.isdigit() else PIPED_WIDTH
    # without emoji: "x.yaml:100: …" is a line number
    return SafeConsole(stderr=stderr, width=width, highlight=False, soft_wrap=False, emoji=False)


@functools.cache
def out() -> Console:
    """Standard output: results."""
    return _console(stderr=False)


@functools.cache
def errors() -> Console:
    """Standard error: progress, notices and failures."""
    return _console(stderr=True)


def fail(message: str) -> typer.Exit:
    """An expected failure: its text on standard error, exit status 1. Raise what it returns."""
    for line in message.splitlines():
        errors().print(f"aloud: {line}", style="red", markup=False, soft_wrap=True)
    return typer.Exit(1)


def print_json(document: BaseModel | Any) -> None:
    """One JSON document on standard output and nothing else there."""
    text = json.dumps(to_jsonable_python(document), indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(escaped(text) + "\n")


def print_file(text: str) -> None:
    """What is meant for a file, on standard output; a terminal gets it with signs for commands."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


def plain_table(*columns: str, indent: int = 0) -> Table:
    """A table without lines."""
    table = Table(box=None, padding=(0, 2, 0, indent), header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """A file that cannot be written is an expected failure."""
    try:
        yield
    except OSError as error:
        raise fail(f"{path} cannot be written: {error.strerror}") from error


_DATA_OPTIONS: Final = {"bank": BankOption, "lexicon": LexiconOption, "server": ServerOption}
_JUDGE_OPTIONS: Final = {"judge": JudgeOption, "judge_model": JudgeModelOption}


def command(
    app: typer.Typer, name: str, *, judged: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command whose first parameter is ``settings: ClientSettings``.

    The command gets the options ``--bank``, ``--lexicon`` and ``--server``, if ``judged`` also
    ``--judge`` and ``--judge-model``, from which the settings are made, and every expected
    failure ends as one clear line with exit status 1.
    """
    options = _DATA_OPTIONS | (_JUDGE_OPTIONS if judged else {})

    def register(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def wrapper(**values: Any) -> None:
            data = {key: values.pop(key) for key in options}
            with expected_failures():
                function(load_settings_of(**data), **values)

        own = list(inspect.signature(function).parameters.values())[1:]
        added = [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for key, kind in options.items()
        ]
        own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
        wrapper.__signature__ = inspect.Signature(own + added)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in own + added}
        del wrapper.__wrapped__  # typer would read its hints
        app.command(name)(wrapper)
        return function

    return register


def load_settings_of(
    bank: list[Path] | None,
    lexicon: list[Path] | None,
    server: str | None,
    judge: str | None = None,
    judge_model: str | None = None,
) -> ClientSettings:
    """The settings from the options about data, or from the environment if one is not given."""
    return load_settings(
        bank=bank or (), lexicon=lexicon or (), server=server, judge=judge, judge_model=judge_model
    )


def checked(model: type[M], **values: Any) -> M:
    """A wire model made from options; a value it refuses is a usage error.

    Raises:
        BadParameter: names the option and what is wrong with it.
    """
    try:
        return model(**values)
    except ValidationError as error:
        place, says = next(field_faults(error))
        where = "--" + str(place[0]).replace("_", "-") if place else "options"
        raise typer.BadParameter(f"{where}: {says}") from None  # it is in plain words


class expected_failures:
    """Turns the packages' own errors into one line each; a defect still shows its traceback.

    Ctrl-C is an exception inside, so that a command can clean up, and one line afterwards.
    """

    def __enter__(self) -> None:
        self._quits = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        )
        if self._quits:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self._quits:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        if error is None or isinstance(error, typer.Exit):
            return
        if isinstance(error, KeyboardInterrupt):
            raise fail("stopped") from error
        if isinstance(error, _known_errors()):
            raise fail(str(error)) from error


def _known_errors() -> tuple[type[BaseException], ...]:
    """The error bases of the packages loaded so far: nothing heavy is imported to find out."""
    names = {
        "client.core.errors": "ClientError",
        "question_bank.errors": "BankError",
        "pronunciation.errors": "PronunciationError",
        "server.core.errors": "ServerError",
    }
    return tuple(
        getattr(sys.modules[module], name)
        for module, name in names.items()
        if module in sys.modules
    )
