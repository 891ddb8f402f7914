"""Grading: a whole report, with the answer's vectors and without."""

import time
from collections.abc import Callable
from statistics import median, quantiles
from typing import Any
from uuid import uuid4

from benchmarks.parts.tables import Table
from benchmarks.server_load import sent_answers
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.contract import Submission
from server.grading import answer_vectors, grade


def measure(*, quick: bool) -> list[Table]:
    """Processor time for each of some natural answers."""
    bank, lexicon = load_bank(), load_lexicon()
    rounds = 3 if quick else 20
    answers = [Submission.model_validate_json(each % uuid4().hex) for each in sent_answers()]
    whole: list[float] = []
    encoding: list[float] = []
    for round_ in range(rounds + 1):
        for each in answers:
            question = bank.question(each.question_id)
            assert question is not None
            vectors = answer_vectors(each)
            if round_:  # the first time each question is compiled
                whole.append(_ms(grade, question, each, lexicon, bank.version, vectors))
                encoding.append(_ms(grade, question, each, lexicon, bank.version))
    words = median(len(each.transcript.tokens) for each in answers)
    rows = [
        ["a report, vectors given", median(whole), quantiles(whole, n=20)[-1]],
        ["the same with its vectors computed", median(encoding), quantiles(encoding, n=20)[-1]],
    ]
    return [
        Table(
            "One answer",
            ("", "processor time, median, ms", "95 %, ms"),
            rows,
            (f"{len(answers)} answers of `benchmarks/answers`, {words:.0f} words in the median.",),
        )
    ]


def _ms(work: Callable[..., Any], *args: Any) -> float:
    began_s = time.process_time()
    work(*args)
    return 1000 * (time.process_time() - began_s)
