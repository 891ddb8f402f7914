"""The acoustic network: from sound to frame scores of 39 phones and silence."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip
from pronunciation.errors import HearingError
from pronunciation.hearing.features import HOP, log_mel
from pronunciation.phones import CONSONANTS, VOWELS

Floats = npt.NDArray[np.float32]

SILENCE = "SIL"
LABELS: tuple[str, ...] = (SILENCE, *sorted(VOWELS), *sorted(CONSONANTS))
"""The network's outputs in order; index 0 is silence, noise and breath."""

LABEL_INDEX: dict[str, int] = {label: index for index, label in enumerate(LABELS)}
N_CLASSES = len(LABELS)

FRAME_S = 0.02
"""Seconds from one output row to the next."""

MODEL_PATH = Path(__file__).parent / "model" / "phones.onnx"
CHUNK_S = 12.0
"""It limits memory; the network itself sees 0.9 s to either side of a frame, and the mean of its
channels over the piece."""
MARGIN_S = 1.0
"""Sound on either side of a chunk that is input but whose scores come from the neighboring
chunk."""
LOUD = 0.4
"""The level to which the clip's loudest samples (all but one in a thousand) are scaled, as in
training."""
THREADS = 1


def leveled(samples: Floats) -> Floats:
    """The samples at the level of the training data, with the loudest clipped."""
    level = float(np.quantile(np.abs(samples), 0.999)) or 1.0
    return np.asarray(np.clip(samples * np.float32(LOUD / level), -1.0, 1.0), np.float32)


class AcousticModel:
    """The ONNX network, loaded at first use."""

    def __init__(self, path: Path = MODEL_PATH) -> None:
        self._path = path
        self._session: Any = None

    def _load(self) -> Any:
        if self._session is None:
            import onnxruntime

            if not self._path.is_file():
                raise HearingError(f"the acoustic model {self._path.name} is missing: reinstall")
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = THREADS
            options.log_severity_level = 3
            options.enable_cpu_mem_arena = False  # it would keep what the longest clip took
            self._session = onnxruntime.InferenceSession(
                str(self._path), options, providers=["CPUExecutionProvider"]
            )
        return self._session

    def _run(self, samples: Floats) -> Floats:
        mel = log_mel(samples)
        (scores,) = self._load().run(None, {"mel": mel[None]})
        return np.asarray(scores[0], np.float32)

    def scores(self, clip: Clip) -> Floats:
        """Frame scores log p(phone | frame) - log p(phone), in nats.

        Args:
            clip: 16 kHz sound of any length; time and memory grow linearly with it.

        Returns:
            float32, shape (frames, N_CLASSES), one row per 20 ms.
        """
        samples = clip.samples
        if samples.size < 2 * HOP:
            return np.zeros((0, N_CLASSES), np.float32)
        samples = leveled(samples)
        rate = clip.sample_rate_hz
        if clip.duration_s <= CHUNK_S + 2 * MARGIN_S:
            return self._run(samples)
        step, margin, frame = round(CHUNK_S * rate), round(MARGIN_S * rate), 2 * HOP
        pieces: list[Floats] = []
        for start in range(0, samples.size, step):
            first = max(0, start - margin)
            last = min(samples.size, start + step + margin)
            if last - start < 2 * HOP:
                break
            rows = self._run(samples[first:last])
            skip = (start - first) // frame
            final = start + step >= samples.size
            pieces.append(rows[skip:] if final else rows[skip : skip + step // frame])
        return np.concatenate(pieces)
