r"""Drill items as files: CSV, exported and imported, and Anki decks with sound.

A CSV file has one row for each item.
Several readings, mistakes or tips share a cell, separated by ``|`` (``\|`` is the character
itself). Only ``term``, ``readings``, ``mistakes`` and ``tip`` are needed.
"""

import csv
import hashlib
import html
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from client.audio.wav import write_wav
from client.core.durable_file import write_durably
from client.core.errors import DrillError, SpeakingError
from client.core.settings import ClientSettings
from client.practice.drills.items import Item, item_of, load_items
from client.practice.drills.own_items import (
    OWN_SET,
    OwnItem,
    item_id,
    own_item,
    read_own_items,
    write_own_items,
)
from pronunciation.clip import Clip
from pronunciation.errors import PhoneError
from pronunciation.phones import to_ipa
from pronunciation.respelling.for_people import respell_phones
from server.ui.exports.csv_table import csv_text, from_cell

if TYPE_CHECKING:
    import genanki

COLUMNS: Final = ("set", "term", "prompt", "say", "readings", "mistakes", "tip", "sentence", "id")
NEEDED: Final = ("term", "readings", "mistakes", "tip")

MAX_FILE_BYTES: Final = 1024 * 1024
MAX_ITEMS: Final = 2000
"""Ten times all built-in items; the file they are kept in stays below its limit of 2 MiB."""
MAX_FAULTS_SHOWN: Final = 20


def items_to_csv(items: Sequence[Item]) -> str:
    """The items as the text of a CSV file that ``read_csv`` reads; without phrases."""
    rows: list[list[str]] = []
    for item in items:
        if item.phrases:  # made from words, not from readings
            continue
        joined = {
            "readings": _joined(item.readings),
            "mistakes": _joined([each.phones for each in item.mistakes]),
            "tip": _joined([each.tip for each in item.mistakes]),
        }
        rows.append([joined[c] if c in joined else getattr(item, c) for c in COLUMNS])
    return csv_text(COLUMNS, rows)


def read_csv(path: Path, into: str | None = None) -> tuple[OwnItem, ...]:
    """The items of a CSV file.

    Args:
        path: the file.
        into: the set of rows that name none; ``None``: the person's own set.

    Raises:
        DrillError: the file cannot be read or is not valid; one line for each fault, with the row
            (as a spreadsheet counts, the heading being row 1) and the field.
    """
    text = _text(path)
    items: dict[str, OwnItem] = {}
    rows: dict[str, int] = {}
    faults: list[str] = []
    for number, row in _rows(path, text):
        values, found_faults = _values(row, into or OWN_SET)
        found: OwnItem | list[str] = found_faults or own_item(values)
        if isinstance(found, list):
            faults += [f"{path.name}: row {number}: {fault}" for fault in found]
        elif found.id in items:
            faults.append(f"{path.name}: row {number}: term: is already in row {rows[found.id]}")
        else:
            items[found.id], rows[found.id] = found, number
    if len(items) > MAX_ITEMS:
        faults.append(f"{path.name}: more than {MAX_ITEMS} items; import them in several sets")
    if faults:
        more = len(faults) - MAX_FAULTS_SHOWN
        shown = faults[:MAX_FAULTS_SHOWN] + ([f"and {more} more"] if more > 0 else [])
        raise DrillError("\n".join(shown))
    if not items:
        raise DrillError(f"{path.name}: there is no item below the heading")
    return tuple(items.values())


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise DrillError(f"{path} is larger than {MAX_FILE_BYTES // 1024} KiB")
        return path.read_text(encoding="utf-8-sig")  # a spreadsheet begins with a byte order mark
    except OSError as error:
        raise DrillError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DrillError(f"{path} is not UTF-8; save it as “CSV UTF-8”") from error


def _rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row that is not empty, by column, with its number."""
    first = text.partition("\n")[0]
    delimiter = ";" if ";" in first and "," not in first else ","  # Excel's in half of Europe
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        heading = [name.strip().casefold() for name in next(reader, [])]
        _check_heading(path, heading)
        for number, cells in enumerate(reader, start=2):
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(heading) and any(cell.strip() for cell in cells[len(heading) :]):
                raise DrillError(
                    f"{path.name}: row {number}: has more cells than the heading; put a text with "
                    "a comma in double quotes"
                )
            yield number, dict(zip(heading, cells, strict=False))
    except csv.Error as error:
        raise DrillError(f"{path.name}: row {reader.line_num}: is not CSV ({error})") from error


def _check_heading(path: Path, heading: Sequence[str]) -> None:
    missing = [name for name in NEEDED if name not in heading]
    unknown = [name for name in heading if name not in COLUMNS and name]
    if missing:
        raise DrillError(
            f"{path.name}: row 1: the heading lacks {', '.join(missing)}; the columns are "
            f"{', '.join(COLUMNS)}"
        )
    if unknown:
        raise DrillError(
            f"{path.name}: row 1: unknown column {unknown[0]!r}; the columns are "
            f"{', '.join(COLUMNS)}"
        )
    if len(set(filter(None, heading))) < len(list(filter(None, heading))):
        raise DrillError(f"{path.name}: row 1: a column appears twice")


def _values(row: dict[str, str], default_set: str) -> tuple[dict[str, Any], list[str]]:
    cells = {column: from_cell(row.get(column) or "").strip() for column in COLUMNS}
    faults = [f"{name}: is missing" for name in NEEDED if not cells[name]]
    phones, tips = _split(cells["mistakes"]), _split(cells["tip"])
    if len(tips) == 1:
        tips *= len(phones)
    if not faults and len(tips) != len(phones):
        faults = [
            f"tip: {len(tips)} tips for {len(phones)} mistakes; write one for all, or one for each"
        ]
    set_name = cells["set"] or default_set
    prompt = cells["prompt"] or cells["term"]
    readings = _split(cells["readings"])
    values = {
        "id": cells["id"] or item_id(set_name, prompt),
        "set": set_name,
        "term": cells["term"],
        "prompt": prompt,
        "say": cells["say"] or _respelt(readings, cells["term"]),
        "readings": readings,
        "mistakes": [{"phones": each, "tip": tip} for each, tip in zip(phones, tips, strict=False)],
        "sentence": cells["sentence"],
    }
    return values, faults


def _respelt(readings: Sequence[str], term: str) -> str:
    try:
        return respell_phones(readings[0], term) if readings else ""
    except PhoneError:  # reported with the field "readings"
        return "?"


def _joined(parts: Sequence[str]) -> str:
    return " | ".join(part.replace("|", "\\|") for part in parts)


def _split(cell: str) -> list[str]:
    parts = re.split(r"(?<!\\)\|", cell)
    return [part.replace("\\|", "|").strip() for part in parts if part.strip()]


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


_MODEL_ID: Final = 1_607_392_319
"""Anki knows a note type by this number: never change it, or a second one appears on import."""
_FRONT: Final = '<div style="font-size:2em">{{Prompt}}</div><div>{{Sentence}}</div>'
_BACK: Final = (
    "{{FrontSide}}<hr id=answer>{{Sound}}<div><b>{{Say}}</b> {{IPA}}</div><div>{{Mistakes}}</div>"
)
_FIELDS: Final = ("Id", "Prompt", "Sentence", "Say", "IPA", "Mistakes", "Sound")


def write_anki(
    items: Sequence[Item],
    title: str,
    path: Path,
    voice: Callable[[Item], Clip] | None,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """Write an ``.apkg`` file. Importing it again updates the notes and keeps Anki's schedule.

    Args:
        items: what goes in.
        title: the deck's name.
        path: the file, replaced whole.
        voice: says an item; ``None``: no sounds.
        progress: called with (done, total) after each item.

    Returns:
        Why there are no sounds in it; empty if all are.

    Raises:
        DrillError: the file cannot be written.
    """
    import genanki

    deck_id = int(hashlib.sha256(title.encode()).hexdigest()[:7], 16) + 2**30
    deck = genanki.Deck(deck_id, title)
    model = _model(genanki)
    with tempfile.TemporaryDirectory(prefix="aloud-anki-") as name:
        folder = Path(name)
        problem = ""
        media: list[str] = []
        for number, item in enumerate(items, start=1):
            sound = None
            if voice is not None and not problem:
                try:
                    sound = folder / f"aloud-{item.id}.wav"
                    write_wav(voice(item), sound)
                    media.append(str(sound))
                except SpeakingError as error:
                    sound, problem = None, str(error)
            deck.add_note(_note(genanki, model, item, sound))
            if progress is not None:
                progress(number, len(items))
        package = genanki.Package(deck)
        package.media_files = media
        draft = folder / "deck.apkg"
        package.write_to_file(str(draft))
        try:
            write_durably(path, draft.read_bytes())
        except OSError as error:
            raise DrillError(f"{path} cannot be written: {error.strerror}") from error
    return problem


def _note(genanki: Any, model: "genanki.Model", item: Item, sound: Path | None) -> "genanki.Note":
    mistakes = "".join(
        f"<li>not {html.escape(item.respelling(each.phones))} /{to_ipa(each.phones)}/: "
        f"{html.escape(each.tip)}</li>"
        for each in item.mistakes
    )
    fields = (
        item.id,
        html.escape(item.prompt),
        html.escape(item.sentence),
        html.escape(item.say),
        f"/{to_ipa(item.readings[0])}/",
        f"<ul>{mistakes}</ul>",
        f"[sound:{sound.name}]" if sound else "",
    )
    return genanki.Note(
        model=model,
        fields=list(fields),
        guid=genanki.guid_for("aloud", item.id),
        tags=["aloud", item.set],
    )


def _model(genanki: Any) -> "genanki.Model":
    return genanki.Model(
        _MODEL_ID,
        "Aloud pronunciation",
        fields=[{"name": name} for name in _FIELDS],
        templates=[{"name": "Say it", "qfmt": _FRONT, "afmt": _BACK}],
        css=".card { font-family: sans-serif; text-align: center; } ul { text-align: left; }",
        sort_field_index=1,
    )
