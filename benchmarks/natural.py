"""Answers by people who knew neither phrases nor grader, against what a coach says of them.

    python benchmarks/natural.py [ANSWERS.jsonl …] [--bank BANK.yaml] [--parts] [--errors]

Each line of a file: ``{"id": question id, "quality": "strong" | "middling" | "weak", "style",
"text", "labels": [[phrase, "yes" | "half" | "no", quote, named], …]}``, and in accented.jsonl,
which Whisper wrote, its confidence in each word ("confidences"). Without files, it takes
benchmarks/answers/final9.jsonl, which nobody read while the grader was made and which was graded
least often. The other files there whose names begin with "final" are such sets too, and web.jsonl,
sec.jsonl and data.jsonl; the rest is development data. Where there is a bank of a file's name
beside it (shop_bank.yaml), its answers are to the questions of that bank, which ``--bank`` adds.
Prints

- for each round and over all the share of pairs of a strong and a weak answer to the same question
  in which the strong one scores higher (ties count half), and the mean scores;
- of the phrases that a coach ticks how many are covered, and how many covered or asked about, by
  style; how many of those not said are covered or asked about; the precision of "covered", with
  phrases half said left out.

``--parts`` prints how many strong and weak answers say each part of the rubrics, ``--errors`` the
phrases wrongly covered. Exit status 1 where a goal is missed.
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
from typing import Any

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon
from question_bank.loader import load_bank
from question_bank.models import Question
from server.contract import Report, Structure, Submission, Transcript, Word
from server.grading import grade

FINAL = Path(__file__).parent / "answers" / "final9.jsonl"
MIN_PAIRS = 0.95
MIN_STRONG, MAX_WEAK = 0.7, 0.3
MIN_RECALL, MIN_PRECISION = 0.70, 0.97
MIN_ASKED, MIN_ASKED_OWN_WORDS, MAX_WRONGLY_ASKED = 0.85, 0.70, 0.25


@dataclass(frozen=True)
class Graded:
    """One answer with what the grader found and what the coach says."""

    question: Question
    quality: str
    style: str
    report: Report
    labels: tuple[tuple[str, str], ...]
    took_ms: float

    @property
    def score(self) -> float:
        """The content score."""
        return self.report.score or 0.0

    @property
    def structure(self) -> Structure:
        """How the answer is built."""
        assert self.report.structure is not None
        return self.report.structure


def grade_all(paths: Sequence[Path], lexicon: Lexicon, banks: Sequence[Path] = ()) -> list[Graded]:
    """Grades every answer in the files, to questions of the built-in bank or of ``banks``."""
    bank = load_bank(banks)
    graded: list[Graded] = []
    for line in (line for path in paths for line in path.read_text("utf-8").splitlines()):
        answer = json.loads(line)
        question = bank.question(answer["id"])
        if question is None:
            raise SystemExit(f"the bank has no question {answer['id']!r}")
        submission = Submission(
            submission_id=f"{len(graded):032x}",
            question_id=question.id,
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            transcript=_transcript(answer),
        )
        started = time.perf_counter()
        report = grade(question, submission, lexicon, bank.version)
        took_ms = (time.perf_counter() - started) * 1000
        labels = {phrase: label for phrase, label, *_ in answer.get("labels", ())}
        given = tuple((key.phrase, labels.get(key.phrase, "")) for key in question.key_phrases)
        quality = answer["quality"]
        style = answer["style"] if quality == "strong" else quality
        graded.append(Graded(question, quality, style, report, given, took_ms))
    return graded


def _transcript(answer: dict[str, Any]) -> Transcript:
    words = tuple(
        Word(text=text, confidence=confidence)
        for text, confidence in zip(
            answer["text"].split(), answer.get("confidences", ()), strict=False
        )
    )
    return Transcript(text=answer["text"], words=words)


def pairs_won(graded: Iterable[Graded]) -> float:
    """The share of pairs on one question in which the strong answer scores higher."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for each in graded:
        scores[each.question.id, each.quality].append(each.score)
    won = [
        (strong > weak) + 0.5 * (strong == weak)
        for (name, quality), own in scores.items()
        if quality == "strong"
        for strong in own
        for weak in scores.get((name, "weak"), ())
    ]
    return fmean(won) if won else 1.0


def report(title: str, graded: Sequence[Graded]) -> bool:
    """Prints one line; whether the goals are met."""
    strong, weak = (
        [each.score for each in graded if each.quality == wanted] for wanted in ("strong", "weak")
    )
    won = pairs_won(graded)
    print(
        f"{title:18} {len(graded):4} answers  pairs {won:.3f}  "
        f"strong {fmean(strong):.2f}  weak {fmean(weak):.2f}"
    )
    return won >= MIN_PAIRS and fmean(strong) >= MIN_STRONG and fmean(weak) <= MAX_WEAK


def report_parts(graded: Sequence[Graded]) -> None:
    """Prints for each part of each kind how many answers say it."""
    said: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for each in graded:
        beats = {beat.name for beat in each.question.beats}
        for part in each.structure.parts:
            name = "beats of the question" if part.name in beats else part.name
            said[each.structure.kind, name][each.quality].append(part.status == "said")
    for (kind, name), by_quality in said.items():
        strong, weak = (fmean(by_quality[quality] or [False]) for quality in ("strong", "weak"))
        print(f"{kind:8} {name:22} strong {strong:4.0%}  weak {weak:4.0%}")


def report_phrases(graded: Sequence[Graded], *, errors: bool) -> bool:
    """Prints what is found of what was said; whether the goals are met."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in graded:
        for phrase, (name, label) in zip(each.report.coverage.phrases, each.labels, strict=True):
            status = "missing" if phrase.negated else phrase.status
            found[label, each.style].append(status)
            if errors and status == "covered" and label == "no":
                said = phrase.evidence.text if phrase.evidence else ""
                print(f"  wrongly covered: {each.question.id}: {name!r} ({phrase.how}) {said!r}")

    def shares(label: str, styles: Iterable[str]) -> tuple[int, float, float]:
        statuses = [status for style in styles for status in found.get((label, style), ())]
        covered = fmean([status == "covered" for status in statuses] or [False])
        asked = fmean([status in ("covered", "possible") for status in statuses] or [False])
        return len(statuses), covered, asked

    every = sorted({style for _, style in found})
    for name, label, styles in (
        ("said", "yes", every),
        *((f"said, {style}", "yes", [style]) for style in every),
        ("half said", "half", every),
        ("not said", "no", every),
    ):
        count, covered, asked = shares(label, styles)
        print(f"{name:18} {count:5} phrases  covered {covered:.3f}  or asked about {asked:.3f}")
    said, covered, asked = shares("yes", every)
    not_said, wrongly_covered, wrongly_asked = shares("no", every)
    right, wrong = said * covered, not_said * wrongly_covered
    precision = right / (right + wrong) if right + wrong else 1.0
    print(f"precision of covered {precision:.3f}")
    own_words = shares("yes", ["own-words"])[2]
    return (
        covered >= MIN_RECALL
        and precision >= MIN_PRECISION
        and asked >= MIN_ASKED
        and own_words >= MIN_ASKED_OWN_WORDS
        and wrongly_asked <= MAX_WRONGLY_ASKED
    )


def main() -> int:
    """Grades, prints, and says whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, default=[FINAL])
    parser.add_argument("--bank", type=Path, action="append", default=[], help="a bank on top")
    parser.add_argument("--parts", action="store_true", help="print the share of each part")
    parser.add_argument("--errors", action="store_true", help="print what is wrongly covered")
    arguments = parser.parse_args()
    graded = grade_all(arguments.files, load_lexicon(), arguments.bank)
    met = [report("all", graded)]
    for name in dict.fromkeys(each.question.round for each in graded):
        met.append(report(name, [each for each in graded if each.question.round == name]))
    met.append(report_phrases(graded, errors=arguments.errors))
    if arguments.parts:
        report_parts(graded)
    times = sorted(each.took_ms for each in graded)
    print(f"grading, vectors given: median {times[len(times) // 2]:.1f} ms")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
