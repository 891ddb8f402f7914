"""``aloud share`` with a shared server, which is in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from client.audio.wav import write_wav
from client.core.settings import load_settings
from client.data.own_recordings import OwnRecordings
from tests.client.cli.conftest import Run
from tests.worlds.people import People
from tests.worlds.shared_server import remote_to, server_with_people, tone, work_off


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
