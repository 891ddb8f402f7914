"""The journal: what is in it at each moment, and what a crash at that moment leaves."""

import errno
import os
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.answer.answer import Answer, Entry
from client.answer.journal import Journal
from client.audio.files import SoundFile
from client.audio.take_file import STAMP_FORMAT, TakeHeldError, TakeWriter
from client.core.errors import EngineError, RecordingError
from client.core.settings import ClientSettings
from client.data.own_recordings import OwnRecordings
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import Submission, Transcript

SECOND = np.linspace(-0.5, 0.5, SAMPLE_RATE_HZ, dtype=np.float32)
SERVER = "https://aloud.example.org"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal.of(ClientSettings(home=tmp_path))


def spoken(journal: Journal, question_id: str = "kv-cache") -> tuple[Answer, TakeWriter]:
    """An answer of one second that is being recorded."""
    kept = journal.answer(question_id)
    writer = kept.open(SAMPLE_RATE_HZ)
    writer.append(SECOND)
    return kept, writer


def submission_of(kept: Answer) -> Submission:
    return Submission(
        submission_id=kept.submission_id,
        question_id=kept.entry.asked,
        created_at=kept.spoken_at,
        transcript=Transcript(text="paged attention", engine="fake"),
    )


def files(journal: Journal) -> list[str]:
    return sorted(path.suffix for path in journal.folder.iterdir())


def crashed(journal: Journal, to: Path) -> Journal:
    """What another process finds after this one was killed: the same files, nothing held."""
    shutil.copytree(journal.folder, to)
    return Journal(to, journal.server)


def test_an_answer_is_named_from_its_first_sample_to_its_report(journal: Journal) -> None:
    before = datetime.now(UTC)
    kept, writer = spoken(journal)
    assert journal.unfinished() == ()  # somebody works on it
    assert journal.has(kept.name)
    writer.finish()
    kept.recorded()
    kept.claim()
    assert journal.unfinished() == ()
    kept.transcribed(submission_of(kept))
    kept.stored()
    assert kept.notice == ""
    assert journal.unfinished() == ()
    assert not journal.has(kept.name)
    assert OwnRecordings(journal.folder).path_of(kept.submission_id).exists()
    assert files(journal) == [".wav"]
    assert before <= kept.spoken_at <= datetime.now(UTC)


@pytest.mark.parametrize("stage", ["recording", "stopped", "recorded", "transcribed"])
def test_a_crash_at_any_stage_leaves_it_to_be_offered(
    journal: Journal, tmp_path: Path, stage: str
) -> None:
    journal = Journal(journal.folder, SERVER)
    kept, writer = spoken(journal)
    if stage != "recording":
        writer.finish()
    if stage in ("recorded", "transcribed"):
        kept.recorded()
    if stage == "transcribed":
        kept.transcribed(submission_of(kept))
    (found,) = crashed(journal, tmp_path / "after").unfinished()
    entry = found.entry
    assert (found.name, entry.asked, entry.server) == (kept.name, "kv-cache", SERVER)
    assert (entry.submission_id, entry.spoken_at) == (kept.submission_id, kept.spoken_at)
    assert found.duration_s == pytest.approx(1.0)
    assert entry.state == (stage if stage in ("recorded", "transcribed") else "recording")
    assert (entry.submission == submission_of(kept)) == (stage == "transcribed")
    assert entry.engine == ("fake" if stage == "transcribed" else "")
    with found.claim() as again:
        np.testing.assert_allclose(again.clip().samples, SECOND, atol=1 / 32767)
        again.stored()
    assert [path.name for path in (tmp_path / "after").iterdir()] == [f"{kept.submission_id}.wav"]


def test_a_crash_between_naming_the_sound_and_forgetting_the_entry(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, writer = spoken(journal)
    writer.abandon()
    monkeypatch.setattr(Answer, "_forget_entry", lambda _: None)
    kept.stored()
    assert files(journal) == [".json", ".wav"]
    assert journal.unfinished() == ()
    assert files(journal) == [".wav"]


def test_a_crash_while_the_entry_is_written_leaves_no_debris(journal: Journal) -> None:
    kept, writer = spoken(journal)
    writer.abandon()
    (entry,) = journal.folder.glob("*.json")
    entry.with_name(entry.name + ".tmp").write_text("{")
    alone = journal.folder / "20200101T000000000000Z-gone.json.tmp"
    alone.write_text("{")
    journal.unfinished()[0].discard()
    assert journal.unfinished() == ()
    assert files(journal) == []
    assert not journal.has(kept.name)


def test_of_a_drill_s_take_nothing_is_kept(journal: Journal) -> None:
    kept = journal.drill("roce", "acronyms")
    writer = kept.open(SAMPLE_RATE_HZ)
    writer.append(SECOND)
    writer.abandon()
    (found,) = journal.unfinished()
    entry = found.entry
    assert (entry.kind, entry.asked, entry.drill_set) == ("drill", "roce", "acronyms")
    with found.claim() as again:
        again.stored()
    assert files(journal) == []


def test_what_failed_says_why_and_stays(journal: Journal) -> None:
    kept, writer = spoken(journal)
    with pytest.raises(EngineError), kept:
        writer.finish()
        raise EngineError("no engine\nis there.")
    (found,) = journal.unfinished()
    assert found.entry.reason == "no engine is there"
    with pytest.raises(KeyboardInterrupt), found.claim():
        raise KeyboardInterrupt
    assert journal.unfinished()[0].entry.reason == "Aloud was stopped"


def test_a_recording_without_sound_leaves_nothing(journal: Journal) -> None:
    with journal.answer("kv-cache") as kept:
        kept.open(SAMPLE_RATE_HZ).discard()
    assert files(journal) == []


def test_two_programs_never_work_on_the_same_answer(journal: Journal) -> None:
    _, writer = spoken(journal)
    writer.abandon()
    (found,), (other,) = journal.unfinished(), journal.unfinished()
    with found.claim():
        assert journal.unfinished() == ()
        with pytest.raises(TakeHeldError):
            other.claim()
        with pytest.raises(TakeHeldError):
            other.discard()
    journal.unfinished()[0].discard()
    assert files(journal) == []


def test_what_came_as_a_file_is_in_the_journal_until_it_is_stored(
    journal: Journal, tmp_path: Path
) -> None:
    from pronunciation.clip import Clip

    submission = submission_of(journal.answer("kv-cache"))
    kept = journal.sending(submission)
    kept.copy(Clip(SECOND))
    (found,) = crashed(journal, tmp_path / "after").unfinished()
    assert found.entry.submission == submission
    kept.stored()
    assert journal.unfinished() == ()


class TestOlderVersions:
    """Data folders from before there was a journal."""

    def test_a_take_of_a_crash(self, journal: Journal) -> None:
        writer = TakeWriter(journal.folder, SAMPLE_RATE_HZ, "kv.cache")
        writer.append(SECOND)
        writer.abandon()
        writer.part_path.with_name(writer.part_path.name + ".why").write_text("no\nengine.")
        (found,) = journal.unfinished()
        assert (found.entry.asked, found.entry.reason) == ("kv-cache", "no engine")
        assert found.is_for(SERVER) and found.is_for(None)
        assert abs(found.spoken_at - datetime.now(UTC)) < timedelta(minutes=1)
        found.discard()
        assert files(journal) == []

    def test_a_take_of_the_terminal_that_was_stopped_and_never_graded(
        self, journal: Journal
    ) -> None:
        writer = TakeWriter(journal.folder, SAMPLE_RATE_HZ, "kv-cache")
        writer.append(SECOND)
        writer.finish()
        (found,) = journal.unfinished()
        first = found.entry.submission_id
        assert (found.entry.asked, found.entry.state) == ("kv-cache", "recorded")
        assert journal.unfinished()[0].entry.submission_id == first, "it is stored once"
        with found.claim() as kept:
            kept.stored()
        assert [path.name for path in journal.folder.iterdir()] == [f"{first}.wav"]

    def test_one_that_was_renamed_by_hand(self, journal: Journal) -> None:
        writer = TakeWriter(journal.folder, SAMPLE_RATE_HZ, "x")
        writer.append(SECOND)
        writer.abandon()
        renamed = writer.part_path.rename(journal.folder / "mine-kv-cache.wav.part")
        os.utime(renamed, (1000, 1000))
        (found,) = journal.unfinished()
        assert found.spoken_at == datetime.fromtimestamp(1000, UTC)


def test_files_of_others_are_left_alone(journal: Journal) -> None:
    journal.folder.mkdir(parents=True)
    kept = {"a" * 32 + ".wav", "song.wav", "notes.json", "3-c.wav.part"}
    for name in kept:
        (journal.folder / name).write_bytes(b"x" * 1000)
        os.utime(journal.folder / name, (0, 0))
    assert journal.unfinished() == ()
    assert {path.name for path in journal.folder.iterdir()} == kept


def test_a_file_cut_in_its_header_is_deleted_after_a_minute(journal: Journal) -> None:
    journal.folder.mkdir(parents=True)
    fresh, old = (journal.folder / f"{n}.wav.part" for n in "ab")
    for path in (fresh, old):
        path.write_bytes(b"RIFF")
    os.utime(old, (time.time() - 3600,) * 2)
    assert journal.unfinished() == ()
    assert fresh.exists()
    assert not old.exists()


def test_a_damaged_entry_costs_no_sound(journal: Journal) -> None:
    kept, writer = spoken(journal)
    writer.abandon()
    (path,) = journal.folder.glob("*.json")
    path.write_bytes(path.read_bytes()[:40])
    (found,) = journal.unfinished()
    assert (found.name, found.asked) == (kept.name, "kv-cache")


def test_a_full_disk_keeps_the_answer_going(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept, writer = spoken(journal)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("client.answer.answer.write_durably", full)
        kept.transcribed(submission_of(kept))
        assert "No space left" in caplog.text
        with pytest.raises(RecordingError, match="make room on the disk"):
            journal.answer("other").open(SAMPLE_RATE_HZ)
    writer.abandon()
    kept.stored()
    assert kept.notice == ""
    assert files(journal) == [".wav"]


def test_a_read_only_folder_can_be_looked_at(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, writer = spoken(journal)
    writer.abandon()
    (journal.folder / "20200101T000000000000Z-gone.json").write_text("{}")

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", read_only)
    (found,) = journal.unfinished()
    with pytest.raises(RecordingError, match=r"cannot be deleted .Read-only file system"):
        found.discard()
    assert len(journal.unfinished()) == 1


@pytest.mark.parametrize("jump", [timedelta(days=-9000), timedelta(days=9000)])
def test_a_clock_that_jumps_loses_and_doubles_nothing(
    journal: Journal, jump: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, writer = spoken(journal, "before")
    writer.abandon()
    now = datetime.now(UTC) + jump

    class Jumped(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return now

    monkeypatch.setattr("client.audio.take_file.datetime", Jumped)
    monkeypatch.setattr("client.answer.answer.datetime", Jumped)
    for _ in range(2):  # the very same moment twice
        _, writer = spoken(journal, "after")
        writer.abandon()
    found = journal.unfinished()
    assert sorted(each.entry.asked for each in found) == ["after", "after", "before"]
    assert len({each.entry.submission_id for each in found}) == 3
    assert [each.spoken_at for each in found] == sorted(each.spoken_at for each in found)


@settings(deadline=None, max_examples=25)
@given(asked=st.text(max_size=300), stamp=st.datetimes(min_value=datetime(1000, 1, 1)))
def test_any_question_s_name_makes_a_file_that_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, asked: str, stamp: datetime
) -> None:
    folder = tmp_path_factory.mktemp("recordings")
    journal = Journal(folder)
    kept = Answer(folder, Entry(asked=asked, spoken_at=stamp.replace(tzinfo=UTC)))
    writer = kept.open(SAMPLE_RATE_HZ)
    writer.append(SECOND)
    writer.abandon()
    (found,) = journal.unfinished()
    assert (found.entry, found.name) == (kept.entry, kept.name)
    assert all(path.parent == folder for path in folder.iterdir())
    shutil.rmtree(folder)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(["recorded", "transcribed", "note", "hold"]), max_size=8))
def test_whatever_happens_in_whatever_order_it_is_offered_until_it_ends(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("recordings")
    journal = Journal(folder)
    kept, writer = spoken(journal)
    writer.abandon()
    for step in steps:
        if step == "transcribed":
            kept.transcribed(submission_of(kept))
        elif step == "note":
            kept.leave("why")
        elif step == "recorded":
            kept.recorded()
        else:
            kept.leave()
            kept.claim()
    kept.leave()
    (found,) = journal.unfinished()
    assert found.entry == kept.entry
    assert (found.entry.submission is None) == ("transcribed" not in steps)
    found.discard()
    assert list(folder.iterdir()) == []


def test_the_stamp_of_a_name_can_be_read_back() -> None:
    now = datetime.now(UTC)
    assert datetime.strptime(now.strftime(STAMP_FORMAT), STAMP_FORMAT).replace(tzinfo=UTC) == now


def test_a_long_take_is_read_piece_by_piece(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.answer.answer.READ_WHOLE_S", 1.5)
    _, writer = spoken(journal)
    writer.append(SECOND)
    (found,) = crashed(journal, tmp_path / "after").unfinished()
    with found.claim() as again:
        sound = again.recording()
        assert isinstance(sound, SoundFile)
        blocks = np.concatenate(list(sound.blocks()))
        np.testing.assert_allclose(blocks, again.clip().samples, atol=1e-6)
        assert blocks.size == 2 * SAMPLE_RATE_HZ
    short, _ = spoken(journal)
    assert isinstance(short.recording(), Clip)
