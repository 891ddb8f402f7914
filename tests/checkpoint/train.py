"""Train the small Whisper on the recorded words: about a minute on two CPU cores.

It is openai-whisper's own model class with its own mel frontend, two layers of 64 each. Besides
the tokens it learns where to look: the alignment heads' attention is drawn to the word that is
written next, as it is in the real weights, so that word times mean something.
"""

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import whisper
from torch.nn import functional

from tests.checkpoint import vocabulary as vocab
from tests.checkpoint.export import ALIGNMENT_HEADS, DIMS, FILE, save
from tests.checkpoint.sounds import MAX_LATE_S, SAMPLE_RATE_HZ, VOICES, WORDS, Sentence, say

FRAMES_PER_S = 50
RATE = 3e-3
WARM_UP_STEPS = 20
SEED = 20260101
NOTHING = -100
"""A position that the loss leaves out."""

Mix = tuple[tuple[float, int, int], ...]
"""Share of the steps, seconds of sound in each sample, samples in a batch."""
MIX: Mix = ((0.55, 7, 12), (0.25, 14, 6), (0.2, 30, 4))
"""Short sound trains fastest; but the engines pad to 30 s, and silence must not become words."""
STEPS = 460
SHORT_STEPS = 300
"""Enough for four words."""


def sentence(rng: np.random.Generator, vocabulary: Sequence[str]) -> Sentence:
    """A random sentence of one to five words, in noise, at a random level."""
    count = int(rng.integers(1, 6))
    words = [str(word) for word in rng.choice(vocabulary, count)]
    voice = VOICES[int(rng.integers(len(VOICES)))]
    start_s = float(rng.uniform(0.1, 0.6))
    late_s = [0.0, *rng.uniform(0, MAX_LATE_S, count - 1)]
    made = say(words, voice, start_s, late_s, end_s=float(rng.uniform(0.2, 1.2)))
    samples = made.samples * rng.uniform(0.3, 1.2)
    if rng.random() < 0.7:
        samples += rng.standard_normal(samples.size) * 10 ** rng.uniform(-4.5, -2.5)
    return Sentence(samples.astype(np.float32), made.words, made.times_s)


def noise(rng: np.random.Generator) -> Sentence:
    """Sound without words, for the no-speech token."""
    samples = rng.standard_normal(int(rng.integers(1, 7)) * SAMPLE_RATE_HZ)
    return Sentence((samples * 10 ** rng.uniform(-4.5, -1)).astype(np.float32), (), ())


def tokens_of(made: Sentence, with_timestamps: bool) -> tuple[list[int], list[int]]:
    """The decoder's input and what it shall write next at each place, as token ids."""
    if not made.words:
        return [vocab.SOT], [vocab.NO_SPEECH]
    text = [*(vocab.WORD_IDS[word] for word in made.words), vocab.FULL_STOP]
    if with_timestamps:
        end = vocab.timestamp(made.times_s[-1][1])
        whole = [vocab.SOT, vocab.FIRST_TIMESTAMP, *text, end, vocab.EOT]
        return whole[:-1], whole[1:]
    whole = [vocab.SOT, vocab.NO_TIMESTAMPS, *text, vocab.EOT]
    # whether times are wanted is the caller's choice, not for the model to guess
    return whole[:-1], [NOTHING, *whole[2:]]


def gaze(made: Sentence, frames: int) -> list[tuple[int, np.ndarray]]:
    """Which audio frames to look at when writing each word, the full stop, and the end."""
    spans_s = list(made.times_s)
    if spans_s:
        end_s = spans_s[-1][1]
        spans_s += [(end_s, end_s + 0.1), (end_s + 0.1, end_s + 0.3)]
    rows = []
    for index, (start_s, end_s) in enumerate(spans_s, start=1):
        row = np.zeros(frames, dtype=np.float32)
        row[round(start_s * FRAMES_PER_S) : max(1, round(end_s * FRAMES_PER_S))] = 1.0
        if row.any():
            rows.append((index, row / row.sum()))
    return rows


def forward(model: Any, mel: torch.Tensor, tokens: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Whisper's forward pass for any length of sound.

    Returns:
        Logits, the alignment heads' attention (log), and what the encoder made of the sound.
    """
    encoder, decoder = model.encoder, model.decoder
    x = functional.gelu(encoder.conv1(mel))
    x = functional.gelu(encoder.conv2(x)).permute(0, 2, 1)
    x = x + encoder.positional_embedding[: x.shape[1]]
    for block in encoder.blocks:
        x = block(x)
    sound = encoder.ln_post(x)
    y = decoder.token_embedding(tokens) + decoder.positional_embedding[: tokens.shape[1]]
    attention = []
    for layer, block in enumerate(decoder.blocks):
        y = y + block.attn(block.attn_ln(y), mask=decoder.mask)[0]
        cross, normed = block.cross_attn, block.cross_attn_ln(y)
        query, key = _heads(cross, cross.query(normed)), _heads(cross, cross.key(sound))
        scores = (query @ key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
        mixed = scores.softmax(-1) @ _heads(cross, cross.value(sound))
        y = y + cross.out(mixed.transpose(1, 2).flatten(2))
        y = y + block.mlp(block.mlp_ln(y))
        attention += [
            scores[:, head].log_softmax(-1) for at, head in ALIGNMENT_HEADS if at == layer
        ]
    logits = decoder.ln(y) @ decoder.token_embedding.weight.T
    # the last row stands for every token that is never used
    extra = torch.zeros(logits.shape[-1])
    extra[-1] = math.log(vocab.N_UNUSED)
    return logits + extra, torch.stack(attention, dim=1), sound


def _heads(attention: Any, x: torch.Tensor) -> torch.Tensor:
    return x.unflatten(-1, (attention.n_head, -1)).transpose(1, 2)


@dataclass(frozen=True)
class Batch:
    """Sentences as tensors: mel, decoder input, wanted tokens, where to look, word by frame."""

    mel: torch.Tensor
    given: torch.Tensor
    wanted: torch.Tensor
    look_row: torch.Tensor
    look_place: torch.Tensor
    look: torch.Tensor
    by_frame: torch.Tensor


def make_batch(rows: Sequence[Sentence], rng: np.random.Generator, seconds: int) -> Batch:
    """Put sentences together."""
    frames = seconds * FRAMES_PER_S
    sound = np.stack([_fit(made.samples, seconds * SAMPLE_RATE_HZ) for made in rows])
    pairs = [tokens_of(made, bool(rng.random() < 0.5)) for made in rows]
    width = max(len(given) for given, _ in pairs)
    given_ids = torch.zeros(len(rows), width, dtype=torch.long)
    wanted_ids = torch.full((len(rows), width), NOTHING)
    for row, (given, wanted) in enumerate(pairs):
        given_ids[row, : len(given)] = torch.tensor([vocab.POSITION[token] for token in given])
        wanted_ids[row, : len(wanted)] = torch.tensor(
            [token if token == NOTHING else vocab.POSITION[token] for token in wanted]
        )
    looks = [(row, *look) for row, made in enumerate(rows) for look in gaze(made, frames)]
    return Batch(
        torch.stack([whisper.log_mel_spectrogram(one) for one in torch.from_numpy(sound)]),
        given_ids,
        wanted_ids,
        torch.tensor([look[0] for look in looks]),
        torch.tensor([look[1] for look in looks]),
        torch.from_numpy(np.stack([look[2] for look in looks])),
        torch.from_numpy(np.stack([_by_frame(made, frames) for made in rows])),
    )


def batch_loss(model: Any, frame_head: Any, batch: Batch) -> torch.Tensor:
    """Of the tokens, of the alignment heads' attention, and of the word in each frame.

    The last is a crutch for the encoder and thrown away after training.
    """
    logits, attention, heard = forward(model, batch.mel, batch.given)
    token_loss = functional.cross_entropy(
        logits.transpose(1, 2), batch.wanted, ignore_index=NOTHING
    )
    seen = attention[batch.look_row, :, batch.look_place]
    look_loss = -(batch.look[:, None] * seen).sum(-1).mean()
    frame_loss = functional.cross_entropy(frame_head(heard).transpose(1, 2), batch.by_frame)
    return 2 * token_loss + 0.5 * look_loss + frame_loss


def _by_frame(made: Sentence, frames: int) -> np.ndarray:
    labels = np.zeros(frames, dtype=np.int64)
    for word, (start_s, end_s) in zip(made.words, made.times_s, strict=True):
        labels[round(start_s * FRAMES_PER_S) : round(end_s * FRAMES_PER_S)] = 1 + WORDS.index(word)
    return labels


def _fit(samples: np.ndarray, size: int) -> np.ndarray:
    return np.pad(samples[:size], (0, max(0, size - samples.size)))


def train(
    words: Sequence[str] = WORDS, steps: int = STEPS, *, report: bool = False
) -> dict[str, np.ndarray]:
    """Train from nothing; the parameters by their name in openai-whisper's state dict."""
    torch.manual_seed(SEED)
    torch.set_num_threads(
        1
    )  # so small a model gains nothing from more, and loses on a busy machine
    rng = np.random.default_rng(SEED)
    dims = whisper.model.ModelDimensions(n_vocab=len(vocab.USED_IDS) + 1, **DIMS)
    model = whisper.model.Whisper(dims)
    torch.nn.init.normal_(model.decoder.token_embedding.weight, std=0.1)
    torch.nn.init.normal_(model.decoder.positional_embedding, std=0.02)
    frame_head = torch.nn.Linear(DIMS["n_audio_state"], 1 + len(WORDS))
    optimizer = torch.optim.AdamW(
        [*model.parameters(), *frame_head.parameters()], lr=RATE, weight_decay=0.01
    )
    started_s = time.monotonic()
    shares = [share for share, _, _ in MIX]
    for step in range(steps):
        _, seconds, size = MIX[int(rng.choice(len(MIX), p=shares))]
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / WARM_UP_STEPS) * (1 - 0.97 * step / steps)
        # one sentence is always there: a batch of noise alone has nothing to look at
        rows = [sentence(rng, words)]
        rows += [
            noise(rng) if rng.random() < 0.08 else sentence(rng, words) for _ in range(size - 1)
        ]
        loss = batch_loss(model, frame_head, make_batch(rows, rng, seconds))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if report and step % 20 == 0:
            print(f"{step} {time.monotonic() - started_s:.0f} s {loss.item():.3f}", flush=True)  # noqa: T201
    return {name: value.numpy() for name, value in model.state_dict().items()}


if __name__ == "__main__":
    save(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE, train(report=True))
