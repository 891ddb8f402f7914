"""Fit the fusion's weights and thresholds on dev speakers and dev voices.

    python -m scripts.train.calibrate --speech ../shared/speech --net first.onnx
    python -m scripts.train.calibrate --net phones.onnx --never-heard older.onnx

Calibrate with the network of the training's first half, which heard neither dev's speakers nor
flite's voice slt. On voices that it learned from, a network is better than on any other, and would
be trusted too much. The second form refines the weights when all training is done: near the shipped
ones, also on the natural voice, judged by a network that never heard it. It keeps the thresholds;
those shipped were chosen by hand (``benchmarks/NOTES.md``).

The model is a conditional logit: the probability of a reading is proportional to the exponential of
a weighted sum of its scores. Its likelihood is concave, so Newton's method finds the best weights.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.certainty import natural_cases
from pronunciation.clip import Clip
from pronunciation.errors import HearingError
from pronunciation.hearing.acoustic import AcousticModel
from pronunciation.hearing.hear import Hearing
from pronunciation.hearing.judge import (
    FUSION_PATH,
    PHONES,
    WEIGHTS,
    Fusion,
    Scores,
    decide,
    default_fusion,
    features,
    probabilities,
)  # fmt: skip
from pronunciation.hearing.results import Reading, Target
from pronunciation.lexicon_loader import load_lexicon
from scripts.train.cases import Case, accepted_cases, real_cases, synthetic_cases
from scripts.train.splits import term_split
from scripts.train.voices import DEV_VOICES, UNSEEN_VOICES

Floats = npt.NDArray[np.float64]
FALSE_ALARMS = 0.0075
"""Share of rightly said words that may be called mispronounced on dev; the goal is 0.02. Dev's 640
words measure it to about 0.004, and the networks, which are trained on after this, become more
confident."""
PRECISION = 0.975
"""Share of mispronounced verdicts that must be right on dev; the goal is 0.97."""
HIGHEST = 0.99
"""No threshold is above this, or hardly anything would be decided."""
NOISE_DB = 15.0
RIDGE, PHONE_RIDGE = 1.0, 6.0
"""Keep the weights of judges and phones small if few cases support them."""
NEAR_SHIPPED = 5.0
"""Keeps refined weights near the shipped ones. Of 1 to 100, 5 and 20 gave the natural voice's other
terms the most probability, and neither took any from learners or from voices of espeak-ng."""

LEARNERS_COUNT = 0.5
"""Of a case in the refined fit: the networks have heard dev's learners, and are surer of them than of
others. Counting all, a mistake by a voice never heard is more often taken for right."""

UNSURE = Fusion(network=0.0, sphinx=0.05, fits_from=default_fusion().fits_from)
"""Before PocketSphinx is asked, all readings are equal, so it is asked about each."""


class CachingModel(AcousticModel):
    """The network, which caches the last clip, because each clip is used several times."""

    _last: tuple[int, npt.NDArray[np.float32]] | None = None

    def scores(self, clip: Clip) -> npt.NDArray[np.float32]:
        """The model's scores, without running it twice for one clip."""
        if self._last is None or self._last[0] != id(clip.samples):
            self._last = (id(clip.samples), super().scores(clip))
        return self._last[1]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The measurements of one case: scores of each reading, and which was the true one."""

    kind: str
    speaker: str
    accepted: tuple[bool, ...]
    phones: tuple[str, ...]
    scores: Scores
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
        scores = Scores(
            np.array([r.network for r in readings]),
            heard.network_fit,
            np.array(other) if len(other) == len(readings) else None,
            np.array([r.goodness for r in readings]),
        )
        found.append(
            Evidence(
                case.kind,
                case.speaker,
                tuple(r.accepted for r in readings),
                tuple(r.phones for r in readings),
                scores,
                [r.phones for r in readings].index(case.truth),
                heard.fit,
            )
        )
    return found, failed


def fit(
    evidence: Sequence[Evidence], judges: Sequence[str] = WEIGHTS, shipped: Fusion | None = None
) -> Floats:
    """The weights of ``features`` under which the true readings are most probable.

    Args:
        evidence: cases with their truth.
        judges: those of ``WEIGHTS`` that may differ from 0; all of the phones' may.
        shipped: whose weights to stay near; ``None``: near 0.
    """
    use = np.array([*(name in judges for name in WEIGHTS), *(True for _ in PHONES)])
    ridge = np.array([*(RIDGE for _ in WEIGHTS), *(PHONE_RIDGE for _ in PHONES)])
    center = np.zeros(use.size)
    if shipped is not None:
        ridge, center = np.full(use.size, NEAR_SHIPPED), shipped.weights
    tables = [features(e.scores, e.phones) * use for e in evidence]
    weights = center
    for _ in range(60):
        slope, bend = ridge * (center - weights), np.diag(ridge)
        for table, one in zip(tables, evidence, strict=True):
            is_learner = shipped is not None and one.kind in ("confusable", "unrelated")
            count = LEARNERS_COUNT if is_learner else 1.0
            raw = table @ weights
            share = np.exp(raw - raw.max())
            share /= share.sum()
            mean = share @ table
            slope += count * (table[one.truth] - mean)
            bend += count * ((table * share[:, None]).T @ table - np.outer(mean, mean))
        step = np.linalg.solve(bend, slope)
        weights = weights + np.clip(step, -0.5, 0.5)
        if np.abs(step).max() < 1e-6:
            break
    return weights


def verdicts(fusion: Fusion, one: Evidence) -> tuple[str, str, float, float]:
    """Verdict, phones, confidence, and the probability of all mistakes together."""
    shares = probabilities(fusion, one.scores, one.phones)
    readings = [
        Reading(p, a, float(s)) for p, a, s in zip(one.phones, one.accepted, shares, strict=True)
    ]
    decision = decide(fusion, Target("", 0, 1, ()), readings)
    mistaken = sum(r.probability for r in readings if not r.accepted)
    return decision.verdict, decision.heard.phones, decision.confidence, mistaken


def thresholds(fusion: Fusion, asked: Sequence[Evidence], accepted: Sequence[Evidence]) -> Fusion:
    """The lowest threshold for ``mispronounced`` that keeps false alarms and errors rare."""
    mistaken = np.array([verdicts(fusion, e)[3] for e in asked])
    wrong = np.array([not e.accepted[e.truth] for e in asked])
    fine = np.array([verdicts(fusion, e)[3] for e in accepted])
    for threshold in np.arange(0.60, 0.999, 0.005):
        called = mistaken >= threshold
        precision = wrong[called].mean() if called.any() else 1.0
        if precision >= PRECISION and (fine >= threshold).mean() <= FALSE_ALARMS:
            break
        if threshold > HIGHEST:
            break
    return replace(fusion, mispronounced_from=round(float(threshold), 3))


def report(name: str, fusion: Fusion, evidence: Sequence[Evidence]) -> None:
    """Print how often the true reading is chosen, by kind of case and of voice."""
    line = []
    groups = [e.kind if e.kind != "synthetic" else e.speaker.partition("+")[0] for e in evidence]
    for kind in sorted(set(groups)):
        some = [e for e, group in zip(evidence, groups, strict=True) if group == kind]
        right = [verdicts(fusion, e)[1] == e.phones[e.truth] for e in some]
        line.append(f"{kind} {np.mean(right):.4f} (n={len(some)})")
    print(f"{name}: " + ", ".join(line), flush=True)


def dev_evidence(
    model: AcousticModel, folder: Path, words: int, count: int
) -> tuple[list[Evidence], list[Evidence]]:
    """Evidence of planted readings, and of words as read."""
    hearing = Hearing(model, replace(UNSURE, fits_from=-99.0))  # lets every case through
    terms = [t for t in load_lexicon().terms if t.mistakes and term_split(t.term) == "dev"]
    espeak = [v for v in DEV_VOICES if v.engine == "espeak-ng"]
    asked: list[Evidence] = []
    failed = 0
    for cases in (
        real_cases(folder, "dev", 11, words),
        synthetic_cases(terms, espeak, 12, 3 * count // 4),
        synthetic_cases(terms, UNSEEN_VOICES, 12, count),
        synthetic_cases(terms, UNSEEN_VOICES, 14, count // 3, NOISE_DB),
    ):
        found, lost = gather(hearing, cases)
        asked += found
        failed += lost
    accepted, lost = gather(hearing, accepted_cases(folder, "dev", 13, words))
    print(f"{failed + lost} cases could not be judged")
    return asked, accepted


def with_weights(fusion: Fusion, weights: Floats) -> Fusion:
    """The same with other weights, in the order of ``features``."""
    rounded = [round(float(weight), 4) for weight in weights]
    judges = dict(zip(WEIGHTS, rounded[: len(WEIGHTS)], strict=True))
    phones = dict(zip(PHONES, rounded[len(WEIGHTS) :], strict=True))
    return replace(fusion, **judges, phones=phones)


def refined(args: argparse.Namespace) -> Fusion:
    """The shipped fusion with weights that fit whole voices.

    Dev's learners and voices by the network that is shipped, the natural voice with five vocal
    tracts by one that never heard it, see ``benchmarks.certainty``.
    """
    terms = [t for t in load_lexicon() if t.mistakes and term_split(t.term) == "dev"]
    shipped = Hearing(CachingModel(args.net), UNSURE)
    unfamiliar = Hearing(CachingModel(args.never_heard), UNSURE)
    everything: list[Evidence] = []
    for hearing, cases in (
        (shipped, real_cases(args.speech, "dev", 533, args.words)),
        (shipped, synthetic_cases(terms, DEV_VOICES, 512, args.synthetic)),
        (unfamiliar, natural_cases(terms, 501, args.natural)),
        (unfamiliar, natural_cases(terms, 505, args.natural, is_alone=True)),
    ):
        found, lost = gather(hearing, cases)
        print(f"{len(found)} cases, {lost} could not be judged", flush=True)
        everything += found
    before = default_fusion()
    after = with_weights(before, fit(everything, shipped=before))
    report("before", before, everything)
    report("after", after, everything)
    return after


def main() -> None:
    """Gather, fit, print, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, default=Path("../shared/speech"))
    parser.add_argument("--words", type=int, default=2, help="words of each sentence")
    parser.add_argument("--synthetic", type=int, default=160)
    parser.add_argument("--net", type=Path, required=True, help="one that never heard dev or slt")
    parser.add_argument("--never-heard", type=Path, help="one that never heard the natural voice")
    parser.add_argument("--natural", type=int, default=500, help="by it in sentences, and alone")
    args = parser.parse_args()
    if args.never_heard:
        refined(args).save(FUSION_PATH)
        return
    model = CachingModel(args.net)
    everything, accepted = dev_evidence(model, args.speech, args.words, args.synthetic)
    best = default_fusion()
    for name, judges in (
        ("sphinx alone", ("sphinx", "sphinx_missing")),
        ("network alone", ("network", "network_root")),
        ("both", WEIGHTS),
    ):
        best = with_weights(best, fit(everything, judges))
        report(name, best, everything)
    best = thresholds(best, everything, accepted)
    decided = [verdicts(best, e) for e in everything]
    share = np.mean([v[0] != "unclear" for v in decided])
    alarms = np.mean([verdicts(best, e)[0] == "mispronounced" for e in accepted])
    print(f"decided {share:.3f}, false alarms {alarms:.4f} of {len(accepted)}, {best}")
    best.save(FUSION_PATH)


if __name__ == "__main__":
    main()
