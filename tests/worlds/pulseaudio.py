"""A real microphone: PulseAudio with a null sink, whose monitor is the default source."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from client.audio.wav import write_wav
from pronunciation.clip import Clip

_NEEDED = ("pulseaudio", "pactl", "paplay")
_INSTALL = "apt install pulseaudio pulseaudio-utils libasound2-plugins libportaudio2 (Linux only)"

_ROOM_NOISE_S = 300
"""Longer than a test may take."""
_PATIENCE_S = 60
"""Machines that run other tests at the same time are slow."""


@dataclass(frozen=True)
class PulseAudio:
    """A running sound server of our own; `environment` leads a subprocess to it."""

    environment: dict[str, str]

    def play(self, path: Path) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(["paplay", str(path)], env=self.environment)

    @contextmanager
    def room_noise(self, folder: Path) -> Iterator[None]:
        """Noise of a bit or two, as every real microphone has it, until the block ends.

        Without it the monitor gives exact zeros, which mean a muted or unplugged microphone: on a
        busy machine a player may take longer to begin than a recorder bears them.
        """
        path = folder / "room-noise.wav"
        noise = 5e-5 * np.random.default_rng(0).standard_normal(16_000 * _ROOM_NOISE_S)
        write_wav(Clip(noise.astype(np.float32)), path)
        player = self.play(path)
        try:
            give_up_at_s = time.monotonic() + _PATIENCE_S
            while not self.control("list", "short", "sink-inputs"):
                assert time.monotonic() < give_up_at_s, "the noise does not play"
                time.sleep(0.1)
            yield
        finally:
            player.terminate()
            player.wait(_PATIENCE_S)

    @contextmanager
    def named_microphone(self) -> Iterator[None]:
        """The monitor as a source of its own: WebKit takes no monitor for a microphone."""
        monitor = "master=aloud_test.monitor"
        module = self.control("load-module", "module-remap-source", monitor, "source_name=named")
        self.control("set-default-source", "named")
        try:
            yield
        finally:
            self.control("set-default-source", "aloud_test.monitor")
            self.control("unload-module", module.strip())

    def control(self, *arguments: str) -> str:
        done = subprocess.run(
            ["pactl", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
        )
        return done.stdout if done.returncode == 0 else ""


@pytest.fixture(scope="session")
def pulseaudio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PulseAudio]:
    """A null sink whose monitor is the default microphone, in a home of its own."""
    missing = [name for name in _NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)} for a microphone: {_INSTALL}")
    # Unix sockets have short names only (108 bytes): not below pytest's deep folders.
    runtime = Path(tempfile.mkdtemp(prefix="aloud-pulse-"))
    home = tmp_path_factory.mktemp("pulse-home")
    (home / ".asoundrc").write_text("pcm.!default { type pulse }\nctl.!default { type pulse }\n")
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("PULSE_", "XDG_"))},
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "PULSE_RUNTIME_PATH": str(runtime / "pulse"),
        "PULSE_SERVER": f"unix:{runtime}/native",
    }
    environment.pop("DISPLAY", None)
    server = subprocess.Popen(
        [
            "pulseaudio", "--daemonize=no", "--exit-idle-time=-1", "-n", "--disallow-exit",
            "--use-pid-file=no", "--log-target=stderr", "--log-level=error",
            "--load=module-null-sink sink_name=aloud_test",
            f"--load=module-native-protocol-unix auth-anonymous=1 socket={runtime}/native",
        ],
        env=environment,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    system = PulseAudio(environment)
    try:
        give_up_at_s = time.monotonic() + _PATIENCE_S
        while "aloud_test.monitor" not in system.control("list", "short", "sources"):
            if server.poll() is not None or time.monotonic() > give_up_at_s:
                pytest.skip(f"PulseAudio does not start here; needed: {_INSTALL}")
            time.sleep(0.1)
        system.control("set-default-sink", "aloud_test")
        system.control("set-default-source", "aloud_test.monitor")
        yield system
    finally:
        server.terminate()
        try:
            server.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        shutil.rmtree(runtime, ignore_errors=True)
