"""How well the silence stop distinguishes a pause from the end of an answer.

Builds answers from read sentences of real people (``../shared/speech/l2-mandarin``): sentences of
one speaker joined with short pauses, in white noise or hum at several levels, then silence. Prints
how often the detector stops within the answer, never stops, and how late it stops.

    python benchmarks/silence_stop.py [--speakers N]
"""

import argparse
import csv
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from client.audio.files import read_audio
from client.audio.level import FRAME_MS, FrameMeter, SilenceDetector

SPEECH = Path(__file__).parents[2] / "shared" / "speech" / "l2-mandarin"
RATE_HZ = 16_000
STOP_S = 3.0
"""Shorter than the app's own limit, so that the test is harder."""
SPEECH_RANGE_DB = 28.0
"""Speech reaches this far below a speaker's 90th percentile; quieter is the recording's room."""
TAIL_S = 9.0

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Answer:
    """Samples, float32 of shape ``(n,)``, where speech ends, and the longest pause before."""

    samples: Samples
    end_s: float
    longest_pause_s: float


def levels(samples: Samples) -> list[float]:
    """One level in dBFS per frame of ``FRAME_MS``."""
    return FrameMeter(RATE_HZ).measure(samples)


def spoken_part(samples: Samples) -> Samples:
    """The sentence without the silence around it."""
    per_frame = np.array(levels(samples))
    loud = np.nonzero(per_frame > np.percentile(per_frame, 90) - SPEECH_RANGE_DB)[0]
    frame = RATE_HZ * FRAME_MS // 1000
    return samples[loud[0] * frame : (loud[-1] + 1) * frame]


def answer(sentences: list[Samples], dice: random.Random) -> Answer:
    """Sentences with pauses of 0.3 to 1.8 s between them."""
    parts: list[Samples] = [np.zeros(dice.choice([4000, 16000]), dtype=np.float32)]
    for sentence in sentences:
        parts.append(spoken_part(sentence))
        parts.append(np.zeros(round(RATE_HZ * dice.uniform(0.3, 1.8)), dtype=np.float32))
    parts.pop()
    samples = np.concatenate(parts)
    threshold = np.percentile(levels(np.concatenate(sentences)), 90) - SPEECH_RANGE_DB
    run = longest = 0
    for level in levels(samples):
        run = 0 if level > threshold else run + 1
        longest = max(longest, run)
    return Answer(samples, samples.size / RATE_HZ, longest * FRAME_MS / 1000)


def noise(kind: str, size: int, generator: np.random.Generator) -> Samples:
    """Noise of unit power."""
    hiss = generator.standard_normal(size)
    if kind == "hum":
        hiss = np.sin(2 * np.pi * 100 * np.arange(size) / RATE_HZ) + 0.5 * hiss
    return np.asarray(hiss / np.sqrt(np.mean(hiss**2)), dtype=np.float32)


def stop_time_s(samples: Samples) -> float | None:
    """When the detector would stop a recording of these samples."""
    detector = SilenceDetector()
    for index, level in enumerate(levels(samples)):
        detector.hear(level)
        if detector.silence_s >= STOP_S:
            return (index + 1) * FRAME_MS / 1000
    return None


def main() -> int:
    """Print one line for each kind and level of noise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speakers", type=int, default=40)
    arguments = parser.parse_args()
    if not SPEECH.is_dir():
        print("SKIPPED: no speech/l2-mandarin (see shared/speech/README)")
        return 0
    dice, generator = random.Random(0), np.random.default_rng(0)
    with (SPEECH / "manifest.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    by_speaker: dict[str, list[Path]] = {}
    for row in rows:
        by_speaker.setdefault(row["speaker"], []).append(SPEECH / row["audio"])
    answers = []
    for speaker in sorted(by_speaker)[: arguments.speakers]:
        files = dice.sample(by_speaker[speaker], min(5, len(by_speaker[speaker])))
        answers.append(answer([read_audio(file).samples for file in files], dice))
    # A reader who is silent for nearly the limit is no evidence against the detector.
    fair = [each for each in answers if each.longest_pause_s < STOP_S - 0.4]
    print(f"{len(fair)} answers of one speaker each, {sum(a.end_s for a in fair):.0f} s of speech")
    print("noise  below speech  cut short  never stopped  late by s (5 % / median / 95 %)")
    for kind in ("white", "hum"):
        for below_db in (40, 30, 20, 15, 10):
            late: list[float] = []
            cut = never = 0
            for each in fair:
                tail = np.zeros(round(TAIL_S * RATE_HZ), dtype=np.float32)
                clean = np.concatenate([each.samples, tail])
                loudness = 10 ** (np.percentile(levels(each.samples), 80) / 20)
                level = loudness * 10 ** (-below_db / 20)
                mixed = clean + np.float32(level) * noise(kind, clean.size, generator)
                stopped_s = stop_time_s(np.clip(mixed, -1, 1))
                if stopped_s is None:
                    never += 1
                elif stopped_s < each.end_s:
                    cut += 1
                else:
                    late.append(stopped_s - each.end_s - STOP_S)
            spread = " / ".join(f"{value:+.2f}" for value in np.percentile(late, [5, 50, 95]))
            print(f"{kind:6} {below_db:9} dB {cut:9} {never:13}   {spread}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
