"""A bundle goes to a coach without any server and comes back; nothing is lost, nothing gets in."""

import re
import struct
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.backend.embedded import open_reviews
from client.backend.protocol import Backend
from client.core.settings import ClientSettings
from client.data.bundle import BundleError, Sound, bundle_of, make_bundle, parse_review, read_review
from client.data.own_recordings import OwnRecordings
from server.contract import (
    Attempt,
    Comment,
    FollowUp,
    FollowUpAnswer,
    LanguageRequest,
    ReviewDocument,
)
from tests.server.conftest import START, make_submission
from tests.worlds.shared_server import tone

EVIL = "</script><script>alert(1)</script>"


@pytest.fixture
def attempt(backend: Backend) -> Attempt:
    question = backend.bank().questions[0].id
    return backend.submit(make_submission(f"We page the cache {EVIL}", question_id=question))


def remark(number: int, text: str = "Slower", **changes: object) -> Comment:
    values = {
        "external_id": f"{number:032x}",
        "text": text,
        "author": "Dr. Who",
        "created_at": START,
    }
    return Comment.model_validate(values | changes)


def document(attempt: Attempt, *comments: Comment) -> ReviewDocument:
    return ReviewDocument(submission_id=attempt.submission.submission_id, comments=comments)


def zipped(tmp_path: Path, **members: bytes) -> Path:
    path = tmp_path / "bundle.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name.replace("_json", ".json"), content)
    return path


def test_a_bundle_holds_the_answer_and_a_page_that_needs_nothing_else(
    backend: Backend, attempt: Attempt
) -> None:
    review = document(attempt, remark(1, EVIL))
    packed = make_bundle(backend.export_one(attempt.id), review, Sound(b"fLaC-sound", "audio/flac"))
    with zipfile.ZipFile(BytesIO(packed.content)) as bundle:
        assert set(bundle.namelist()) == {
            "answer.html",
            "attempt.json",
            "comments.json",
            "recording.flac",
        }
        page = bundle.read("answer.html").decode()
        assert bundle.read("recording.flac") == b"fLaC-sound"
    assert EVIL not in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)
    assert "default-src 'none'" in page
    assert "connect-src" not in page
    assert page.count("<script") == 3  # what was written, and our two
    backend.language(attempt.id, LanguageRequest(mother_tongue="German"))
    known = backend.export_one(attempt.id)
    with zipfile.ZipFile(BytesIO(make_bundle(known, review, None).content)) as bundle:
        told = bundle.read("attempt.json").decode()
    assert "German" in known.model_dump_json() and "German" not in told


def test_follow_ups_come_after_the_answer_in_its_recording(
    settings: ClientSettings, backend: Backend
) -> None:
    question = backend.bank().questions[0].id
    said = make_submission("We page the cache", question_id=question)
    timed = said.transcript.model_copy(update={"duration_s": 2.0})
    attempt = backend.submit(said.model_copy(update={"transcript": timed}))
    follow_up = FollowUpAnswer(
        submission_id="f" * 32,
        asked=FollowUp(kind="example", ask="Can you give an example?"),
        created_at=START,
        transcript=timed.model_copy(update={"duration_s": 1.0}),
    )
    backend.follow_up(attempt.id, follow_up)
    recordings = OwnRecordings(settings.recordings)
    settings.recordings.mkdir(parents=True)
    write_wav(tone(2.0), recordings.path_of(said.submission_id))
    write_wav(tone(1.0), recordings.path_of("f" * 32))
    with open_reviews(settings) as reviews:
        packed = bundle_of(backend, reviews, recordings, attempt.id, with_audio=True)
    with zipfile.ZipFile(BytesIO(packed.content)) as bundle:
        assert "In the recording from 0:03." in bundle.read("answer.html").decode()
        (settings.home / "r.flac").write_bytes(bundle.read("recording.flac"))
    assert read_audio(settings.home / "r.flac").duration_s == pytest.approx(4.0, abs=0.05)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"../../evil": b"x", "comments_json": b"{}"}, "it holds '../../evil'"),
        ({"/etc/passwd": b"x"}, "it holds '/etc/passwd'"),
        ({"attempt_json": b"{}"}, "no comments.json"),
        ({"comments_json": b"\0" * (17 * 1024 * 1024)}, "too large unpacked"),
        ({"comments_json": b"no json"}, "is not JSON"),
        ({"comments_json": b"[" * 100_000}, "is not JSON"),
        ({"comments_json": b"[]"}, "no Aloud comments"),
        ({"comments_json": b'{"format":"aloud-review","schema_version":2}'}, "another version"),
        ({"comments_json": b'{"format":"aloud-review","schema_version":1}'}, "submission_id"),
    ],
)
def test_what_is_made_to_do_harm_is_refused_in_one_line(
    tmp_path: Path, members: dict[str, bytes], message: str
) -> None:
    path = zipped(tmp_path, **members)
    with pytest.raises(BundleError) as failure:
        read_review(path)
    assert message in str(failure.value)
    assert "\n" not in str(failure.value)
    assert [each.name for each in tmp_path.iterdir() if each.name != "home"] == ["bundle.zip"]


def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path, comments_json=b" " * (40 * 1024 * 1024))
    content = bytearray(path.read_bytes())
    at = content.rfind(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 100)
    path.write_bytes(content)
    with pytest.raises(BundleError):
        read_review(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK" + bytes(500), b"\xff\xfe"])
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "what"
    path.write_bytes(content)
    with pytest.raises(BundleError):
        read_review(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_comments_that_went_through_an_editor_are_read(attempt: Attempt, encoding: str) -> None:
    review = document(attempt, remark(1, "Grüße – 你好"))
    assert parse_review("back.json", review.model_dump_json().encode(encoding)) == review


def test_a_long_recording_goes_along_as_opus(
    backend: Backend, attempt: Attempt, settings: ClientSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.data.sharing._MOST_FLAC_BYTES", 0)
    recordings = OwnRecordings(settings.recordings)
    write_wav(tone(0.5), recordings.path_of(attempt.submission.submission_id))
    with open_reviews(settings) as reviews:
        packed = bundle_of(backend, reviews, recordings, attempt.id, with_audio=True)
    with zipfile.ZipFile(BytesIO(packed.content)) as bundle:
        assert bundle.read("recording.ogg").startswith(b"OggS")
        assert b"data:audio/ogg;base64,T2dnU" in bundle.read("answer.html")
    assert parse_review("back.zip", packed.content) == document(attempt)
