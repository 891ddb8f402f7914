"""Trains the last layer of the sentence encoder further, so that it tells key phrases apart.

`python scripts/train_encoder.py` writes server/grading/sense/data/last_layer.npz and prints its
hash, which server/grading/sense/encoder.py has to know. Then run `scripts/sense_vectors.py`, and
the scripts that fit regressions to the vectors: `train_sense.py`, `train_soundness.py`,
`train_mentions.py`, `train_stance.py` and `train_structure.py`. It needs PyTorch, which is no
dependency of Aloud (`pip install torch==2.13.0`), and about 15 minutes on one core.

The first five layers stay as they are, so what they say of each sentence is computed once. The last
one learns from the ways and near misses of the built-in bank (supervised contrastive loss, Khosla
et al. 2020) and from the middling answers: whether the span that is closest to a phrase says it.
The banks of other fields are left out, so that the regressions learn what its vectors are like for
those.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from labeled import ANSWERS, DATA, LABELS, QUOTE_SHARE, place_of, shared_with
from torch import nn
from torch.nn import functional

from question_bank.loader import load_bank
from question_bank.models import Question
from server.grading.sense.clauses import spans_of
from server.grading.sense.encoder import Vectors, shipped_weights
from server.grading.sense.transformer import (
    HEADS,
    LAYERS,
    MATRICES,
    Tensors,
    Transformer,
    layer_prefix,
    matrix_name,
)
from server.grading.sense.vectors import AnswerSense
from server.grading.sense.word_pieces import WordPieces

FILE: Final = DATA / "last_layer.npz"
FILES: Final = ("middling1", "middling2", "middling3", "middling4")
LAST: Final = LAYERS - 1
PLAIN: Final = {
    name: layer_prefix(LAST) + rest
    for name, rest in {
        "query_bias": "attention.self.query.bias",
        "key_bias": "attention.self.key.bias",
        "value_bias": "attention.self.value.bias",
        "out_bias": "attention.output.dense.bias",
        "up_bias": "intermediate.dense.bias",
        "down_bias": "output.dense.bias",
        "middle_norm": "attention.output.LayerNorm.weight",
        "middle_norm_bias": "attention.output.LayerNorm.bias",
        "last_norm": "output.LayerNorm.weight",
        "last_norm_bias": "output.LayerNorm.bias",
    }.items()
}
"""The last layer's other tensors: the encoder file's names for them."""
LARGEST: Final = 127.0
STEPS: Final = 200
QUESTIONS: Final = 10
"""Per step; all phrases of a question are compared with each other."""
WAYS, NEAR_MISSES = 4, 1
"""Of each phrase, per step."""
ANSWER_SHARE: Final = 0.5
"""Of the questions of a step that come with an answer."""
TEMPERATURE: Final = 0.05
ANSWER_WEIGHT: Final = 0.5
RATE: Final = 1e-4
WARM_UP: Final = 20
PARTS: Final = 6
"""Batches of a step, by length."""
KEPT: Final = 0.97
"""Of the running mean of the weights, per step; the mean is what is written."""
SEED: Final = 5

Encode = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, eq=False)
class Told:
    """A labeled answer: for each phrase, spans that say it, or the closest one if none does."""

    says: tuple[tuple[str, ...], ...]
    lacks: tuple[tuple[str, ...], ...]


class LastLayer(nn.Module):
    """The encoder's last layer: hidden states in, unit vectors out."""

    def __init__(self, tensors: Tensors) -> None:
        super().__init__()
        self.of = nn.ParameterDict()
        for name in MATRICES:
            stem = matrix_name(LAST, name)
            weights = tensors[f"{stem}_q"].astype(np.float32) * tensors[f"{stem}_scale"]
            self.of[name] = nn.Parameter(torch.tensor(weights))
        for name, full in PLAIN.items():
            self.of[name] = nn.Parameter(torch.tensor(tensors[full].copy()))

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Unit vectors (n, 384) of hidden states (n, tokens, 384); mask (n, tokens)."""
        of = self.of
        count, length, width = hidden.shape
        query, key, value = (
            (hidden @ of[name] + of[f"{name}_bias"])
            .view(count, length, HEADS, width // HEADS)
            .transpose(1, 2)
            for name in ("query", "key", "value")
        )
        seen = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask[:, None, None, :]
        )
        seen = seen.transpose(1, 2).reshape(count, length, width) @ of["out"] + of["out_bias"]
        middle = self._norm(hidden + seen, "middle_norm")
        more = functional.gelu(middle @ of["up"] + of["up_bias"]) @ of["down"] + of["down_bias"]
        last = self._norm(middle + more, "last_norm") * mask[:, :, None]
        return functional.normalize(last.sum(dim=1) / mask.sum(dim=1, keepdim=True), dim=1)

    def _norm(self, values: torch.Tensor, name: str) -> torch.Tensor:
        own = self.of[name]
        return functional.layer_norm(values, own.shape, own, self.of[f"{name}_bias"], eps=1e-12)

    def stored(self) -> dict[str, np.ndarray]:
        """The tensors as the encoder's file has them: int8 with a scale for each column."""
        found = {}
        for name in MATRICES:
            stem = matrix_name(LAST, name)
            weights = self.of[name].detach().numpy()
            scale = np.abs(weights).max(axis=0, keepdims=True) / LARGEST
            found[f"{stem}_q"] = np.rint(weights / scale).astype(np.int8)
            found[f"{stem}_scale"] = scale.astype(np.float32)
        return found | {full: self.of[name].detach().numpy() for name, full in PLAIN.items()}


class Hidden:
    """What the last layer gets of each sentence, computed once."""

    def __init__(self, tensors: Tensors) -> None:
        self._pieces = WordPieces.shipped()
        self._network = Transformer(tensors, LAST)
        self._known: dict[str, torch.Tensor] = {}

    def batch(self, sentences: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Hidden states (n, tokens, 384), and which tokens there are (n, tokens)."""
        found = [self._of(sentence) for sentence in sentences]
        hidden = nn.utils.rnn.pad_sequence(found, batch_first=True).float()
        lengths = torch.tensor([len(each) for each in found])
        return hidden, torch.arange(hidden.shape[1])[None] < lengths[:, None]

    def _of(self, sentence: str) -> torch.Tensor:
        if sentence not in self._known:
            states = self._network.states([self._pieces.of(sentence)])
            self._known[sentence] = torch.tensor(states).half()
        return self._known[sentence]


def main() -> int:
    """Trains and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    questions = list(load_bank().questions)
    tensors = shipped_weights()
    hidden = Hidden(tensors)
    layer = LastLayer(tensors)
    with torch.no_grad():
        told = told_answers(
            {question.id: question for question in questions},
            lambda texts: encoded(layer, hidden, texts).numpy(),
        )
    train(layer, hidden, questions, told, options.steps)
    with options.out.open("wb") as file:
        np.savez(file, **layer.stored())
    print(f"sha256 {sha256(options.out.read_bytes()).hexdigest()}")
    return 0


def told_answers(questions: dict[str, Question], encode: Encode) -> dict[str, list[Told]]:
    """The labeled answers to each question; ``encode``: by the layer before it is trained."""
    found: dict[str, list[Told]] = {}
    for line in (line for name in FILES for line in (ANSWERS / f"{name}.jsonl").open("rb")):
        entry = json.loads(line)
        question = questions[entry["id"]]
        if [label[0] for label in entry["labels"]] == [key.phrase for key in question.key_phrases]:
            found.setdefault(question.id, []).append(_told(question, entry, encode))
    return found


def _told(question: Question, entry: dict[str, Any], encode: Encode) -> Told:
    words = entry["text"].split()
    spans = tuple(spans_of(words))
    texts = [" ".join(words[start:end]) for start, end in spans]
    sense = AnswerSense(spans, encode(texts))
    says, lacks = [], []
    for phrase, (_, label, quote, _) in zip(question.key_phrases, entry["labels"], strict=True):
        place = place_of(quote, words) if LABELS[label] == 1.0 else None
        holding = np.flatnonzero(shared_with(place, sense) >= QUOTE_SHARE).tolist() if place else []
        near = (sense.vectors @ encode(phrase.ways or (phrase.phrase,)).T).max(axis=1)
        says.append(tuple(texts[at] for at in holding))
        lacks.append((texts[int(near.argmax())],) if LABELS[label] == 0.0 else ())
    return Told(tuple(says), tuple(lacks))


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentences of a step.

    Attributes:
        texts: the sentences.
        phrase: the number of the phrase that each says; below 0: none.
        is_way: whether the sentence is one of the ways.
        pairs: spans of answers, as numbers of sentences, and a phrase that each may say.
        said: for each pair, whether it does.
    """

    texts: list[str]
    phrase: list[int]
    is_way: list[bool]
    pairs: list[tuple[int, int]]
    said: list[float]


def batches(
    questions: Sequence[Question], told: dict[str, list[Told]], steps: int
) -> Iterator[Batch]:
    """Questions with their ways, near misses and some answers."""
    random = np.random.RandomState(SEED)
    known = [question for question in questions if all(key.ways for key in question.key_phrases)]
    answered = [question for question in known if question.id in told]
    for _ in range(steps):
        with_answer = round(QUESTIONS * ANSWER_SHARE)
        chosen = [
            *(answered[at] for at in random.choice(len(answered), with_answer, replace=False)),
            *(known[at] for at in random.choice(len(known), QUESTIONS, replace=False)),
        ][:QUESTIONS]
        batch = Batch([], [], [], [], [])
        numbers: dict[str, int] = {}
        for at, question in enumerate(dict.fromkeys(each.id for each in chosen)):
            own = next(each for each in chosen if each.id == question)
            answers = told.get(own.id, []) if at < with_answer else []
            answer = answers[random.randint(len(answers))] if answers else None
            _add(batch, own, answer, numbers, random)
        yield batch


def _add(
    batch: Batch,
    question: Question,
    answer: Told | None,
    numbers: dict[str, int],
    random: np.random.RandomState,
) -> None:
    for at, key in enumerate(question.key_phrases):
        # two questions may share a phrase
        phrase = numbers.setdefault(key.phrase.casefold(), len(numbers))
        ways = [key.ways[w] for w in random.permutation(len(key.ways))[:WAYS]]
        misses = [key.not_[w] for w in random.permutation(len(key.not_))[:NEAR_MISSES]]
        for text in ways:
            _put(batch, text, phrase, is_way=True)
        for text in misses:
            _put(batch, text, -1, is_way=False)
        if answer is not None:
            for texts, said in ((answer.says[at], 1.0), (answer.lacks[at], 0.0)):
                if texts:
                    text = texts[random.randint(len(texts))]
                    batch.pairs.append((len(batch.texts), phrase))
                    batch.said.append(said)
                    _put(batch, text, phrase if said else -1, is_way=False)


def _put(batch: Batch, text: str, phrase: int, *, is_way: bool) -> None:
    batch.texts.append(text)
    batch.phrase.append(phrase)
    batch.is_way.append(is_way)


def train(
    layer: LastLayer,
    hidden: Hidden,
    questions: Sequence[Question],
    told: dict[str, list[Told]],
    steps: int,
) -> None:
    """Trains the layer in place; in the end, it is the running mean over the steps."""
    scale = nn.Parameter(torch.tensor([20.0, -8.0]))  # logit of a span from its closest way
    optimizer = torch.optim.AdamW(
        [
            {"params": list(layer.parameters()), "lr": RATE},
            {"params": [scale], "lr": 0.05},
        ],
        weight_decay=0.0,
    )
    mean = {name: each.detach().clone() for name, each in layer.named_parameters()}
    for step, batch in enumerate(batches(questions, told, steps)):
        warm = min(1.0, (step + 1) / WARM_UP)
        left = 0.5 * (1.0 + np.cos(np.pi * step / steps))
        optimizer.param_groups[0]["lr"] = RATE * warm * left
        with torch.autocast("cpu", torch.bfloat16):
            vectors = encoded(layer, hidden, batch.texts)
        contrast, answers = losses(vectors, batch, scale)
        optimizer.zero_grad()
        (contrast + ANSWER_WEIGHT * answers).backward()
        optimizer.step()
        for name, each in layer.named_parameters():
            mean[name].lerp_(each.detach(), 1.0 - KEPT)
        if step % 10 == 0:
            print(f"step {step}: {contrast.item():.3f} {answers.item():.3f}", flush=True)
    layer.load_state_dict(mean)


def encoded(layer: LastLayer, hidden: Hidden, texts: Sequence[str]) -> torch.Tensor:
    """The vectors of sentences; those of similar length together, because padding takes time."""
    by_length = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    size = -(-len(texts) // PARTS)
    parts = [by_length[at : at + size] for at in range(0, len(texts), size)]
    vectors = [layer(*hidden.batch([texts[at] for at in part])) for part in parts]
    return torch.cat(vectors).float()[torch.tensor(by_length).argsort()]


def losses(
    vectors: torch.Tensor, batch: Batch, scale: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Contrastive over all sentences; and of each span of an answer whether it says a phrase."""
    near = vectors @ vectors.T
    phrase = torch.tensor(batch.phrase)
    itself = torch.eye(len(phrase), dtype=torch.bool)
    same = (phrase[:, None] == phrase) & ~itself
    logits = (near / TEMPERATURE).masked_fill(itself, -1e9)
    chances = logits - logits.logsumexp(dim=1, keepdim=True)
    anchors = (phrase >= 0) & same.any(dim=1)
    own = (chances * same).sum(dim=1)[anchors] / same.sum(dim=1)[anchors]
    if not batch.pairs:
        return -own.mean(), torch.zeros(())
    spans, asked = torch.tensor(batch.pairs).T
    ways = (phrase[None] == asked[:, None]) & torch.tensor(batch.is_way)
    closest = near[spans].masked_fill(~ways, -1.0).amax(dim=1)
    said = torch.tensor(batch.said)
    answers = functional.binary_cross_entropy_with_logits(scale[0] * closest + scale[1], said)
    return -own.mean(), answers


if __name__ == "__main__":
    sys.exit(main())
