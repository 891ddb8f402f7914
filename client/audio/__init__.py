"""Recording from a microphone."""

from client.audio.devices import Device, find_device, list_devices
from client.audio.level import Level
from client.audio.recorder import OnSamples, Recorder, RecorderSettings, Recording
from client.audio.take_file import read_take

__all__ = [
    "Device",
    "Level",
    "OnSamples",
    "Recorder",
    "RecorderSettings",
    "Recording",
    "find_device",
    "list_devices",
    "read_take",
]
