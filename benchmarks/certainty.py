"""Whether the hearing is as sure as it says: claimed certainty against how often it is right.

    python benchmarks/certainty.py [--terms 200] [--words 2] [--synthetic 150] [--network FILE]
        [--piper FILE.onnx]

A neural voice saying the lexicon's terms right and wrong, in sentences and alone, as it is and with
other vocal tracts. ``--piper`` is one that nothing has heard, such as Piper's en_US-joe-medium
(CC0). Otherwise it is the natural voice; with ``--network``, judged by one that never heard it
(that of commit 5a5e3b11~1). The fusion's weights were refined on it, with other terms. And sound
that neither of them heard: held-out voices of flite and espeak-ng, and real held-out learners
reading words that are asked about with one phone replaced.

Exit status 1 if a goal is missed: of what was said right at most 1.5 % is called mispronounced, at
least 97 % of what is called so was, and claimed and true certainty differ by at most 0.05 in the
mean (weighted by how many cases claim it). Of words as learners read them only the first is asked:
nobody knows which of them they read as the dictionary says.
"""

import argparse
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from benchmarks.hearing import SPEECH, ask
from benchmarks.neural_voice import NeuralVoice, PiperVoice
from pronunciation.clip import Clip
from pronunciation.hearing import Hearing
from pronunciation.hearing.acoustic import AcousticModel
from pronunciation.hearing.results import Target
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon, Term
from scripts.train.cases import CARRIERS, Case, accepted_cases, real_cases, synthetic_cases
from scripts.train.splits import term_split
from scripts.train.voices import HELD_OUT_VOICES

EDGES = (0.0, 0.6, 0.8, 0.9, 0.95, 0.98, 1.0)
"""Of the classes of claimed certainty."""
AS_READ = "held-out learners, words as read"
MOST_OFF, MOST_ACCUSED, LEAST_PRECISION = 0.05, 0.015, 0.97
TRACTS = (1.0, 0.86, 0.93, 1.1, 1.2)
"""Lengths of the vocal tract, relative to the voice's own."""


@dataclass(frozen=True)
class Judged:
    """One case: what was claimed and what is true."""

    certainty: float
    is_right: bool
    said_right: bool
    verdict: str


def natural_cases(
    terms: Sequence[Term],
    seed: int,
    count: int,
    *,
    is_alone: bool = False,
    piper: PiperVoice | None = None,
) -> Iterator[Case]:
    """Terms in carrier sentences or alone by a neural voice, one half said right."""
    rng = random.Random(seed)
    for number in range(count):
        term = rng.choice(terms)
        mistakes = tuple(mistake.phones for mistake in term.mistakes)
        truth = rng.choice(mistakes if number % 2 else term.readings)
        carrier = "{}" if is_alone else rng.choice(CARRIERS)
        said = term.model_copy(update={"readings": (truth,)})
        voice = NeuralVoice(Lexicon(version="", terms=(said,)), piper)
        tract = TRACTS[number // 2 % len(TRACTS)]
        clip = voice.speak(voice.phones(carrier.format(term.term)), speed=tract, seed=number)
        rate_hz = clip.sample_rate_hz  # played slower by as much as it was said faster
        samples = soxr.resample(clip.samples, rate_hz, rate_hz * tract).astype(np.float32)
        words = tuple(carrier.format(term.term).split())
        place = len(carrier.split("{}")[0].split())
        target = Target(term.term, place, len(term.term.split()), term.readings, mistakes)
        yield Case("natural", "neural voice", Clip(samples), words, target, truth)


def judged(hearing: Hearing, cases: Iterator[Case]) -> list[Judged]:
    """What the hearing claims of each case that it can judge."""
    return [
        Judged(
            each.heard.confidence,
            (each.heard.phones in each.case.target.readings)
            == (each.case.truth in each.case.target.readings),
            each.case.truth in each.case.target.readings,
            each.heard.verdict,
        )
        for each in ask(hearing, cases)
        if each.heard is not None
    ]


def table(name: str, cases: Sequence[Judged], *, is_known: bool = True) -> bool:
    """Print claimed against true certainty, and the verdicts; whether the goals are met.

    Args:
        name: of the cases.
        cases: what was judged.
        is_known: whether it is known how each was said.
    """
    claimed = np.array([case.certainty for case in cases])
    right = np.array([case.is_right for case in cases])
    print(f"\n{name}: {len(cases)} cases\ncertainty     cases  claimed   right")
    off = 0.0
    for low, high in itertools.pairwise(EDGES):
        inside = (claimed >= low) & ((claimed < high) | (high == EDGES[-1]))
        if inside.any():
            mean, share = claimed[inside].mean(), right[inside].mean()
            off += inside.mean() * abs(mean - share)
            print(f"{low:.2f}-{high:.2f} {inside.sum():11}    {mean:.3f}   {share:.3f}")
    fine = [case for case in cases if case.said_right]
    accused = sum(case.verdict == "mispronounced" for case in fine) / max(1, len(fine))
    called = [case for case in cases if case.verdict == "mispronounced"]
    precision = sum(not case.said_right for case in called) / len(called) if called else 1.0
    decided = [case for case in cases if case.verdict != "unclear"]
    fitting = sum((case.verdict == "correct") == case.said_right for case in decided)
    share, of_these = len(decided) / max(1, len(cases)), fitting / max(1, len(decided))
    print(
        f"claimed and true differ by {off:.3f}; said right, called mispronounced {accused:.3f} of "
        f"{len(fine)}; mispronounced right {precision:.3f} of {len(called)}; decided {share:.2f}, "
        f"of these right {of_these:.3f}"
    )
    is_precise = precision >= LEAST_PRECISION and off <= MOST_OFF
    return (is_precise or not is_known) and accused <= MOST_ACCUSED


def main() -> int:
    """Measure; exit status 1 if a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--terms", type=int, default=200, help="by the neural voice")
    parser.add_argument("--words", type=int, default=2, help="of each sentence of a learner")
    parser.add_argument("--synthetic", type=int, default=150, help="by held-out voices")
    parser.add_argument("--speech", type=Path, default=SPEECH)
    parser.add_argument("--network", type=Path, help="instead of the shipped one")
    parser.add_argument("--piper", type=Path, help="a voice of Piper instead of the natural one")
    options = parser.parse_args()
    hearing = Hearing(AcousticModel(options.network) if options.network else None)
    piper = PiperVoice(options.piper) if options.piper else None
    terms = [t for t in load_lexicon() if t.mistakes and term_split(t.term) == "heldout"]
    kinds = {
        "neural voice, held-out terms": natural_cases(terms, 31, options.terms, piper=piper),
        "neural voice, held-out terms alone": natural_cases(
            terms, 35, options.terms, is_alone=True, piper=piper
        ),
        "held-out voices of flite and espeak-ng, held-out terms": synthetic_cases(
            terms, HELD_OUT_VOICES, 32, options.synthetic
        ),
    }
    if (options.speech / "l2-mandarin" / "manifest.tsv").is_file():
        kinds["held-out learners, one phone replaced"] = real_cases(
            options.speech, "heldout", 33, options.words
        )
        kinds[AS_READ] = accepted_cases(options.speech, "heldout", 34, options.words)
    else:
        print(f"SKIPPED learners: no {options.speech.name}/l2-mandarin (see shared/speech/README)")
    met = [
        table(name, judged(hearing, cases), is_known=name != AS_READ)
        for name, cases in kinds.items()
    ]
    return int(not all(met))


if __name__ == "__main__":
    sys.exit(main())
