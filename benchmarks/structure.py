"""Content score against answers that coaches call strong or weak: pairs, means and parts.

    python benchmarks/structure.py ANSWERS.jsonl … [--parts]

Each line of a file: ``{"id": question id, "quality": "strong" | "weak", "text": …}``. Prints, for
each round and over all, the share of pairs of a strong and a weak answer to the same question in
which the strong one scores higher (ties count half), and the mean scores. ``--parts`` prints how
many strong and weak answers say each part of the rubrics. Exit status 1 where a goal is missed.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon
from question_bank.loader import load_bank
from question_bank.models import Question
from server.contract import Structure, Submission, Transcript
from server.grading import grade
from server.grading.grader import words_of
from server.grading.sense.vectors import sense_of
from server.grading.structure import judge_structure

MIN_PAIRS = 0.95
MIN_STRONG, MAX_WEAK = 0.7, 0.3


@dataclass(frozen=True)
class Graded:
    """One answer with what the grader found."""

    question: Question
    strong: bool
    structure: Structure
    score: float
    took_ms: float


def grade_all(paths: Sequence[Path], lexicon: Lexicon) -> list[Graded]:
    """Grades every answer in the files."""
    bank = load_bank()
    graded: list[Graded] = []
    for line in (line for path in paths for line in path.read_text("utf-8").splitlines()):
        answer = json.loads(line)
        question = bank.question(answer["id"])
        if question is None:
            raise SystemExit(f"the bank has no question {answer['id']!r}")
        submission = Submission(
            submission_id="0" * 32,
            question_id=question.id,
            created_at=datetime.now(UTC),
            transcript=Transcript(text=answer["text"]),
        )
        words = words_of(submission)
        sense = sense_of(words)
        report = grade(question, submission, lexicon, bank.version, sense)
        started = time.perf_counter()
        structure = judge_structure(question, words, (), sense)
        took_ms = (time.perf_counter() - started) * 1000
        graded.append(
            Graded(question, answer["quality"] == "strong", structure, report.overall, took_ms)
        )
    return graded


def pairs_won(graded: Iterable[Graded]) -> float:
    """The share of pairs on one question in which the strong answer scores higher."""
    scores: dict[tuple[str, bool], list[float]] = defaultdict(list)
    for each in graded:
        scores[each.question.id, each.strong].append(each.score)
    won = [
        (strong > weak) + 0.5 * (strong == weak)
        for (name, is_strong), own in scores.items()
        if is_strong
        for strong in own
        for weak in scores.get((name, False), ())
    ]
    return fmean(won) if won else 1.0


def report(title: str, graded: Sequence[Graded]) -> bool:
    """Prints one line; whether the goals are met."""
    strong = [each.score for each in graded if each.strong]
    weak = [each.score for each in graded if not each.strong]
    won = pairs_won(graded)
    print(
        f"{title:18} {len(graded):4} answers  pairs {won:.3f}  "
        f"strong {fmean(strong):.2f}  weak {fmean(weak):.2f}"
    )
    return won >= MIN_PAIRS and fmean(strong) >= MIN_STRONG and fmean(weak) <= MAX_WEAK


def report_parts(graded: Sequence[Graded]) -> None:
    """Prints for each part of each kind how many answers say it."""
    said: dict[tuple[str, str], dict[bool, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for each in graded:
        beats = {beat.name for beat in each.question.beats}
        for part in each.structure.parts:
            name = "beats of the question" if part.name in beats else part.name
            said[each.structure.kind, name][each.strong].append(part.status == "said")
    for (kind, name), by_quality in said.items():
        strong, weak = (fmean(by_quality[quality] or [False]) for quality in (True, False))
        print(f"{kind:8} {name:22} strong {strong:4.0%}  weak {weak:4.0%}")


def main() -> int:
    """Grades, prints, and says whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--parts", action="store_true", help="print the share of each part")
    arguments = parser.parse_args()
    graded = grade_all(arguments.files, load_lexicon())
    met = [report("all", graded)]
    for name in dict.fromkeys(each.question.round for each in graded):
        met.append(report(name, [each for each in graded if each.question.round == name]))
    if arguments.parts:
        report_parts(graded)
    times = sorted(each.took_ms for each in graded)
    print(f"structure alone, vectors given: median {times[len(times) // 2]:.1f} ms")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
