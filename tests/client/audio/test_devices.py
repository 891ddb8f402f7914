import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from client.audio.devices import find_device, list_devices
from client.core.errors import RecordingError

MakeDevice = Callable[..., dict[str, Any]]


@pytest.fixture
def desk(sound_system: Any, fake_device: MakeDevice) -> Any:
    return sound_system(
        devices=[
            fake_device("Loudspeaker", inputs=0, outputs=2),
            fake_device("Built-in Microphone"),
            fake_device("USB Headset", inputs=1, rate_hz=48000.0),
            fake_device("USB Headset", hostapi=1, inputs=1, rate_hz=48000.0),
            fake_device("USB Camera", inputs=1),
        ],
        default_input=2,
        default_output=0,
    )


def test_lists_microphones_with_the_default_first(desk: Any) -> None:
    names = [(device.label, device.is_default) for device in list_devices(sounddevice=desk)]
    assert names == [
        ("USB Headset [ALSA]", True),
        ("Built-in Microphone [ALSA]", False),
        ("USB Headset [JACK]", False),
        ("USB Camera [ALSA]", False),
    ]


def test_lists_loudspeakers(desk: Any) -> None:
    assert [d.name for d in list_devices("output", sounddevice=desk)] == ["Loudspeaker"]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        (None, 2),
        ("Built-in Microphone", 1),
        ("built-in", 1),
        ("USB Headset", 2),
        ("USB Headset [JACK]", 3),
    ],
)
def test_finds_by_name(desk: Any, name: str | None, index: int) -> None:
    assert find_device(name, sounddevice=desk).index == index


def test_the_same_name_is_found_again_when_the_indices_have_moved(
    desk: Any, fake_device: MakeDevice
) -> None:
    stored = find_device("USB Camera", sounddevice=desk)
    desk.devices.insert(0, fake_device("New Microphone"))
    assert find_device(stored.label, sounddevice=desk).index == stored.index + 1


def test_an_unknown_name_says_what_there_is(desk: Any) -> None:
    with pytest.raises(RecordingError, match=r"'Jabra'; available: .*Built-in Microphone \[ALSA\]"):
        find_device("Jabra", sounddevice=desk)


def test_an_ambiguous_piece_of_a_name_asks_for_more(desk: Any) -> None:
    with pytest.raises(RecordingError, match="several microphones are called 'USB'"):
        find_device("USB", sounddevice=desk)


def test_no_microphone_says_what_to_do(sound_system: Any, fake_device: MakeDevice) -> None:
    mute = sound_system(devices=[fake_device("Loudspeaker", inputs=0)], default_input=-1)
    with pytest.raises(RecordingError, match="no microphone was found: plug one in"):
        find_device(sounddevice=mute)


def run_python(script: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the wheel carries PortAudio")
def test_a_missing_portaudio_names_the_package() -> None:
    script = (
        "import ctypes.util; ctypes.util.find_library = lambda name: None\n"
        "from client.audio import list_devices\n"
        "from client.core.errors import RecordingError\n"
        "try: list_devices()\n"
        "except RecordingError as error: print(error)\n"
    )
    done = run_python(script)
    assert "apt install libportaudio2" in done.stdout
    assert done.stderr == ""


def test_nothing_opens_portaudio_before_it_is_needed() -> None:
    script = "import sys, client.audio; print('sounddevice' in sys.modules)"
    done = run_python(script)
    assert done.stdout.strip() == "False"
