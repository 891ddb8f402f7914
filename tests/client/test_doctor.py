import errno
import importlib
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

from client import doctor
from client.audio.take_file import TakeWriter
from client.core.errors import SpeakingError
from client.core.settings import ClientSettings
from client.doctor import Check
from pronunciation.errors import reinstall_command


class SoundSystem:
    """A microphone and a loudspeaker; the microphone gives ``sample`` again and again."""

    class PortAudioError(Exception):
        pass

    def __init__(self, *, inputs: int = 1, outputs: int = 2, sample: float = 0.1) -> None:
        self.inputs, self.outputs, self.sample = inputs, outputs, sample
        self.default = SimpleNamespace(device=[0 if inputs else -1, 0 if outputs else -1])

    def query_devices(self) -> list[dict[str, Any]]:
        return [
            {
                "name": "Headset",
                "hostapi": 0,
                "max_input_channels": self.inputs,
                "max_output_channels": self.outputs,
                "default_samplerate": 48000.0,
            }
        ]

    def query_hostapis(self) -> list[dict[str, Any]]:
        return [{"name": "ALSA", "default_input_device": -1, "default_output_device": -1}]

    def InputStream(self, **kwargs: Any) -> Any:
        over = threading.Event()

        def run() -> None:
            block = np.full((480, 1), self.sample, dtype=np.float32)
            while not over.wait(0.005):
                kwargs["callback"](block, 480, None, SimpleNamespace(input_overflow=False))

        def start() -> None:
            threading.Thread(target=run, daemon=True).start()

        return SimpleNamespace(start=start, stop=over.set, close=over.set)


def answering(status: int, **reply: Any) -> httpx.MockTransport:
    return httpx.MockTransport(lambda request: httpx.Response(status, **reply))


def failing(check: Check, detail: str, remedy: str) -> None:
    assert not check.ok
    assert detail in check.detail
    assert remedy in check.remedy


def test_all_checks_in_order(settings: ClientSettings) -> None:
    checks = doctor.run_checks(settings, sounddevice=SoundSystem())
    by_name = {check.name: check for check in checks}
    assert list(by_name) == [
        "PortAudio", "microphone", "loudspeaker", "voice", "engine", "weights", "data folder",
        "server",
    ]  # fmt: skip
    for name in ("PortAudio", "microphone", "loudspeaker", "engine", "data folder", "server"):
        assert by_name[name].ok, by_name[name]
    assert all("\n" not in check.detail + check.remedy for check in checks)


def test_a_broken_check_does_not_hide_the_others(
    settings: ClientSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Check:
        raise KeyError("surprise")

    monkeypatch.setattr(doctor, "check_voice", broken)
    checks = doctor.run_checks(settings, sounddevice=SoundSystem())
    assert len(checks) == 8
    failing(checks[3], "KeyError: 'surprise'", "report this line as a bug")


def test_a_microphone_that_gives_sound() -> None:
    check = doctor.check_microphone(SoundSystem())
    assert (check.ok, check.detail) == (True, "Headset [ALSA] gives sound at 48 kHz")


def test_no_microphone() -> None:
    failing(doctor.check_microphone(SoundSystem(inputs=0)), "no microphone was found", "plug one")


@pytest.mark.parametrize(
    ("system", "remedy"), [("darwin", "Privacy & Security"), ("linux", "unmute it")]
)
def test_a_muted_microphone(system: str, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.audio.devices.sys.platform", system)
    check = doctor.check_microphone(SoundSystem(sample=0.0))
    failing(check, "exact zeros", remedy)


def test_no_loudspeaker() -> None:
    failing(doctor.check_loudspeaker(SoundSystem(outputs=0)), "no loudspeaker", "plug one in")


def test_no_portaudio(monkeypatch: pytest.MonkeyPatch) -> None:
    true_import = importlib.import_module

    def import_module(name: str, package: str | None = None) -> Any:
        if name == "sounddevice":
            raise OSError("PortAudio library not found")
        return true_import(name, package)

    monkeypatch.setattr(importlib, "import_module", import_module)
    monkeypatch.setattr("client.audio.devices.sys.platform", "linux")
    check = doctor.check_portaudio()
    monkeypatch.undo()
    failing(check, "PortAudio", "apt install libportaudio2")


@pytest.mark.skipif(os.name == "nt", reason="eSpeak NG's wheel speaks on Linux")
def test_the_voice_really_speaks() -> None:
    assert "speaks" in doctor.check_voice().detail


def test_a_voice_that_fails_and_none_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def synthesize(self, *_: object) -> None:
            raise SpeakingError("the voice failed (no library)", "install it")

    monkeypatch.setattr("client.doctor.voices_here", lambda: (Broken(),))
    failing(doctor.check_voice(), "no library", "install it")
    monkeypatch.setattr("client.doctor.voices_here", lambda: ())
    failing(doctor.check_voice(), "no voice is installed", "pyttsx3")


def test_an_engine_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> Any:
        raise RuntimeError("illegal instruction\nin a library")

    monkeypatch.setattr(doctor.importlib, "import_module", broken)
    check = doctor.check_engine()
    monkeypatch.undo()
    failing(
        check,
        "illegal instruction in a library",
        reinstall_command("faster-whisper", "ctranslate2"),
    )


def test_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.doctor.first_installed", lambda: None)
    failing(doctor.check_weights(), "no Whisper weights", "aloud models pull base.en")
    small = SimpleNamespace(name="small.en")
    monkeypatch.setattr("client.doctor.first_installed", lambda: small)
    whole = SimpleNamespace(weights=small, is_cut_short=False)
    monkeypatch.setattr("client.doctor.list_models", lambda: [whole])
    assert doctor.check_weights().detail == "Whisper small.en"


def test_the_data_folder_is_made_and_left_clean(settings: ClientSettings) -> None:
    assert doctor.check_data_folder(settings).ok
    assert list(settings.home.iterdir()) == []


def test_a_data_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    check = doctor.check_data_folder(ClientSettings(home=tmp_path / "file" / "home"))
    failing(check, os.strerror(errno.ENOTDIR), "ALOUD_HOME")


def test_a_disk_that_is_nearly_full(
    settings: ClientSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = SimpleNamespace(free=1_000_000)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: full)
    failing(doctor.check_data_folder(settings), "only 1 MB", "make room")


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 99, b""]
)
def test_a_damaged_database_is_named(settings: ClientSettings, content: bytes) -> None:
    settings.home.mkdir(parents=True, exist_ok=True)
    settings.database.write_bytes(content)
    check = doctor.check_data_folder(settings)
    failing(check, f"{settings.database} is damaged", "backup")


def test_a_database_that_cannot_be_written_is_named(
    settings: ClientSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.home.mkdir(parents=True, exist_ok=True)
    settings.database.touch()
    monkeypatch.setattr("os.access", lambda path, mode: path != settings.database)
    failing(doctor.check_data_folder(settings), f"{settings.database} cannot be written", "perm")


def test_recordings_left_by_a_crash_are_told(settings: ClientSettings) -> None:
    writer = TakeWriter(settings.recordings, 16000)
    writer.append(np.zeros(100, dtype=np.float32))
    writer.abandon()
    check = doctor.check_data_folder(settings)
    assert check.ok
    assert "1 unfinished answer: aloud unfinished" in check.detail


@pytest.mark.parametrize(
    ("transport", "detail", "remedy"),
    [
        (answering(200, json={"app": "other"}), "is not an Aloud server", "check the address"),
        (answering(200, text="<html>"), "does not answer as expected", "outbox"),
        (answering(200, json=[1]), "is not an Aloud server", "check the address"),
        (answering(503), "503", "outbox"),
    ],
    ids=["another service", "a web page", "a list", "an error"],
)
def test_a_server_that_is_not_well(
    tmp_path: Path, transport: httpx.MockTransport, detail: str, remedy: str
) -> None:
    settings = ClientSettings(home=tmp_path, server="https://aloud.example.org")
    failing(doctor.check_server(settings, transport), detail, remedy)


def test_a_server_that_is_away(tmp_path: Path) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Connection refused")

    settings = ClientSettings(home=tmp_path, server="http://127.0.0.1:1")
    check = doctor.check_server(settings, httpx.MockTransport(refuse))
    failing(check, "Connection refused", "outbox")


def test_a_server_that_answers(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(200, json={"app": "aloud", "status": "ok"})

    settings = ClientSettings(home=tmp_path, server="https://aloud.example.org/team")
    assert doctor.check_server(settings, httpx.MockTransport(answer)).ok
    assert asked == ["https://aloud.example.org/team/healthz"]
