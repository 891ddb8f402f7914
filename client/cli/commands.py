"""Which commands there are, each loaded when it is used, and how help lists them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, cast

import typer
from typer.core import TyperGroup

COMMANDS: Final = {
    "Practice": {
        "demo": ("practice", "Assess a sample answer; needs no microphone and no download."),
        "interview": ("practice", "Rehearse a mock interview in the terminal."),
        "assess": (
            "practice",
            "Assess a recorded answer: transcript, coverage, pronunciation, delivery.",
        ),
        "grade": (
            "practice",
            "Grade a written answer, or a transcript: JSON of `aloud transcribe`, "
            "subtitles (SRT, VTT).",
        ),
        "drill": (
            "drill",
            "Practice terms: hear one, say it, see how it was heard. Misses come back.",
        ),
        "plan": (
            "progress",
            "Show your plan day by day until the interview; the options change it and are "
            "remembered.",
        ),
        "today": (
            "progress",
            "Show what to practice today, ticked as you do it; when all is done, one step ahead.",
        ),
        "story": ("story", "Your own stories for behavioral questions."),
    },
    "Sound": {
        "transcribe": ("audio", "Print the transcript of a recording."),
        "say": ("audio", "Speak a text, with every lexicon term pronounced correctly."),
        "pronounce": ("audio", "Report how each lexicon term of a text was said in the recording."),
    },
    "Bank and lexicon": {
        "bank": ("bank", "Browse the question bank and check your own."),
        "lexicon": ("lexicon", "Browse the terms and their pronunciation, and check your own."),
    },
    "Your own data": {
        "history": ("own_data", "List past attempts, newest first, or show one."),
        "regrade": ("own_data", "Grade all past attempts again with today's grader and bank."),
        "export": (
            "own_data",
            "Export attempts as Markdown, HTML, JSON, CSV; one as SRT or VTT; everything as ZIP.",
        ),
        "import": (
            "own_data",
            "Import exported attempts and drills, or everything; what is here stays as it is.",
        ),
        "purge": ("own_data", "Delete attempts for good, and their recordings with them."),
        "unfinished": (
            "repair",
            "List interrupted answers that have no report yet, and finish or discard them.",
        ),
        "retranscribe": (
            "repair",
            "Transcribe recorded answers again and grade them; the earlier reports are kept.",
        ),
        "correct": (
            "repair",
            "Correct words of a transcript, say which words say a key phrase, or that a term is "
            "right.",
        ),
        "progress": (
            "progress",
            "Show how answers and drills went over time, and which terms to work on.",
        ),
        "settings": ("settings", "Change the voice, speed, theme, engine and other settings."),
        "share": (
            "share",
            "Share an answer with a coach, by cohort or by link; without options, show who sees "
            "it.",
        ),
        "bundle": (
            "share",
            "Send an answer to a coach as one file, without a server; merge the comments.",
        ),
    },
    "Machine and server": {
        "doctor": (
            "system",
            "Check microphone, voice, engine, weights, data folder and server; name each remedy.",
        ),
        "models": ("system", "List and download Whisper weights."),
        "serve": ("system", "Run the shared server. `aloud user` manages its accounts."),
        "backup": (
            "system",
            "Write the whole database into one file; a running server can keep working.",
        ),
        "restore": ("system", "Fill an empty database, SQLite or PostgreSQL, from a backup."),
        "user": ("user", "Manage the accounts of the server on this machine."),
        "login": (
            "system",
            "Store a token for a shared server, from its account page. Asks, or reads standard "
            "input.",
        ),
        "logout": (
            "system",
            "Forget the token for a shared server; revoke it on its account page.",
        ),
    },
}
"""Heading in the help → command → its module in this package, and its first sentence: to import
every module for ``aloud --help`` would take seconds."""

_ALL: Final = {name: told for part in COMMANDS.values() for name, told in part.items()}


class LoadedCommands(Mapping[str, Any]):
    """The commands by name; a module is imported when one of its commands is asked for."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            module, _ = _ALL[name]
            app = import_module(f"client.cli.{module}").app
            self._loaded |= typer.main.get_group(app).commands
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_ALL)

    def __len__(self) -> int:
        return len(_ALL)


OF_ATTEMPTS: Final = frozenset(
    ("history", "export", "purge", "retranscribe", "correct", "share", "bundle")
)
"""Commands whose first argument is the number of an attempt; ``--attempt N`` says the same."""


def attempts_first(args: list[str]) -> list[str]:
    """The arguments with ``--attempt N`` as the argument ``N``, of the commands that take one."""
    if not args or args[0] not in OF_ATTEMPTS:
        return args
    numbers, rest, waiting = [], [], iter(args[1:])
    for each in waiting:
        if each == "--":
            rest += [each, *waiting]
        elif each == "--attempt":
            numbers.append(next(waiting, each))
        elif each.startswith("--attempt="):
            numbers.append(each.removeprefix("--attempt="))
        else:
            rest.append(each)
    words = 1 if args[0] == "bundle" else 0  # `bundle export`
    return [args[0], *rest[:words], *numbers, *rest[words:]]


class PlainGroup(TyperGroup):
    """Plain help, because rich's takes longer to import than most commands run."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the commands, each with the first sentence of its help."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, " ".join((self.commands[name].help or "").split("\n\n")[0].split()))
                    for name in self.list_commands(ctx)
                ]
            )


def commands() -> typer.Typer:
    """What a module adds its commands to, as ``app``."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.callback()(lambda: None)  # a group, even of one command
    return app


def command_group(app: typer.Typer, name: str, about: str = "") -> typer.Typer:
    """Add a group of commands, ``aloud NAME …``, and return it, to add its commands.

    Without ``about`` it is one of the table ``COMMANDS``.
    """
    group = typer.Typer(help=about or _ALL[name][1], no_args_is_help=True, cls=PlainGroup)
    app.add_typer(group, name=name)
    return group


@contextmanager
def _plain_words() -> Iterator[None]:
    """Says what is wrong with an option's value as the bank's faults do, not as Pydantic does."""
    try:
        yield
    except typer.BadParameter as error:
        # Only a wrong value needs them.
        from pydantic import ValidationError

        from question_bank.errors import field_faults

        if isinstance(error.__cause__, ValidationError):
            _, error.message = next(field_faults(error.__cause__))
        raise


class Program(PlainGroup):
    """``aloud`` with all its commands."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the commands by heading, without loading them."""
        for panel, part in COMMANDS.items():
            with formatter.section(panel):
                formatter.write_dl([(name, about) for name, (_, about) in part.items()])

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = cast(Any, LoadedCommands())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the program's own options."""
        with _plain_words():
            return super().parse_args(ctx, attempts_first(args))

    def invoke(self, ctx: Any) -> Any:
        """Reads the options of a command, and runs it."""
        with _plain_words():
            return super().invoke(ctx)
