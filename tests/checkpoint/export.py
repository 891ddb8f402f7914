"""The small checkpoint in the two formats that the engines load.

What is kept is compact: half-precision parameters, and embeddings of the few tokens in use. Both
exports blow it up to a whole English Whisper model with its 51,864 tokens.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tokenizers
from ctranslate2.specs import attention_spec, common_spec, transformer_spec, whisper_spec
from tokenizers import decoders, models, pre_tokenizers

from tests.checkpoint import vocabulary as vocab

FILE = Path(__file__).parent / "tiny-whisper.npz"
ALIGNMENT_HEADS = ((1, 0), (1, 1), (1, 2), (1, 3))
"""All of the last half of the layers: what openai-whisper takes for a model it does not know."""
DIMS: dict[str, int] = {
    "n_mels": 80,
    "n_audio_ctx": 1500,
    "n_audio_state": 64,
    "n_audio_head": 4,
    "n_audio_layer": 2,
    "n_text_ctx": 448,
    "n_text_state": 64,
    "n_text_head": 4,
    "n_text_layer": 2,
}

Parameters = Mapping[str, npt.NDArray[np.float32]]


def load(path: Path = FILE) -> Parameters:
    """The compact parameters."""
    with np.load(path) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def save(path: Path, parameters: Parameters) -> None:
    """Keep what training made; what can be computed is left out."""
    kept = {
        name: value.astype(np.float16)
        for name, value in parameters.items()
        if name not in {"encoder.positional_embedding", "alignment_heads"}
    }
    np.savez_compressed(path, **kept)


def whole(parameters: Parameters) -> dict[str, npt.NDArray[np.float32]]:
    """openai-whisper's state dict, every token's embedding in it."""
    small = parameters["decoder.token_embedding.weight"]
    rows = np.full(vocab.N_VOCAB, len(vocab.USED_IDS))
    rows[list(vocab.USED_IDS)] = np.arange(len(vocab.USED_IDS))
    return {
        **parameters,
        "decoder.token_embedding.weight": small[rows],
        "encoder.positional_embedding": _sinusoids(DIMS["n_audio_ctx"], DIMS["n_audio_state"]),
    }


def _sinusoids(length: int, channels: int) -> npt.NDArray[np.float32]:
    """Whisper's own positions (openai/whisper, ``model.sinusoids``)."""
    scales = np.exp(-np.log(10_000) / (channels // 2 - 1) * np.arange(channels // 2))
    angles = np.arange(length)[:, None] * scales[None]
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def write_openai(path: Path, parameters: Parameters) -> Path:
    """A ``.pt`` file for openai-whisper (needs PyTorch)."""
    import torch

    state: dict[str, Any] = {
        name: torch.from_numpy(np.ascontiguousarray(value))
        for name, value in whole(parameters).items()
    }
    torch.save({"dims": {"n_vocab": vocab.N_VOCAB, **DIMS}, "model_state_dict": state}, path)
    return path


def write_ctranslate2(folder: Path, parameters: Parameters) -> Path:
    """A folder for faster-whisper, int8, after ``ctranslate2.converters.transformers``."""
    # copies: CTranslate2 transposes weights in place
    state = {name: value.copy() for name, value in whole(parameters).items()}
    spec = whisper_spec.WhisperSpec(
        DIMS["n_audio_layer"], DIMS["n_audio_head"], DIMS["n_text_layer"], DIMS["n_text_head"]
    )
    encoder, decoder = spec.encoder, spec.decoder
    for name, conv in (("conv1", encoder.conv1), ("conv2", encoder.conv2)):
        conv.weight, conv.bias = state[f"encoder.{name}.weight"], state[f"encoder.{name}.bias"]
    encoder.position_encodings.encodings = state["encoder.positional_embedding"]
    decoder.position_encodings.encodings = state["decoder.positional_embedding"]
    _norm(encoder.layer_norm, state, "encoder.ln_post")
    _norm(decoder.layer_norm, state, "decoder.ln")
    decoder.embeddings.weight = state["decoder.token_embedding.weight"]
    decoder.projection.weight = state["decoder.token_embedding.weight"]
    for index, layer in enumerate(encoder.layer):
        _layer(layer, state, f"encoder.blocks.{index}")
    for index, layer in enumerate(decoder.layer):
        _layer(layer, state, f"decoder.blocks.{index}")
        _cross(layer.attention, state, f"decoder.blocks.{index}")
    spec.register_vocabulary(_all_tokens())
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = [vocab.EOT]
    spec.config.lang_ids = []
    spec.config.alignment_heads = [list(head) for head in ALIGNMENT_HEADS]
    spec.validate()
    spec.optimize(quantization="int8")
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    _tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def _norm(spec: common_spec.LayerNormSpec, state: Parameters, name: str) -> None:
    spec.gamma, spec.beta = state[f"{name}.weight"], state[f"{name}.bias"]


def _linear(spec: common_spec.LinearSpec, state: Parameters, *names: str) -> None:
    """One linear layer of several put together; Whisper's key has no bias, so zeros stand in."""
    weights = [state[f"{name}.weight"] for name in names]
    spec.weight = np.concatenate(weights)
    spec.bias = np.concatenate(
        [
            state.get(f"{name}.bias", np.zeros(weight.shape[0], dtype=np.float32))
            for name, weight in zip(names, weights, strict=True)
        ]
    )


def _layer(
    spec: transformer_spec.TransformerEncoderLayerSpec
    | transformer_spec.TransformerDecoderLayerSpec,
    state: Parameters,
    name: str,
) -> None:
    attention: attention_spec.MultiHeadAttentionSpec = spec.self_attention
    _norm(attention.layer_norm, state, f"{name}.attn_ln")
    parts = [f"{name}.attn.{part}" for part in ("query", "key", "value")]
    _linear(attention.linear[0], state, *parts)
    _linear(attention.linear[1], state, f"{name}.attn.out")
    _norm(spec.ffn.layer_norm, state, f"{name}.mlp_ln")
    _linear(spec.ffn.linear_0, state, f"{name}.mlp.0")
    _linear(spec.ffn.linear_1, state, f"{name}.mlp.2")


def _cross(attention: attention_spec.MultiHeadAttentionSpec, state: Parameters, name: str) -> None:
    _norm(attention.layer_norm, state, f"{name}.cross_attn_ln")
    _linear(attention.linear[0], state, f"{name}.cross_attn.query")
    _linear(attention.linear[1], state, *(f"{name}.cross_attn.{part}" for part in ("key", "value")))
    _linear(attention.linear[2], state, f"{name}.cross_attn.out")


def _special_tokens() -> dict[str, int]:
    """Name → id; those between are language tokens, which an English model never writes."""
    named = {
        "<|endoftext|>": vocab.EOT,
        "<|startoftranscript|>": vocab.SOT,
        "<|translate|>": 50_357,
        "<|transcribe|>": 50_358,
        "<|startoflm|>": 50_359,
        "<|startofprev|>": 50_360,
        "<|nospeech|>": vocab.NO_SPEECH,
        "<|notimestamps|>": vocab.NO_TIMESTAMPS,
    }
    times = range(vocab.FIRST_TIMESTAMP, vocab.N_VOCAB)
    return named | {
        f"<|{(token - vocab.FIRST_TIMESTAMP) * vocab.TIMESTAMP_STEP_S:.2f}|>": token
        for token in times
    }


def _all_tokens() -> list[str]:
    names = [f"<|unused{index}|>" for index in range(vocab.N_VOCAB)]
    for name, token in {**_byte_tokens(), **_word_tokens(), **_special_tokens()}.items():
        names[token] = name
    return names


def _byte_tokens() -> dict[str, int]:
    """GPT-2's first 256 tokens: the printable bytes first, in order, then the rest."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in printable]
    letters = [chr(byte) for byte in printable] + [chr(256 + index) for index in range(len(rest))]
    return {letter: index for index, letter in enumerate(letters)}


def _word_tokens() -> dict[str, int]:
    return {"Ġ" + word: token for word, token in vocab.WORD_IDS.items()}


def _tokenizer() -> tokenizers.Tokenizer:
    """Whisper's byte-level tokenizer, with the words in use and single bytes alone.

    Merges build each word letter by letter; the steps between need ids too, and get those of
    tokens that are never used.
    """
    tokens = _byte_tokens() | _word_tokens()
    merges: list[tuple[str, str]] = []
    spare = iter(range(300, 4000))
    taken = set(tokens.values())
    for word in _word_tokens():
        for length in range(2, len(word) + 1):
            piece = word[:length]
            if piece not in tokens:
                tokens[piece] = next(token for token in spare if token not in taken)
            if (piece[:-1], piece[-1]) not in merges:
                merges.append((piece[:-1], piece[-1]))
    tokens |= _special_tokens()
    tokenizer = tokenizers.Tokenizer(models.BPE(vocab=tokens, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(_special_tokens()))
    return tokenizer


__all__ = [
    "ALIGNMENT_HEADS",
    "DIMS",
    "FILE",
    "load",
    "save",
    "whole",
    "write_ctranslate2",
    "write_openai",
]
