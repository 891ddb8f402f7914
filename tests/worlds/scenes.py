"""Answers that are spoken over and over, in every place where one can be, to be killed there.

Journal, outbox, database, session, terminal, studio and the HTTP client are the real ones.
Stand-ins: microphone and keys, the engine (writes fixed words, takes a moment), the hearing of
drills, the grader, and a bank of one question.
"""

import io
import json
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import uvicorn
from rich.console import Console
from starlette.testclient import TestClient

import client.audio.recorder
import client.studio.routes.drills
import client.terminal.interview
from client.answer.answer import Answer
from client.answer.answers import Answers
from client.answer.journal import Journal
from client.answer.session import Session
from client.audio.files import read_audio
from client.audio.take_file import HEADER_BYTES, PART_SUFFIX, TakeWriter
from client.backend.embedded import open_embedded
from client.backend.outbox import AnswerOutbox
from client.backend.remote import RemoteBackend
from client.backend.sending import OutboxBackend, with_outbox
from client.core.errors import NoSpeech
from client.core.settings import ClientSettings
from client.data import demo
from client.data.own_recordings import OwnRecordings
from client.engines.base import Transcriber
from client.practice.drills.drill_session import DrillSession, TakesOfItems
from client.practice.drills.items import DrillVerdict, Item, load_items
from client.studio.app import create_studio
from client.terminal.drill import DrillScreen, recorder_of_takes
from client.terminal.interview import Interview
from client.terminal.keys import Keys
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from pronunciation.terms import Lexicon
from question_bank.models import Bank
from server.attempts.service import Grader, Service
from server.attempts.store import Store
from server.contract import Word
from server.core.settings import ServerSettings, sqlite_url
from server.web.app import create_app
from tests.client.audio.conftest import FakeSoundSystem, device
from tests.client.conftest import make_question, make_report, one_question
from tests.worlds.ports import listening
from tests.worlds.studio_parts import ORIGIN, SOCKET, make_studio

SPOKEN_S: Final = 2.0
ENGINE_S: Final = 0.08
QUESTION: Final = "kv-cache"
_BLOCK: Final = 1600


class Engine(Transcriber):
    """Writes the same words whatever it hears, after a moment."""

    name = "scripted"
    model = "none"

    def recognize(self, clip: Clip) -> Sequence[Word]:
        time.sleep(ENGINE_S)
        return [Word(text="paged", start_s=0.1, end_s=0.5, confidence=0.9)]


class Pressing(Keys):
    """Each key after a moment, over and over."""

    def __init__(self, keys: str) -> None:
        self._keys = keys
        self._pressed = 0

    def get(self, timeout_s: float) -> str | None:
        time.sleep(min(timeout_s, 0.05))
        if random.random() < 0.5:
            return None
        key = self._keys[self._pressed % len(self._keys)]
        self._pressed += 1
        return key


def hear(clip: Clip, item: Item) -> DrillVerdict:
    time.sleep(ENGINE_S)
    return DrillVerdict("correct", item.readings[0], 0.9, 0.1, 0.5)


def speech() -> npt.NDArray[np.float32]:
    """Two seconds of the demo."""
    return read_audio(demo.AUDIO).slice(0.5, 0.5 + SPOKEN_S).samples


def bank() -> Bank:
    return Bank(
        version="bank-1",
        roles=(),
        rounds=(),
        signals=(),
        plan=(),
        help=(),
        questions=(make_question(QUESTION),),
    )


def service(settings: ServerSettings) -> Service:
    lexicon = Lexicon(version="1", terms=())
    return Service(
        Store(settings.database_url),
        bank,
        lambda: lexicon,
        grader=lambda: Grader(lambda question, submission, *_: make_report(submission), "stub-1"),
    )


@contextmanager
def backend_of(settings: ClientSettings) -> Iterator[OutboxBackend]:
    """The backend that the settings name, with the stand-in for a grader where it is embedded."""
    outbox = AnswerOutbox.for_server(settings.outbox, settings.server or "embedded")
    if settings.server is None:
        opened = with_outbox(open_embedded(settings, create=service), outbox, direct=True)
    else:
        opened = with_outbox(RemoteBackend(settings.server), outbox)
    with opened:
        opened.send_waiting(within_s=1.0)
        yield opened


def note_what_is_said(log: Path) -> None:
    """Have every answer write a line when its first sound is on the disk; a killed process too."""
    opened = Answer.open

    def noting(answer: Answer, rate_hz: int) -> TakeWriter:
        writer = opened(answer, rate_hz)
        append = writer.append

        def first(samples: Any) -> None:
            append(samples)
            if samples.size:
                line = [answer.submission_id, answer.spoken_at.isoformat(), answer.entry.kind]
                with log.open("ab") as file:
                    file.write(json.dumps(line).encode() + b"\n")
                writer.append = append  # type: ignore[method-assign]

        writer.append = first  # type: ignore[method-assign]
        return writer

    Answer.open = noting  # type: ignore[method-assign]


def _microphone() -> None:
    system = FakeSoundSystem(
        signal=np.tile(speech(), 3),
        devices=[device("Microphone", rate_hz=SAMPLE_RATE_HZ)],
        block_frames=_BLOCK,
        block_s=0.02,
    )
    client.audio.recorder.load_sounddevice = lambda: system  # type: ignore[assignment]


def _console() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100)


def interview(settings: ClientSettings) -> None:
    """Answers in the terminal, one after the other."""
    _microphone()

    @contextmanager
    def keys() -> Iterator[Keys]:
        yield Pressing(" n")

    client.terminal.interview.key_reader = keys
    Interview._choose = lambda _: [make_question(QUESTION)]  # type: ignore[method-assign]
    with backend_of(settings) as backend:
        session = Session(backend, Engine)
        answers = answers_here(settings, backend, session)
        while True:
            Interview(
                settings, backend, session, one_question(), _console(), lambda *_: None, answers
            ).run()


def drill(settings: ClientSettings) -> None:
    """Takes of drill items in the terminal."""
    _microphone()
    sets = load_items(settings)
    with backend_of(settings) as backend:
        while True:
            session = DrillSession(backend, hear, sets, count=5)
            record = recorder_of_takes(_console(), settings, None)
            DrillScreen(session, _console(), Pressing(" n"), record, _Silent(), speak=False).run()


def studio(settings: ClientSettings) -> None:
    """Answers over the studio's WebSocket."""
    pcm = Clip(speech()).pcm16()
    with _studio(settings) as page:
        while True:
            with page.websocket_connect(SOCKET) as socket:
                socket.send_json({"type": "start", "question_id": QUESTION})
                for at in range(0, len(pcm), 2 * _BLOCK):
                    socket.send_bytes(pcm[at : at + 2 * _BLOCK])
                    time.sleep(0.01)
                socket.send_json({"type": "stop"})
                while socket.receive_json()["type"] not in ("done", "problem"):
                    pass


def studio_drill(settings: ClientSettings) -> None:
    """Takes of drill items in the studio, sent as its page sends them."""
    client.studio.routes.drills.drill_hearing = lambda: hear  # type: ignore[assignment]
    client.studio.routes.drills._warm = lambda *_: None
    pcm = Clip(speech()).pcm16()
    with _studio(settings) as page:
        number = 0
        while True:
            html = page.get("/drills/all?items=5", headers={"Accept": "text/html"}).text
            drill = json.loads(html.split('id="drill">')[1].split("</script>")[0])
            while drill["card"]:
                number += 1
                named = {"item": drill["card"]["item_id"], "take": f"take-{os.getpid()}-{number}"}
                where = f"/drills/open/{drill['id']}"
                for at in range(0, len(pcm), 4 * _BLOCK):
                    piece = pcm[at : at + 4 * _BLOCK]
                    page.post(f"{where}/sound", params={**named, "at": at}, content=piece)
                    time.sleep(0.01)
                drill = page.post(f"{where}/takes", params=named, content=pcm).json()["drill"]


def serve(settings: ClientSettings, port: int) -> None:
    """The shared server of the scenes."""
    listener = listening(port)
    listener.listen()
    url = sqlite_url(settings.home / "server.db")
    app = create_app(
        ServerSettings(database_url=url), service=service(ServerSettings(database_url=url))
    )
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])


SCENES: Final[dict[str, Callable[[ClientSettings], None]]] = {
    "interview": interview,
    "drill": drill,
    "studio": studio,
    "studio drill": studio_drill,
}


def look_and_finish(
    settings: ClientSettings, said: Sequence[tuple[str, str, str]]
) -> dict[str, Any]:
    """What became of everything that was said; then finishes what is offered.

    Args:
        settings: the data folder and the server.
        said: id, time and kind of each.
    """
    stored = _stored(settings)
    ids = {each[0] for each in said}
    with backend_of(settings) as backend:
        while backend.send_waiting(within_s=30).running:
            pass
        waiting = {each.item_id for each in (*backend.outbox.pending(), *backend.reviews.pending())}
        items = {item.id: item for item in load_items(settings).of(None)}
        session = Session(backend, Engine)
        answers = Answers(
            Journal.of(settings), backend, lambda: session, TakesOfItems(items.get, hear)
        )
        offers = answers.unfinished()
        offered = {each.submission_id for each in offers}
        not_offered = ids - offered - set(stored) - waiting - set(_stored(settings))
        stages = [each.state for each in offers]
        failures = []
        for offer in offers:
            try:
                answers.finish(offer)
            except NoSpeech:
                pass  # killed before anything was said; it stays, and is offered again
            except Exception as error:
                failures.append(f"{offer.name}: {error}")
        waiting = {each.item_id for each in (*backend.outbox.pending(), *backend.reviews.pending())}
    stored = _stored(settings)
    recordings = OwnRecordings(settings.recordings)
    unfinished = Journal.of(settings).unfinished()
    kept = {each.entry.submission_id for each in unfinished}
    parts = {path.name.split(".")[0] for path in settings.recordings.glob("*.wav.part")}
    # the journal deletes what holds no sound after a minute
    soundless = {path.stem for path in settings.recordings.glob("*.wav") if not _holds_sound(path)}
    awaited = parts | soundless | {each.name.removesuffix(PART_SUFFIX) for each in unfinished}
    silent = [
        id_
        for id_, _, kind in said
        if kind == "answer" and id_ not in kept and not recordings.path_of(id_).exists()
    ]
    return {
        "said": len(ids),
        "offered": len(offered & ids),
        "stages": stages,
        "not_offered": sorted(not_offered),
        "failures": failures,
        "lost": sorted(ids - set(stored) - waiting - kept),
        "doubled": len(stored) - len(set(stored)) + len(set(stored) - ids),
        "without_sound": silent,
        "other_time": [
            id_ for id_, at, _ in said if id_ in stored and not _same_time(stored[id_], at)
        ],
        "left": sorted(
            path.name
            for path in settings.recordings.glob("*")  # none where it was killed before any sound
            if path.name.removesuffix(".wav") not in ids and path.name.split(".")[0] not in awaited
        ),
    }


def _holds_sound(path: Path) -> bool:
    return path.stat().st_size > HEADER_BYTES


class _Silent:
    def say(self, item: Item) -> None:
        pass

    def play(self, clip: Clip) -> None:
        pass


def answers_here(settings: ClientSettings, backend: OutboxBackend, session: Session) -> Answers:
    """What finishes answers; it offers none of those that were killed before."""

    class Nothing(Journal):
        def unfinished(self) -> tuple[Answer, ...]:
            return ()

    return Answers(
        Nothing.of(settings), backend, lambda: session, TakesOfItems(lambda _: None, hear)
    )


@contextmanager
def _studio(settings: ClientSettings) -> Iterator[TestClient]:
    with backend_of(settings) as backend:
        made = make_studio(settings, Engine(), backend=backend)
        with TestClient(create_studio(made), base_url=ORIGIN, headers={"Origin": ORIGIN}) as page:
            yield page


def _stored(settings: ClientSettings) -> dict[str, str]:
    """When each stored answer and take was spoken, by its id, read from the database itself."""
    database = settings.home / ("server.db" if settings.server else settings.database.name)
    if not database.exists():
        return {}
    connection = sqlite3.connect(database, timeout=20)
    try:
        rows = connection.execute("SELECT submission_id, created_at FROM attempts").fetchall()
        rows += connection.execute("SELECT review_id, reviewed_at FROM drill_reviews").fetchall()
    except sqlite3.OperationalError:  # killed before the tables were there
        return {}
    finally:
        connection.close()
    assert len(rows) == len(dict(rows)), "an id was stored twice"
    return dict(rows)


def _same_time(stored: str, spoken: str) -> bool:
    return stored.replace("T", " ")[:19] == spoken.replace("T", " ")[:19]
