"""WAV files of spoken prompts."""

import io
import os
import tempfile
import wave
from pathlib import Path

import numpy as np

from client.core.errors import SpeakingError
from pronunciation.clip import Clip, decode_pcm16


def read_wav(path: Path) -> Clip:
    """The clip in a WAV file of 16 bits, its channels mixed, at its own rate.

    Raises:
        SpeakingError: the file is missing, cut, of another form, or holds no sound.
    """
    try:
        with wave.open(str(path), "rb") as file:
            if file.getsampwidth() != 2:
                raise SpeakingError(f"{path.name} has {8 * file.getsampwidth()} bits, not 16")
            channels, rate_hz = file.getnchannels(), file.getframerate()
            pcm = file.readframes(file.getnframes())
    except (OSError, EOFError, wave.Error) as error:
        raise SpeakingError(f"the spoken file {path.name} cannot be read: {error}") from error
    samples = decode_pcm16(pcm)
    frames = samples[: samples.size // channels * channels].reshape(-1, channels)
    if frames.size == 0:
        raise SpeakingError(f"the spoken file {path.name} holds no sound")
    return Clip(frames.mean(axis=1, dtype=np.float32), rate_hz)


def write_wav(clip: Clip, path: Path) -> None:
    """Write ``clip`` as a mono WAV file of 16 bits, whole or not at all.

    Raises:
        SpeakingError: the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(suffix=".part", dir=path.parent)
        part = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as raw:
                raw.write(wav_bytes(clip))
            part.chmod(0o644)  # mkstemp makes it private; this is a file for others to play
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise SpeakingError(f"{path} cannot be written: {error.strerror}") from error


def wav_bytes(clip: Clip) -> bytes:
    """``clip`` as the content of a mono WAV file of 16 bits."""
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(clip.sample_rate_hz)
        file.writeframes(clip.pcm16())
    return content.getvalue()
