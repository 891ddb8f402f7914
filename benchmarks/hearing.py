"""Measure the hearing on speakers, voices and terms it was neither trained nor calibrated on.

    python benchmarks/hearing.py            # everything, some minutes
    python benchmarks/hearing.py --smoke    # under a minute: does it run, not how good it is

Parts whose data or programs are missing are skipped, and the output says so. Exit status 1
if a goal is missed (never with --smoke).
"""

import argparse
import random
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from pronunciation.errors import HearingError  # noqa: E402
from pronunciation.hearing import Hearing  # noqa: E402
from pronunciation.hearing.results import Heard  # noqa: E402
from pronunciation.lexicon_loader import load_lexicon  # noqa: E402
from pronunciation.phones import base_phone  # noqa: E402
from scripts.train.cases import (  # noqa: E402
    Case,
    accepted_cases,
    real_cases,
    synthetic_cases,
)
from scripts.train.splits import term_split  # noqa: E402
from scripts.train.voices import HELD_OUT_VOICES  # noqa: E402

SPEECH = ROOT.parent / "shared" / "speech"
DECIDED = 0.70
"""The share of cases at which the goal's precision is read."""
SMOKE_CASES = 10


@dataclass(frozen=True)
class Answer:
    """A case's outcome: what was judged, in how long."""

    case: Case
    heard: Heard | None
    cpu_s: float

    @property
    def right(self) -> bool:
        """Whether the true reading was chosen; its stress need not be, where sounds are equal."""
        return self.heard is not None and _sounds(self.heard.phones) == _sounds(self.case.truth)


def _sounds(reading: str) -> tuple[str, ...]:
    return tuple(base_phone(phone) for phone in reading.split())


def ask(hearing: Hearing, cases: Iterable[Case]) -> list[Answer]:
    """Judge every case."""
    answers = []
    for case in cases:
        started = time.process_time()
        try:
            heard = hearing.hear(case.clip, case.words, [case.target])[0]
        except HearingError:
            heard = None
        answers.append(Answer(case, heard, time.process_time() - started))
    return answers


def row(name: str, goal: str, value: float, n: int, met: bool) -> bool:
    """Print one line of the table."""
    print(f"{name:<66} {goal:>8} {value:>8.4f}  n={n:<5} {'' if met else 'MISSED'}", flush=True)
    return met


def chosen(name: str, goal: float, answers: list[Answer]) -> bool:
    """The share of cases in which the true reading was chosen; no answer is a wrong one."""
    share = float(np.mean([a.right for a in answers]))
    met = row(name, f">= {goal:.2f}", share, len(answers), share >= goal)
    for part in ("network", "sphinx"):
        heard = [(a.case, a.heard.readings) for a in answers if a.heard is not None]
        scores = [[getattr(r, part) for r in readings] for _, readings in heard]
        if all(s is not None for score in scores for s in score):
            right = [
                _sounds(readings[int(np.argmax(score))].phones) == _sounds(case.truth)
                for (case, readings), score in zip(heard, scores, strict=True)
            ]
            print(f"    the {part} alone: {np.mean(right):.4f}")
    return met


def precision_when_decided(answers: list[Answer]) -> tuple[float, int]:
    """Precision of the mistaken side among the surest DECIDED of the cases."""
    judged = [a for a in answers if a.heard is not None]
    surest = sorted(judged, key=lambda a: -(a.heard.confidence if a.heard else 0.0))
    surest = surest[: round(DECIDED * len(answers))]
    accepted = [a.heard.phones in a.case.target.readings for a in surest if a.heard]
    called = [a for a, fine in zip(surest, accepted, strict=True) if not fine]
    right = [a.case.truth not in a.case.target.readings for a in called]
    return (float(np.mean(right)) if right else 1.0), len(right)


def main() -> int:
    """Run the parts that have data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, default=SPEECH)
    parser.add_argument("--words", type=int, default=3, help="words asked about a sentence")
    parser.add_argument("--synthetic", type=int, default=300, help="synthetic cases")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--smoke", action="store_true")
    args = parser.parse_args()
    most = SMOKE_CASES if args.smoke else None
    hearing = Hearing()
    met: list[bool] = []
    everything: list[Answer] = []
    print(f"{'measure':<66} {'goal':>8} {'value':>8}")
    if (args.speech / "l2-mandarin" / "manifest.tsv").is_file():
        cases = islice(real_cases(args.speech, "heldout", args.seed, args.words), most)
        real = ask(hearing, cases)
        for kind, goal in (("unrelated", 0.95), ("confusable", 0.87)):
            some = [a for a in real if a.case.kind == kind]
            met.append(chosen(f"held-out Mandarin speakers, one {kind} phone", goal, some))
        everything += real
        cases = islice(accepted_cases(args.speech, "heldout", args.seed + 1, args.words), most)
        fine = [a for a in ask(hearing, cases) if a.heard is not None]
        alarms = [a.heard.verdict == "mispronounced" for a in fine if a.heard]
        share = float(np.mean(alarms))
        name = "their words as read, called mispronounced"
        met.append(row(name, "<= 0.02", share, len(alarms), share <= 0.02))
        spent = sum(a.cpu_s for a in fine) / sum(a.case.clip.duration_s for a in fine)
        mean_s = float(np.mean([a.case.clip.duration_s for a in fine]))
        name = f"processor time a second of sound, one term a clip of {mean_s:.1f} s"
        met.append(row(name, "<= 0.05", spent, len(fine), spent <= 0.05))
        native = ask(hearing, islice(real_cases(args.speech, "native", args.seed, 12), most))
        share = float(np.mean([a.right for a in native]))
        print(f"    native speakers, either kind of phone: {share:.4f} (n={len(native)})")
    else:
        print(
            f"SKIPPED real speakers: no {args.speech.name}/l2-mandarin (see shared/speech/README)"
        )
    terms = [t for t in load_lexicon().terms if t.mistakes and term_split(t.term) == "heldout"]
    for engine in ("flite", "espeak-ng"):
        voices = [v for v in HELD_OUT_VOICES if v.engine == engine]
        if not voices[0].is_available():
            print(f"SKIPPED synthetic voices of {engine}: apt install {engine}")
            continue
        count = most or args.synthetic // 2
        spoken = ask(hearing, synthetic_cases(terms, voices, args.seed + 2, count))
        name = f"held-out terms, held-out voices of {engine}"
        met.append(chosen(name, 0.99, spoken))
        everything += spoken
        noisy = ask(hearing, synthetic_cases(terms, voices, args.seed + 3, count // 3, 15.0))
        right = float(np.mean([a.right for a in noisy]))
        print(f"    with white noise 15 dB below: {right:.4f} (n={len(noisy)})")
    if everything:
        random.Random(args.seed).shuffle(everything)
        precision, n = precision_when_decided(everything)
        name = "all of them: precision of mispronounced, 70 % decided"
        met.append(row(name, ">= 0.97", precision, n, precision >= 0.97))
        shipped = [a.heard for a in everything if a.heard is not None]
        decided = float(np.mean([h.verdict != "unclear" for h in shipped]))
        right = [
            a.case.truth not in a.case.target.readings
            for a in everything
            if a.heard is not None and a.heard.verdict == "mispronounced"
        ]
        precision = float(np.mean(right)) if right else 1.0
        print(f"    as shipped: {decided:.3f} decided, precision {precision:.4f} (n={len(right)})")
        print(f"    no verdict, an error instead: {len(everything) - len(shipped)}")
    return 0 if all(met) or args.smoke else 1


if __name__ == "__main__":
    sys.exit(main())
