"""What the studio's tests put in the place of engine, voice and server."""

import threading
import time
from collections.abc import Sequence

import httpx
import numpy as np
import uvicorn

from client.answer.term_track import HeardStretch
from client.backend.opening import open_backend
from client.core.settings import ClientSettings
from client.engines.base import Transcriber
from client.speaking import Speaker
from client.speaking.voices import Voice
from client.studio.app import create_studio
from client.studio.state.engine_state import EngineState
from client.studio.state.studio import Studio
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.terms import Lexicon
from server.contract import Word
from tests.worlds.ports import listening

ORIGIN = "http://127.0.0.1"
"""What the test client's changing requests must name."""

SOCKET = "ws://127.0.0.1/ws/answer"
"""In full, because the test client calls itself otherwise."""

ANSWER = (
    "RoCE and InfiniBand both give me remote direct memory access and InfiniBand uses credit-based "
    "flow control while RoCE needs priority flow control"
)


class ScriptedTranscriber(Transcriber):
    """Writes the same text whatever it hears, spread over what it hears.

    Args:
        text: what it writes.
        gate: waited for before each transcription, to hold a moment still.
        failure: raised instead.
    """

    name = "scripted"
    model = "none"

    def __init__(
        self,
        text: str = ANSWER,
        gate: threading.Event | None = None,
        failure: Exception | None = None,
    ) -> None:
        self.text = text
        self.gate = gate
        self.failure = failure
        self.clips: list[Clip] = []

    def recognize(self, clip: Clip) -> Sequence[Word]:
        self.clips.append(clip)
        if self.gate is not None:
            assert self.gate.wait(200)
        if self.failure is not None:
            raise self.failure
        texts = self.text.split()
        each_s = clip.duration_s / len(texts)
        return [
            Word(text=text, start_s=i * each_s, end_s=(i + 0.9) * each_s, confidence=0.9)
            for i, text in enumerate(texts)
        ]


class ReadyEngine(EngineState):
    """An engine state that has this transcriber loaded; nothing is fetched."""

    def __init__(self, settings: ClientSettings, transcriber: Transcriber) -> None:
        super().__init__(settings, fetch=_fetch_nothing)
        self.transcriber = transcriber

    def load(self) -> Transcriber:
        return self.transcriber


def _fetch_nothing(*_: object) -> None:
    raise AssertionError("a test must fetch no weights")


class ToneVoice(Voice):
    """Says everything as a short tone, quickly and on every machine."""

    name = "tone"

    def is_available(self) -> bool:
        return True

    @property
    def key(self) -> str:
        return self.name

    def written_for(self, text: str, lexicon: Lexicon) -> str:
        return text

    def _render(self, text: str, lexicon: Lexicon) -> Clip:
        return Clip(tone(0.2))


def make_studio(
    settings: ClientSettings, transcriber: Transcriber | None = None, **parts: object
) -> Studio:
    """A studio on these settings with a scripted engine, a tone for a voice, and no hearing."""
    given: dict[str, object] = {
        "hear": lambda *_: HeardStretch(),
        "make_speaker": lambda lexicon: Speaker(lexicon, voices=(ToneVoice(),)),
    }
    given |= parts
    given.setdefault("engine", ReadyEngine(settings, transcriber or ScriptedTranscriber()))
    if "backend" not in given:
        given["backend"] = open_backend(settings)
    return Studio(settings, **given)  # type: ignore[arg-type]


def tone(duration_s: float, amplitude: float = 0.2) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A 220 Hz tone at 16 kHz, float32."""
    times_s = np.arange(round(duration_s * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    return (amplitude * np.sin(2 * np.pi * 220 * times_s)).astype(np.float32)


class RunningStudio:
    """A studio served on a free port by a thread of its own."""

    def __init__(self, studio: Studio, port: int = 0) -> None:
        self.studio = studio
        self._listener = listening(port)
        self._listener.listen()
        self.port = int(self._listener.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(
            create_studio(studio, port=self.port), log_level="warning", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._listener]}, name="studio"
        )
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the studio did not start"
            time.sleep(0.02)

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=60, trust_env=False)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(60)
        assert not self._thread.is_alive(), "the studio did not end"
        self._listener.close()
