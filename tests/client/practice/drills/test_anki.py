import json
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest

from client.audio.wav import read_wav
from client.core.errors import DrillError, SpeakingError
from client.practice.drills.anki import write_anki
from client.practice.drills.items import Item
from pronunciation.clip import Clip
from tests.client.practice.drills.conftest import item


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


def test_writing_it_again_names_the_same_notes(tmp_path: Path) -> None:
    path = tmp_path / "aloud.apkg"
    guids = []
    for n in range(2):
        write_anki([item("roce")], "Aloud", path, None)
        guids.append(notes(path, tmp_path / str(n))[0][0])
    assert guids[0] == guids[1]


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


def test_text_is_text_and_no_html(tmp_path: Path) -> None:
    path = tmp_path / "aloud.apkg"
    write_anki([item("<script>alert(1)</script>")], "Aloud", path, None)
    ((_, fields),) = notes(path, tmp_path / "out")
    assert "&lt;script&gt;" in fields[1]
    assert not any("<script" in field for field in fields[1:])


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DrillError, match="cannot be written"):
        write_anki([item("one")], "Aloud", tmp_path / "file" / "x.apkg", None)
