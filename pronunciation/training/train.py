"""Train the acoustic network on what ``prepare`` gathered.

    python -m pronunciation.training.train --data /tmp/hearing.pkl --out net.pt --minutes 40

Two losses: the phone of each frame, and for the task itself, that the words as said score above
the same words with one of them changed, summed over all alignments.
"""

import argparse
import math
import pickle
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from pronunciation.hearing.align import word_states
from pronunciation.hearing.features import log_mel
from pronunciation.hearing.labels import FRAME_S, N_CLASSES
from pronunciation.training.augment import augment
from pronunciation.training.corrupt import corrupt, replace_one
from pronunciation.training.lattice import best_path, collate, forward_scores
from pronunciation.training.network import PhoneNet
from pronunciation.training.utterance import Utterance

__all__ = ["emissions", "frame_labels", "main"]

MAX_FRAMES = 600
RIVALS = 5
WORDS_A_ROW = 3
MAX_WINDOW_FRAMES = 150
RIVAL_SCALE = 0.5
"""Nats of score difference count half: neighbouring frames are not independent."""


def emissions(logits: Tensor, log_prior: Tensor) -> Tensor:
    """Frame scores log p(phone | frame) - log p(phone)."""
    return F.log_softmax(logits.float(), dim=-1) - log_prior


def frame_labels(utterance: Utterance, frames: int, speed: float = 1.0) -> Tensor:
    """The label of each 20 ms frame after the stored alignment, -100 where there is none."""
    if not utterance.ends:
        return torch.full((frames,), -100)
    labels, ends_s = zip(*utterance.ends, strict=True)
    middles_s = (np.arange(frames) + 0.5) * FRAME_S * speed
    places = np.searchsorted(np.array(ends_s), middles_s).clip(max=len(labels) - 1)
    return torch.from_numpy(np.array(labels)[places])


class Batches:
    """Random batches of about the same length, augmented."""

    def __init__(self, data: dict[str, list[Utterance]], seed: int, real_share: float) -> None:
        self.real, self.synthetic = data["train"], data.get("synthetic", [])
        self.chance = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.real_share = real_share
        speech = [u.samples for u in self.chance.sample(self.real, min(60, len(self.real)))]
        one, two = np.concatenate(speech), np.concatenate(speech[::-1])
        self.babble = (one.astype(np.float32) + two) / 32768

    def draw(
        self, seconds: float, aligned_only: bool
    ) -> tuple[Tensor, Tensor, Tensor, list[Utterance]]:
        """Mel (rows, 80, n), valid frames, labels and the utterances of one batch."""
        rows: list[tuple[np.ndarray, Utterance, float]] = []
        total_s = 0.0
        while total_s < seconds:
            pool = self.real if self.chance.random() < self.real_share else self.synthetic
            utterance = self.chance.choice(pool or self.real)
            if (aligned_only and not utterance.ends) or utterance.samples.size > 11 * 16_000:
                continue
            samples, speed = augment(
                utterance.samples.astype(np.float32) / 32768, self.rng, self.babble
            )
            rows.append((log_mel(np.asarray(samples, np.float32)), utterance, speed))
            total_s += samples.size / 16_000
        frames = torch.tensor([(mel.shape[1] + 1) // 2 for mel, _, _ in rows])
        longest = max(mel.shape[1] for mel, _, _ in rows)
        mels = torch.full((len(rows), 80, longest), -1.0)
        labels = torch.full((len(rows), (longest + 1) // 2), -100)
        for i, (mel, utterance, speed) in enumerate(rows):
            for _ in range(self.chance.randint(0, 2)):
                low = self.chance.randrange(70)
                mel[low : low + self.chance.randint(1, 10)] = mel.mean()
            mels[i, :, : mel.shape[1]] = torch.from_numpy(mel)
            labels[i, : frames[i]] = frame_labels(utterance, int(frames[i]), speed)
        return mels, frames, labels, [u for _, u, _ in rows]


def rival_loss(
    scores: Tensor,
    paths: Tensor,
    frames: Tensor,
    words: list[list[tuple[str, ...]]],
    rng: random.Random,
) -> tuple[Tensor, float]:
    """How far words as said score above rivals with one word changed; and the share won.

    Each word is scored as the product does it: in the window from the word before to the word
    after, whose own places were found by ``paths`` (state of each frame, shape (rows, frames)).
    """
    windows: list[Tensor] = []
    hypotheses: list[list[tuple[str, ...]]] = []
    for row, said in enumerate(words):
        owners = torch.from_numpy(word_states(said).word)[paths[row, : frames[row]]]
        for place in rng.sample(range(len(said)), min(WORDS_A_ROW, len(said))):
            first, last = max(0, place - 1), min(len(said) - 1, place + 1)
            inside = torch.nonzero((owners >= first) & (owners <= last))[:, 0]
            if not len(inside) or inside[-1] - inside[0] > MAX_WINDOW_FRAMES:
                continue
            window = scores[row, max(0, int(inside[0]) - 2) : int(inside[-1]) + 3]
            context = said[first : last + 1]
            for rival in range(RIVALS + 1):
                other = corrupt(said[place], rng) if rival else said[place]
                hypotheses.append([*context[: place - first], other, *context[place - first + 1 :]])
                windows.append(window)
    lengths = torch.tensor([len(w) for w in windows])
    padded = torch.nn.utils.rnn.pad_sequence(windows, batch_first=True)
    totals = forward_scores(padded, lengths, *collate(hypotheses)).view(-1, RIVALS + 1)
    margins = (totals[:, :1] - totals[:, 1:]).clamp(-60, 60)
    return F.softplus(-RIVAL_SCALE * margins).mean(), (margins > 0).float().mean().item()


@torch.no_grad()
def evaluate(net: PhoneNet, log_prior: Tensor, data: list[Utterance], seed: int = 5) -> str:
    """Share of words whose true phones win over one unrelated and one confusable change."""
    net.eval()
    rng = random.Random(seed)
    wins: dict[bool, list[bool]] = {True: [], False: []}
    for utterance in data:
        mel = torch.from_numpy(log_mel(np.asarray(utterance.samples / 32768, np.float32)))[None]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = emissions(net(mel), log_prior)
        said = list(utterance.words)
        hypotheses, kinds = [said], []
        for place in rng.sample(range(len(said)), min(4, len(said))):
            for confusable in (True, False):
                other = replace_one(said[place], rng, confusable=confusable)
                if other:
                    hypotheses.append([*said[:place], other, *said[place + 1 :]])
                    kinds.append(confusable)
        labels, skips, states = collate(hypotheses)
        n = len(hypotheses)
        frames = torch.full((n,), scores.shape[1])
        totals = forward_scores(scores.expand(n, -1, -1), frames, labels, skips, states)
        for kind, total in zip(kinds, totals[1:], strict=True):
            wins[kind].append(bool(totals[0] > total))
    net.train()
    return f"unrelated {np.mean(wins[False]):.4f} confusable {np.mean(wins[True]):.4f}"


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--init", type=Path, help="a network saved before, to go on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--batch-s", type=float, default=60.0, help="seconds of speech a batch")
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--rivals-from", type=float, default=0.3, help="share of time before")
    parser.add_argument("--real-share", type=float, default=0.6)
    parser.add_argument("--report-every", type=float, default=0.1, help="share of the time")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    with args.data.open("rb") as file:
        data: dict[str, list[Utterance]] = pickle.load(file)
    counts = np.ones(N_CLASSES)
    for utterance in data["train"] + data.get("synthetic", []):
        if utterance.ends:
            counts += np.bincount(
                frame_labels(utterance, len(utterance.samples) // 320), minlength=N_CLASSES
            )
    log_prior = torch.from_numpy(np.log(counts / counts.sum()).astype(np.float32))
    net = PhoneNet()
    if args.init:
        saved = torch.load(args.init)
        net.load_state_dict(saved["net"])
        log_prior = saved["log_prior"]
    batches = Batches(data, args.seed, args.real_share)
    heads = [p for n, p in net.named_parameters() if n.startswith("head")]
    others = [p for n, p in net.named_parameters() if not n.startswith("head")]
    optimizer = torch.optim.AdamW(
        [{"params": others, "scale": 1.0}, {"params": heads, "scale": 4.0}],
        weight_decay=0.01, betas=(0.9, 0.98),
    )  # fmt: skip
    started = time.monotonic()
    step, losses, next_report = 0, [], args.report_every / 2
    while (done := (time.monotonic() - started) / 60 / args.minutes) < 1:
        warm = min(1.0, (step + 1) / 60)
        rate = args.rate * warm * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
        for group in optimizer.param_groups:
            group["lr"] = rate * group["scale"] + 1e-7
        with_rivals = done > args.rivals_from
        mels, frames, labels, chosen = batches.draw(args.batch_s, not with_rivals)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = net(mels, frames)
        logits = logits.float()
        scores = emissions(logits, log_prior)
        loss, won = torch.zeros(()), 0.0
        if with_rivals:
            words = [list(u.words) for u in chosen]
            chains = collate(words)
            paths = best_path(scores.detach(), frames, *chains)
            labels = chains[0].gather(1, paths)
            seen = torch.arange(labels.shape[1])[None, :] < frames[:, None]
            labels = labels.masked_fill(~seen, -100)
            rivals, won = rival_loss(scores, paths, frames, words, batches.chance)
            loss = loss + 2.0 * rivals
        framewise = F.cross_entropy(logits.transpose(1, 2), labels, label_smoothing=0.05)
        loss = loss + framewise
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        step += 1
        losses.append((framewise.item(), loss.item(), won))
        if done > next_report:
            next_report += args.report_every
            mean = np.mean(losses, axis=0)
            losses = []
            print(
                f"{done:.2f} step {step} frame {mean[0]:.3f} loss {mean[1]:.3f} won {mean[2]:.4f}"
                f" | dev {evaluate(net, log_prior, data['dev'][::3])}", flush=True,
            )  # fmt: skip
            torch.save({"net": net.state_dict(), "log_prior": log_prior}, args.out)
    print("dev", evaluate(net, log_prior, data["dev"]), flush=True)
    torch.save({"net": net.state_dict(), "log_prior": log_prior}, args.out)


if __name__ == "__main__":
    main()
