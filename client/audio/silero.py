"""Silero's voice detector: how likely somebody speaks in each 32 ms of a stream.

The network is the one of faster-whisper's wheel, run by onnxruntime. That package itself would
bring CTranslate2 and a hub's client into a process that needs neither.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.core.errors import EngineError
from pronunciation.reinstalling import reinstall_command

Floats = npt.NDArray[np.float32]

WINDOW: Final = 512
"""Samples for one probability; the network was trained with it."""
CONTEXT: Final = 64
"""Samples before a window that the network sees with it."""

_FILE: Final = "silero_vad_v6.onnx"
_PACKAGE: Final = "faster-whisper"


class Silero:
    """One stream through the network, which remembers what came before.

    Raises:
        EngineError: the network is missing or damaged.
    """

    def __init__(self) -> None:
        self._session = _session()
        self._state = {name: np.zeros((1, 1, 128), np.float32) for name in ("h", "c")}

    def run(self, windows: Floats) -> Floats:
        """The probability of speech in each window, shape (n,).

        Args:
            windows: each with its context before it, shape (n, ``CONTEXT`` + ``WINDOW``).
        """
        if not len(windows):
            return np.empty(0, np.float32)
        found, output, cell = self._session.run(None, {"input": windows, **self._state})
        self._state = {"h": output, "c": cell}
        return np.asarray(found, np.float32).reshape(-1)


@cache
def _session() -> Any:
    """The network, loaded once; a session is safe in several threads."""
    import onnxruntime  # a command that listens to nothing does without

    package = find_spec("faster_whisper")
    folders = (package and package.submodule_search_locations) or ()
    remedy = f"reinstall it: {reinstall_command(_PACKAGE)}"
    path = next((Path(folder) / "assets" / _FILE for folder in folders), None)
    if path is None or not path.is_file():
        raise EngineError(f"the voice detector {_FILE} is missing; {remedy}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # the engine needs the cores
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False  # it would keep what the longest block took
    try:
        return onnxruntime.InferenceSession(
            path.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime raises its own
        line = " ".join(str(error).split())[:120]
        raise EngineError(f"the voice detector {_FILE} is damaged ({line}); {remedy}") from None
