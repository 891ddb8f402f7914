"""``aloud share`` with a shared server, which is in this process."""

import json
from collections.abc import Iterator
from functools import partialmethod
from pathlib import Path

import pytest

from client.audio.wav import write_wav
from client.core.settings import load_settings
from client.data.own_recordings import OwnRecordings
from client.data.sharing import RemoteSharing
from tests.client.cli.conftest import Run
from tests.worlds.people import People
from tests.worlds.shared_server import remote_to, server_with_people, tone, work_off

WITHOUT_PATIENCE = partialmethod(RemoteSharing.prepared, patience_s=0.0)


@pytest.fixture
def world(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[People]:
    """Ana's answer on the server, its recording here; nothing is shared yet."""
    with server_with_people(tmp_path) as made:
        monkeypatch.setattr("client.cli.share.open_sharing", lambda settings: remote_to(made))
        monkeypatch.setattr("client.data.sharing._FIRST_LOOK_S", 0.01)
        kept = OwnRecordings(load_settings().recordings)
        write_wav(tone(2), kept.path_of(made.attempt.submission.submission_id))
        yield made


def share(run: Run, world: People, *more: str) -> tuple[int, str, str]:
    done = run("share", str(world.attempt.id), *more)
    return done.exit_code, " ".join(done.stdout.split()), " ".join(done.stderr.split())


def test_sharing_with_audio_waits_until_the_recording_can_be_heard(
    run: Run, world: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's worker is busy elsewhere until the client has looked several times."""
    requests: list[None] = []

    def busy() -> bool:
        requests.append(None)
        if len(requests) == 8:
            work_off(world)
        return False

    monkeypatch.setattr("client.cli.share.open_sharing", lambda settings: remote_to(world, busy))
    code, message, _ = share(run, world, "--cohort", "spring", "--audio")
    assert code == 0
    assert "coaches of spring, with the recording" in message
    assert "prepared" not in message
    address = f"/api/v1/attempts/{world.attempt.id}/recording"
    assert world.client("cleo").get(address).status_code == 200


def test_a_recording_that_takes_longer_is_said_to_be_still_prepared(
    run: Run, world: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RemoteSharing, "prepared", WITHOUT_PATIENCE)
    code, message, _ = share(run, world, "--cohort", "spring", "--audio")
    assert code == 0
    again = f"`aloud share {world.attempt.id}` shows its progress"
    assert f"the recording is being prepared; {again}" in message
    assert share(run, world)[1] == message
    assert json.loads(share(run, world, "--json")[1])["preparing"]["state"] == "queued"
    work_off(world)
    assert "prepared" not in share(run, world)[1]


def test_a_recording_that_turns_out_to_be_none_fails_after_it_was_shared(
    run: Run, world: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "client.data.sharing.encode_for_upload", lambda clip: (b"fLaC?", "audio/flac")
    )

    def at_once() -> bool:
        work_off(world)
        return False

    monkeypatch.setattr("client.cli.share.open_sharing", lambda settings: remote_to(world, at_once))
    code, message, problem = share(run, world, "--cohort", "spring", "--audio")
    assert code == 1
    assert "coaches of spring" in message
    assert "aloud: it is shared without its recording: the recording is no FLAC" in problem
