"""Fit the fusion's weights and thresholds on dev speakers and dev voices.

    python -m pronunciation.training.calibrate --speech ../shared/speech

A conditional logit: the probability of a reading is proportional to the exponential of a weighted
sum of its scores. It is concave, so Newton's method finds the one best set of weights.
"""

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip
from pronunciation.errors import HearingError
from pronunciation.hearing.acoustic import AcousticModel
from pronunciation.hearing.hear import Hearing
from pronunciation.hearing.judge import (
    FUSION_PATH,
    WEIGHTS,
    Fusion,
    decide,
    default_fusion,
    features,
    probabilities,
)  # fmt: skip
from pronunciation.hearing.results import Reading
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.training.cases import Case, accepted_cases, real_cases, synthetic_cases
from pronunciation.training.splits import term_split
from pronunciation.training.voices import DEV_VOICES

__all__ = ["CachingModel", "Evidence", "fit", "gather", "main"]

Floats = npt.NDArray[np.float64]
FALSE_ALARMS = 0.01
"""Share of rightly said words that may be called mispronounced on dev; the goal is 0.02."""
PRECISION = 0.975
"""Share of mispronounced verdicts that must be right on dev; the goal is 0.97."""


HIGHEST = 0.985
"""No threshold lies above this, or hardly anything would be decided."""


class CachingModel(AcousticModel):
    """The network, which remembers the last clip: several questions are asked of each."""

    _last: tuple[int, npt.NDArray[np.float32]] | None = None

    def scores(self, clip: Clip) -> npt.NDArray[np.float32]:
        """As the model's, without running it twice for one clip."""
        if self._last is None or self._last[0] != id(clip.samples):
            self._last = (id(clip.samples), super().scores(clip))
        return self._last[1]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was measured of one case: scores of each reading, and which was the true one."""

    kind: str
    speaker: str
    accepted: tuple[bool, ...]
    phones: tuple[str, ...]
    network: Floats
    sphinx: Floats | None
    truth: int
    fit: float


def gather(hearing: Hearing, cases: Iterable[Case]) -> tuple[list[Evidence], int]:
    """Every case's evidence, and how many could not be judged."""
    found: list[Evidence] = []
    failed = 0
    for case in cases:
        try:
            (heard,) = hearing.hear(case.clip, case.words, [case.target])
        except HearingError:
            failed += 1
            continue
        readings = heard.readings
        other = [r.sphinx for r in readings if r.sphinx is not None]
        found.append(
            Evidence(
                case.kind,
                case.speaker,
                tuple(r.accepted for r in readings),
                tuple(r.phones for r in readings),
                np.array([r.network for r in readings]),
                np.array(other) if len(other) == len(readings) else None,
                [r.phones for r in readings].index(case.truth),
                heard.fit,
            )
        )
    return found, failed


def fit(evidence: Sequence[Evidence], use: Sequence[bool]) -> Floats:
    """The weights of ``features`` under which the true readings are most probable."""
    tables = [features(e.network, e.sphinx, e.phones) * np.array(use) for e in evidence]
    weights = np.zeros(len(use))
    for _ in range(60):
        slope, bend = -0.01 * weights, 0.01 * np.eye(weights.size)
        for table, one in zip(tables, evidence, strict=True):
            raw = table @ weights
            share = np.exp(raw - raw.max())
            share /= share.sum()
            mean = share @ table
            slope += table[one.truth] - mean
            bend += (table * share[:, None]).T @ table - np.outer(mean, mean)
        step = np.linalg.solve(bend, slope)
        weights = weights + np.clip(step, -0.5, 0.5)
        if np.abs(step).max() < 1e-6:
            break
    return weights


def verdicts(fusion: Fusion, one: Evidence) -> tuple[str, str, float, float]:
    """Verdict, phones, confidence, and the probability of all mistakes together."""
    shares = probabilities(fusion, one.network, one.sphinx, one.phones)
    readings = [
        Reading(p, a, float(s)) for p, a, s in zip(one.phones, one.accepted, shares, strict=True)
    ]
    verdict, best, confidence = decide(fusion, readings)
    mistaken = sum(r.probability for r in readings if not r.accepted)
    return verdict, best.phones, confidence, mistaken


def thresholds(fusion: Fusion, asked: Sequence[Evidence], accepted: Sequence[Evidence]) -> Fusion:
    """The lowest threshold for ``mispronounced`` that keeps false alarms and errors rare."""
    told = np.array([verdicts(fusion, e)[3] for e in asked])
    wrong = np.array([not e.accepted[e.truth] for e in asked])
    fine = np.array([verdicts(fusion, e)[3] for e in accepted])
    for threshold in np.arange(0.60, 0.999, 0.005):
        called = told >= threshold
        precision = wrong[called].mean() if called.any() else 1.0
        if precision >= PRECISION and (fine >= threshold).mean() <= FALSE_ALARMS:
            break
        if threshold > HIGHEST:
            break
    return replace(fusion, mispronounced_from=round(float(threshold), 3))


def report(name: str, fusion: Fusion, evidence: Sequence[Evidence]) -> None:
    """Print how often the true reading is chosen, by kind."""
    line = []
    for kind in sorted({e.kind for e in evidence}):
        some = [e for e in evidence if e.kind == kind]
        right = [verdicts(fusion, e)[1] == e.phones[e.truth] for e in some]
        line.append(f"{kind} {np.mean(right):.4f} (n={len(some)})")
    print(f"{name}: " + ", ".join(line), flush=True)


def main() -> None:
    """Gather, fit, print, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, default=Path("../shared/speech"))
    parser.add_argument("--words", type=int, default=2, help="words of each sentence")
    parser.add_argument("--synthetic", type=int, default=240)
    args = parser.parse_args()
    started = time.monotonic()
    # An unfitted weight asks PocketSphinx too; the loosest checks let every case through.
    rough = replace(default_fusion(), sphinx=0.05, fits_from=-99.0)
    hearing = Hearing(CachingModel(), rough)
    asked, failed = gather(hearing, real_cases(args.speech, "dev", 11, args.words))
    terms = [t for t in load_lexicon().terms if t.mistakes and term_split(t.term) == "dev"]
    spoken, failed_too = gather(hearing, synthetic_cases(terms, DEV_VOICES, 12, args.synthetic))
    accepted, failed_three = gather(hearing, accepted_cases(args.speech, "dev", 13, args.words))
    print(f"{failed + failed_too + failed_three} cases could not be judged,", end=" ")
    print(f"{time.monotonic() - started:.0f} s")
    everything = [*asked, *spoken]
    best = rough
    for name, use in {
        "PocketSphinx alone": (0, 1, 0, 0, 1),
        "network alone": (1, 0, 1, 1, 0),
        "both": (1, 1, 1, 1, 1),
    }.items():
        weights = fit(everything, [bool(u) for u in use])
        best = replace(rough, **dict(zip(WEIGHTS, map(float, weights.round(4)), strict=True)))
        report(name, best, everything)
        print("  ", weights.round(4))
    best = thresholds(best, everything, accepted)
    fits = np.array([e.fit for e in everything])
    print("fit of text and sound that belong together, 1 % and 5 % of cases lie below:",
          np.quantile(fits, [0.01, 0.05]).round(2))  # fmt: skip
    decided = [verdicts(best, e) for e in everything]
    share = np.mean([v[0] != "unclear" for v in decided])
    alarms = np.mean([verdicts(best, e)[0] == "mispronounced" for e in accepted])
    print(f"decided {share:.3f}, false alarms {alarms:.4f} of {len(accepted)}, {best}")
    replace(best, fits_from=default_fusion().fits_from).save(FUSION_PATH)


if __name__ == "__main__":
    main()
