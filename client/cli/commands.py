"""Which commands there are, each loaded when it is used, and how help lists them."""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperGroup

MODULES: Final = {
    "practice": ("demo", "interview", "assess", "grade"),
    "drill": ("drill",),
    "audio": ("transcribe", "say"),
    "pronounce": ("pronounce",),
    "bank": ("bank",),
    "lexicon": ("lexicon",),
    "own_data": ("history", "regrade", "export", "import", "purge"),
    "unfinished": ("unfinished",),
    "repair": ("retranscribe", "correct"),
    "progress_plan": ("progress", "plan"),
    "system": ("doctor", "models", "serve", "backup", "restore"),
    "settings": ("settings",),
    "user": ("user",),
    "sign_in": ("login", "logout"),
    "share": ("share",),
    "bundle": ("bundle",),
}
"""The commands that each module of this package registers, in the order that help shows them."""


class LoadedCommands(MutableMapping[str, Any]):
    """The commands by name; a module is imported when one of its commands is asked for."""

    def __init__(self) -> None:
        self._modules = {name: module for module, names in MODULES.items() for name in names}
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            part = typer.Typer(rich_markup_mode=None, add_completion=False)
            part.callback()(lambda: None)  # a group, even of one command
            import_module(f"client.cli.{self._modules[name]}").register(part)
            self._loaded |= typer.main.get_group(part).commands
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._modules.setdefault(name, "")
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._modules[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class PlainGroup(TyperGroup):
    """Plain help, because rich's takes longer to import than most commands run."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the commands by panel, each with the first sentence of its help."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.commands[name]
            about = " ".join((command.help or "").split("\n\n")[0].split())
            panel = getattr(command, "rich_help_panel", None)
            panels.setdefault(panel if isinstance(panel, str) else "Commands", []).append(
                (name, about)
            )
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)


def command_group(app: typer.Typer, name: str, about: str, panel: str | None = None) -> typer.Typer:
    """Add a group of commands, ``aloud NAME …``, and return it, to add its commands."""
    group = typer.Typer(help=about, no_args_is_help=True, cls=PlainGroup)
    app.add_typer(group, name=name, rich_help_panel=panel)
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

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = LoadedCommands()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the program's own options."""
        with _plain_words():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Reads the options of a command, and runs it."""
        with _plain_words():
            return super().invoke(ctx)
