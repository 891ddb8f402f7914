"""Align what has no times yet with a network trained before: where each phone lies.

    python -m pronunciation.training.realign --data /tmp/hearing.pkl --net boot.onnx

Done once and not while training: a network that learns from its own alignments of the moment soon
gives most frames to silence.
"""

import argparse
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np

from pronunciation.clip import Clip
from pronunciation.hearing.acoustic import FRAME_S, AcousticModel
from pronunciation.hearing.align import best_path, word_states
from pronunciation.hearing.hear import belonging
from pronunciation.training.utterance import Utterance

BELONGS_FROM = 1.5
"""Sentences that fit their text worse were misread or are broken; they get no times, and nothing is
learned from them."""


def realigned(model: AcousticModel, utterance: Utterance) -> Utterance:
    """The utterance with the times of its best path; with none if text and sound differ."""
    scores = model.scores(Clip(utterance.sound()))
    chain = word_states(utterance.words)
    path = best_path(scores, chain)
    if path is None or belonging(scores, chain, path.states) < BELONGS_FROM:
        return replace(utterance, ends=())
    last = np.append(np.flatnonzero(np.diff(path.states)), path.states.size - 1)
    labels = chain.labels[path.states[last]]
    ends = tuple((int(a), float(b + 1) * FRAME_S) for a, b in zip(labels, last, strict=True))
    return replace(utterance, ends=ends)


def main() -> None:
    """Rewrite the file that ``prepare`` wrote."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--net", type=Path, required=True, help="ONNX, as ``export`` writes it")
    args = parser.parse_args()
    model = AcousticModel(args.net)
    with args.data.open("rb") as file:
        data: dict[str, list[Utterance]] = pickle.load(file)
    for name, utterances in data.items():
        # flite tells its own times; everything else is aligned, also what PocketSphinx aligned.
        data[name] = [
            u if name == "synthetic" and u.ends else realigned(model, u) for u in utterances
        ]
        print(f"{name}: {sum(bool(u.ends) for u in data[name])} of {len(utterances)} have times")
    with args.data.open("wb") as file:
        pickle.dump(data, file)


if __name__ == "__main__":
    main()
