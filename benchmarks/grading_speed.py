"""How long grading takes: a 300-word answer against nine key phrases.

    python benchmarks/grading_speed.py [--rounds N] [--smoke]

Measures all of ``grade`` with the answer's vectors given, as they are stored with an attempt:
reading the text, phrases by words, sound and sense, structure, delivery, language, summary; and of
it reading and judging by words alone. Every round grades another answer, newly composed from the
bank's model answers, so that no cache of whole answers can help; its vectors are those of other
spans of speech, which take as long. Exit status 1 if the median of the whole is above the goal
(with ``--smoke``, above ten times the goal, because timings on a shared machine are unreliable).
"""

import argparse
import random
import statistics
import sys
import time
from datetime import UTC, datetime
from itertools import pairwise

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.contract import Submission, Transcript, Word
from server.grading import grade
from server.grading.answer import read_answer
from server.grading.coverage import cover_phrases
from server.grading.grader import term_index
from server.grading.phrases import compile_phrases
from server.grading.sense.clauses import spans_of
from server.grading.sense.vectors import AnswerSense, background

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
    took_ms: dict[str, list[float]] = {"all": [], "reading": [], "words": []}
    terms = term_index(lexicon)
    for at in range(options.rounds + len(questions)):
        words: list[str] = []
        while len(words) < WORDS:
            words += (rng.choice(sentences) + ".").split()
        words = words[:WORDS]
        timed = tuple(
            Word(text=text, start_s=n * WORD_S, end_s=(n + 1) * WORD_S)
            for n, text in enumerate(words)
        )
        submission = Submission(
            submission_id=f"{at:032x}",
            question_id=base.id,
            created_at=datetime.now(UTC),
            transcript=Transcript(text=" ".join(words), words=timed),
        )
        question = questions[at % len(questions)]
        spans = tuple(spans_of(words))
        sense = AnswerSense(spans, background()[rng.sample(range(len(background())), len(spans))])
        phrases = compile_phrases(question.key_phrases, terms)
        times = [time.process_time()]
        grade(question, submission, lexicon, bank.version, sense)
        times.append(time.process_time())
        answer = read_answer(words, terms, phrases)
        times.append(time.process_time())
        cover_phrases(answer, phrases.phrases, timed)
        times.append(time.process_time())
        if at >= len(questions):  # the first time each question is compiled
            for name, (start, end) in zip(took_ms, pairwise(times), strict=True):
                took_ms[name].append((end - start) * 1000.0)
    median = {name: statistics.median(each) for name, each in took_ms.items()}
    print(
        f"{WORDS} words against {PHRASES} key phrases, vectors given: a report takes a median of "
        f"{median['all']:.2f} ms, 95th percentile "
        f"{statistics.quantiles(took_ms['all'], n=20)[-1]:.2f} ms "
        f"({options.rounds} answers; goal {GOAL_MS:.0f} ms); of it reading {median['reading']:.2f} "
        f"ms, phrases by words and sound {median['words']:.2f} ms"
    )
    return 0 if median["all"] <= GOAL_MS * (SMOKE_FACTOR if options.smoke else 1.0) else 1


if __name__ == "__main__":
    sys.exit(main())
