"""Checks everything that an interview needs; each failing check names the remedy."""

import importlib
import importlib.metadata
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from client.answer.journal import Journal
from client.audio import Recorder, RecorderSettings
from client.audio.devices import find_device, list_devices, load_sounddevice
from client.core.errors import RecordingError, SpeakingError
from client.core.settings import ClientSettings
from client.core.wording import count_of
from client.engines.weights import DEFAULT_MODEL, first_installed, list_models
from client.speaking import voices_here
from pronunciation.errors import reinstall_command
from pronunciation.terms import Lexicon

LISTEN_S: Final = 0.7
"""How long the microphone is listened to; the slowest driver tried gave sound after 0.4 s."""
SERVER_LIMIT_S: Final = 5.0
LOW_SPACE_BYTES: Final = 500_000_000
"""An hour of recordings at 48 kHz is 346 MB; the default weights are 145 MB."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: what, in a word or two.
        ok: whether it works.
        detail: what was found; one line.
        remedy: what to do about it; empty if it works, never if it does not.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""

    def __post_init__(self) -> None:
        if self.ok == bool(self.remedy):
            raise ValueError("a remedy is for a check that fails, and each that fails has one")


def run_checks(settings: ClientSettings, *, sounddevice: Any = None) -> tuple[Check, ...]:
    """Run all checks in order; takes a few seconds and listens to the microphone once.

    Args:
        settings: the folders and the server to look at.
        sounddevice: stands in for the module, e.g. in tests.
    """
    checks: tuple[tuple[str, Callable[[], Check]], ...] = (
        ("PortAudio", lambda: check_portaudio(sounddevice)),
        ("microphone", lambda: check_microphone(sounddevice, settings.preferences.microphone)),
        ("loudspeaker", lambda: check_loudspeaker(sounddevice)),
        ("voice", check_voice),
        ("engine", check_engine),
        ("weights", check_weights),
        ("data folder", lambda: check_data_folder(settings)),
        ("server", lambda: check_server(settings)),
    )
    return tuple(_guarded(name, check) for name, check in checks)


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except Exception as error:  # a checker that breaks hides the checks after it
        detail = f"the check itself failed: {type(error).__name__}: {error}"
        return Check(name, False, " ".join(detail.split()), "report this line as a bug in Aloud")


def check_portaudio(sounddevice: Any = None) -> Check:
    """Whether the sound library is there and lists devices."""
    name = "PortAudio"
    try:
        sd = load_sounddevice() if sounddevice is None else sounddevice
        count = len(list_devices("input", sounddevice=sd))
    except RecordingError as error:
        return _failed(name, error)
    return Check(name, True, f"found; it lists {count} input device{'' if count == 1 else 's'}")


def check_microphone(sounddevice: Any = None, name_part: str = "") -> Check:
    """Whether the microphone gives sound: listens for `LISTEN_S` and keeps nothing.

    Args:
        sounddevice: stands in for the module, e.g. in tests.
        name_part: of the microphone; empty: the system's own choice.
    """
    name = "microphone"
    with tempfile.TemporaryDirectory(prefix="aloud-doctor-") as folder:
        settings = RecorderSettings(
            Path(folder),
            device_name=name_part or None,
            silence_stop_s=None,
            time_limit_s=LISTEN_S,
            zeros_stop_s=None,
        )
        recorder = Recorder(settings, sounddevice)
        try:
            device = recorder.start(label="doctor")
            recorder.wait(LISTEN_S + settings.device_lost_s)
            recording = recorder.stop()
        except RecordingError as error:
            return _failed(name, error)
    rate_khz = recording.sample_rate_hz / 1000
    detail = f"{device.label} gives sound at {rate_khz:g} kHz"
    if recording.stopped_by == "device_lost":
        return Check(name, False, f"{device.label} stopped giving sound", "plug it in again")
    return Check(name, True, detail)


def check_loudspeaker(sounddevice: Any = None) -> Check:
    """Whether there is a loudspeaker; plays nothing."""
    name = "loudspeaker"
    try:
        device = find_device(direction="output", sounddevice=sounddevice)
    except RecordingError as error:
        return _failed(name, error)
    return Check(name, True, device.label)


def check_voice() -> Check:
    """Whether a voice turns a sentence into sound."""
    name = "voice"
    nothing_to_respell = Lexicon(version="doctor", terms=())
    failure: SpeakingError | None = None
    for voice in voices_here():
        try:
            clip = voice.synthesize("Ready to listen.", nothing_to_respell)
        except SpeakingError as error:
            failure = failure or error
        else:
            detail = f"the {voice.name} voice speaks ({clip.duration_s:.1f} s in a trial)"
            return Check(name, True, detail)
    if failure is not None:
        return _failed(name, failure)
    remedy = (
        "uv pip install hibari-tts pyttsx3 espeakng-loader; until then, questions are only shown"
    )
    return Check(name, False, "no voice is installed", remedy)


def check_engine() -> Check:
    """Whether the default transcription engine can be loaded."""
    name = "engine"
    try:
        importlib.import_module("faster_whisper")
    except Exception as error:  # a broken native library raises whatever it likes
        detail = " ".join(f"faster-whisper cannot be loaded ({error})".split())
        return Check(name, False, detail, reinstall_command("faster-whisper", "ctranslate2"))
    return Check(name, True, f"faster-whisper {importlib.metadata.version('faster-whisper')}")


def check_weights() -> Check:
    """Whether whole Whisper weights are on disk."""
    name = "weights"
    weights = first_installed()
    if weights is None:
        detail = "no Whisper weights on disk: transcripts are rough, by pocketsphinx"
        return Check(name, False, detail, f"aloud models pull {DEFAULT_MODEL}")
    status = next(each for each in list_models() if each.weights.name == weights.name)
    if status.is_cut_short:
        return Check(name, False, f"Whisper {weights.name} is cut short", status.remedy)
    return Check(name, True, f"Whisper {weights.name}")


def check_data_folder(settings: ClientSettings) -> Check:
    """Whether your data can be written, and whether unfinished recordings are waiting."""
    name = "data folder"
    home = settings.home
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(b"aloud")
        free_bytes = shutil.disk_usage(home).free
    except OSError as error:
        remedy = "make it writable, or name another folder with ALOUD_HOME"
        return Check(name, False, f"{home} cannot be written: {error.strerror}", remedy)
    if free_bytes < LOW_SPACE_BYTES:
        detail = f"only {free_bytes / 1e6:.0f} MB are free in {home}"
        remedy = "make room on the disk, or name another folder with ALOUD_HOME"
        return Check(name, False, detail, remedy)
    if settings.database.exists() and not os.access(settings.database, os.W_OK):
        return Check(
            name,
            False,
            f"the database {settings.database} cannot be written",
            "check its permissions, or name another folder with ALOUD_HOME",
        )
    damage = _database_damage(settings.database)
    if damage:
        remedy = "move the file away to start again, or put a backup in its place"
        return Check(name, False, f"the database {settings.database} is damaged ({damage})", remedy)
    left = len(Journal.of(settings).unfinished())
    recover = f"; {count_of(left, 'unfinished answer')}: aloud unfinished" if left else ""
    return Check(name, True, f"{home}, {free_bytes / 1e9:.0f} GB free{recover}")


def _database_damage(database: Path) -> str:
    """Why the database cannot be read; empty if all is well or there is none yet."""
    if not database.exists():
        return ""
    if database.stat().st_size == 0:
        return "it has 0 bytes"
    try:
        with closing(sqlite3.connect(database, timeout=1.0)) as connection:
            problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.OperationalError:  # locked by a writer: then it works
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if problem == "ok" else " ".join(str(problem).split())


def check_server(settings: ClientSettings, transport: Any = None) -> Check:
    """Whether the shared server answers, and is one; without ``--server`` there is none to ask."""
    name = "server"
    if settings.server is None:
        return Check(name, True, "embedded: everything stays on this machine")

    local = urlsplit(settings.server).hostname in ("127.0.0.1", "localhost", "::1")
    remedy = (
        "check the address and the connection; until it answers, reports wait in the outbox and "
        "go out later"
    )
    try:
        with httpx.Client(
            transport=transport, timeout=SERVER_LIMIT_S, trust_env=not local
        ) as client:
            reply = client.get(f"{settings.server}/healthz")
            reply.raise_for_status()
            body = reply.json()
    except (httpx.HTTPError, ValueError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        return Check(name, False, f"{settings.server} does not answer as expected: {why}", remedy)
    if not isinstance(body, dict) or body.get("app") != "aloud":
        detail = f"{settings.server} answers, but is not an Aloud server"
        return Check(name, False, detail, "check the address given with --server or ALOUD_SERVER")
    return Check(name, True, f"{settings.server} answers")


def _failed(name: str, error: RecordingError | SpeakingError) -> Check:
    return Check(name, False, error.problem, error.remedy or "see docs/audio.md")
