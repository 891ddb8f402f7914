"""A studio for the test client, a running one for browsers, and Chromium with a microphone."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.core.settings import ClientSettings
from client.data import demo
from client.engines.base import Transcriber
from client.studio.app import create_studio
from client.studio.state.studio import Studio
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from tests.worlds.chromium import CHROMIUM, NO_CHROMIUM, TIMEOUT_MS
from tests.worlds.studio_parts import ORIGIN, RunningStudio, make_studio

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
)

NewPage = Callable[..., Any]
Serve = Callable[..., RunningStudio]


@pytest.fixture
def studio(settings: ClientSettings) -> Iterator[Studio]:
    """A studio with a scripted engine and a tone for a voice."""
    made = make_studio(settings)
    yield made
    made.close()


@pytest.fixture
def client(studio: Studio) -> Iterator[TestClient]:
    """The studio's pages; changing requests carry the studio's own origin."""
    with TestClient(create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN}) as made:
        yield made


@pytest.fixture
def serve(settings: ClientSettings) -> Iterator[Serve]:
    """Serves a studio on loopback: ``serve()``, ``serve(transcriber)``, ``serve(studio=…)``."""
    with ExitStack() as running:

        def start(
            transcriber: Transcriber | None = None, *, studio: Studio | None = None, port: int = 0
        ) -> RunningStudio:
            made = RunningStudio(studio or make_studio(settings, transcriber), port)
            running.callback(made.stop)
            return made

        yield start


class Browsers:
    """One Chromium for each sound that its microphone plays, started when first asked for."""

    def __init__(self, playwright: Any) -> None:
        self._playwright = playwright
        self._running: dict[Path | None, Any] = {}

    def with_microphone(self, sound: Path | None) -> Any:
        """A browser whose microphone plays a file once; ``None``: beeps, once a second."""
        if sound not in self._running:
            flags = list(_FLAGS)
            if sound is not None:
                flags.append(f"--use-file-for-fake-audio-capture={sound}%noloop")
            self._running[sound] = self._playwright.chromium.launch(
                executable_path=str(CHROMIUM), headless=True, args=flags
            )
        return self._running[sound]

    def close(self) -> None:
        for browser in self._running.values():
            browser.close()


@pytest.fixture(scope="module")
def browsers() -> Iterator[Browsers]:
    """Real Chromium, shared by the tests of a file; each page has a profile of its own.

    Not by those of others: while Playwright is open, ``asyncio.run`` fails in this thread.
    """
    if not CHROMIUM.exists():
        pytest.skip(NO_CHROMIUM)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = Browsers(playwright)
        yield made
        made.close()


@pytest.fixture
def new_page(browsers: Browsers) -> Iterator[NewPage]:
    """Opens a page in a fresh profile: ``new_page(sound=FILE.wav, color_scheme="dark")``.

    The test fails where a script of ours raised, or the Content-Security-Policy was broken.
    ``context=`` opens it as a second tab of another page's profile.
    """
    troubles: list[str] = []
    with ExitStack() as open_contexts:

        def open_page(sound: Path | None = None, context: Any = None, **options: Any) -> Any:
            if context is None:
                browser = browsers.with_microphone(sound)
                options.setdefault("permissions", ["microphone"])
                context = browser.new_context(**options)
                open_contexts.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(TIMEOUT_MS)
            page.on("pageerror", lambda error: troubles.append(f"{page.url}: {error}"))
            page.on("console", lambda message: _note(message, troubles))
            return page

        yield open_page
    assert not troubles, "\n".join(troubles)


def _note(message: Any, troubles: list[str]) -> None:
    if message.type == "error" and "Content Security Policy" in message.text:
        troubles.append(message.text)


@pytest.fixture(scope="session")
def microphone_sound(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes the file that a fake microphone plays, from a clip or a sound file.

    Silence before and after it, all with the faint noise that every real microphone has (exact
    zeros mean that it is muted). The same sound gives the same file, and so the same browser.
    """
    folder = tmp_path_factory.mktemp("microphone")

    def make(
        sound: Clip | Path, *, before_s: float = 0.3, after_s: float = 5.0, noise: float = 2e-4
    ) -> Path:
        clip = read_audio(sound) if isinstance(sound, Path) else sound
        assert clip.sample_rate_hz == SAMPLE_RATE_HZ
        name = f"{abs(hash(clip.samples.tobytes()))}-{before_s}-{after_s}-{noise}.wav"
        path = folder / name
        if not path.exists():
            silence = [np.zeros(round(s * SAMPLE_RATE_HZ), np.float32) for s in (before_s, after_s)]
            samples = np.concatenate([silence[0], clip.samples, silence[1]])
            rng = np.random.default_rng(0)
            noisy = samples + noise * rng.standard_normal(samples.size).astype(np.float32)
            write_wav(Clip(np.clip(noisy, -1, 1).astype(np.float32)), path)
        return path

    return make


@pytest.fixture(scope="session")
def speech() -> Clip:
    """Three seconds of somebody speaking."""
    return read_audio(demo.AUDIO).slice(0.0, 3.0)
