"""Deleting everything leaves nothing of yours behind."""

from pathlib import Path

from client.backend.opening import open_backend
from client.core.settings import ClientSettings
from client.data.deleting import delete_everything


def test_nothing_of_yours_stays(tmp_path: Path) -> None:
    settings = ClientSettings(home=tmp_path / "home")
    own = [
        settings.recordings / "take.wav",
        settings.recordings / "take.wav.part",
        settings.own_aliases,
        settings.own_drills,
        settings.speech_cache / "said.wav",
        settings.outbox / "embedded" / "pending" / "answer.json",
    ]
    with open_backend(settings) as backend:
        for path in own:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"own")
        delete_everything(backend, settings)
    assert [path for path in own if path.exists()] == []
