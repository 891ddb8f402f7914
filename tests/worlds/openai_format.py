"""CTranslate2's Whisper weights in openai-whisper's format, so that both engines load the same."""

import struct
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

_TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
"""The binary format's numbers for the types (``ctranslate2.specs.model_spec``)."""

Variables = dict[str, npt.NDArray[Any]]


def write_openai(folder: Path, target: Path) -> None:
    """Write a ``.pt`` file from a folder with a ``model.bin`` (needs PyTorch)."""
    import torch

    variables = read_variables(folder / "model.bin")
    state = {
        name: torch.from_numpy(value.astype(np.float32))
        for name, value in openai_state(variables).items()
    }
    torch.save({"dims": _dims(variables), "model_state_dict": state}, target)


def read_variables(path: Path) -> Variables:
    """All variables of a ``model.bin`` by name, with the types they are stored in."""
    variables: Variables = {}
    with path.open("rb") as file:
        _number(file, "I")  # the format's version
        _text(file)  # the model's class
        _number(file, "I")  # its revision
        for _ in range(_number(file, "I")):
            name = _text(file)
            shape = [_number(file, "I") for _ in range(_number(file, "B"))]
            kind = np.dtype(_TYPES[_number(file, "B")])
            variables[name] = np.frombuffer(file.read(_number(file, "I")), kind).reshape(shape)
    return variables


def openai_state(variables: Variables) -> Variables:
    """openai-whisper's state dict."""
    state = {
        "encoder.positional_embedding": variables["encoder/position_encodings/encodings"],
        "decoder.positional_embedding": variables["decoder/position_encodings/encodings"],
        "decoder.token_embedding.weight": variables["decoder/embeddings/weight"],
    }
    for conv in ("conv1", "conv2"):
        for kind in ("weight", "bias"):
            state[f"encoder.{conv}.{kind}"] = variables[f"encoder/{conv}/{kind}"]
    _norm(state, "encoder.ln_post", variables, "encoder/layer_norm")
    _norm(state, "decoder.ln", variables, "decoder/layer_norm")
    for side in ("encoder", "decoder"):
        for layer in range(_layers(variables, side)):
            ours, theirs = f"{side}.blocks.{layer}", f"{side}/layer_{layer}"
            attention = f"{theirs}/self_attention"
            _norm(state, f"{ours}.attn_ln", variables, f"{attention}/layer_norm")
            _split(state, f"{ours}.attn", ("query", "key", "value"), variables, attention, 0)
            _split(state, f"{ours}.attn", ("out",), variables, attention, 1)
            if side == "decoder":
                attention = f"{theirs}/attention"
                _norm(state, f"{ours}.cross_attn_ln", variables, f"{attention}/layer_norm")
                _split(state, f"{ours}.cross_attn", ("query",), variables, attention, 0)
                _split(state, f"{ours}.cross_attn", ("key", "value"), variables, attention, 1)
                _split(state, f"{ours}.cross_attn", ("out",), variables, attention, 2)
            _norm(state, f"{ours}.mlp_ln", variables, f"{theirs}/ffn/layer_norm")
            for number, place in ((0, "mlp.0"), (1, "mlp.2")):
                for kind in ("weight", "bias"):
                    value = variables[f"{theirs}/ffn/linear_{number}/{kind}"]
                    state[f"{ours}.{place}.{kind}"] = value
    return state


def _dims(variables: Variables) -> dict[str, int]:
    width, mels, _ = variables["encoder/conv1/weight"].shape
    heads = {side: int(variables[f"{side}/num_heads"]) for side in ("encoder", "decoder")}
    return {
        "n_mels": mels,
        "n_vocab": variables["decoder/embeddings/weight"].shape[0],
        "n_audio_ctx": variables["encoder/position_encodings/encodings"].shape[0],
        "n_audio_state": width,
        "n_audio_head": heads["encoder"],
        "n_audio_layer": _layers(variables, "encoder"),
        "n_text_ctx": variables["decoder/position_encodings/encodings"].shape[0],
        "n_text_state": width,
        "n_text_head": heads["decoder"],
        "n_text_layer": _layers(variables, "decoder"),
    }


def _layers(variables: Variables, side: str) -> int:
    layers = (name.split("/")[1] for name in variables if name.startswith(f"{side}/layer_"))
    return len({layer for layer in layers if layer != "layer_norm"})


def _norm(state: Variables, ours: str, variables: Variables, theirs: str) -> None:
    state[f"{ours}.weight"] = variables[f"{theirs}/gamma"]
    state[f"{ours}.bias"] = variables[f"{theirs}/beta"]


def _split(
    state: Variables, ours: str, names: tuple[str, ...], variables: Variables, theirs: str, at: int
) -> None:
    """One linear layer of CTranslate2 into the reference's; its keys have no bias."""
    for kind in ("weight", "bias"):
        parts = np.split(variables[f"{theirs}/linear_{at}/{kind}"], len(names))
        for name, part in zip(names, parts, strict=True):
            if (name, kind) != ("key", "bias"):
                state[f"{ours}.{name}.{kind}"] = part


def _number(file: BinaryIO, form: str) -> int:
    (value,) = struct.unpack(form, file.read(struct.calcsize(form)))
    return int(value)


def _text(file: BinaryIO) -> str:
    return file.read(_number(file, "H"))[:-1].decode()
