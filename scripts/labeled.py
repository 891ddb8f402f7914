"""The labeled answers that scripts learn from: whole, in excerpts, garbled, and on other things."""

import json
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np
from garbled import garble

from pronunciation.lexicon_loader import load_lexicon
from question_bank.models import Question
from server.contract import PhraseCoverage
from server.grading import cover
from server.grading.sense.clauses import Span
from server.grading.sense.logistic import Floats
from server.grading.sense.vectors import AnswerSense, sense_of

ROOT = Path(__file__).resolve().parent.parent
ANSWERS = ROOT / "benchmarks" / "answers"
DATA = ROOT / "server" / "grading" / "sense" / "data"

FIELDS: Final = ("robo", "mobile", "ops", "pay", "firm", "qual", "syst", "supp")
"""Other fields: each has a bank of its own, and answers to its questions."""
TRAINING_BANKS: Final = tuple(ANSWERS / f"{field}_bank.yaml" for field in FIELDS)
MIXED: Final = ("mix1", "mix2", "mix3", "mix4", "mix5", "mix6", "mix7", "mix8")
"""Answers that are right in some points and wrong in others, and wrong ones full of names."""
OWN_BANK: Final = ("dev1", "dev2", "dev3", "dev4", "seen", "seen2")
"""Strong, middling and weak answers to the built-in bank."""
PLAIN: Final = (
    "plain1", "plain2", "plain3", "plain4", "plain5", "plain6", "plain7", "plain8",
)  # fmt: skip
"""Likewise, by eight more authors; most of the weak ones name the terms in false claims."""
LEARNED_FROM: Final = (*OWN_BANK, *PLAIN, *MIXED, *FIELDS)
QUOTE_SHARE: Final = 0.6
"""A span says what the labeler quoted where it shares so much with the quote."""
EXCERPT_SENTENCES: Final = (1, 2, 3)
EXCERPTS_EACH: Final = 2
EXCERPT_MIN_WORDS: Final = 5
"""Besides whole answers excerpts of them are learned from: who says one thing only is believed
too."""
OFF_TOPIC_QUESTIONS: Final = 6
"""Each text on something else is held against so many questions."""
LABELS: Final = {"yes": 1.0, "half": 0.5, "no": 0.0}
LEAST_GARBLED: Final = 0.1
MOST_GARBLED: Final = 0.5
"""Each answer is also learned from as a transcriber writes it that misunderstands 10 to 50 % of its
words."""


@dataclass(frozen=True, eq=False)
class Case:
    """A labeled answer: for each phrase its label, and the words that hold the quote.

    The label is NaN where nobody knows whether an excerpt says the phrase.
    """

    question: Question
    words: tuple[str, ...]
    sense: AnswerSense
    labels: Floats
    quotes: tuple[Span | None, ...]
    found: tuple[PhraseCoverage, ...]
    style: str
    file: str
    own_question: bool = True
    is_excerpt: bool = False
    is_garbled: bool = False

    @cached_property
    def quoted(self) -> tuple[Floats | None, ...]:
        """For each phrase, how much each span shares with its quote, 0 to 1."""
        return tuple(quote and shared_with(quote, self.sense) for quote in self.quotes)


def read(path: Path, questions: dict[str, Question]) -> list[Case]:
    """The labeled answers of a file whose questions are still in the bank."""
    lexicon = load_lexicon()
    cases = []
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        question = questions[entry["id"]]
        given = {phrase: (label, quote) for phrase, label, quote, _ in entry["labels"]}
        if list(given) != [key.phrase for key in question.key_phrases]:
            print(f"{path.name}: {question.id} was labeled for other phrases; left out")
            continue
        words = tuple(entry["text"].split())
        sense = sense_of(words)
        found = cover(question.key_phrases, words, lexicon).phrases
        cases.append(
            Case(
                question,
                words,
                sense,
                np.array([LABELS[label] for label, _ in given.values()]),
                tuple(place_of(quote, words) for _, quote in given.values()),
                found,
                entry["style"] if entry["quality"] == "strong" else entry["quality"],
                path.stem,
            )
        )
    return cases


def answers_to_others(
    cases: Sequence[Case], questions: Sequence[Question], files: Sequence[str]
) -> list[Case]:
    """Each answer held against a question of another role, and talk of other things.

    The talk is dealt out to the files.
    """
    lexicon = load_lexicon()
    random = np.random.RandomState(2)
    said = [(case.question.role, case.words, case.sense, case.file) for case in cases]
    talk = (ANSWERS / "off_topic.txt").read_text("utf-8").splitlines()
    for at, line in enumerate(talk):
        words = tuple(line.split())
        said += [(None, words, sense_of(words), files[at % len(files)])] * OFF_TOPIC_QUESTIONS
    found = []
    for role, words, sense, file in said:
        strangers = [question for question in questions if question.role != role]
        question = strangers[random.randint(len(strangers))]
        verdicts = cover(question.key_phrases, words, lexicon).phrases
        none = (None,) * len(verdicts)
        labels = np.zeros(len(verdicts))
        case = Case(question, words, sense, labels, none, verdicts, "off", file, own_question=False)
        found.append(case)
    return found


def excerpts(case: Case) -> list[Case]:
    """Sentences in a row of an answer, as answers of their own; the same ones in every run."""
    random = np.random.RandomState(len(case.words))
    ends = [at + 1 for at, word in enumerate(case.words) if re.search(r"[.?!]\W*$", word)]
    bounds = sorted({0, *ends, len(case.words)})
    found = []
    for count in EXCERPT_SENTENCES:
        starts = len(bounds) - 1 - count
        if starts < 1:  # the whole answer
            continue
        for first in random.choice(starts + 1, min(EXCERPTS_EACH, starts + 1), replace=False):
            start, end = bounds[first], bounds[first + count]
            inside = [at for at, (a, b) in enumerate(case.sense.spans) if a >= start and b <= end]
            if inside and end - start >= EXCERPT_MIN_WORDS:
                found.append(_excerpt(case, start, end, inside))
    return found


def _excerpt(case: Case, start: int, end: int, inside: list[int]) -> Case:
    words = case.words[start:end]
    spans = tuple(
        (case.sense.spans[at][0] - start, case.sense.spans[at][1] - start) for at in inside
    )
    labels = [
        _label_inside(label, quoted, inside)
        for label, quoted in zip(case.labels, case.quoted, strict=True)
    ]
    found = cover(case.question.key_phrases, words, load_lexicon()).phrases
    return replace(
        case,
        words=words,
        sense=AnswerSense(spans, case.sense.vectors[inside]),
        labels=np.array(labels),
        quotes=(None,) * len(labels),
        found=found,
        is_excerpt=True,
    )


def _label_inside(label: float, quoted: Floats | None, inside: list[int]) -> float:
    if label == 0.0:
        return 0.0
    shared = np.nan if quoted is None else quoted[inside].max()
    if shared == 0.0:
        return 0.0
    return label if shared >= QUOTE_SHARE else np.nan


def place_of(quote: str, words: Sequence[str]) -> Span | None:
    """The words that are this quote; ``None`` if it does not stand there."""
    said = [re.sub(r"\W", "", word.casefold()) for word in words]
    wanted = [bare for word in quote.split() if (bare := re.sub(r"\W", "", word.casefold()))]
    places = [at for at, word in enumerate(said) if word]
    plain = [said[at] for at in places]
    for at in range(len(plain) - len(wanted) + 1 if wanted else 0):
        if plain[at : at + len(wanted)] == wanted:
            return places[at], places[at + len(wanted) - 1] + 1
    return None


def shared_with(quote: Span, sense: AnswerSense) -> Floats:
    """How much each span shares with these words, of the shorter of both."""
    start, end = quote
    return np.array(
        [max(0, min(b, end) - max(a, start)) / min(b - a, end - start) for a, b in sense.spans]
    )


def garbled(case: Case) -> Case:
    """The answer as a transcriber writes it that misunderstands many words; the same each time."""
    seed = crc32(" ".join(case.words).encode())
    share = LEAST_GARBLED + (MOST_GARBLED - LEAST_GARBLED) * seed / 2**32
    written = garble(case.words, share, seed)
    begins = [bisect_left(written.source, at) for at in range(len(case.words) + 1)]
    quotes = [quote and (begins[quote[0]], begins[quote[1]]) for quote in case.quotes]
    return replace(
        case,
        words=written.words,
        sense=sense_of(written.words),
        quotes=tuple(quote if quote and quote[0] < quote[1] else None for quote in quotes),
        found=cover(case.question.key_phrases, written.words, load_lexicon()).phrases,
        is_garbled=True,
    )
