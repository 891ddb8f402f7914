"""Recording from a microphone, and getting back what a crash interrupted."""

from client.recording.devices import Device, find_device, list_devices
from client.recording.level import Level
from client.recording.recorder import OnSamples, Recorder, Recording
from client.recording.settings import RecorderSettings
from client.recording.take_file import UnfinishedTake, read_take, unfinished_recordings

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
