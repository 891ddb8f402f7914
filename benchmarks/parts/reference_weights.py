"""Whisper's weights in CTranslate2's form, turned back into those of openai-whisper.

The same numbers in the same precision, so that both engines are measured on the same weights.
CTranslate2 writes ``model.bin`` as (python/ctranslate2/specs/model_spec.py, version 6): the
version, the specification's name and revision, the number of variables; for each its name, rank,
dimensions, type and bytes; then aliases. It fuses query, key and value into one matrix.
"""

import json
import struct
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_TYPES: Final = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
Arrays = dict[str, npt.NDArray[Any]]


def read_model(path: Path) -> Arrays:
    """The variables of a ``model.bin``, aliases included."""
    data = memoryview(path.read_bytes())
    at = 0

    def number(form: str) -> int:
        nonlocal at
        (value,) = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
        return int(value)

    def text() -> str:
        nonlocal at
        length = number("<H")
        value = bytes(data[at : at + length]).rstrip(b"\0").decode()
        at += length
        return value

    version = number("<I")
    if version < 6:
        raise ValueError(f"{path} is of version {version}; this reads version 6")
    text(), number("<I")
    arrays: Arrays = {}
    for _ in range(number("<I")):
        name = text()
        shape = [number("<I") for _ in range(number("<B"))]
        kind = _TYPES[number("<B")]
        size = number("<I")
        arrays[name] = np.frombuffer(data[at : at + size], kind).reshape(shape)
        at += size
    for _ in range(number("<I")):
        alias, name = text(), text()
        arrays[alias] = arrays[name]
    return arrays


def write_reference(folder: Path, to: Path) -> None:
    """Write a file that ``whisper.load_model`` reads.

    Args:
        folder: with CTranslate2's files.
        to: the ``.pt`` file.
    """
    import torch

    arrays = read_model(folder / "model.bin")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    width = arrays["encoder/layer_norm/gamma"].shape[0]
    layers = sum(name.endswith("ffn/linear_0/bias") for name in arrays if "encoder/" in name)
    heads = width // 64
    state: Arrays = {
        "encoder.positional_embedding": arrays["encoder/position_encodings/encodings"],
        "decoder.positional_embedding": arrays["decoder/position_encodings/encodings"],
        "decoder.token_embedding.weight": arrays["decoder/embeddings/weight"],
    }
    for number in (1, 2):
        _copy(arrays, f"encoder/conv{number}", state, f"encoder.conv{number}")
    _norm(arrays, "encoder/layer_norm", state, "encoder.ln_post")
    _norm(arrays, "decoder/layer_norm", state, "decoder.ln")
    for side in ("encoder", "decoder"):
        for at in range(layers):
            block, layer = f"{side}.blocks.{at}", f"{side}/layer_{at}"
            _attention(arrays, f"{layer}/self_attention", state, f"{block}.attn", width)
            if side == "decoder":
                _attention(arrays, f"{layer}/attention", state, f"{block}.cross_attn", width)
            _copy(arrays, f"{layer}/ffn/linear_0", state, f"{block}.mlp.0")
            _copy(arrays, f"{layer}/ffn/linear_1", state, f"{block}.mlp.2")
            _norm(arrays, f"{layer}/ffn/layer_norm", state, f"{block}.mlp_ln")
    vocabulary = state["decoder.token_embedding.weight"].shape[0]
    dims = {
        "n_mels": arrays["encoder/conv1/weight"].shape[1],
        "n_audio_ctx": state["encoder.positional_embedding"].shape[0],
        "n_audio_state": width,
        "n_audio_head": heads,
        "n_audio_layer": layers,
        "n_vocab": vocabulary,
        "n_text_ctx": state["decoder.positional_embedding"].shape[0],
        "n_text_state": width,
        "n_text_head": heads,
        "n_text_layer": layers,
    }
    tensors = {name: torch.from_numpy(each.astype(np.float32)) for name, each in state.items()}
    torch.save({"dims": dims, "model_state_dict": tensors}, to)
    to.with_suffix(".heads.json").write_text(json.dumps(config.get("alignment_heads", [])))


def _copy(arrays: Arrays, name: str, state: Arrays, to: str) -> None:
    for part in ("weight", "bias"):
        state[f"{to}.{part}"] = arrays[f"{name}/{part}"]


def _norm(arrays: Arrays, name: str, state: Arrays, to: str) -> None:
    state[f"{to}.weight"], state[f"{to}.bias"] = arrays[f"{name}/gamma"], arrays[f"{name}/beta"]


def _attention(arrays: Arrays, name: str, state: Arrays, to: str, width: int) -> None:
    _norm(arrays, f"{name}/layer_norm", state, f"{to}_ln")
    weights: list[npt.NDArray[Any]] = []
    biases: list[npt.NDArray[Any]] = []
    last = 2 if f"{name}/linear_2/weight" in arrays else 1
    for number in range(last):  # query, key and value in one, or the query by itself
        weight, bias = (arrays[f"{name}/linear_{number}/{part}"] for part in ("weight", "bias"))
        weights += np.split(weight, len(weight) // width)
        biases += np.split(bias, len(bias) // width)
    for part, weight, bias in zip(("query", "key", "value"), weights, biases, strict=True):
        state[f"{to}.{part}.weight"] = weight
        if part != "key":  # has none; CTranslate2 writes zeros
            state[f"{to}.{part}.bias"] = bias
    _copy(arrays, f"{name}/linear_{last}", state, f"{to}.out")
