"""The share page in a real browser: it follows what the server does with a recording."""

from contextlib import closing
from pathlib import Path

import pytest

from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from tests.client.studio.conftest import NewPage, Serve
from tests.worlds.shared_server import (
    SERVER,
    backend_of,
    remote_to,
    server_with_people,
    tone,
    work_off,
)
from tests.worlds.studio_parts import make_studio


@pytest.mark.parametrize(
    ("upload", "message"),
    [
        (None, "The recording is on the server"),
        (b"fLaC?", "cannot be played: the recording is no FLAC or Opus file"),
    ],
)
def test_a_page_follows_the_recording_until_it_is_heard_or_refused(
    serve: Serve,
    new_page: NewPage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    upload: bytes | None,
    message: str,
) -> None:
    if upload is not None:
        monkeypatch.setattr(
            "client.data.sharing.encode_for_upload", lambda clip: (upload, "audio/flac")
        )
    with server_with_people(tmp_path) as world:
        monkeypatch.setattr(
            "client.studio.routes.sharing.open_sharing", lambda settings: remote_to(world)
        )
        settings = ClientSettings(home=tmp_path / "home", server=SERVER)
        with closing(make_studio(settings, backend=backend_of(world))) as studio:
            write_wav(tone(1), studio.recordings.path_of(world.attempt.submission.submission_id))
            page = new_page()
            page.set_default_timeout(60_000)
            page.goto(f"{serve(studio=studio).url}/attempts/{world.attempt.id}/share")
            page.locator("#audio-cohort").check()
            page.get_by_role("button", name="Share with the cohort").click()
            status = page.locator("[data-preparing] [role=status]")
            status.get_by_text("The recording is being prepared").wait_for()
            assert page.locator("[data-preparing] progress").count() == 1
            page.evaluate("window.sameDocument = true")
            work_off(world)
            status.get_by_text(message).wait_for()
            assert page.locator("[data-preparing] progress").count() == 0
            assert page.evaluate("window.sameDocument")
