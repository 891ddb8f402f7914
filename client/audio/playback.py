"""Playing a clip through a loudspeaker."""

import contextlib
import threading
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.audio.devices import Device, find_device, load_sounddevice, start_stream
from client.core.errors import RecordingError, SpeakingError
from pronunciation.clip import Clip, at_sample_rate

LIMIT_BEYOND_CLIP_S: Final = 5.0
"""A loudspeaker that takes this much longer than the clip lasts is stuck (a Bluetooth headset
needs up to 2 s to wake)."""
_POLL_S: Final = 0.05


def play(clip: Clip, *, stop: threading.Event | None = None, sounddevice: Any = None) -> bool:
    """Play ``clip`` and return when it has been heard.

    Args:
        clip: at any rate; resampled to the loudspeaker's own.
        stop: set from another thread, ends the playing.
        sounddevice: stands in for the module, e.g. in tests.

    Returns:
        Whether it was played to its end.

    Raises:
        SpeakingError: PortAudio or the loudspeaker is missing, busy or stuck; says the remedy.
    """
    if clip.samples.size == 0:
        return True
    try:
        sd = load_sounddevice() if sounddevice is None else sounddevice
        device = find_device(direction="output", sounddevice=sd)
    except RecordingError as error:
        raise SpeakingError(error.problem, error.remedy) from error
    samples = at_sample_rate(clip, device.sample_rate_hz).samples
    player = _Player(sd, device, samples)
    give_up_s = clip.duration_s + LIMIT_BEYOND_CLIP_S
    waited_s = 0.0
    try:
        while not player.done.wait(_POLL_S):
            waited_s += _POLL_S
            if stop is not None and stop.is_set():
                return False
            if waited_s > give_up_s:
                raise SpeakingError(
                    f"the loudspeaker {device.label} does not play",
                    "check the system's sound settings, or choose another",
                )
    finally:
        player.close()
    return player.position >= samples.size


class _Player:
    """Feeds a stream from memory; ``done`` is set when the last sample has been played."""

    def __init__(self, sd: Any, device: Device, samples: npt.NDArray[np.float32]) -> None:
        self.done = threading.Event()
        self.position = 0
        self._samples = samples
        self._callback_stop = sd.CallbackStop
        self._stream = self._open(sd, device)

    def _open(self, sd: Any, device: Device) -> Any:
        try:
            return start_stream(
                sd, sd.OutputStream, device, self._on_block, self._reset, self.done.set
            )
        except (sd.PortAudioError, ValueError) as error:
            raise SpeakingError(
                f"the loudspeaker {device.label} cannot be opened ({error})",
                "close other programs that use it, or choose another",
            ) from error

    def _reset(self) -> None:
        self.done.clear()
        self.position = 0

    def _on_block(
        self, outdata: npt.NDArray[np.float32], frames: int, time_info: Any, status: Any
    ) -> None:
        piece = self._samples[self.position : self.position + frames]
        outdata[: piece.size] = piece[:, None]
        outdata[piece.size :] = 0.0
        self.position += piece.size
        if piece.size < frames:
            raise self._callback_stop  # plays what is buffered, then ends

    def close(self) -> None:
        """Release the loudspeaker without waiting for one that is stuck."""

        def work() -> None:
            with contextlib.suppress(Exception):
                self._stream.abort()
            with contextlib.suppress(Exception):
                self._stream.close()

        closer = threading.Thread(target=work, name="aloud-player-closer", daemon=True)
        closer.start()
        closer.join(2.0)
