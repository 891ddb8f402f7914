"""Microphones and loudspeakers: PortAudio loaded late, devices chosen by name."""

import contextlib
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from client.core.errors import RecordingError
from pronunciation.errors import reinstall_command

Direction = Literal["input", "output"]

_THING: dict[Direction, str] = {"input": "microphone", "output": "loudspeaker"}
_PORTAUDIO_REMEDY = {"linux": "apt install libportaudio2", "darwin": "brew install portaudio"}


@dataclass(frozen=True)
class Device:
    """A microphone or loudspeaker as PortAudio sees it now.

    Attributes:
        name: what the system calls it. Together with ``host_api`` this is what may be stored.
        host_api: the sound system it is reached through, e.g. ``ALSA`` or ``Core Audio``.
        channels: how many channels it has in the direction asked for.
        sample_rate_hz: its native rate.
        is_default: whether the system uses it where none is named.
        index: PortAudio's number, valid only until devices come or go: never store it.
    """

    name: str
    host_api: str
    channels: int
    sample_rate_hz: int
    is_default: bool
    index: int

    @property
    def label(self) -> str:
        """Name and host API, which tell it apart: ``USB Mic [ALSA]``."""
        return f"{self.name} [{self.host_api}]"


def load_sounddevice() -> Any:
    """The ``sounddevice`` module, imported now because the import opens PortAudio.

    Raises:
        RecordingError: PortAudio is missing (the import raises ``OSError`` then); says what to
            install.
    """
    try:
        return importlib.import_module("sounddevice")
    except OSError as error:
        if sys.platform == "win32":  # the wheel brings it
            remedy = f"reinstall it: {reinstall_command('sounddevice')}"
        else:
            remedy = _PORTAUDIO_REMEDY.get(sys.platform, _PORTAUDIO_REMEDY["linux"])
        raise RecordingError(
            f"the sound library PortAudio is missing or broken ({error})", remedy
        ) from error
    except ImportError as error:
        raise RecordingError(
            "the Python package sounddevice is missing", "uv pip install sounddevice"
        ) from error


def start_stream(
    sd: Any,
    kind: Any,
    device: Device,
    callback: Callable[..., None],
    reset: Callable[[], None],
    finished: Callable[[], None],
) -> Any:
    """A started stream of a device: mono, or all channels where it refuses to mix them.

    Args:
        sd: the module, see ``load_sounddevice``.
        kind: its class of streams, ``InputStream`` or ``OutputStream``.
        device: what is opened, at its native rate.
        callback: takes or gives each block, float32 of shape (frames, channels).
        reset: undoes what a stream that did not start may have called.
        finished: called when the stream is over.

    Raises:
        PortAudioError, ValueError: it cannot be opened.
    """
    failure: Exception | None = None
    for channels in dict.fromkeys((1, device.channels)):
        stream = None
        try:
            stream = kind(
                device=device.index,
                samplerate=device.sample_rate_hz,
                channels=channels,
                dtype="float32",
                callback=callback,
                finished_callback=finished,
            )
            stream.start()
            return stream
        except (sd.PortAudioError, ValueError) as error:
            failure = failure or error
            if stream is not None:
                with contextlib.suppress(sd.PortAudioError):
                    stream.close()
            reset()
    assert failure is not None  # the loop tried at least once
    raise failure


def list_devices(direction: Direction = "input", *, sounddevice: Any = None) -> tuple[Device, ...]:
    """The devices of one direction, the default one first.

    Args:
        direction: microphones (``input``) or loudspeakers (``output``).
        sounddevice: stands in for the module, e.g. in tests.

    Raises:
        RecordingError: PortAudio is missing or cannot list.
    """
    sd = load_sounddevice() if sounddevice is None else sounddevice
    try:
        infos = list(sd.query_devices())
        apis = list(sd.query_hostapis())
    except sd.PortAudioError as error:
        raise RecordingError(
            f"the sound system cannot list its devices ({error})", "restart the sound server"
        ) from error
    default = _default_index(sd, direction, apis)
    devices = [
        Device(
            name=str(info["name"]),
            host_api=str(apis[int(info["hostapi"])]["name"]),
            channels=int(info[f"max_{direction}_channels"]),
            sample_rate_hz=round(float(info["default_samplerate"])),
            is_default=index == default,
            index=index,
        )
        for index, info in enumerate(infos)
        if int(info[f"max_{direction}_channels"]) > 0
    ]
    return tuple(sorted(devices, key=lambda device: (not device.is_default, device.index)))


def find_device(
    name: str | None = None,
    *,
    direction: Direction = "input",
    sounddevice: Any = None,
) -> Device:
    """The device of this name, or the default one.

    Args:
        name: the full name, or a piece of it that only one device has; case does not matter, and
            ``NAME [HOST API]`` is understood as `Device.label` writes it. ``None``: the default.
        direction: a microphone (``input``) or a loudspeaker (``output``).
        sounddevice: stands in for the module, e.g. in tests.

    Raises:
        RecordingError: there is none at all, none with this name, or several; names what there is.
    """
    devices = list_devices(direction, sounddevice=sounddevice)
    thing = _THING[direction]
    if not devices:
        remedy = (
            "plug one in or allow it in the system's sound settings; a recorded file can be used "
            "instead: aloud assess FILE"
            if direction == "input"
            else "plug one in or turn it on in the system's sound settings"
        )
        raise RecordingError(f"no {thing} was found", remedy)
    if name is None:
        return devices[0]
    found = _matching(devices, name)
    if not found:
        raise RecordingError(f"no {thing} is called {name!r}; {_there_is(devices)}")
    if len(found) > 1:
        # The same device seen through several host APIs: the default's API is the one in use.
        default_api = devices[0].host_api if devices[0].is_default else None
        preferred = [d for d in found if d.host_api == default_api] or found
        # Two of one make share name and host API; nothing stable tells them apart: the first.
        if len({device.label for device in preferred}) > 1:
            raise RecordingError(
                f"several {thing}s are called {name!r}: name one in full; {_there_is(tuple(found))}"
            )
        found = preferred
    return found[0]


def _matching(devices: tuple[Device, ...], name: str) -> list[Device]:
    for matches in (
        [d for d in devices if _same(d.label, name)],
        [d for d in devices if _same(d.name, name)],
        [d for d in devices if name.strip().casefold() in d.name.casefold()],
    ):
        if matches:
            return matches
    return []


def _default_index(sd: Any, direction: Direction, apis: list[Any]) -> int:
    """The default device's index, or -1 if there is none."""
    position = 0 if direction == "input" else 1
    try:
        index = int(sd.default.device[position])
    except (AttributeError, TypeError, ValueError, IndexError):
        index = -1
    if index >= 0:
        return index
    of_apis = [int(api[f"default_{direction}_device"]) for api in apis]
    return next((index for index in of_apis if index >= 0), -1)


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def _there_is(devices: tuple[Device, ...]) -> str:
    return "available: " + ", ".join(device.label for device in devices)


_PERMISSION: Final = {
    "darwin": "System Settings › Privacy & Security › Microphone",
    "win32": "Settings › Privacy & security › Microphone",
}
"""By ``sys.platform``: where a system allows it. Such a system gives zeros and no error."""


def zeros_remedy(program: Literal["terminal", "browser"]) -> str:
    """What to do on this system, without a capital and a period; ``program`` takes the sound."""
    place = _PERMISSION.get(sys.platform)
    if place is None:
        return (
            "unmute it (a key, a switch on a headset, or the system's sound settings) or choose "
            "another one"
        )
    return (
        f"turn the {program} on under {place} and restart it, or unmute the microphone (a key, or "
        "a switch on a headset), or choose another one"
    )
