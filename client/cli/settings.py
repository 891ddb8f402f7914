"""``aloud settings``: shows, changes and resets settings."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.cli.commands import command_group, commands
from client.cli.common import errors, expected_failures, out, plain_table, print_json
from client.cli.options import JsonOption
from client.core.preferences import (
    NAMES,
    POSSIBLE,
    change_preferences,
    check_name,
    load_preferences,
    preferences_file,
    reset_preferences,
    source_of,
    variable,
    written,
)
from client.core.settings import data_folder
from client.practice.doubtful_choices import doubts_of

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="One of `aloud settings list`.")]


# the commands work where the file of settings is damaged, too
app = commands()
group = command_group(app, "settings")


@group.command("list")
def list_settings(as_json: JsonOption = False) -> None:
    """List every setting with its value, the value's source, and the values it takes."""
    with expected_failures():
        home = data_folder()
        preferences = load_preferences(home)
        rows = [(name, written(preferences, name), source_of(home, name)) for name in NAMES]
    if as_json:
        print_json([{"name": name, "value": value, "source": of} for name, value, of in rows])
        return
    table = plain_table("setting", "value", "from", "can be")
    for name, value, of in rows:
        table.add_row(
            Text(name, "bold"), Text(value or "–"), Text(of, "dim"), Text(POSSIBLE[name], "dim")
        )
    out().print(table)
    out().print(Text(f"kept in {preferences_file(home)}", "dim"), soft_wrap=True)


@group.command("get")
def get(name: NameArgument) -> None:
    """Print the value of one setting."""
    with expected_failures():
        key = _key(name)
        check_name(key)
        typer.echo(written(load_preferences(data_folder()), key))


# so that the setting itself refuses "-1", and names the values that it takes
@group.command("set", context_settings={"ignore_unknown_options": True})
def set_(
    name: NameArgument,
    value: Annotated[
        str,
        typer.Argument(metavar="VALUE", help="One that `aloud settings list` names; empty: none."),
    ],
) -> None:
    """Change a setting."""
    with expected_failures():
        home, key = data_folder(), _key(name)
        change_preferences(home, {key: value})
        if source_of(home, key) == "environment":
            notice = f"! {variable(key)} is set in the environment and takes precedence"
            errors().print(Text(notice, "yellow"))
        if key in ("model", "mother_tongue"):
            _tell_doubt(home, key)


@group.command("reset")
def reset(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The setting; by default all of them.")
    ] = None,
) -> None:
    """Go back to the default."""
    with expected_failures():
        if name is None:
            reset_preferences(data_folder())
        else:
            change_preferences(data_folder(), {_key(name): None})


def _tell_doubt(home: Path, key: str) -> None:
    doubt = doubts_of(load_preferences(home)).get(key)
    if doubt:
        errors().print(Text(f"! {key} is kept. {doubt}", "yellow"))


def _key(name: str) -> str:
    return name.replace("-", "_")
