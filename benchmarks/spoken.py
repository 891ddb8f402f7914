"""What accents and real Whisper weights do to answers: word errors, key phrases, terms heard.

A neural voice speaks answers, each with the sound rules of several accents; the whole client works
on them (voice activity, transcription, hearing, grading), and the report is held against two
truths: what grading finds in the written text (what the transcriber costs, also without the
phrases heard in the sound), and for paraphrased answers what a coach found in them.

    python benchmarks/spoken.py [--answers 2] [--accents American,German] [--models tiny.en,base]
        [--paraphrased] [--verbose]

``base`` needs ``uv sync --group benchmarks``. Word errors count numbers that are written as digits.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rapidfuzz.distance import Levenshtein

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as ``client.cli`` does

from benchmarks.accents import Accent, choose
from benchmarks.neural_voice import NeuralVoice
from client.answer.hearing import load_hearing
from client.answer.session import Session, new_submission
from client.backend.opening import open_backend
from client.backend.protocol import Backend
from client.core.errors import NoSpeech
from client.core.settings import ClientSettings
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, load_engine
from pronunciation.clip import Clip, LogProbs, Passage
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.contract import Report, Submission, Transcript, Word

PARAPHRASED = Path(__file__).with_name("spoken_answers.jsonl")
"""Answers in people's own words, with the key phrases that a coach found in them."""

GOALS = "goals: key phrases F1 0.95 over all and 0.90 each, precision 0.97; terms listened to 0.95"


@dataclass(frozen=True)
class Answer:
    """A written answer.

    Attributes:
        question: the question's id.
        text: the answer.
        said: the key phrases that it says, by a coach; ``None`` where nobody listened.
        half: those that it half says, which count for nothing.
    """

    question: str
    text: str
    said: frozenset[str] | None = None
    half: frozenset[str] = frozenset()


@dataclass
class Phrases:
    """Key phrases found, counted against a truth."""

    found: int = 0
    missed: int = 0
    invented: int = 0

    def count(self, found: set[str], said: Iterable[str], ignored: Iterable[str] = ()) -> None:
        """Add one answer."""
        said, ignored = set(said), set(ignored)
        self.found += len(found & said)
        self.missed += len(said - found)
        self.invented += len(found - said - ignored)

    def __str__(self) -> str:
        precision = self.found / max(1, self.found + self.invented)
        recall = self.found / max(1, self.found + self.missed)
        f1 = 2 * self.found / max(1, 2 * self.found + self.invented + self.missed)
        return f"{precision:5.2f} {recall:5.2f} {f1:5.2f}"


@dataclass
class Tally:
    """What was measured for one accent."""

    words: int = 0
    word_errors: int = 0
    against_text: Phrases = field(default_factory=Phrases)
    without_sound: Phrases = field(default_factory=Phrases)
    against_coach: Phrases = field(default_factory=Phrases)
    terms: int = 0
    terms_heard: int = 0
    not_said: int = 0
    mispronounced: int = 0
    engine_s: float = 0.0
    all_s: float = 0.0

    def count_terms(
        self, named: Counter[str], listened: Counter[str], accused: Counter[str]
    ) -> None:
        """Add one answer's terms: named in the text, listened to, and called mispronounced.

        What the text does not name ("NCCL_ALGO") the voice spells: that is mispronounced indeed.
        """
        self.terms += named.total()
        self.terms_heard += (named & listened).total()
        self.not_said += (listened - named).total()
        self.mispronounced += (accused - (listened - named)).total()

    def row(self, name: str) -> str:
        """One line of the table."""
        coach = self.against_coach
        judged = coach.found + coach.missed + coach.invented
        return (
            f"{name:12} {self.word_errors / max(1, self.words):6.1%}   {self.against_text}   "
            f"{self.without_sound}   {str(coach) if judged else '    -     -     -'}   "
            f"{self.terms_heard / max(1, self.terms):5.2f} of {self.terms:3} {self.not_said:4} "
            f"{self.mispronounced / max(1, self.terms_heard):7.1%} "
            f"{1 - self.engine_s / max(1e-9, self.all_s):8.1%}"
        )

    def add(self, other: "Tally") -> None:
        """Add another accent's figures."""
        for name in ("words", "word_errors", "terms", "terms_heard", "not_said", "mispronounced"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("engine_s", "all_s"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for mine, theirs in (
            (self.against_text, other.against_text),
            (self.without_sound, other.without_sound),
            (self.against_coach, other.against_coach),
        ):
            mine.found += theirs.found
            mine.missed += theirs.missed
            mine.invented += theirs.invented


class Timed(Transcriber):
    """An engine that counts the time it takes."""

    def __init__(self, engine: Transcriber) -> None:
        self._engine = engine
        self.name, self.model = engine.name, engine.model
        self.max_segment_s = engine.max_segment_s
        self.took_s = 0.0

    def recognize(self, clip: Clip) -> Sequence[Word]:
        """See ``Transcriber``."""
        began_s = time.monotonic()
        try:
            return self._engine.recognize(clip)
        finally:
            self.took_s += time.monotonic() - began_s

    def decode(self, passages: Sequence[Passage]) -> Sequence[Sequence[LogProbs]] | None:
        """See ``Transcriber``."""
        began_s = time.monotonic()
        try:
            return self._engine.decode(passages)
        finally:
            self.took_s += time.monotonic() - began_s


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--answers", type=int, default=2, help="how many for each accent")
    parser.add_argument("--accents", default="", help="names with commas; all of them by default")
    parser.add_argument("--models", default="tiny.en", help="weights, names with commas")
    parser.add_argument("--paraphrased", action="store_true", help="only paraphrased answers")
    parser.add_argument("--verbose", action="store_true", help="print every transcript")
    options = parser.parse_args(arguments)
    accents = choose([name for name in options.accents.split(",") if name])
    answers = written_answers(options.answers, only_paraphrased=options.paraphrased)
    with tempfile.TemporaryDirectory(prefix="aloud-benchmark-") as home:
        bench = Bench(ClientSettings(home=Path(home)), verbose=options.verbose)
        for model in options.models.split(","):
            bench.table(model, accents, answers)
    print(f"\n{GOALS}")
    return 0


def written_answers(count: int, *, only_paraphrased: bool) -> list[Answer]:
    """Paraphrased answers and the bank's own by turns, the same for every accent and model."""
    paraphrased = [
        Answer(line["question"], line["text"], frozenset(line["said"]), frozenset(line["half"]))
        for line in map(json.loads, PARAPHRASED.read_text(encoding="utf-8").splitlines())
    ]
    if only_paraphrased:
        return paraphrased[:count]
    questions = load_bank().questions
    step = max(1, len(questions) // max(1, count))
    own = [Answer(each.id, each.model_answer) for each in questions[::step]]
    by_turns = [answer for pair in zip(paraphrased, own, strict=False) for answer in pair]
    return [*by_turns, *own[len(paraphrased) :]][:count]


class Bench:
    """Speaks, listens and grades; keep one for many."""

    def __init__(self, settings: ClientSettings, *, verbose: bool) -> None:
        self._settings = settings
        self._verbose = verbose
        self._voice = NeuralVoice(load_lexicon())
        self._hear = load_hearing(settings)

    def table(self, model: str, accents: Sequence[Accent], answers: Sequence[Answer]) -> None:
        """Measure and print one table."""
        engine = Timed(load_engine("faster-whisper", EngineOptions(model, offline=True)))
        total = Tally()
        print(f"\nWhisper {model}, {len(answers)} answers in each accent")
        print(
            "              word    phrases: text       without the sound   phrases: coach      "
            "terms                     outside\n"
            "accent       errors   prec.  rec.    F1   prec.  rec.    F1   prec.  rec.    F1   "
            "heard        other wrong   engine"
        )
        with open_backend(self._settings) as backend:
            session = Session(backend, lambda: engine, self._hear)
            for accent in accents:
                tally = Tally()
                for number, answer in enumerate(answers):
                    written = backend.grade(
                        new_submission(answer.question, Transcript(text=answer.text))
                    )
                    clip = self._voice.say(answer.text, accent, seed=number)
                    self._measure(session, backend, engine, answer, written, clip, tally)
                print(tally.row(accent.name), flush=True)
                total.add(tally)
        print(total.row("all"))

    def _measure(
        self,
        session: Session,
        backend: Backend,
        engine: Timed,
        answer: Answer,
        written: Report,
        clip: Clip,
        tally: Tally,
    ) -> None:
        engine.took_s, began_s = 0.0, time.monotonic()
        try:
            outcome = session.submit(session.prepare(clip, answer.question), save=False)
        except NoSpeech as error:
            raise SystemExit(f"{answer.question}: {error}") from error
        tally.all_s += time.monotonic() - began_s
        tally.engine_s += engine.took_s
        report = outcome.report
        assert report is not None
        said, heard = plain_words(answer.text), plain_words(report.transcript.text)
        tally.words += len(said)
        tally.word_errors += Levenshtein.distance(said, heard)
        tally.against_text.count(covered(report), covered(written))
        by_text = backend.grade(without_sound(outcome.submission))
        tally.without_sound.count(covered(by_text), covered(written))
        if answer.said is not None:
            tally.against_coach.count(covered(report), answer.said, answer.half)
        named = Counter(self._voice.terms(answer.text))
        evidence = outcome.submission.evidence.heard
        listened = Counter(self._voice.by_its_sound(each.term) for each in evidence)
        accused = Counter(
            self._voice.by_its_sound(each.term)
            for each in evidence
            if each.verdict == "mispronounced"
        )
        tally.count_terms(named, listened, accused)
        if self._verbose:
            print(f"\n{answer.question}: {report.transcript.text}")
            print(
                f"  phrases by the sound: {', '.join(sorted(covered(report) - covered(by_text)))}"
            )
            print(f"  lost phrases: {', '.join(sorted(covered(written) - covered(report)))}")
            print(f"  lost terms: {', '.join(sorted((named - listened).elements()))}")
            print(f"  mispronounced: {', '.join(sorted(accused.elements()))}\n")


def without_sound(submission: Submission) -> Submission:
    """The answer as if no phrase had been heard in its sound."""
    evidence = submission.evidence.model_copy(update={"heard_phrases": ()})
    return submission.model_copy(update={"evidence": evidence})


def covered(report: Report) -> set[str]:
    """The key phrases that a report calls covered."""
    return {each.phrase for each in report.coverage.phrases if each.status == "covered"}


def plain_words(text: str) -> list[str]:
    """The words of a text in small letters, without punctuation, hyphens taken apart."""
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.casefold().replace("’", "'"))


if __name__ == "__main__":
    sys.exit(main())
