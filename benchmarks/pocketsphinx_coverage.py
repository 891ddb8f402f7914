"""Coverage that PocketSphinx finds in right answers, and invents in off-topic ones.

Flite's voices speak model answers. Each transcript is graded against its own question (a right
answer: how many of the phrases that the text covers are still found) and against a question of an
unrelated role and topic (off topic: every phrase found there was invented, unless the text itself
covers it). General talk that has nothing to do with the field is spoken too.

    python benchmarks/pocketsphinx_coverage.py [--questions N] [--voices slt,rms] [--smoke]

Exit status 1 if more than 2 % is invented. Needs ``flite`` (``apt install flite``).
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from client.answer.worker import transcribe
from client.audio.files import read_audio
from client.core.errors import NoSpeech
from client.engines.bank_vocabulary import bank_vocabulary
from client.engines.pocketsphinx_engine import TERM_WEIGHT, WORD_WEIGHT, PocketSphinx, build
from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon
from question_bank.loader import load_bank
from question_bank.models import Bank, Question
from server.contract import Word
from server.grading import cover

MAX_INVENTED = 0.02
FOREIGN_PER_ANSWER = 12
"""Off-topic questions that each answer is graded against: it was spoken once, grading is free."""

GENERAL_TALK = (
    "Last summer we drove along the coast with my sister and her two children. We stopped at a "
    "small village where the market sells bread, cheese and fresh fish every morning. The children "
    "wanted to swim, but the water was far too cold, so we built a castle in the sand instead.",
    "I learned to cook from my grandmother, who never wrote anything down. You take flour, eggs "
    "and a little salt, and you work the dough until it feels right. The sauce needs an hour on a "
    "low flame, and nobody is allowed to lift the lid before she says so.",
    "Our team lost the first match because the goalkeeper was ill and nobody else wanted to stand "
    "there. After the break we scored twice, but the referee did not count the second goal. The "
    "train home was late again and we shared the last sandwich between five people.",
    "In my last job I had to talk to a customer who was really upset about a late delivery. I "
    "listened first, then I explained what had gone wrong and offered to pay for the shipping. He "
    "calmed down in the end, and he is still one of the best customers the shop has.",
)


@dataclass
class Count:
    """Judgments of one kind."""

    found: int = 0
    possible: int = 0

    @property
    def share(self) -> float:
        """The share found, 0 to 1."""
        return self.found / self.possible if self.possible else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; exit status 1 if too much is invented."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=21, help="how many answers are spoken")
    parser.add_argument("--voices", default="slt,rms,awb", help="flite voices, by turns")
    parser.add_argument("--word-weight", type=float, default=WORD_WEIGHT)
    parser.add_argument("--term-weight", type=float, default=TERM_WEIGHT)
    parser.add_argument("--smoke", action="store_true", help="one answer, for CI")
    options = parser.parse_args(arguments)
    if shutil.which("flite") is None:
        print("skipped: flite is not installed (apt install flite)")
        return 0
    bank, lexicon = load_bank(), load_lexicon()
    engine = build(bank_vocabulary(bank, lexicon), options.word_weight, options.term_weight)
    answers = spread(bank.questions, 1 if options.smoke else options.questions)
    found, invented = measure(engine, bank, lexicon, answers, options.voices.split(","))
    print(f"answers spoken      {len(answers)}, by the voices {options.voices}")
    print(f"coverage found      {found.share:6.1%}  of {found.possible} phrases that were said")
    print(f"coverage invented   {invented.share:6.2%}  of {invented.possible} that were not")
    if invented.share > MAX_INVENTED:
        print(f"too much is invented: at most {MAX_INVENTED:.0%}", file=sys.stderr)
        return 1
    return 0


def measure(
    engine: PocketSphinx,
    bank: Bank,
    lexicon: Lexicon,
    answers: Sequence[Question],
    voices: Sequence[str],
) -> tuple[Count, Count]:
    """Speak, transcribe and grade; phrases found, and phrases invented."""
    found, invented = Count(), Count()
    for index, question in enumerate(answers):
        text = question.model_answer
        words = heard(engine, text, voices[index % len(voices)])
        count(question, text, words, lexicon, found, Count())
        for other in off_topic(question, bank):
            count(other, text, words, lexicon, Count(), invented)
    for index, text in enumerate(GENERAL_TALK):
        words = heard(engine, text, voices[index % len(voices)])
        for question in spread(bank.questions, 4 * FOREIGN_PER_ANSWER):
            count(question, text, words, lexicon, Count(), invented)
    return found, invented


def count(
    question: Question,
    said: str,
    words: Sequence[Word],
    lexicon: Lexicon,
    found: Count,
    invented: Count,
) -> None:
    """Compare what was heard with what was said, phrase by phrase."""
    truth = cover(question.key_phrases, said.split(), lexicon)
    got = cover(question.key_phrases, words, lexicon)
    for true, heard_phrase in zip(truth.phrases, got.phrases, strict=True):
        if true.status == "covered":
            found.possible += 1
            found.found += heard_phrase.status == "covered"
        elif true.status == "missing":
            invented.possible += 1
            invented.found += heard_phrase.status == "covered"
            if heard_phrase.status == "covered" and heard_phrase.evidence:
                print(f"  invented: {heard_phrase.phrase!r} from {heard_phrase.evidence.text!r}")


def heard(engine: PocketSphinx, text: str, voice: str) -> tuple[Word, ...]:
    """The words that the engine makes of a spoken text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spoken.wav"
        subprocess.run(
            ["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True, timeout=120
        )
        clip = read_audio(path)
    try:
        return transcribe(engine, clip).words
    except NoSpeech:
        return ()


def spread(questions: Sequence[Question], count: int) -> list[Question]:
    """That many questions, evenly from the whole bank."""
    step = max(1.0, len(questions) / count)
    return [questions[int(index * step)] for index in range(min(count, len(questions)))]


def off_topic(question: Question, bank: Bank) -> Iterator[Question]:
    """Questions of other roles and topics."""
    others = [
        other
        for other in bank.questions
        if other.role != question.role and other.topic != question.topic
    ]
    yield from spread(others, FOREIGN_PER_ANSWER)


if __name__ == "__main__":
    sys.exit(main())
