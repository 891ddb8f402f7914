"""The reference implementation of Whisper, with PyTorch; an extra, never installed by default."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from client.core.errors import EngineError, EngineUnavailable, WeightsError
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions
from client.engines.weights import DEFAULT_MODEL
from client.engines.whisper_words import (
    BEAM_SIZE,
    SHORT_S,
    TEMPERATURE,
    Piece,
    believable,
    join_pieces,
)
from pronunciation.clip import Clip
from server.contract import Word


class OpenAIWhisper(Transcriber):
    """A loaded model; the same options as ``FasterWhisper``, so the same words."""

    name = "openai-whisper"

    def __init__(self, model: str, whisper: Any) -> None:
        self.model = model
        self._whisper = whisper

    def recognize(self, clip: Clip) -> Sequence[Word]:
        """See ``Transcriber``."""
        try:
            result = self._whisper.transcribe(
                clip.samples,
                language="en",
                task="transcribe",
                beam_size=BEAM_SIZE,
                temperature=TEMPERATURE,
                condition_on_previous_text=False,
                word_timestamps=True,
                fp16=self._whisper.device.type == "cuda",
                verbose=None,
            )
        except (RuntimeError, ValueError) as error:
            raise EngineError(f"openai-whisper failed on {self.model}: {error}") from error
        return [
            word
            for segment in result["segments"]
            if believable(
                segment["no_speech_prob"],
                segment["avg_logprob"],
                segment["compression_ratio"],
                [piece["probability"] for piece in segment["words"]]
                if clip.duration_s <= SHORT_S
                else (),
            )
            for word in join_pieces(
                Piece(piece["word"], piece["start"], piece["end"], piece["probability"])
                for piece in segment["words"]
            )
        ]


def load(options: EngineOptions) -> OpenAIWhisper:
    """Load weights by name, or a ``.pt`` file by path.

    Raises:
        EngineUnavailable: the extra is not installed.
        WeightsError: the weights are unknown, broken, or not on disk while offline.
    """
    try:
        import torch
        import whisper
    except ImportError as error:
        raise EngineUnavailable(
            "the engine openai-whisper is not installed (it brings PyTorch, several GB); "
            "run: pip install 'aloud[openai-whisper]', or choose --engine faster-whisper"
        ) from error
    model = options.model or DEFAULT_MODEL
    is_file = Path(model).expanduser().is_file()
    if not is_file and model not in whisper.available_models():
        raise WeightsError(
            f"no Whisper model {model!r} for openai-whisper; known are "
            f"{', '.join(whisper.available_models())}, or the path of a .pt file"
        )
    if not is_file and options.offline and not _on_disk(whisper, model):
        raise WeightsError(
            f"Whisper {model} for openai-whisper is not on disk, and this machine is offline"
        )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        with warnings.catch_warnings():
            # of a broken file that is fetched again, and of the tokenizer's file left open
            warnings.simplefilter("ignore")
            loaded = whisper.load_model(str(Path(model).expanduser()) if is_file else model, device)
            whisper.tokenizer.get_tokenizer(
                loaded.is_multilingual, num_languages=loaded.num_languages
            )
    except Exception as error:  # torch and urllib raise whatever they like here
        reason = " ".join(str(error).split())[:200]
        raise WeightsError(f"Whisper {model} cannot be loaded ({reason})") from error
    return OpenAIWhisper(Path(model).stem if is_file else model, loaded)


def _on_disk(whisper: Any, model: str) -> bool:
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper"
    return (cache / Path(whisper._MODELS[model]).name).is_file()
