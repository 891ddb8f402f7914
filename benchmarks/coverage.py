"""Coverage grading against the labeled judgments: what is covered, and what is asked about.

    python benchmarks/coverage.py [FILE.yaml …] [--errors]
    python benchmarks/coverage.py --cross [--errors]
    python benchmarks/coverage.py --hard [--errors]

The labels are ``covered``, ``partial`` and ``missing``; without a question the grader covers less
and asks about more. Exit status 1 if a goal is missed.

``--cross`` looks for words taken for another term: it grades every model answer of the bank against
the phrases of other roles' questions, and prints how often one was found otherwise than by its own
words (an answer of the field does say some of another question's phrases, but should hardly ever
sound like one). Exit status 1 above the goal.

``--hard`` judges the sentences that only look like a phrase (``traps.yaml``, and against whole
questions ``TRAPS_OF_QUESTIONS``) and those in which a transcriber misspelled it
(``mistranscribed.yaml``).
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon
from question_bank.loader import load_bank
from question_bank.models import Bank, KeyPhrase
from server.grading import cover, cover_question

ROOT = Path(__file__).resolve().parent.parent
JUDGMENTS = ROOT / "tests" / "server" / "grading" / "judgments"
SETS = ("dev", "fresh", "heldout", "probe")
MIN_NOTICED, MIN_PRECISION = 0.95, 0.97
MAX_CROSS_LOOSE = 0.01
"""Share of the phrases of other roles that may be found by sound, spelling, order or initials."""
LEARNED_FROM, NEVER_READ = "learned from", "never read"
TRAPS_OF_QUESTIONS = {
    "traps_of_questions": LEARNED_FROM,
    "traps_held": "nothing learned from it",
    "traps_unread": NEVER_READ,
    "traps_unread_2": NEVER_READ,
    "traps_unread_3": NEVER_READ,
    "traps_unread_4": NEVER_READ,
}
"""Files of traps against whole questions; the errors of those that nobody reads are not shown."""
LOOSE = ("fuzzy", "acronym", "sound")
MAX_TRAPS_TAKEN = 1 / 9
"""Share of the sentences that only look like a phrase which may be taken for it."""
MIN_MISTRANSCRIBED_FOUND = 0.8
"""Share of the phrases that must be found as a transcriber misspells them."""


@dataclass
class Tally:
    """Counts of judgments: expected label, given label."""

    pairs: dict[tuple[str, str], int] = field(default_factory=dict)
    negation_right: int = 0
    negation_wrong: int = 0
    errors: list[str] = field(default_factory=list)

    def add(self, expected: str, given: str) -> None:
        """Count one judgment."""
        self.pairs[expected, given] = self.pairs.get((expected, given), 0) + 1

    @property
    def judgments(self) -> int:
        """How many were counted."""
        return sum(self.pairs.values())

    @property
    def precision(self) -> float:
        """Share of the phrases called covered that are."""
        given = sum(count for (_, g), count in self.pairs.items() if g == "covered")
        return self.pairs.get(("covered", "covered"), 0) / given if given else 1.0

    @property
    def recall(self) -> float:
        """Share of the covered phrases that were found."""
        wanted = sum(count for (e, _), count in self.pairs.items() if e == "covered")
        return self.pairs.get(("covered", "covered"), 0) / wanted if wanted else 1.0

    @property
    def noticed(self) -> float:
        """Share of the covered phrases that were found or asked about."""
        wanted = sum(count for (e, _), count in self.pairs.items() if e == "covered")
        asked = self.pairs.get(("covered", "possible"), 0)
        return self.recall + asked / wanted if wanted else 1.0


def tally(entries: Iterable[dict[str, Any]], lexicon: Lexicon, into: Tally | None = None) -> Tally:
    """Grade labeled entries and count."""
    counted = into if into is not None else Tally()
    for entry in entries:
        phrases = [
            KeyPhrase(phrase=p["phrase"], aliases=tuple(p.get("aliases", ())))
            for p in entry["phrases"]
        ]
        coverage = cover(phrases, entry["transcript"].split(), lexicon)
        for found in coverage.phrases:
            expected = entry["expect"][found.phrase]
            counted.add(expected, found.status)
            if expected != found.status:
                said = found.evidence.text if found.evidence else ""
                counted.errors.append(
                    f"{entry['id']}: {found.phrase!r} is {expected}, graded {found.status}"
                    f" ({found.how}) {said!r}"
                )
            if expected == found.status == "covered":
                negated = found.phrase in entry.get("negated", ())
                counted.negation_right += negated == found.negated
                counted.negation_wrong += negated != found.negated
                if negated != found.negated:
                    counted.errors.append(
                        f"{entry['id']}: {found.phrase!r} negated={found.negated}, not {negated}"
                    )
    return counted


def cross(bank: Bank, lexicon: Lexicon) -> tuple[int, Counter[str], list[str]]:
    """Grade every model answer against the phrases of other roles' questions.

    Returns:
        Number of judgments, how often each ``how`` covered, and a line for each loose hit.
    """
    judged, found, lines = 0, Counter[str](), []
    for question in bank.questions:
        phrases = {
            phrase.phrase: phrase
            for other in bank.questions
            if other.role != question.role
            for phrase in other.key_phrases
        }
        for own in question.key_phrases:
            phrases.pop(own.phrase, None)
        coverage = cover(list(phrases.values()), question.model_answer.split(), lexicon)
        judged += len(coverage.phrases)
        for phrase in coverage.phrases:
            if phrase.status == "covered" and phrase.how is not None:
                found[phrase.how] += 1
                if phrase.how in LOOSE and phrase.evidence is not None:
                    lines.append(f"{phrase.phrase!r} ({phrase.how}) {phrase.evidence.text!r}")
    return judged, found, lines


def traps(bank: Bank, lexicon: Lexicon) -> tuple[list[str], list[str], int]:
    """Judge the sentences of ``traps.yaml``, each against its phrase of the bank.

    Returns:
        A line for each trap that was taken, one for each statement that was not, and the number
        of traps.
    """
    named: dict[str, KeyPhrase] = {}
    for phrase in (phrase for question in bank.questions for phrase in question.key_phrases):
        named.setdefault(phrase.phrase, phrase)
    taken, missed, count = [], [], 0
    for entry in yaml.safe_load((JUDGMENTS / "traps.yaml").read_text("utf-8")):
        name, said = entry["phrase"], entry["said"]
        phrase = named.get(name, KeyPhrase(phrase=name))
        (found,) = cover([phrase], said.split(), lexicon).phrases
        credited = found.status == "covered" and not found.negated
        count += "says" not in entry
        if entry.get("says", False) != credited:
            (taken if credited else missed).append(f"{name!r} ({found.how}): {said}")
    return taken, missed, count


def traps_of_questions(name: str, bank: Bank, lexicon: Lexicon) -> tuple[list[str], list[str], int]:
    """Judge the sentences of a file of judgments as answers to their questions.

    Returns:
        As ``traps``.
    """
    entries = yaml.safe_load((JUDGMENTS / name).read_text("utf-8"))
    taken, missed, count = [], [], 0
    for entry in entries:
        question = bank.question(entry["id"])
        assert question is not None
        words = entry["text"].split()
        found = {
            phrase.phrase: phrase for phrase in cover_question(question, words, lexicon).phrases
        }[entry["phrase"]]
        credited = found.status == "covered" and not found.negated
        count += not entry["said"]
        if entry["said"] != credited:
            line = f"{entry['kind']}: {entry['phrase']!r} ({found.how}): {entry['text']}"
            (taken if credited else missed).append(line)
    return taken, missed, count


def mistranscribed(lexicon: Lexicon) -> tuple[list[str], int]:
    """The sentences of ``mistranscribed.yaml`` in which the phrase was not found; how many all."""
    entries = yaml.safe_load((JUDGMENTS / "mistranscribed.yaml").read_text("utf-8"))
    missed = [
        f"{entry['phrase']!r}: {entry['said']}"
        for entry in entries
        if cover([KeyPhrase(phrase=entry["phrase"])], entry["said"].split(), lexicon)
        .phrases[0]
        .status
        != "covered"
    ]
    return missed, len(entries)


def main_hard(*, errors: bool) -> int:
    """Print how the traps and the misspelled phrases fare; 1 where a goal is missed."""
    lexicon = load_lexicon()
    bank = load_bank()
    taken, missed, count = traps(bank, lexicon)
    print(f"traps: {len(taken)} of {count} taken, {len(missed)} statements not covered")
    learnt: list[str] = []
    for name, known in TRAPS_OF_QUESTIONS.items():
        looked_like, not_covered, number = traps_of_questions(f"{name}.yaml", bank, lexicon)
        print(
            f"{name} ({known}): {len(looked_like)} of {number} taken, "
            f"{len(not_covered)} statements not covered"
        )
        if known == LEARNED_FROM:
            learnt += [*looked_like, *not_covered]
    unheard, spoken = mistranscribed(lexicon)
    print(f"mistranscribed: {spoken - len(unheard)} of {spoken} found")
    if errors:
        print("\n".join(f"  {line}" for line in (*taken, *missed, *learnt, *unheard)))
    held = len(taken) <= MAX_TRAPS_TAKEN * count and not missed
    return 0 if held and len(unheard) <= (1 - MIN_MISTRANSCRIBED_FOUND) * spoken else 1


def main_cross(*, errors: bool) -> int:
    """Print the rate of loose hits; 1 if it is above the goal."""
    started = time.process_time()
    judged, found, lines = cross(load_bank(), load_lexicon())
    loose = sum(found[how] for how in LOOSE)
    print(
        f"cross: {judged} phrases of other roles, found "
        + ", ".join(f"{how} {count}" for how, count in sorted(found.items()))
        + f"; loosely {loose / judged:.2%} (goal {MAX_CROSS_LOOSE:.0%}), "
        f"{time.process_time() - started:.1f} s of CPU"
    )
    if errors:
        counted = Counter(lines)
        print("\n".join(f"  {count}x {line}" for line, count in sorted(counted.items())))
    return 0 if loose <= MAX_CROSS_LOOSE * judged else 1


def report(name: str, counted: Tally) -> str:
    """One line on one tally."""
    return (
        f"{name}: {counted.judgments} judgments, precision {counted.precision:.3f}, "
        f"covered {counted.recall:.3f}, covered or asked {counted.noticed:.3f}, negation wrong "
        f"{counted.negation_wrong} of {counted.negation_right + counted.negation_wrong}"
    )


def main() -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--errors", action="store_true", help="list every wrong judgment")
    parser.add_argument("--cross", action="store_true", help="the bank's answers, crossed")
    parser.add_argument("--hard", action="store_true", help="traps and mistranscribed phrases")
    options = parser.parse_args()
    if options.cross:
        return main_cross(errors=options.errors)
    if options.hard:
        return main_hard(errors=options.errors)
    files = options.files or [JUDGMENTS / f"{name}.yaml" for name in SETS]
    lexicon = load_lexicon()
    overall = Tally()
    for path in files:
        entries = yaml.safe_load(path.read_text("utf-8"))
        counted = tally(entries, lexicon)
        tally(entries, lexicon, overall)
        print(report(path.stem, counted))
        if options.errors:
            print("\n".join(f"  {error}" for error in counted.errors))
    print(report("overall", overall))
    return 0 if overall.noticed >= MIN_NOTICED and overall.precision >= MIN_PRECISION else 1


if __name__ == "__main__":
    sys.exit(main())
