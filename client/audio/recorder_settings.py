"""How a recording is made."""

from dataclasses import dataclass
from pathlib import Path

from client.core.errors import RecordingError


@dataclass(frozen=True)
class RecorderSettings:
    """Settings of a `Recorder`, passed in, never global.

    Attributes:
        folder: where takes are written while they are spoken.
        device_name: the microphone by name; ``None``: the system's default. Never an index, which
            changes whenever a device comes or goes.
        host_api: tells microphones of the same name apart.
        silence_stop_s: stop after this long without speech, counted only once speech has begun;
            ``None`` switches it off.
        time_limit_s: stop after this much recorded sound, without pauses; ``None``: none.
        zeros_stop_s: stop when the microphone gave exact zeros from the very start for this long;
            ``None``: continue. A real microphone always gives some noise.
        device_lost_s: sound that stays away for this long means that the device is gone. PortAudio
            delivers blocks every 10 to 100 ms.
    """

    folder: Path
    device_name: str | None = None
    host_api: str | None = None
    silence_stop_s: float | None = 5.0
    time_limit_s: float | None = 600.0
    zeros_stop_s: float | None = 8.0
    device_lost_s: float = 3.0

    def __post_init__(self) -> None:
        for name in ("silence_stop_s", "time_limit_s", "zeros_stop_s", "device_lost_s"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise RecordingError(f"{name} must be more than 0 seconds, not {value}")
