"""Fits how much of what an answer touches it says rightly; prints how good it is on new authors.

`python scripts/train_soundness.py` reads the labeled answers, middling ones among them, and writes
server/grading/sense/data/soundness.json. Run it after `scripts/train_sense.py`.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from labeled import (
    ANSWERS,
    DATA,
    LABELS,
    LEARNED_FROM,
    TRAINING_BANKS,
    Case,
    read,
)
from train_sense import fit_logistic

from question_bank.loader import load_bank
from server.grading.sense.fusion import hold, soundness_row
from server.grading.sense.logistic import Floats, Logistic
from server.grading.sense.thresholds import SOUND, UNSOUND

BESIDES: Final = ("middling1", "middling2", "middling3", "middling4", "simple1", "simple2")
FILES: Final = (*LEARNED_FROM, *BESIDES)
PENALTY: Final = 60.0
TOUCHED_FROM: Final = 2.0
"""Logit of a span from which an answer touches a phrase, rightly or wrongly."""


@dataclass(frozen=True)
class Answer:
    """A labeled answer.

    Attributes:
        row: what the regression goes by.
        touched: labels of the phrases that it names or nearly says, 0 or 1.
        named: labels of those among them that it names.
        style: strong answers by their style, others by their quality.
        file: the file it is from, by authors of its own.
    """

    row: Floats
    touched: Floats
    named: Floats
    style: str
    file: str


def main() -> int:
    """Fits, writes and reports."""
    questions = {question.id: question for question in load_bank(TRAINING_BANKS).questions}
    answers = [
        answer for file in FILES for answer in looked_at(read(ANSWERS / f"{file}.jsonl", questions))
    ]
    logits = np.zeros(len(answers))
    for file in FILES:
        held_out = np.array([answer.file == file for answer in answers])
        model = fit([answer for answer in answers if answer.file != file])
        logits[held_out] = model.logits(np.stack([a.row for a in answers if a.file == file]))
    report(answers, logits)
    stored = json.dumps(fit(answers).to_json())
    (DATA / "soundness.json").write_text(stored + "\n", encoding="utf-8")
    return 0


def looked_at(cases: Sequence[Case]) -> Iterator[Answer]:
    """The answers with what they touch."""
    for case in cases:
        held = hold(case.question, case.sense, case.words, case.found)
        named = np.array([phrase.status == "covered" for phrase in case.found])
        touched = named | (held.scores.max(axis=1) >= TOUCHED_FROM)
        clear = case.labels != LABELS["half"]
        yield Answer(
            soundness_row(held),
            case.labels[touched & clear],
            case.labels[named & clear],
            case.style,
            case.file,
        )


def fit(answers: Sequence[Answer]) -> Logistic:
    """The share of what they touch that is right, each answer by how much it touches."""
    told = [answer for answer in answers if len(answer.touched)]
    return fit_logistic(
        np.stack([answer.row for answer in told]),
        np.array([answer.touched.mean() for answer in told]),
        np.array([float(len(answer.touched)) for answer in told]),
        penalty=PENALTY,
    )


def report(answers: Sequence[Answer], logits: Floats) -> None:
    """Prints how well it separates names used rightly from wrongly, and where answers lie."""
    print("each file of answers, by authors of its own, held out:")
    for name, files in (
        ("those that train the sense layer too", LEARNED_FROM),
        ("the others", BESIDES),
    ):
        chosen = [(a, at) for a, at in zip(answers, logits, strict=True) if a.file in files]
        right, wrong = (
            np.array([at for a, at in chosen for each in a.named if each == label])
            for label in (1.0, 0.0)
        )
        area = (right[:, None] > wrong).mean()
        print(f"  {name}: {len(right)} names used rightly, {len(wrong)} wrongly, area {area:.3f}")
    for style in sorted({answer.style for answer in answers}):
        own = logits[[answer.style == style for answer in answers]]
        below = f"{(own < UNSOUND).mean():.2f} below {UNSOUND}, {(own < SOUND).mean():.2f} {SOUND}"
        print(f"  {style:10} {len(own):4} answers, median {np.median(own):5.2f}, {below}")


if __name__ == "__main__":
    sys.exit(main())
