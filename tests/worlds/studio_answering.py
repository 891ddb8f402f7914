"""An answer sent to the studio over its WebSocket, as a page sends it."""

from collections.abc import Iterator
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

from client.answer.journal import Journal
from client.audio.take_file import read_take
from client.core.settings import ClientSettings
from client.data import demo
from client.studio.app import create_studio
from pronunciation.clip import Clip
from tests.worlds.queues import wait_for as wait_for
from tests.worlds.studio_parts import ORIGIN, SOCKET, ScriptedTranscriber, make_studio

__all__ = [
    "QUESTION",
    "begin",
    "interrupt",
    "is_left",
    "send_all",
    "until",
    "wait_for",
    "with_engine",
]

QUESTION = demo.QUESTION_ID
BLOCK = 1600


def _pcm(clip: Clip) -> bytes:
    return clip.pcm16()


def _blocks(content: bytes) -> Iterator[bytes]:
    for at in range(0, len(content), BLOCK):
        yield content[at : at + BLOCK]


def begin(socket: WebSocketTestSession, question_id: str = QUESTION, **more: str) -> dict[str, Any]:
    socket.send_json({"type": "start", "question_id": question_id, **more})
    return dict(socket.receive_json())


def until(socket: WebSocketTestSession, *types: str) -> dict[str, Any]:
    """The next message of these types."""
    for _ in range(200):
        message = dict(socket.receive_json())
        if message["type"] in types:
            return message
    raise AssertionError(f"no {types}")


def send_all(socket: WebSocketTestSession, clip: Clip) -> None:
    for block in _blocks(_pcm(clip)):
        socket.send_bytes(block)


def is_left(settings: ClientSettings) -> list[float]:
    """The lengths of the unfinished takes."""
    return [round(take.duration_s, 2) for take in Journal.of(settings).unfinished()]


def with_engine(settings: ClientSettings, transcriber: ScriptedTranscriber) -> TestClient:
    studio = make_studio(settings, transcriber)
    return TestClient(create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN})


def interrupt(client: TestClient, settings: ClientSettings, clip: Clip) -> str:
    """Begin an answer, then break the connection."""
    with client.websocket_connect(SOCKET) as socket:
        name = str(begin(socket)["take"])
        send_all(socket, clip)
        wait_for(lambda: read_take(settings.recordings / name)[0].size == clip.samples.size)
    wait_for(lambda: is_left(settings))
    return name
