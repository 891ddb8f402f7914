"""Whisper on CTranslate2, the default engine."""

import itertools
import os
from collections.abc import Callable, Sequence
from functools import partial
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
    SHORT_S,
    SILENCE_AROUND_S,
    TEMPERATURES,
    Piece,
    believable,
    join_pieces,
)
from pronunciation.clip import Clip
from pronunciation.passage import LogProbs, Parts, Passage
from server.contract import Word

MAX_THREADS = 8
"""faster-whisper's README measures with 8; more threads bring CTranslate2 little on ``base``."""


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

    def __init__(self, model: str, whisper: Any, lean: "LeanModel | None" = None) -> None:
        self.model = model
        self._whisper = whisper
        self._lean = lean

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
        try:
            if self._lean is not None:
                self._lean.forget_samples()
            segments, _info = self._whisper.transcribe(
                samples,
                language="en",
                task="transcribe",
                beam_size=BEAM_SIZE,
                temperature=TEMPERATURES,
                condition_on_previous_text=False,
                word_timestamps=True,
                vad_filter=False,  # the gate has done it, for every engine alike
            )
            return [
                word
                for segment in segments
                if believable(
                    segment.no_speech_prob,
                    segment.avg_logprob,
                    segment.compression_ratio,
                    [piece.probability for piece in segment.words or ()] if is_short else (),
                )
                for word in join_pieces(
                    Piece(piece.word, piece.start, piece.end, piece.probability)
                    for piece in segment.words or ()
                )
            ]
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


class LeanModel:
    """CTranslate2's Whisper in less memory, and with the same words for the same sound.

    Where it samples several hypotheses at once, it copies for each what it made of the window: five
    of ``tiny.en`` take 130 MB, one takes 26. One after another they take a third longer, in the few
    windows that are sampled at all.

    CTranslate2 seeds a thread's random numbers once, before its first sample, and each model has
    threads of its own. So a model that has sampled is loaded again before it hears another clip.

    Args:
        load: loads a ``ctranslate2.models.Whisper``.
        model: what it has loaded, if it has.
    """

    def __init__(self, load: Callable[[], Any], model: Any = None) -> None:
        self._load = load
        self._model = model or load()
        self._has_sampled = False

    def forget_samples(self) -> None:
        """The next samples are those of a model that has just been loaded."""
        if self._has_sampled:
            self._model = None  # first: two would take the memory of two
            self._model, self._has_sampled = self._load(), False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(self, *sound: Any, num_hypotheses: int = 1, **options: Any) -> list[Any]:
        """The likeliest hypothesis for one window; arguments as in CTranslate2."""
        self._has_sampled |= options.get("sampling_topk", 1) != 1
        found = (self._model.generate(*sound, **options)[0] for _ in range(num_hypotheses))
        return [max(found, key=lambda each: each.scores[0])]


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
    ctranslate2.set_random_seed(0)  # a fallback temperature samples
    threads = options.threads or min(MAX_THREADS, os.cpu_count() or 1)
    if ctranslate2.get_cuda_device_count() > 0:
        try:
            whisper = WhisperModel(folder, device="cuda", compute_type="float16")
            # cuBLAS and cuDNN are looked for at the first run, not when loading
            whisper.encode(np.zeros((whisper.model.n_mels, 3000), dtype=np.float32))
            return FasterWhisper(model, whisper)
        except (RuntimeError, ValueError) as error:
            options.notify(f"the GPU cannot be used ({_line(error)}); using the CPU")
    on_cpu = partial(WhisperModel, device="cpu", compute_type="int8", cpu_threads=threads)
    try:
        whisper = on_cpu(folder)
    except (RuntimeError, ValueError, OSError) as error:
        raise WeightsError(
            f"the Whisper weights in {folder} cannot be loaded ({_line(error)}); "
            f"delete {whole_of(Path(folder))} and fetch them again"
            + (f": aloud models pull {model}" if model in KNOWN_MODELS else "")
        ) from error
    except Exception as error:
        # what the tokenizers library raises
        raise WeightsError(f"{folder} holds a broken tokenizer.json ({_line(error)})") from error
    again = partial(ctranslate2.models.Whisper, compute_type="int8", intra_threads=threads)
    whisper.model = LeanModel(partial(again, folder), whisper.model)
    return FasterWhisper(model, whisper, whisper.model)


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
