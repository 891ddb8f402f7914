"""Record the checkpoint's words with flite's voices (run by hand; the result is committed)."""

import json
import subprocess
import tempfile
from pathlib import Path

import av
import numpy as np

from client.audio.files import read_audio
from client.audio.speech import speech_segments
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from tests.checkpoint.sounds import FOLDER, VOICES, WORDS

GAP_S = 0.2
QUIET = 0.01


def main() -> None:
    times: dict[str, dict[str, tuple[float, float]]] = {}
    for voice in VOICES:
        at_s = 0.0
        parts = []
        times[voice] = {}
        for word in WORDS:
            sound = _trimmed(_spoken(word, voice))
            assert speech_segments(Clip(np.pad(sound, 8000)))
            times[voice][word] = (round(at_s, 4), round(at_s + sound.size / SAMPLE_RATE_HZ, 4))
            at_s += sound.size / SAMPLE_RATE_HZ + GAP_S
            parts += [sound, np.zeros(round(GAP_S * SAMPLE_RATE_HZ), dtype=np.float32)]
        _write_flac(FOLDER / f"words-{voice}.flac", np.concatenate(parts))
    (FOLDER / "words.json").write_text(json.dumps(times, indent=1) + "\n")


def _spoken(word: str, voice: str) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "word.wav"
        subprocess.run(["flite", "-voice", voice, "-t", word, "-o", str(path)], check=True)
        return read_audio(path).samples


def _trimmed(samples: np.ndarray) -> np.ndarray:
    loud = np.flatnonzero(np.abs(samples) > QUIET * np.abs(samples).max())
    cut = samples[max(0, loud[0] - 160) : loud[-1] + 320]
    return (0.5 * cut / np.abs(cut).max()).astype(np.float32)


def _write_flac(path: Path, samples: np.ndarray) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("flac", rate=SAMPLE_RATE_HZ, layout="mono")
        frame = av.AudioFrame.from_ndarray(
            (samples * 32767).astype(np.int16)[None], format="s16", layout="mono"
        )
        frame.sample_rate = SAMPLE_RATE_HZ
        for packet in stream.encode(frame):
            container.mux(packet)
        for packet in stream.encode(None):
            container.mux(packet)


if __name__ == "__main__":
    main()
