"""Recording from a microphone."""

from client.audio.devices import list_devices as list_devices
from client.audio.level import Level as Level
from client.audio.recorder import OnSamples as OnSamples
from client.audio.recorder import Recorder as Recorder
from client.audio.recorder import RecorderSettings as RecorderSettings
from client.audio.recorder import Recording as Recording
from client.audio.take_file import read_take as read_take
