"""Items of one's own from a CSV file into the data folder."""

from dataclasses import dataclass
from pathlib import Path

from client.core.settings import ClientSettings
from client.practice.drills.csv_items import read_csv
from client.practice.drills.items import item_of, load_items
from client.practice.drills.own_items import read_own_items, write_own_items

__all__ = ["Imported", "import_items"]


@dataclass(frozen=True)
class Imported:
    """What an import did.

    Attributes:
        added: items that are new.
        replaced: items that were there with another content; they keep their schedule.
        unchanged: items that were there already, built-in ones too.
        sets: the sets of what was added or replaced.
    """

    added: int
    replaced: int
    unchanged: int
    sets: tuple[str, ...]


def import_items(settings: ClientSettings, path: Path, *, into: str | None = None) -> Imported:
    """Read a CSV file and keep its items, all or none.

    Args:
        settings: the data folder, and the sets that are there.
        path: the file.
        into: the set of rows that name none.

    Raises:
        DrillError: a file is not valid or cannot be written; one line for each fault.
    """
    items = read_csv(path, into)
    there = {
        item.id: item for drill_set in load_items(settings).sets.values() for item in drill_set
    }
    own = {item.id: item for item in read_own_items(settings.own_drills)}
    added = replaced = unchanged = 0
    sets: dict[str, None] = {}
    for item in items:
        before = there.get(item.id)
        if before == item_of(item):
            unchanged += 1
            continue
        added += before is None
        replaced += before is not None
        own[item.id] = item
        sets[item.set] = None
    if sets:
        write_own_items(settings.own_drills, tuple(own.values()))
    return Imported(added, replaced, unchanged, tuple(sets))
