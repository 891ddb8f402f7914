"""Recording from a microphone, and getting back what a crash interrupted."""

from client.audio.devices import Device, find_device, list_devices
from client.audio.level import Level
from client.audio.recorder import OnSamples, Recorder, Recording
from client.audio.recorder_settings import RecorderSettings
from client.audio.take_file import UnfinishedTake, read_take, unfinished_recordings

__all__ = [
    "Device",
    "Level",
    "OnSamples",
    "Recorder",
    "RecorderSettings",
    "Recording",
    "UnfinishedTake",
    "find_device",
    "list_devices",
    "read_take",
    "unfinished_recordings",
]
