"""One archive of everything, and what it brings to another machine."""

import zipfile
from pathlib import Path

import pytest

from client.answer.session import new_submission
from client.backend.opening import open_backend
from client.core.preferences import change_preferences, load_preferences
from client.core.settings import ClientSettings
from client.data.deleting import delete_everything
from client.data.exports import ArchiveError
from client.data.stories import keep_story
from client.data.whole_archive import is_whole, read_whole, write_archive
from question_bank.stories import read_stories
from server.contract import Transcript

OWN = {
    "own_aliases.yaml": "one: two",
    "questions.yaml": "[]",
    "drills/own.yaml": "[]",
    "interviews/1.json": "{}",
    "stories/outage.yaml": "a",
}


def filled(home: Path) -> ClientSettings:
    settings = ClientSettings(home=home)
    with open_backend(settings) as backend:
        said = new_submission("tell-me-about-yourself", Transcript(text="I run clusters"))
        backend.submit(said)
    for name, text in OWN.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    (home / "tokens.json").write_text("secret")
    settings.recordings.mkdir(exist_ok=True)
    (settings.recordings / f"{said.submission_id}.wav").write_bytes(b"RIFF")
    change_preferences(home, {"role": "ml-platform-engineer", "theme": "dark"})
    return settings


def test_what_another_machine_has_is_added_to_what_is_here(tmp_path: Path) -> None:
    here, there = (ClientSettings(home=tmp_path / name) for name in ("here", "there"))
    for settings, title, word in ((here, "Outage", "one"), (there, "Conflict", "two")):
        with open_backend(settings) as backend:
            keep_story(backend, settings, {"title": title, "result": word})
            keep_story(backend, settings, {"title": "Both", "result": word})
        settings.own_aliases.write_text(f"cloud-spot-or-on-demand: {{spot: [{word}]}}")
    with open_backend(here) as backend:
        write_archive(backend, here, tmp_path / "all.zip", recordings=False)
    with open_backend(there) as backend:
        assert read_whole(backend, there, tmp_path / "all.zip").files == 2
        stories = read_stories(there.stories)
    assert [(each.title, each.result) for each in stories] == [
        ("Conflict", "two"),
        ("Both", "two"),
        ("Outage", "one"),
    ]
    assert "- two\n  - one" in there.own_aliases.read_text()


@pytest.mark.parametrize("recordings", [False, True])
def test_everything_arrives_on_another_machine(tmp_path: Path, recordings: bool) -> None:
    here, there = filled(tmp_path / "here"), ClientSettings(home=tmp_path / "there")
    file = tmp_path / "all.zip"
    with open_backend(here) as backend:
        assert write_archive(backend, here, file, recordings=recordings) == int(recordings)
    assert is_whole(file)
    assert b"secret" not in b"".join(
        zipfile.ZipFile(file).read(name) for name in zipfile.ZipFile(file).namelist()
    )
    change_preferences(there.home, {"theme": "light"})
    (there.home / "questions.yaml").write_text("mine")
    with open_backend(there) as backend:
        done = read_whole(backend, there, file)
        assert backend.history().total == done.answers.attempts.imported == 1
        again = read_whole(backend, there, file)
    assert (done.files, done.recordings, done.settings) == (len(OWN) - 1, int(recordings), 1)
    assert (again.files, again.recordings, again.settings) == (0, 0, 0)
    assert (there.home / "questions.yaml").read_text() == "mine"  # what is here stays
    assert (there.home / "stories" / "outage.yaml").read_text() == "a"
    kept = load_preferences(there.home, {})
    assert (kept.role, kept.theme) == ("ml-platform-engineer", "light")
    assert len(list(there.recordings.glob("*.wav"))) == int(recordings)


def test_no_entry_is_written_where_it_does_not_belong(tmp_path: Path) -> None:
    settings, file = filled(tmp_path / "here"), tmp_path / "bad.zip"
    names = ("own/../../evil", "own/tokens.json", "own/drills/../x.yaml", "/etc/x", "own/.x")
    with open_backend(settings) as backend:
        write_archive(backend, settings, file, recordings=False)
        with zipfile.ZipFile(file, "a") as archive:
            for name in (*names, "recordings/../x.wav", "own/aloud.db"):
                archive.writestr(name, "evil")
        read_whole(backend, settings, file)
    assert not [e for e in tmp_path.rglob("*") if e.is_file() and e.read_bytes() == b"evil"]
    assert (settings.home / "tokens.json").read_text() == "secret"
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("readme.txt", "no")
    with open_backend(settings) as backend, pytest.raises(ArchiveError, match="is not an archive"):
        read_whole(backend, settings, other)


def test_deleting_everything_keeps_settings_and_tokens(tmp_path: Path) -> None:
    settings = filled(tmp_path)
    with open_backend(settings) as backend:
        delete_everything(backend, settings)
    assert not any((tmp_path / name).exists() for name in OWN)
    assert load_preferences(tmp_path, {}).theme == "dark"
    assert (tmp_path / "tokens.json").exists()
