"""Train the acoustic network on what ``prepare`` gathered and ``realign`` aligned.

    python -m scripts.train.train --data /tmp/hearing.pkl --out net.pt --minutes 40

There are two losses: the phone of each frame and, for the task itself, how far the words as said
score above the same words with one changed, summed over all alignments. The moving average of the
weights is saved.
"""

import argparse
import copy
import math
import pickle
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from pronunciation.g2p import Phones
from pronunciation.hearing.acoustic import (
    FRAME_S,
    N_CLASSES,
    N_MELS,
    leveled,
    log_mel,
    log_mel_energies,
    scaled,
)
from scripts.train.augment import Noises, augment
from scripts.train.corrupt import replace_one
from scripts.train.lattice import collate, forward_scores, rival_loss
from scripts.train.network import WIDTH, PhoneNet, load, save
from scripts.train.utterance import Utterance

Row = tuple[npt.NDArray[np.float32], Utterance, float]
"""Features, their utterance, and the factor by which its times shrank."""

LONGEST_S = 11.0
BUCKET_FRAMES = 48
"""Rows are padded to a multiple of this many 10 ms frames, because the CPU's convolutions are
compiled for each shape, which takes longer than a training step."""
BABBLE_UTTERANCES = 60

WARM_UP_STEPS = 200
AVERAGED_OVER = 0.998
"""The share that the averaged weights keep at each step."""
RIVAL_WEIGHT = 2.0


@dataclass(frozen=True, eq=False)
class Batch:
    """A padded batch.

    Attributes:
        mels: features, shape (rows, 80, n).
        frames: valid 20 ms frames of each row.
        labels: phone of each frame, -100 if unknown, shape (rows, frames).
        words: the phones of each row's words, and each word's first and last frame.
    """

    mels: Tensor
    frames: Tensor
    labels: Tensor
    words: list[tuple[tuple[Phones, ...], tuple[tuple[int, int], ...]]]


def energies_of(utterance: Utterance) -> npt.NDArray[np.float16]:
    """log10 mel energies at the product's level, in a compact type."""
    return log_mel_energies(leveled(utterance.sound())).astype(np.float16)


def frame_labels(utterance: Utterance, frames: int, speed: float = 1.0) -> Tensor:
    """The label of each 20 ms frame after the stored alignment, -100 if there is none."""
    if not utterance.ends:
        return torch.full((frames,), -100)
    labels, ends_s = zip(*utterance.ends, strict=True)
    middles_s = (np.arange(frames) + 0.5) * FRAME_S * speed
    places = np.searchsorted(np.array(ends_s), middles_s).clip(max=len(labels) - 1)
    return torch.from_numpy(np.array(labels)[places])


class Batches:
    """Draws augmented batches without end.

    Args:
        real: real speech; only aligned utterances are used.
        synthetic: synthetic speech, may be empty.
        seed: of the random numbers.
        real_share: share of the utterances drawn that are real.
        seconds: speech in a batch.
    """

    def __init__(
        self,
        real: Sequence[Utterance],
        synthetic: Sequence[Utterance],
        seed: int,
        real_share: float,
        seconds: float,
    ) -> None:
        self.chance = random.Random(seed)
        self._rng = np.random.default_rng(seed)
        self._real_share, self._seconds = real_share, seconds
        self._pools = [
            [(u, energies_of(u)) for u in pool if u.ends and u.samples.size <= LONGEST_S * 16_000]
            for pool in (real, synthetic or real)
        ]
        self._waiting: dict[int, list[Row]] = {}
        some = self.chance.sample(self._pools[0], min(BABBLE_UTTERANCES, len(self._pools[0])))
        self._noises = Noises([energies for _, energies in some], self._rng)

    def draw(self) -> Batch:
        """The next batch."""
        while True:
            pool = self._pools[0 if self.chance.random() < self._real_share else 1]
            utterance, stored = self.chance.choice(pool)
            energies, speed = augment(stored.astype(np.float32), self._rng, self._noises)
            length = -(-energies.shape[1] // BUCKET_FRAMES) * BUCKET_FRAMES
            rows = self._waiting.setdefault(length, [])
            rows.append((scaled(energies.astype(np.float32)), utterance, speed))
            if len(rows) >= self._seconds * 100 / length:
                return _collated(self._waiting.pop(length), length)


def _collated(rows: Sequence[Row], longest: int) -> Batch:
    frames = torch.tensor([(mel.shape[1] + 1) // 2 for mel, _, _ in rows])
    mels = torch.full((len(rows), N_MELS, longest), -1.0)
    labels = torch.full((len(rows), (longest + 1) // 2), -100)
    words = []
    for i, (mel, utterance, speed) in enumerate(rows):
        mels[i, :, : mel.shape[1]] = torch.from_numpy(mel)
        labels[i, : frames[i]] = frame_labels(utterance, int(frames[i]), speed)
        frame_s = FRAME_S * speed
        spans = [(int(a / frame_s), int(b / frame_s)) for a, b in utterance.word_spans_s()]
        words.append((utterance.words, tuple(spans)))
    return Batch(mels, frames, labels, words)


def emissions(logits: Tensor, log_prior: Tensor) -> Tensor:
    """Frame scores log p(phone | frame) - log p(phone)."""
    return F.log_softmax(logits.float(), dim=-1) - log_prior


def log_prior_of(utterances: list[Utterance]) -> Tensor:
    """How frequent each phone is among the aligned frames, shape (N_CLASSES,)."""
    counts = np.ones(N_CLASSES)
    for one in utterances:
        if one.ends:
            counts += np.bincount(frame_labels(one, one.samples.size // 320), minlength=N_CLASSES)
    return torch.from_numpy(np.log(counts / counts.sum()).astype(np.float32))


@torch.no_grad()
def evaluate(net: torch.nn.Module, log_prior: Tensor, data: list[Utterance], seed: int = 5) -> str:
    """Share of words whose true phones win over one unrelated and one confusable change."""
    net.eval()
    rng = random.Random(seed)
    wins: dict[bool, list[bool]] = {True: [], False: []}
    for utterance in data:
        mel = log_mel(leveled(utterance.sound()))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = emissions(net(torch.from_numpy(mel)[None]), log_prior)
        said = list(utterance.words)
        hypotheses, kinds = [said], []
        for place in rng.sample(range(len(said)), min(4, len(said))):
            for confusable in (True, False):
                other = replace_one(said[place], rng, confusable=confusable)
                if other:
                    hypotheses.append([*said[:place], other, *said[place + 1 :]])
                    kinds.append(confusable)
        n = len(hypotheses)
        frames = torch.full((n,), scores.shape[1])
        totals = forward_scores(scores.expand(n, -1, -1), frames, *collate(hypotheses))
        for kind, total in zip(kinds, totals[1:], strict=True):
            wins[kind].append(bool(totals[0] > total))
    net.train()
    return f"unrelated {np.mean(wins[False]):.4f} confusable {np.mean(wins[True]):.4f}"


def losses(
    net: PhoneNet, log_prior: Tensor, batch: Batch, chance: random.Random, *, with_rivals: bool
) -> tuple[Tensor, float, float]:
    """The loss to minimize, the frame loss alone, and the share of rivals won."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = net(batch.mels, batch.frames).float()
    framewise = F.cross_entropy(logits.transpose(1, 2), batch.labels, label_smoothing=0.05)
    if not with_rivals:
        return framewise, framewise.item(), 0.0
    rivals, won = rival_loss(emissions(logits, log_prior), batch.frames, batch.words, chance)
    return framewise + RIVAL_WEIGHT * rivals, framewise.item(), won


def between(net: PhoneNet, other: PhoneNet, share: float) -> PhoneNet:
    """A network whose weights are this share of the way from one to another.

    What was learned before is forgotten less than it is learned (Wortsman et al., "Robust
    fine-tuning of zero-shot models", 2022).
    """
    mixed = copy.deepcopy(net)
    weights = zip(mixed.state_dict().values(), other.state_dict().values(), strict=True)
    for mine, theirs in weights:
        if mine.is_floating_point():
            mine.lerp_(theirs, share)
    return mixed


def keep_norms(net: torch.nn.Module) -> None:
    """Let the normalizations scale as they do, whatever the mean of a batch is."""
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm1d):
            module.eval()


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--init", type=Path, help="a network saved before, to go on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--width", type=int, default=WIDTH, help="channels of a new network")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--batch-s", type=float, default=40.0, help="seconds of speech a batch")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--rivals-from", type=float, default=0.4, help="share of time before")
    parser.add_argument("--real-share", type=float, default=0.5)
    parser.add_argument("--without", nargs="*", default=(), help="synthetic voices to leave out")
    parser.add_argument(
        "--with-dev", action="store_true", help="learn from dev's speakers too, once calibrated"
    )
    parser.add_argument(
        "--keep-norms", action="store_true", help="as they are: for a network from restore"
    )
    parser.add_argument(
        "--way-back", type=float, default=0.0, help="to --init, from 0 to 1, of what is saved"
    )
    parser.add_argument("--report-every", type=float, default=0.1, help="share of the time")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    with args.data.open("rb") as file:
        data: dict[str, list[Utterance]] = pickle.load(file)
    spoken = [*data.get("synthetic", []), *data.get("natural", [])]
    synthetic = [u for u in spoken if u.speaker not in args.without]
    log_prior = log_prior_of(data["train"] + synthetic)
    net = PhoneNet(args.width)
    if args.init:
        net, log_prior = load(args.init)
    began = copy.deepcopy(net)
    real = data["train"] + (data["dev"] if args.with_dev else [])
    batches = Batches(real, synthetic, args.seed, args.real_share, args.batch_s)
    averaged = AveragedModel(
        net, multi_avg_fn=get_ema_multi_avg_fn(AVERAGED_OVER), use_buffers=True
    )
    optimizer = torch.optim.AdamW(
        net.parameters(), lr=args.rate, weight_decay=0.02, betas=(0.9, 0.98), fused=True
    )
    started = time.monotonic()
    step, seen, next_report = 0, [], args.report_every
    done = 0.0
    while done < 1:
        batch = batches.draw()
        done = (time.monotonic() - started) / 60 / args.minutes
        warm = min(1.0, (step + 1) / WARM_UP_STEPS)
        rate = args.rate * warm * 0.5 * (1 + math.cos(math.pi * min(1.0, done))) + 1e-6
        optimizer.param_groups[0]["lr"] = rate
        with_rivals = done >= args.rivals_from
        if args.keep_norms:
            keep_norms(net)
        loss, framewise, won = losses(
            net, log_prior, batch, batches.chance, with_rivals=with_rivals
        )
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        averaged.update_parameters(net)
        step += 1
        seen.append((framewise, loss.item(), won))
        if done > next_report or done >= 1:
            next_report += args.report_every
            mean = np.mean(seen, axis=0)
            seen = []
            part = data["dev"] if done >= 1 else data["dev"][::3]
            print(
                f"{done:.2f} step {step} frame {mean[0]:.3f} loss {mean[1]:.3f} won {mean[2]:.4f}"
                f" | dev {evaluate(averaged.module, log_prior, part)}", flush=True,
            )  # fmt: skip
            save(between(averaged.module, began, args.way_back), log_prior, args.out)


if __name__ == "__main__":
    main()
