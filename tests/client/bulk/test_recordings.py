"""Folders and manifests: which recordings, in which order, and what is wrong with an entry."""

import json
from pathlib import Path

import pytest

from client.bulk.recordings import ManifestError, Recording, Unusable, is_bulk, recordings_of


def manifest(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def errors(path: Path, question: str | None = None) -> list[str]:
    return [each.error for each in recordings_of(path, question) if isinstance(each, Unusable)]


def test_a_folder_is_searched_with_its_subfolders(tmp_path: Path) -> None:
    for name in ("q2/b.wav", "q1/deep/c.MP3", "q1/a.flac", "q1/notes.txt", "q1/.hidden.wav"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [(each.id, each.question) for each in recordings_of(tmp_path, None)]  # type: ignore[union-attr]
    assert found == [("q1/a.flac", "q1"), ("q1/deep/c.MP3", "deep"), ("q2/b.wav", "q2")]


def test_a_question_of_the_command_line_is_for_all_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    assert list(recordings_of(tmp_path, "q")) == [
        Recording("a.wav", "a.wav", tmp_path / "a.wav", "q")
    ]


def test_a_folder_that_says_no_question_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    with pytest.raises(ManifestError, match=r"which question does a\.wav answer"):
        list(recordings_of(tmp_path, None))


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ManifestError, match="has no recording"):
        list(recordings_of(tmp_path, "q"))


def test_json_lines_name_recordings_from_where_they_are(tmp_path: Path) -> None:
    lines = manifest(
        tmp_path / "m.jsonl",
        {"audio": "in/a.wav", "question": "q1", "id": "Ada"},
        {"audio": "/elsewhere/b.wav"},
    )
    assert list(recordings_of(lines, "q2")) == [
        Recording("Ada", "in/a.wav", tmp_path / "in/a.wav", "q1"),
        Recording("/elsewhere/b.wav", "/elsewhere/b.wav", Path("/elsewhere/b.wav"), "q2"),
    ]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"audio": ', "line 1: is not a JSON object"),
        ("[1]", "line 1: is not a JSON object"),
        ('{"question": "q"}', "line 1: `audio` is missing"),
        ('{"audio": "a.wav"}', "line 1: `question` is missing"),
        ('{"audio": 3, "question": "q"}', "line 1: `audio` is not a text"),
        ('{"audio": "a\\u0000.wav", "question": "q"}', "line 1: `audio` is not a text"),
        ('{"audio": "a.wav", "question": " "}', "line 1: `question` is not a text"),
    ],
)
def test_a_bad_line_says_where_it_is_and_stops_nothing(
    tmp_path: Path, line: str, error: str
) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(f'{line}\n\n{{"audio": "good.wav", "question": "q"}}\n', "utf-8")
    bad, good = recordings_of(path, None)
    assert isinstance(bad, Unusable) and bad.error.startswith(error)
    assert isinstance(good, Recording) and good.id == "good.wav"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("m.jsonl", b"", "names no recording"),
        ("m.jsonl", b"\xff\xfe", "cannot be read as text"),
        ("m.csv", b"file,question\na.wav,q\n", "a column `audio`"),
        ("m.csv", b"", "a column `audio`"),
    ],
)
def test_a_manifest_that_is_none_is_refused(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ManifestError, match=words):
        list(recordings_of(tmp_path / name, "q"))


def test_one_sound_file_is_not_many(tmp_path: Path) -> None:
    assert [is_bulk(tmp_path), is_bulk(Path("a.jsonl")), is_bulk(Path("a.wav"))] == [
        True,
        True,
        False,
    ]
