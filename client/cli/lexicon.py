"""``aloud lexicon``: look at the terms and check your own."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.cli.commands import command_group, commands
from client.cli.common import command, fail, out, plain_table, print_json
from client.cli.options import JsonOption
from client.core.settings import ClientSettings
from client.core.wording import count_of
from pronunciation.lexicon_loader import load_lexicon, read_terms
from pronunciation.phones import to_ipa
from question_bank.errors import like_one_of

app = commands()
group = command_group(app, "lexicon")


@command(group, "list")
def list_terms(settings: ClientSettings, as_json: JsonOption = False) -> None:
    """List the terms with their respelling."""
    terms = load_lexicon(settings.lexicon, settings.cache)
    if as_json:
        print_json([term.model_dump() for term in terms])
        return
    table = plain_table("term", "say", "kind", "stands for")
    for term in sorted(terms, key=lambda each: each.term.casefold()):
        table.add_row(Text(term.term, "bold"), Text(term.say), term.kind, Text(term.stands_for))
    out().print(table)
    out().print(Text(f"{len(terms)} terms", style="dim"))


@command(group, "show")
def show(
    settings: ClientSettings,
    name: Annotated[str, typer.Argument(metavar="TERM", help="The term, in any case.")],
    as_json: JsonOption = False,
) -> None:
    """Show how a term is said, and the mistakes people make."""
    lexicon = load_lexicon(settings.lexicon, settings.cache)
    term = lexicon.get(name)
    if term is None:
        near = like_one_of(name, (each.term for each in lexicon))
        raise fail(f"the lexicon has no term {name!r}{near or '; `aloud lexicon list` lists them'}")
    if as_json:
        print_json(term)
        return
    console = out()
    console.print(Text.assemble((term.term, "bold"), "  ", (term.say, "bold green")))
    if term.stands_for:
        console.print(Text(term.stands_for))
    for number, reading in enumerate(term.readings):
        also = "say " if number == 0 else "or  "
        console.print(Text.assemble(("✓ ", "green"), f"{also} /{to_ipa(reading)}/  {reading}"))
    for mistake in term.mistakes:
        wrong = f"not  /{to_ipa(mistake.phones)}/  {mistake.phones}"
        console.print(Text.assemble(("✗ ", "red"), wrong))
        console.print(Text(f"       {mistake.tip}"))
    if term.written_as:
        console.print(Text(f"Also written: {', '.join(term.written_as)}", style="dim"))
    if term.source:
        console.print(Text(f"Source: {term.source}", style="dim"))


@command(group, "validate")
def validate(
    settings: ClientSettings,
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A lexicon file, or a folder of them.")
    ],
) -> None:
    """Check a lexicon: its form, and that all phones are ARPAbet."""
    terms = read_terms(path)
    out().print(f"{path}: {count_of(len(terms), 'term')}, no faults", markup=False)
