"""Engines side by side: the reference and faster-whisper, on the same weights and sound."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.parts.reference_weights import write_reference
from benchmarks.parts.tables import Table

MODELS = ("tiny.en", "base")
ENGINES = ("openai-whisper", "faster-whisper float32", "faster-whisper int8")
SECONDS = 25.0
"""Of each answer: what a live answer's longest piece has."""


def measure(*, quick: bool) -> list[Table]:
    """Each in a process of its own, one after the other, so that memory is its own."""
    from client.engines.weights import find_weights

    rows: list[list[Any]] = []
    notes = [
        "Beam 5, the whole machine's processors, the same options (`whisper_words.py`). Weights: "
        "CTranslate2's float16, turned into openai-whisper's form by "
        "`benchmarks/parts/reference_weights.py`. Time is a median of the runs; ratios are those "
        "of one run, side by side."
    ]
    with tempfile.TemporaryDirectory() as folder:
        for model in MODELS:
            weights = find_weights(model)
            if weights is None:
                notes.append(f"`{model}` is not installed: `uv sync --group benchmarks`.")
                continue
            reference = Path(folder) / f"{model}.pt"
            try:
                write_reference(weights, reference)
            except ImportError:
                notes.append("openai-whisper is not installed.")
            texts: list[str] = []
            first_s = None
            for engine in ENGINES:
                path = reference if engine == "openai-whisper" else weights
                if not path.exists():
                    continue
                found = _in_a_process(engine, path, quick=quick)
                first_s = first_s or found["took_s"]
                words = sum(len(each.split()) for each in found["texts"])
                same = _same_words(texts, found["texts"]) if texts else "–"
                texts = texts or found["texts"]
                minutes = found["seconds"] / 60
                rows.append(
                    [
                        model, engine, found["took_s"] / minutes, first_s / found["took_s"],
                        found["processor_s"] / minutes, found["load_s"], found["memory_mb"],
                        words, same,
                    ]
                )  # fmt: skip
    columns = (
        "weights", "engine", "s a minute", "times as fast", "processor s a minute", "load, s",
        "memory, MB", "words", "same words as the first",
    )  # fmt: skip
    return [Table("Engines on the same weights", columns, rows, notes)]


def _same_words(one: list[str], other: list[str]) -> str:
    """The share of words, by alignment, that both wrote."""
    from rapidfuzz.distance import Levenshtein

    pairs = [(_words(a), _words(b)) for a, b in zip(one, other, strict=True)]
    wrong = sum(Levenshtein.distance(a, b) for a, b in pairs)
    return f"{1 - wrong / max(1, sum(len(a) for a, _ in pairs)):.1%}"


def _words(text: str) -> list[str]:
    return [word.strip(".,?!").casefold() for word in text.split()]


def _in_a_process(engine: str, weights: Path, *, quick: bool) -> dict[str, Any]:
    runs, pieces = ("1", "1") if quick else ("3", "2")
    module = [sys.executable, "-m", "benchmarks.parts.engines"]
    command = [*module, engine, str(weights), runs, pieces]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _measure_one(engine: str, weights: Path, runs: int, answers: int) -> dict[str, Any]:
    from client.audio.files import read_audio
    from client.data import demo
    from client.engines.engines import EngineOptions

    whole = read_audio(demo.AUDIO)
    clips = [whole.slice(0.0, SECONDS), whole.slice(SECONDS, 2 * SECONDS)]
    clips = [each for each in clips if each.duration_s > 1][:answers]
    began_s = time.perf_counter()
    if engine == "openai-whisper":
        from client.engines.openai_whisper_engine import load

        transcriber: Any = load(EngineOptions(model=str(weights), offline=True))
        _set_heads(transcriber, weights)
    else:
        from faster_whisper import WhisperModel

        from client.engines.faster_whisper_engine import FasterWhisper

        model = WhisperModel(
            str(weights),
            device="cpu",
            compute_type=engine.split()[1],
            cpu_threads=os.cpu_count() or 1,
        )
        transcriber = FasterWhisper(weights.name, model)
    load_s = time.perf_counter() - began_s
    took_s, used_s, texts = [], [], []
    for _ in range(runs):
        began_s, spent_s = time.perf_counter(), time.process_time()
        texts = [" ".join(word.text for word in transcriber.recognize(each)) for each in clips]
        took_s.append(time.perf_counter() - began_s)
        used_s.append(time.process_time() - spent_s)
    return {
        "load_s": load_s,
        "took_s": median(took_s),
        "processor_s": median(used_s),
        "seconds": sum(each.duration_s for each in clips),
        "memory_mb": _peak_mb(),
        "texts": texts,
    }


def _set_heads(transcriber: Any, weights: Path) -> None:
    """The heads that time words, which the weights do not tell."""
    import torch

    heads = json.loads(weights.with_suffix(".heads.json").read_text())
    model = transcriber._whisper
    if heads:
        mask = torch.zeros(model.dims.n_text_layer, model.dims.n_text_head, dtype=torch.bool)
        for layer, head in heads:
            mask[layer, head] = True
        model.register_buffer("alignment_heads", mask.to_sparse(), persistent=False)


def _peak_mb() -> float:
    import resource

    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kib / 1024 if sys.platform != "darwin" else kib / 1024**2


if __name__ == "__main__":
    engine, folder, *numbers = sys.argv[1:]
    print(json.dumps(_measure_one(engine, Path(folder), *map(int, numbers))))
