"""What would be asked after answers, against what a coach ticks: asked though said, gravest gap.

    python benchmarks/follow_ups.py [ANSWERS.jsonl …] [--every N] [--list N]

Files as for ``benchmarks/natural.py``; by default those whose names begin with "final", and of them
every eighth answer: each takes a third of a second to grade. Of the
first follow-ups about a key phrase: how many ask for one that the coach ticks as said (goal: 3 %
at most), and how many for one of the greatest weight among those that the coach does not tick.
``--list`` prints that many answers with what is asked, for a rater.
"""

import argparse
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.contract import Submission, Transcript
from server.contract.interviewer import next_follow_up
from server.grading import grade

ANSWERS = Path(__file__).parent / "answers"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--list", type=int, default=0)
    options = parser.parse_args()
    lexicon = load_lexicon()
    kinds: Counter[str] = Counter()
    said = gravest = asked = answers = 0
    left = options.list
    for file in options.files or sorted(ANSWERS.glob("final*.jsonl")):
        own = file.with_name(f"{file.stem}_bank.yaml")
        bank = load_bank([own] if own.exists() else [])
        for line in file.read_text(encoding="utf-8").splitlines()[:: options.every]:
            row = json.loads(line)
            question = bank.known_question(row["id"])
            submission = Submission(
                submission_id="0" * 32,
                question_id=question.id,
                created_at=datetime.now(UTC),
                transcript=Transcript(text=row["text"]),
            )
            report = grade(question, submission, lexicon, bank.version)
            first = next_follow_up(report, question.prompt)
            answers += 1
            kinds["nothing" if first is None else first.kind] += 1
            if left and first is not None:
                left -= 1
                print(f"\nQ: {question.prompt}\nA: {row['text']}\n→ {first.kind}: {first.ask}")
            if first is None or first.kind != "phrase":
                continue
            ticked = {name: verdict for name, verdict, *_ in row["labels"]}
            weights = {each.phrase: each.weight for each in question.key_phrases}
            asked += 1
            said += ticked.get(first.about) == "yes"
            open_ = [weights[each] for each in weights if ticked.get(each) != "yes"]
            gravest += ticked.get(first.about) != "yes" and weights[first.about] >= max(open_)
    print(f"\n{answers} answers; first follow-up about: {dict(kinds)}")
    print(f"about a phrase {asked}; said already {said} ({said / asked:.1%}); ", end="")
    print(f"of the greatest weight not said {gravest} ({gravest / asked:.1%})")


if __name__ == "__main__":
    main()
