"""Engines for a process of their own, loaded there by ``EngineProcess(loader=...)``."""

import logging
import os
import signal
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

from huggingface_hub import constants

from client.core.errors import WeightsError
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from pronunciation.clip import Clip, LogProbs, Passage
from server.contract import Word

LOADER = f"{__name__}:load"
"""A scripted engine; its ``model`` says what it does."""
WITHOUT_WEIGHTS = f"{__name__}:load_without_weights"
"""The real choice where no weights are installed."""


class ScriptedChild(Transcriber):
    """Writes how many samples it heard."""

    max_segment_s = 7.0

    def __init__(self, name: str, model: str) -> None:
        self.name, self.model = name, model

    def recognize(self, clip: Clip) -> Sequence[Word]:
        kind, _, rest = self.model.partition(" ")
        if kind == "deadly":
            _die_once_more(Path(rest))
        if kind in ("hangs", "loops") and _once_more(Path(rest)):
            while kind == "loops":
                pass
            time.sleep(3600)
        if kind == "slow":
            time.sleep(float(rest))
        if kind == "busy":
            until_s = time.process_time() + float(rest)
            while time.process_time() < until_s:
                pass
        if kind == "broken":
            raise ValueError("two shapes disagree")
        if kind == "noisy":
            print("42 %", flush=True)  # noqa: T201
            os.write(2, b"a line of a library in C\n")
            logging.getLogger("library").warning("a logged warning")
            warnings.warn("a Python warning", stacklevel=1)
        return [Word(text=str(clip.samples.size), start_s=0.0, end_s=1.0, confidence=0.5)]

    def decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        """Each text has one token, the less likely the more sound there is."""
        kind, _, rest = self.model.partition(" ")
        if kind == "dumb":
            return None
        if kind == "deadly":
            _die_once_more(Path(rest))
        if kind == "hangs" and _once_more(Path(rest)):
            time.sleep(3600)
        if kind == "broken":
            raise ValueError("two shapes disagree")
        return [[((), (-each.clip.duration_s,), ())] * len(each.texts) for each in passages]


def load(name: str, options: EngineOptions) -> ScriptedChild:
    model = options.model
    if model and model.startswith("absent "):
        with Path(model.removeprefix("absent ")).open("a") as loads:
            loads.write(".")
        raise WeightsError("no such weights; run: aloud models pull")
    if model == "stuck":
        time.sleep(3600)
    if model == "crashing":
        os.write(2, b"out of threads\n")
        os._exit(3)
    if name == "auto":
        options.notify("settling for less")
        assert options.on_download is not None
        options.on_download(1, 2)
        name, model = "chosen", f"offline={options.offline}"
    if options.vocabulary is not None:
        model = f"{model} {' '.join(options.vocabulary().words)}"
    return ScriptedChild(name, model or "")


def load_without_weights(name: str, options: EngineOptions) -> Transcriber:
    constants.HF_HUB_CACHE = os.devnull
    return load_engine(name, options)


def _die_once_more(lives: Path) -> None:
    """Kill this process if the file holds a number above 0, which is one lower afterwards."""
    if _once_more(lives):
        os.kill(os.getpid(), signal.SIGKILL)


def _once_more(times: Path) -> bool:
    left = int(times.read_text())
    if left:
        times.write_text(str(left - 1))
    return left > 0
