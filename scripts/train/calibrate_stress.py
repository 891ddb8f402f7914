"""Fit the stress judge on synthetic voices with moved stress and on learners' read sentences.

python -m scripts.train.calibrate_stress --speech ../shared/speech
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pronunciation.clip import Clip
from pronunciation.g2p import dictionary, stressed_syllable_of
from pronunciation.hearing import Hearing
from pronunciation.hearing.acoustic import FRAME_S
from pronunciation.hearing.align import best_path, word_states
from pronunciation.hearing.judge import FUSION_PATH, default_fusion
from pronunciation.hearing.stress import (
    N_FEATURES,
    STRESS_PATH,
    stress_features,
    syllable_log_probabilities,
)  # fmt: skip
from pronunciation.phones import VOWELS, base_phone
from scripts.train.cases import sentences
from scripts.train.splits import Split
from scripts.train.voices import DEV_VOICES, HELD_OUT_VOICES, TRAIN_VOICES, Voice, speak

Floats = npt.NDArray[np.float64]
FALSE_ALARMS = 0.01
"""Share of learners' words that may be called stressed wrong, each against one other syllable. The
truth is unknown there: some do move the stress, and the dictionary's place is not always theirs.
"""
RIDGE = 0.3
LEARNERS_COUNT = 2
"""The weight of a learner's word, in synthetic words."""

Marked = tuple[Floats, int]
"""A word's features, and the syllable that is stressed."""


def moved_stress(hearing: Hearing, voices: Sequence[Voice], count: int, seed: int) -> list[Marked]:
    """Features of words said with the stress on a random syllable, and which it was."""
    rng = random.Random(seed)
    pool = [
        w for w, p in dictionary().items()
        if w.isalpha() and 2 <= sum(x in VOWELS for x in p[0]) <= 4 and len(w) > 5
    ]  # fmt: skip
    found = []
    for _ in range(count):
        phones = dictionary()[rng.choice(pool)][0]
        places = [i for i, p in enumerate(phones) if p in VOWELS]
        order = rng.randrange(len(places))
        said = [
            p + ("1" if i == places[order] else "0") if p in VOWELS else p
            for i, p in enumerate(phones)
        ]
        voice = replace(rng.choice(list(voices)), stretch=rng.uniform(0.9, 1.3))
        carrier = rng.random() < 0.5
        words = [["S", "EY1"], said, ["N", "AW1"]] if carrier else [said]
        clip = Clip(speak(words, voice).samples)
        features = _features(hearing, clip, words, 1 if carrier else 0)
        if features is not None:
            found.append((features, order))
    return found


def _features(
    hearing: Hearing, clip: Clip, words: Sequence[Sequence[str]], place: int
) -> Floats | None:
    """The stress features of one of the words of a clip."""
    bare = [tuple(base_phone(p) for p in word) for word in words]
    chain = word_states(bare)
    path = best_path(hearing.model.scores(clip), chain)
    if path is None:
        return None
    mine = np.flatnonzero(chain.word[path.states] == place)
    first_state = int(np.flatnonzero(chain.word == place)[0])
    states = path.states[mine] - first_state + 1
    return stress_features(clip, states, float(mine[0]) * FRAME_S, bare[place])


def fit(data: Sequence[Marked]) -> Floats:
    """The weights under which the true syllables are most probable (Newton's method)."""
    weights = np.zeros(N_FEATURES)
    for _ in range(40):
        slope, bend = -RIDGE * weights, RIDGE * np.eye(weights.size)
        for table, truth in data:
            share = np.exp(table @ weights - (table @ weights).max())
            share /= share.sum()
            mean = share @ table
            slope += table[truth] - mean
            bend += (table * share[:, None]).T @ table - np.outer(mean, mean)
        weights = weights + np.clip(np.linalg.solve(bend, slope), -1, 1)
    return weights


def real_words(hearing: Hearing, speech: Path, split: Split, most: int) -> list[Marked]:
    """Features of words of read sentences, and the syllable that should be stressed."""
    found: list[Marked] = []
    for words, clip in sentences(speech, split):
        phones = [dictionary().get(word, ((),))[0] for word in words]
        if not all(phones):
            continue
        for place, word in enumerate(words):
            order = stressed_syllable_of(word)
            if sum(p in VOWELS for p in phones[place]) > 1 and order is not None:
                features = _features(hearing, clip, phones, place)
                if features is not None and order < len(features):
                    found.append((features, order))
        if len(found) >= most:
            break
    return found


def odds(data: Sequence[Marked], weights: Sequence[float]) -> Floats:
    """Log odds of the stressed syllable against each other one of its word."""
    found = []
    for table, truth in data:
        logs = syllable_log_probabilities(table, weights)
        found += [logs[truth] - logs[other] for other in range(len(logs)) if other != truth]
    return np.array(found)


def show(name: str, data: Sequence[Marked], weights: Sequence[float], border: float) -> None:
    """Print how often the stressed syllable is found, and what a verdict would say."""
    found = [int((table @ np.array(weights)).argmax()) == truth for table, truth in data]
    against = odds(data, weights)
    print(
        f"{name}: n={len(data)} found {np.mean(found):.3f}; against one other syllable"
        f" called wrong though as expected {np.mean(against <= -border):.3f},"
        f" moved stress caught {np.mean(against >= border):.3f}",
        flush=True,
    )


def main() -> None:
    """Fit, check, save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, default=Path("../shared/speech"))
    parser.add_argument("--count", type=int, default=700, help="synthetic words to fit on")
    args = parser.parse_args()
    hearing = Hearing()
    # flite ignores the stress of given phones; espeak-ng does not
    train = [v for v in (*TRAIN_VOICES, *DEV_VOICES) if v.engine == "espeak-ng"]
    held = [v for v in HELD_OUT_VOICES if v.engine == "espeak-ng"]
    data = moved_stress(hearing, train, args.count, 1)
    learners = real_words(hearing, args.speech, "train", args.count)
    checked = real_words(hearing, args.speech, "dev", args.count)
    weights = [float(w) for w in fit([*data, *learners * LEARNERS_COUNT]).round(3)]
    border = -float(np.quantile(odds([*learners, *checked], weights), FALSE_ALARMS))
    print(f"{weights}, verdicts from {border:.2f}")
    show("voices fitted on", data, weights, border)
    show("held-out voices", moved_stress(hearing, held, args.count // 3, 2), weights, border)
    show("Mandarin speakers fitted on", learners, weights, border)
    show("Mandarin speakers of dev", checked, weights, border)
    heldout = real_words(hearing, args.speech, "heldout", args.count)
    show("Mandarin speakers held out", heldout, weights, border)
    STRESS_PATH.write_text(json.dumps({"weights": weights}) + "\n", encoding="utf-8")
    fusion = default_fusion()
    certain = fusion.mispronounced_from
    scale = float(np.log(certain / (1 - certain))) / border
    replace(fusion, stress=round(scale, 3)).save(FUSION_PATH)


if __name__ == "__main__":
    main()
