"""Whisper on CTranslate2, the default engine."""

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from client.core.errors import EngineError, EngineUnavailable, WeightsError
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions
from client.engines.weights import (
    DEFAULT_MODEL,
    KNOWN_MODELS,
    find_weights,
    first_installed,
    pull,
    whole_of,
)
from client.engines.whisper_words import (
    BEAM_SIZE,
    MAX_COMPRESSION_RATIO,
    SHORT_S,
    SILENCE_AROUND_S,
    TEMPERATURE,
    Piece,
    believable,
    join_pieces,
)
from pronunciation.clip import SAMPLE_RATE_HZ, Clip, LogProbs, Parts, Passage
from server.contract import Word

MAX_THREADS = 8
"""faster-whisper's README measures with 8; more threads bring CTranslate2 little on ``base``."""


LEAST_WINDOW_S = 15.0
WINDOW_BEYOND_S = 5.0
WHOLE_WINDOW_S = 30.0
"""Sound is encoded with so much filling after it, and no shorter than the least window, unless what
comes out is improbable or repeats itself: then in the whole window that Whisper learned with. A run
on some seconds takes .9 s of processor time instead of 2 with ``base``, and somebody waits for it.
Of 268 clips of 2 to 22 s (``shared/speech``, flite, espeak, a neural voice), 265 had 874 errors in
4,489 words either way, and in 3 one of the two was a loop. From 10 s and 2 s beyond, 49 of some 300
clips were written worse than in the whole window and 32 better."""

LEAST_PROBABILITY = 1e-10
"""Of a token; a smaller one is rounded to 0 and would have no logarithm."""

_KEEP_NOTHING = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "0", "MKL_DISABLE_FAST_MM": "1"}
"""For the libraries in CTranslate2. oneDNN keeps what it prepares for each length of sound, 0.5 MB
with ``tiny.en``, and passages for the decoder have any length: the process grew by 0.7 MB a minute.
To prepare it again takes 2 ms. MKL keeps 5 MB for its next steps, and is as fast without. The words
are the same."""


class FasterWhisper(Transcriber):
    """A loaded model; ``model`` is the name of its weights.

    Never biased: no ``initial_prompt``, no hotwords, no text of the segment before
    (SYSTRAN/faster-whisper#1356, #853).
    """

    name = "faster-whisper"

    def __init__(self, model: str, whisper: Any) -> None:
        self.model = model
        self._whisper = whisper

    def recognize(self, clip: Clip) -> Sequence[Word]:
        """See ``Transcriber``."""
        is_short = clip.duration_s <= SHORT_S
        words = self._recognize(clip.samples, is_short=is_short)
        if words or not is_short:
            return words
        around = np.zeros(round(SILENCE_AROUND_S * clip.sample_rate_hz), np.float32)
        within = np.concatenate([around, clip.samples, around])
        return [
            word.model_copy(
                update={
                    "start_s": max(0.0, (word.start_s or 0.0) - SILENCE_AROUND_S),
                    "end_s": max(0.0, (word.end_s or 0.0) - SILENCE_AROUND_S),
                }
            )
            for word in self._recognize(within, is_short=True)
        ]

    def _recognize(self, samples: npt.NDArray[np.float32], *, is_short: bool) -> list[Word]:
        def believed(segment: Any) -> bool:
            few = [piece.probability for piece in segment.words or ()] if is_short else ()
            return believable(
                segment.no_speech_prob, segment.avg_logprob, segment.compression_ratio, few
            )

        segments = self._written(samples, is_whole=False)
        was_cut = samples.size < (WHOLE_WINDOW_S - WINDOW_BEYOND_S) * SAMPLE_RATE_HZ
        loops = any(each.compression_ratio > MAX_COMPRESSION_RATIO for each in segments)
        if was_cut and (not segments or loops or not all(map(believed, segments))):
            segments = self._written(samples, is_whole=True)
        return [
            word
            for segment in filter(believed, segments)
            for word in join_pieces(
                Piece(piece.word, piece.start, piece.end, piece.probability)
                for piece in segment.words or ()
            )
        ]

    def _written(self, samples: npt.NDArray[np.float32], *, is_whole: bool) -> list[Any]:
        """What the model writes, its window filled up or as short as may be."""
        self._whisper.is_whole = is_whole
        try:
            segments, _info = self._whisper.transcribe(
                samples,
                language="en",
                task="transcribe",
                beam_size=BEAM_SIZE,
                temperature=TEMPERATURE,
                condition_on_previous_text=False,
                word_timestamps=True,
                vad_filter=False,  # the gate has done it, for every engine alike
            )
            return list(segments)
        except (RuntimeError, ValueError) as error:
            raise EngineError(f"faster-whisper failed on {self.model}: {error}") from error

    def decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        """See ``Transcriber``; sound is encoded as it is, not padded to 30 s."""
        from faster_whisper.tokenizer import Tokenizer

        tokenizer = Tokenizer(
            self._whisper.hf_tokenizer,
            self._whisper.model.is_multilingual,
            task="transcribe",
            language="en",
        )
        try:
            return [self._decoded(passage, tokenizer) for passage in passages]
        except (RuntimeError, ValueError):
            return None

    def _decoded(self, passage: Passage, tokenizer: Any) -> list[LogProbs]:
        mel = self._whisper.feature_extractor(passage.clip.samples)
        sound = self._whisper.encode(mel)
        start = tokenizer.sot_sequence
        if passage.prompt:
            start = [tokenizer.sot_prev, *tokenizer.encode(f" {passage.prompt}"), *start]
        return [
            _log_probs(self._whisper, sound, mel.shape[-1], tokenizer, text, start)
            for text in passage.texts
        ]


def _log_probs(
    whisper: Any, sound: Any, n_frames: int, tokenizer: Any, text: Parts, start: Sequence[int]
) -> LogProbs:
    """The tokens of a text, given what the encoder made of the sound, and the tokens before."""
    parts = [tokenizer.encode(f" {part}") if part else [] for part in text]
    first, second = len(parts[0]), len(parts[0]) + len(parts[1])
    tokens = list(itertools.chain(*parts))
    if not tokens:
        return (), (), ()
    (result,) = whisper.model.align(sound, start, [tokens], n_frames)
    found = np.maximum(np.array(result.text_token_probs[: len(tokens)]), LEAST_PROBABILITY)
    logs = np.log(found).tolist()
    return tuple(logs[:first]), tuple(logs[first:second]), tuple(logs[second:])


def load(options: EngineOptions) -> FasterWhisper:
    """Load the weights, fetched first where they are not on disk; int8 on a CPU, float16 on a GPU.

    Raises:
        EngineUnavailable: the package cannot be imported.
        WeightsError: the weights are unknown, broken, or cannot be fetched.
    """
    model, folder = _weights(options)
    for name, value in _KEEP_NOTHING.items():
        os.environ.setdefault(name, value)  # read once, at the first use
    try:
        import ctranslate2
        from faster_whisper import WhisperModel
    except ImportError as error:
        raise EngineUnavailable(
            f"faster-whisper cannot be imported ({error}); run: pip install faster-whisper"
        ) from error

    class Whisper(WhisperModel):  # type: ignore[misc]
        """Encodes no more of what fills a window than it must, unless it is told to."""

        is_whole = False

        def encode(self, features: npt.NDArray[np.float32]) -> Any:
            sound = np.flatnonzero(features.any(axis=-2))  # what fills a window up is exactly 0
            if sound.size and not self.is_whole:
                kept_s = max(LEAST_WINDOW_S, sound[-1] / 100 + WINDOW_BEYOND_S)
                features = features[..., : round(100 * kept_s)]
            return super().encode(features)

    threads = options.threads or min(MAX_THREADS, os.cpu_count() or 1)
    if ctranslate2.get_cuda_device_count() > 0:
        try:
            whisper = Whisper(folder, device="cuda", compute_type="float16")
            # cuBLAS and cuDNN are looked for at the first run, not when loading
            whisper.encode(np.zeros((whisper.model.n_mels, 3000), dtype=np.float32))
            return FasterWhisper(model, whisper)
        except (RuntimeError, ValueError) as error:
            options.notify(f"the GPU cannot be used ({_line(error)}); using the CPU")
    try:
        whisper = Whisper(folder, device="cpu", compute_type="int8", cpu_threads=threads)
    except (RuntimeError, ValueError, OSError) as error:
        raise WeightsError(
            f"the Whisper weights in {folder} cannot be loaded ({_line(error)}); "
            f"delete {whole_of(Path(folder))} and fetch them again"
            + (f": aloud models pull {model}" if model in KNOWN_MODELS else "")
        ) from error
    except Exception as error:
        # what the tokenizers library raises
        raise WeightsError(f"{folder} holds a broken tokenizer.json ({_line(error)})") from error
    return FasterWhisper(model, whisper)


def _weights(options: EngineOptions) -> tuple[str, str]:
    """Name for the transcript, and folder."""
    installed = first_installed() if options.model is None else None
    model = options.model or (installed.name if installed else DEFAULT_MODEL)
    folder = find_weights(model)
    if folder is None:
        if options.offline:
            raise WeightsError(
                f"Whisper {model} is not installed; connect and run: aloud models pull {model}"
            )
        folder = pull(model, options.on_download)
    return (model if model in KNOWN_MODELS else folder.name), str(folder)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
