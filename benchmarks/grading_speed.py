"""How long grading takes: a 300-word answer against nine key phrases.

    python benchmarks/grading_speed.py [--rounds N] [--smoke]

Reading an answer (its words, clauses and sounds) is done once; the goal is about judging phrases,
and both are printed. Every round grades another answer, newly composed from the bank's model
answers, so that no cache of whole answers can help. Exit status 1 if the median is above the goal
(with ``--smoke``, above ten times the goal, because timings on a shared machine are unreliable).
"""

import argparse
import random
import statistics
import sys
import time
from datetime import UTC, datetime

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.contract import Submission, Transcript, Word
from server.grading import grade
from server.grading.answer import read_answer
from server.grading.coverage import cover_phrases
from server.grading.grader import term_index
from server.grading.phrases import compile_phrase

GOAL_MS = 5.0
SMOKE_FACTOR = 10.0
WORDS, PHRASES = 300, 9
WORD_S = 0.4


def main() -> int:
    """Print median and 95th percentile in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    bank, lexicon = load_bank(), load_lexicon()
    rng = random.Random(1)
    phrases = [phrase for question in bank.questions for phrase in question.key_phrases]
    base = bank.questions[0]
    questions = [
        base.model_copy(update={"key_phrases": tuple(rng.sample(phrases, PHRASES))})
        for _ in range(10)
    ]
    sentences = [s for q in bank.questions for s in q.model_answer.split(". ")]
    took_ms: list[float] = []
    judging_ms: list[float] = []
    terms = term_index(lexicon)
    for at in range(options.rounds + len(questions)):
        words: list[str] = []
        while len(words) < WORDS:
            words += (rng.choice(sentences) + ".").split()
        timed = tuple(
            Word(text=text, start_s=n * WORD_S, end_s=(n + 1) * WORD_S)
            for n, text in enumerate(words[:WORDS])
        )
        submission = Submission(
            submission_id=f"{at:032x}",
            question_id=base.id,
            created_at=datetime.now(UTC),
            transcript=Transcript(text=" ".join(words[:WORDS]), words=timed),
        )
        started = time.process_time()
        grade(questions[at % len(questions)], submission, lexicon, bank.version)
        if at >= len(questions):  # the first time each question is compiled
            took_ms.append((time.process_time() - started) * 1000.0)
            answer = read_answer(words[:WORDS], terms)
            key_phrases = questions[at % len(questions)].key_phrases
            compiled = [compile_phrase(phrase, terms) for phrase in key_phrases]
            started = time.process_time()
            cover_phrases(answer, compiled, timed)
            judging_ms.append((time.process_time() - started) * 1000.0)
    median = statistics.median(judging_ms)
    print(
        f"{WORDS} words against {PHRASES} key phrases: judging takes a median of {median:.2f} ms, "
        f"95th percentile {statistics.quantiles(judging_ms, n=20)[-1]:.2f} ms "
        f"({len(judging_ms)} answers; goal {GOAL_MS:.0f} ms); "
        f"the whole report {statistics.median(took_ms):.2f} ms"
    )
    return 0 if median <= GOAL_MS * (SMOKE_FACTOR if options.smoke else 1.0) else 1


if __name__ == "__main__":
    sys.exit(main())
