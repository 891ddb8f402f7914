import csv
import json
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest

from client.audio.wav import read_wav
from client.core.errors import DrillError, SpeakingError
from client.core.settings import ClientSettings
from client.practice.drills.item_files import (
    COLUMNS,
    MAX_FAULTS_SHOWN,
    import_items,
    items_to_csv,
    read_csv,
    write_anki,
)
from client.practice.drills.items import Item, item_of, load_items
from client.practice.drills.own_items import item_id
from pronunciation.clip import Clip
from tests.client.practice.drills.conftest import item

HEADING = "term,readings,mistakes,tip\n"
ROW = "RoCE,R AA1 K IY0,R OW1 S,Like the boxer.\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own.csv"


def write(file: Path, text: str, encoding: str = "utf-8") -> Path:
    file.write_text(text, encoding=encoding)
    return file


def test_the_four_columns_are_enough(file: Path) -> None:
    (item,) = read_csv(write(file, HEADING + ROW))
    assert (item.set, item.term, item.prompt, item.say) == ("own", "RoCE", "RoCE", "ROCK-ee")
    assert item.readings == ("R AA1 K IY0",)
    assert [(each.phones, each.tip) for each in item.mistakes] == [("R OW1 S", "Like the boxer.")]


def test_several_readings_mistakes_and_tips(file: Path) -> None:
    row = '"SQL",EH2 S K Y UW2 EH1 L | S IY1 K W AH0 L,S K W EH1 L|S IH1 K L,One \\| two | Three'
    (item,) = read_csv(write(file, HEADING + row))
    assert item.readings == ("EH2 S K Y UW2 EH1 L", "S IY1 K W AH0 L")
    assert [each.tip for each in item.mistakes] == ["One | two", "Three"]


def test_all_built_in_items_go_out_and_come_back_the_same(
    settings: ClientSettings, file: Path
) -> None:
    sets = load_items(settings)
    items = tuple(item for item in sets.of(None) if not item.phrases)
    assert len(items) >= 160
    write(file, items_to_csv(sets.of(None)))
    assert tuple(map(item_of, read_csv(file))) == items
    done = import_items(settings, file)
    assert (done.added, done.replaced, done.unchanged) == (0, 0, len(items))
    assert not settings.own_drills.exists()


def test_own_items_go_out_and_come_back_on_another_machine(tmp_path: Path, file: Path) -> None:
    here = ClientSettings(home=tmp_path / "here")
    there = ClientSettings(home=tmp_path / "there")
    tip = "=1+1 | a, “quoted” \\ tip"
    with file.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["set", "term", "readings", "mistakes", "tip", "sentence"])
        writer.writerow(
            ["names", "Zürich C++", "Z UH1 R IH0 K", "Z Y UH1 R IH0 K", tip.replace("|", "\\|"), ""]
        )
    assert import_items(here, file).sets == ("names",)
    written = write(file, items_to_csv(load_items(here).of("names")))
    import_items(there, written)
    assert load_items(there).of("names") == load_items(here).of("names")
    (own,) = load_items(there).of("names")
    assert (own.term, own.mistakes[0].tip) == ("Zürich C++", tip)
    assert load_items(there).titles["names"] == "Your own"


def test_an_item_may_join_a_built_in_set_or_replace_one(
    settings: ClientSettings, file: Path
) -> None:
    before = load_items(settings).of("acronyms")
    one = before[0]
    text = (
        "set,term,readings,mistakes,tip,id\n"
        f"acronyms,QPX,K Y UW2 P IY2 EH1 K S,K Y UW1 P AH0 K S,Letters.,\n"
        f"acronyms,{one.term},{one.readings[0]},AA1,Mine.,{one.id}\n"
    )
    done = import_items(settings, write(file, text))
    assert (done.added, done.replaced, done.sets) == (1, 1, ("acronyms",))
    after = load_items(settings).of("acronyms")
    assert len(after) == len(before) + 1
    assert {each.id: each for each in after}[one.id].mistakes[0].tip == "Mine."
    again = import_items(settings, file)
    assert (again.added, again.replaced, again.unchanged) == (0, 0, 2)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (",R AA1 K IY0,R OW1 S,Tip", "row 2: term: is missing"),
        ("RoCE,,R OW1 S,Tip", "row 2: readings: is missing"),
        ("RoCE,R AA1 K IY0,,Tip", "row 2: mistakes: is missing"),
        ("RoCE,R AA1 K IY0,R OW1 S,", "row 2: tip: is missing"),
        ("RoCE,R QQ1 K,R OW1 S,Tip", "row 2: readings"),
        ("RoCE,R AA1 K IY0,R OW1 ZZ,Tip", "row 2: mistakes"),
        ("RoCE,R AA K IY,R OW1 S,Tip", "row 2: readings: the vowel AA"),
        ("RoCE,R AA1 K IY0,R AA1 K IY0,Tip", "is also an accepted reading"),
        ("RoCE,R AA1 K IY0,R OW1 S|R OW1 CH|R IY1,One|Two", "2 tips for 3 mistakes"),
        ("RoCE,R AA1 K IY0,R OW1 S,A tip, with a comma", "row 2: has more cells"),
    ],
)
def test_faults_name_row_and_field(file: Path, row: str, says: str) -> None:
    with pytest.raises(DrillError, match=r"^own\.csv: ") as caught:
        read_csv(write(file, HEADING + row + "\n"))
    assert says in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_wrong_name_of_a_set_is_one_fault_in_plain_words(file: Path) -> None:
    for name in ("My Set", "a--b", "-a", "Ünter"):
        row = f"{name},RoCE,R AA1 K IY0,R OW1 S,Tip\n"
        with pytest.raises(DrillError) as caught:
            read_csv(write(file, "set," + HEADING + row))
        assert str(caught.value) == (
            "own.csv: row 2: set: must be lowercase letters, digits and single hyphens, such as "
            "my-terms"
        )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "lacks term, readings, mistakes, tip"),
        (HEADING, "no item below the heading"),
        ("term,readings,tip\nx,y,z\n", "lacks mistakes"),
        ("term,readings,mistakes,tip,color\n", "unknown column 'color'"),
        ("term,readings,mistakes,tip,tip\n", "twice"),
        (HEADING + ROW + ROW, "row 3: term: is already in row 2"),
        ("set,term,readings,mistakes,tip\nMy Set,RoCE,R AA1,R OW1,Tip\n", "row 2: set"),
        ('term,readings,mistakes,tip\n"RoCE,R\n', "is not CSV"),
    ],
)
def test_what_is_no_list_of_items(file: Path, text: str, says: str) -> None:
    with pytest.raises(DrillError) as caught:
        read_csv(write(file, text))
    assert says in str(caught.value)


def test_files_that_cannot_be_read(file: Path, tmp_path: Path) -> None:
    with pytest.raises(DrillError, match="No such file"):
        read_csv(file)
    with pytest.raises(DrillError, match="cannot be read"):
        read_csv(tmp_path)
    file.write_bytes(b"term,readings\xff\xfe")
    with pytest.raises(DrillError, match="not UTF-8"):
        read_csv(file)
    file.write_bytes(b"x" * 2_000_000)
    with pytest.raises(DrillError, match="larger than"):
        read_csv(file)


def test_all_faults_at_once_and_nothing_is_kept(settings: ClientSettings, file: Path) -> None:
    rows = "".join(f"T{n},ZZ,R OW1 S,Tip\n" for n in range(40))
    with pytest.raises(DrillError) as caught:
        import_items(settings, write(file, HEADING + ROW + rows))
    lines = str(caught.value).splitlines()
    assert len(lines) == MAX_FAULTS_SHOWN + 1
    assert lines[-1] == "and 20 more"
    assert not settings.own_drills.exists()


def test_no_cell_is_a_formula(settings: ClientSettings, file: Path) -> None:
    text = HEADING + '"=cmd()",R AA1 K IY0,R OW1 S,@tip\n'
    import_items(settings, write(file, text))
    exported = items_to_csv(load_items(settings).of("own"))
    cells = [cell for row in csv.reader(exported.splitlines()) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]
    (item,) = read_csv(write(file, exported))
    assert (item.term, item.mistakes[0].tip) == ("=cmd()", "@tip")


def test_ids_tell_terms_apart_and_stay() -> None:
    ids = {
        item_id("own", name) for name in ("C", "C++", "C#", "Ceph", "to record", "record", "数据")
    }
    assert len(ids) == 7
    assert item_id("own", "RoCE") == item_id("own", "roce") == "own-roce"
    assert len(item_id("own", "long " * 60)) <= 80


def test_the_columns_are_those_of_the_docs(project_root: Path) -> None:
    docs = (project_root / "docs" / "drills.md").read_text(encoding="utf-8")
    for column in COLUMNS:
        assert f"| `{column}` |" in docs


def tone(wanted: Item) -> Clip:
    """A tone whose length names the item."""
    return Clip(np.full(1000 * len(wanted.id), 0.25, dtype=np.float32), 22_050)


def notes(path: Path, folder: Path) -> list[tuple[str, list[str]]]:
    with zipfile.ZipFile(path) as package:
        package.extractall(folder)
    connection = sqlite3.connect(folder / "collection.anki2")
    rows = connection.execute("SELECT guid, flds FROM notes ORDER BY id").fetchall()
    connection.close()
    return [(guid, fields.split("\x1f")) for guid, fields in rows]


def test_each_item_with_its_own_sound(tmp_path: Path) -> None:
    items = [item("roce"), item("a-longer-one")]
    path = tmp_path / "aloud.apkg"
    done: list[tuple[int, int]] = []
    assert write_anki(items, "Aloud", path, tone, lambda *at: done.append(at)) == ""
    assert done == [(1, 2), (2, 2)]
    found = notes(path, tmp_path / "out")
    media = json.loads((tmp_path / "out" / "media").read_text())
    files = {name: tmp_path / "out" / number for number, name in media.items()}
    for each, (_, fields) in zip(items, found, strict=True):
        assert fields[:2] == [each.id, each.prompt]
        assert fields[3:5] == ["ROCK-ee", "/ˈɹɑki/"]
        assert "ROHSS" in fields[5] and each.mistakes[0].tip in fields[5]
        assert fields[6] == f"[sound:aloud-{each.id}.wav]"
        sound = read_wav(files[f"aloud-{each.id}.wav"])
        assert sound.samples.size == 1000 * len(each.id)


def test_without_a_voice_there_is_a_deck_without_sounds(tmp_path: Path) -> None:
    asked: list[str] = []

    def silent(wanted: Item) -> Clip:
        asked.append(wanted.id)
        raise SpeakingError("no voice works here")

    path = tmp_path / "aloud.apkg"
    items = [item("one"), item("two")]
    assert write_anki(items, "Aloud", path, silent) == "no voice works here"
    assert asked == ["one"]
    assert [fields[6] for _, fields in notes(path, tmp_path / "out")] == ["", ""]
