"""``aloud drill``: pronunciation drills, and the items in and out of files."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from client.audio.devices import find_device
from client.cli.commands import commands
from client.cli.common import command, errors, fail, out, plain_table, writing
from client.cli.loading import answers_here, open_server, open_session
from client.cli.progress_bars import counting
from client.core.durable_file import write_durably
from client.core.own_lexicon import load_own_lexicon
from client.core.settings import ClientSettings
from client.core.wording import count_of
from client.practice.drills.drill_session import DrillSession, drill_hearing
from client.practice.drills.item_files import import_items, items_to_csv, write_anki
from client.practice.drills.items import Item, ItemSets, item_for, load_items, with_errors
from client.practice.drills.phrases import LANGUAGE_SET
from client.practice.progress import ReportReader
from client.speaking import Speaker, play
from client.terminal.drill import DrillScreen, recorder_of_takes
from client.terminal.keys import key_reader
from client.terminal.unfinished import offer_unfinished
from pronunciation.clip import Clip
from pronunciation.lexicon_loader import load_lexicon
from server.contract import MAX_PAGE, TERM_WORDS, DrillCard, DrillQuery

app = commands()


@command(app, "drill")
def drill(
    settings: ClientSettings,
    set_: Annotated[
        str | None,
        typer.Argument(
            metavar="SET",
            help="language (your own errors), acronyms, silent-letters, word-stress, "
            "minimal-pairs, collocations or a set of your own; default: all sets.",
        ),
    ] = None,
    term: Annotated[
        str | None,
        typer.Option("--term", metavar="TERM", help="Only this term, in a set or not, due or not."),
    ] = None,
    items: Annotated[
        int, typer.Option("--items", metavar="N", min=1, max=200, help="Largest number of items.")
    ] = 10,
    device: Annotated[
        str | None, typer.Option("--device", help="The microphone's name, or a part of it.")
    ] = None,
    speak: Annotated[
        bool, typer.Option("--speak/--no-speak", help="Say each item before you say it.")
    ] = True,
    list_: Annotated[bool, typer.Option("--list", help="Only show what is due.")] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write the items as .apkg (Anki) or .csv."),
    ] = None,
    import_: Annotated[
        Path | None,
        typer.Option("--import", metavar="FILE", help="Add your own items from a .csv file."),
    ] = None,
) -> None:
    """Practice terms: hear one, say it, see how it was heard. Misses come back."""
    if [list_, export is not None, import_ is not None].count(True) > 1:
        raise typer.BadParameter("name only one of --list, --export and --import")
    if term is not None and (set_, list_, export, import_) != (None, False, None, None):
        raise typer.BadParameter("--term goes with no set, and not with --list, --export, --import")
    if import_ is not None:
        _import(settings, import_, set_)
        return

    sets = load_items(settings)
    sets.of(set_)  # a wrong name is reported before anything is opened
    if export is not None:
        _export(settings, sets, set_, export, sounds=speak)
    elif list_:
        _list(settings, sets, set_)
    else:
        _check_terminal()
        chosen = device or settings.preferences.microphone or None
        lexicon = load_lexicon(settings.lexicon, settings.cache)
        only = [] if term is None else [item_for(sets, lexicon, settings, term)]
        _practice(settings, sets, set_, items, chosen, speak, only)


def _check_terminal() -> None:
    if not (sys.stdin.isatty() and out().is_terminal):
        raise fail(
            "a drill is controlled by keys and needs a terminal; `aloud drill --list` does not"
        )


def _practice(
    settings: ClientSettings,
    sets: ItemSets,
    set_: str | None,
    items: int,
    device: str | None,
    speak: bool,
    only: list[Item],
) -> None:
    find_device(device)  # a missing microphone is reported before the first item
    with open_server(settings) as backend, key_reader() as keys:
        sets = with_errors(sets, ReportReader(backend).phrases())
        answers = answers_here(settings, backend, lambda: open_session(settings, backend))
        offer_unfinished(out(), keys, answers)
        record = recorder_of_takes(out(), settings, device)
        hear = drill_hearing()
        session = DrillSession(backend, hear, sets, drill_set=set_, count=items, only=only)
        DrillScreen(session, out(), keys, record, _Sounds(settings), speak=speak).run()


class _Sounds:
    """The app's voice and the loudspeaker."""

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings

    def clip(self, item: Item) -> Clip:
        """An item as it should be said."""
        if item.phrases:  # its terms are the lexicon's
            lexicon = load_own_lexicon(self._settings)
            return Speaker.of(self._settings, lexicon).clip(item.prompt)
        return Speaker.of(self._settings, item.lexicon).clip(item.prompt)

    def say(self, item: Item) -> None:
        """Say an item as it should be said."""
        self.play(self.clip(item))

    def play(self, clip: Clip) -> None:
        """Play a clip."""
        play(clip)


def _list(settings: ClientSettings, sets: ItemSets, set_: str | None) -> None:
    with open_server(settings) as backend:
        queue = backend.drills.queue(DrillQuery(drill_set=set_, limit=MAX_PAGE))
        sets = with_errors(sets, ReportReader(backend).phrases())
    by_id = {item.id: item for item in sets.of(set_)}
    due = [(card, by_id[card.item_id]) for card in queue.due if card.item_id in by_id]
    new = len(by_id) - len(by_id.keys() & set(queue.known))
    if due:
        table = plain_table("due", "item", "say", "set", "said", "missed", "last")
        for card, item in due:
            table.add_row(*_row(card, item))
        out().print(table)
    if len(queue.due) < queue.total:
        out().print(Text(f"and {queue.total - len(queue.due)} more", "dim"))
    out().print(f"{len(due)} due, {new} new")
    if set_ is None:
        for name in sets.sets:
            own = {item.id for item in sets.of(name)}
            due_here = sum(item.set == name for _, item in due)
            new_here = len(own - set(queue.known))
            out().print(Text(f"  {name}: {due_here} due, {new_here} new", "dim"))


def _row(card: DrillCard, item: Item) -> tuple[Any, ...]:
    last = ("✓ " if card.last_verdict == "correct" else "✗ ") + TERM_WORDS[card.last_verdict]
    return (
        f"{card.due.astimezone():%Y-%m-%d %H:%M}",
        Text(item.prompt, "bold"),
        Text(item.say),
        item.set,
        str(card.reps),
        str(card.misses),
        Text(last, "green" if card.last_verdict == "correct" else "red"),
    )


def _export(
    settings: ClientSettings, sets: ItemSets, set_: str | None, path: Path, *, sounds: bool
) -> None:
    if set_ == LANGUAGE_SET:
        with open_server(settings, reading=True) as backend:
            sets = with_errors(sets, ReportReader(backend).phrases())
    chosen = sets.of(set_)
    if path.suffix.casefold() == ".csv":
        chosen = tuple(item for item in chosen if not item.phrases)
        if not chosen:
            raise fail(f"{set_} has phrases, which a CSV file cannot hold; export it as .apkg")
        with writing(path):
            write_durably(path, items_to_csv(chosen).encode("utf-8"))
    elif path.suffix.casefold() == ".apkg":
        title = "Aloud" if set_ is None else f"Aloud::{sets.titles[set_]}"
        voice = _Sounds(settings).clip if sounds else None
        with counting("saying the items") as progress:
            problem = write_anki(chosen, title, path, voice, progress)
        if problem:
            errors().print(Text(f"! without sounds: {problem}", "yellow"))
    else:
        raise typer.BadParameter(f"{path.name}: the name must end in .apkg or .csv")
    errors().print(f"wrote {count_of(len(chosen), 'item')} to {path}", markup=False, soft_wrap=True)


def _import(settings: ClientSettings, path: Path, set_: str | None) -> None:
    if path.suffix.casefold() != ".csv":
        raise typer.BadParameter(f"{path.name}: the name must end in .csv")
    done = import_items(settings, path, into=set_)
    out().print(f"{done.added} added, {done.replaced} replaced, {done.unchanged} already there")
    for name in done.sets:
        out().print(Text(f"drill them with: aloud drill {name}", "dim"))
