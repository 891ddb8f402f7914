"""Align utterances that have no phone times yet, with a previously trained network.

    python -m scripts.train.realign --data /tmp/hearing.pkl --net boot.onnx

Done once and not while training, because a network that learns from its own current alignments soon
assigns most frames to silence.
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
from scripts.train.utterance import Utterance

BELONGS_FROM = 1.5
"""Sentences that fit their text worse are misread or broken; they get no times and are not learned
from."""


def realigned(model: AcousticModel, utterance: Utterance) -> Utterance:
    """The utterance with the times of its best path, or without times if text and sound differ."""
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
        # flite reports its own times; everything else is aligned, even what PocketSphinx aligned
        data[name] = [
            u if name == "synthetic" and u.ends else realigned(model, u) for u in utterances
        ]
        print(f"{name}: {sum(bool(u.ends) for u in data[name])} of {len(utterances)} have times")
    with args.data.open("wb") as file:
        pickle.dump(data, file)


if __name__ == "__main__":
    main()
