"""How well the parts of an answer are found: recall and false finds of every part.

`python benchmarks/structures.py [--half dev|held] [--errors]` judges the answers of
`benchmarks/answers/structures.jsonl`, whose sentences are labeled with the parts that they say, as
a whole, without each of their parts in turn, and each sentence alone.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from question_bank.models import KeyPhrase, Kind, Question
from server.contract import Structure
from server.grading.grader import structure_of
from server.grading.structure_parts import KINDS, parts_of

ANSWERS: Final = Path(__file__).parent / "answers" / "structures.jsonl"
MIN_RECALL, MAX_FALSE = 0.85, 0.3
"""Goals for whole answers, over all parts of stories and of designs."""
MIN_WORDS: Final = 4
"""A shorter sentence says no part alone."""


@dataclass(frozen=True)
class Segment:
    """A sentence, the parts that it says, and those that people would disagree about."""

    says: frozenset[str]
    open: frozenset[str]
    text: str


@dataclass(frozen=True)
class Case:
    """A text to judge: which parts it says, which it does not; the others are open."""

    kind: Kind
    what: str
    text: str
    says: frozenset[str]
    lacks: frozenset[str]
    segments: tuple[Segment, ...]


def cases(half: str) -> Iterator[Case]:
    """The texts of one half of the file, or of all."""
    for line in ANSWERS.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if half not in ("all", entry["half"]):
            continue
        kind: Kind = entry["kind"]
        segments = tuple(
            Segment(frozenset(says), frozenset(open_), text)
            for says, open_, text in entry["segments"]
        )
        names = [part.name for part in parts_of(kind)]
        yield _case(kind, "whole", segments, names)
        for name in names:
            rest = tuple(each for each in segments if name not in each.says | each.open)
            if 0 < len(rest) < len(segments):
                yield _case(kind, "without", rest, [name])
        for segment in segments:
            if len(segment.text.split()) >= MIN_WORDS:
                yield _case(kind, "alone", (segment,), names)


def _case(kind: Kind, what: str, segments: Sequence[Segment], names: Sequence[str]) -> Case:
    says = frozenset().union(*(each.says for each in segments))
    either = says.union(*(each.open for each in segments))
    lacks = frozenset(names) - either
    text = " ".join(each.text for each in segments)
    return Case(kind, what, text, says & frozenset(names), lacks, tuple(segments))


def judged(cases: Sequence[Case]) -> list[Structure]:
    """The structure of each text, held against a question of its kind without phrases or beats."""
    questions = {
        kind: Question(
            id=kind,
            round="behavioral",
            kind=kind,
            topic="Any",
            prompt="Tell me about it.",
            model_answer="None.",
            key_phrases=(KeyPhrase(phrase="any"),),
        )
        for kind in KINDS
    }
    words = [case.text.split() for case in cases]
    return [
        structure_of(questions[case.kind], each) for case, each in zip(cases, words, strict=True)
    ]


def _quotes_well(structure: Structure, case: Case, name: str) -> bool:
    """Whether the quote of a part shares words with a sentence that says it."""
    at = 0
    places: set[int] = set()
    for segment in case.segments:
        count = len(segment.text.split())
        if name in segment.says | segment.open:
            places.update(range(at, at + count))
        at += count
    (part,) = (each for each in structure.parts if each.name == name)
    return part.evidence is not None and not places.isdisjoint(part.evidence.word_indices)


def shares(counts: Counter[tuple[str, ...]], kind: Kind, names: Sequence[str]) -> list[float]:
    """Recall in whole answers, good quotes among them, false finds, and both of sentences alone."""
    found = []
    for what, of, among in (
        ("whole", "found", "says"),
        ("whole", "quoted", "found"),
        ("without", "taken", "lacks"),
        ("alone", "found", "says"),
        ("alone", "taken", "lacks"),
    ):
        total = sum(counts[kind, name, what, among] for name in names)
        found.append(sum(counts[kind, name, what, of] for name in names) / max(1, total))
    return found


def main() -> int:
    """Judges, prints, and says whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("dev", "held", "all"), default="dev")
    parser.add_argument("--errors", action="store_true", help="print what is missed or taken")
    arguments = parser.parse_args()
    texts = list(cases(arguments.half))
    counts: Counter[tuple[str, ...]] = Counter()
    for case, structure in zip(texts, judged(texts), strict=True):
        for part in structure.parts:
            said = part.status == "said"
            key = (case.kind, part.name, case.what)
            if part.name in case.says:
                counts[*key, "says"] += 1
                counts[*key, "found"] += said
                counts[*key, "quoted"] += said and _quotes_well(structure, case, part.name)
            elif part.name in case.lacks:
                counts[*key, "lacks"] += 1
                counts[*key, "taken"] += said
            wrong = part.name in (case.lacks if said else case.says)
            if arguments.errors and case.what != "whole" and wrong:
                quote = part.evidence.text if part.evidence else case.text[:200]
                print(f"{'taken ' if said else 'missed'} {case.what:8}{part.name:20} {quote}")
    print(f"{'':32}{'whole':>10}{'well':>10}{'without':>10}{'alone':>10}{'alone':>10}")
    print(f"{'':32}{'recall':>10}{'quoted':>10}{'false':>10}{'recall':>10}{'false':>10}")
    met = True
    for kind in KINDS:
        names = [part.name for part in parts_of(kind)]
        for title, chosen in [*((name, [name]) for name in names), ("all", names)]:
            row = shares(counts, kind, chosen)
            print(f"{kind:9}{title:23}" + "".join(f"{value:10.2f}" for value in row))
            if title == "all" and kind in ("story", "design"):
                met &= row[0] >= MIN_RECALL and row[2] <= MAX_FALSE
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
