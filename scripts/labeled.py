"""The labeled answers that the grader learns from: whole, in excerpts, garbled, on other things.

Each line of a file: ``{"id": question, "text", "labels": [[phrase, "yes" | "half" | "no", quote,
named], …]}``, or, for plain banks, ``"kinds": {phrase: kind}`` with what its author meant and
``"labels"`` by raters who did not know. Banks of a file's name lie beside it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
import yaml
from garbled import garble

from pronunciation.lexicon_loader import load_lexicon
from question_bank.exercises import definitions as exercises_of
from question_bank.exercises import with_exercises
from question_bank.loader import load_bank
from question_bank.models import KeyPhrase, Question
from server.contract import Word
from server.grading import credit
from server.grading.answer import Answer, Span, read_answer
from server.grading.by_meaning import AnswerVectors, Credit, Floats
from server.grading.grader import term_index
from server.grading.phrases import PhraseSet, compile_phrases
from server.grading.verdict import Passage, compared, passages_of

ROOT: Final = Path(__file__).resolve().parent.parent
ANSWERS: Final = ROOT / "benchmarks" / "answers"
JUDGMENTS: Final = ROOT / "tests" / "server" / "grading" / "judgments"

OWN_BANK: Final = ("dev1", "dev2", "dev3", "dev4", "seen", "seen2")
PLAIN: Final = tuple(f"plain{n}" for n in range(1, 9))
MIXED: Final = tuple(f"mix{n}" for n in range(1, 9))
FIELDS: Final = ("robo", "mobile", "ops", "pay", "firm", "qual", "syst", "supp")
SPOKEN: Final = ("accented",)
BARE: Final = tuple(
    f"bare_{field}" for field in ("backend", "nurse", "pm", "sre", "teacher", "account", "embed")
)
"""Plain banks: without ways, near misses and follow-up questions."""
WITH_WAYS: Final = (*OWN_BANK, *PLAIN, *MIXED, *FIELDS)
LABELS: Final = {"yes": 1.0, "half": 0.5, "no": 0.0}
SAID_KINDS: Final = ("literal", "inflected", "own_words", "garbled")
"""Kinds of a plain bank's labels that a listener credits; all others name it at most."""
DENIED_KINDS: Final = ("denied", "wished", "asked")
QUOTE_SHARE: Final = 0.5
LEAST_GARBLED, MOST_GARBLED = 0.1, 0.5
"""Each answer is also learned from as a transcriber writes it that misunderstands 10 to 50 % of its
words."""


@dataclass(frozen=True, eq=False)
class Case:
    """A labeled answer.

    Attributes:
        question: what was asked; ``None`` for a sentence held against phrases alone.
        phrases: those that are labeled.
        words: of the answer.
        labels: 1 said, 0.5 half said, 0 not said, NaN unknown; one for each phrase.
        quotes: the words that say each phrase, where they are known.
        file: where it comes from.
        style: for reports.
        weight: of each of its rows.
        timed: with confidences, of a spoken answer.
        denied: for each phrase whether its name is denied, NaN where unknown.
    """

    question: Question | None
    phrases: tuple[KeyPhrase, ...]
    words: tuple[str, ...]
    labels: Floats
    quotes: tuple[Span | None, ...]
    file: str
    style: str
    weight: float = 1.0
    timed: tuple[Word, ...] = ()
    denied: tuple[float, ...] = ()
    kinds: tuple[str, ...] = ()
    named: tuple[bool, ...] = ()

    def parsed(self) -> tuple[Answer, PhraseSet]:
        """The answer and the phrases, ready to be compared."""
        terms = term_index(load_lexicon())
        compiled = compile_phrases(self.phrases, terms)
        return read_answer(self.words, terms, compiled), compiled

    def passages(self) -> list[list[Passage]]:
        """What ``verdict.passages_of`` finds."""
        answer, compiled = self.parsed()
        meaning = None
        if self.question is not None:
            vectors = AnswerVectors.of(answer.words, answer.spans)
            credits_of = unknown_credits(self.question, answer.words, vectors)
            meaning = compared(self.question, vectors, answer.words, credits_of)
        return passages_of(
            answer,
            compiled.phrases,
            meaning=meaning,
            words=self.timed,
        )


CREDIT_FILES = [credit.FILE, credit.FILE]
"""The networks that did not learn from the first and from the second half of the questions."""


def unknown_credits(
    question: Question, words: Sequence[str], vectors: AnswerVectors
) -> tuple[Credit, ...]:
    """What each sentence is worth, told by the network that did not learn from the question."""
    file = CREDIT_FILES[half_of(question)]
    return credit.sentence_credits(question, words, vectors, file=file)


@cache
def lines(name: str) -> list[dict[str, Any]]:
    """What a file of ``benchmarks/answers`` has, read once."""
    text = (ANSWERS / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@cache
def questions_of(bank: Path | None) -> dict[str, Question]:
    """The questions of the built-in bank, and of one more."""
    return {each.id: each for each in load_bank((bank,) if bank else ()).questions}


def read(path: Path, *, weight: float = 1.0) -> list[Case]:
    """The labeled answers of a file whose questions are still in the bank."""
    bank = path.with_name(f"{path.stem}_bank.yaml")
    questions = questions_of(bank if bank.is_file() else None)
    cases: list[Case] = []
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        question = questions.get(entry["id"])
        if question is None or not (entry.get("labels") or entry.get("kinds")):
            continue
        names = [key.phrase for key in question.key_phrases]
        words = tuple(entry["text"].split())
        kinds = tuple(entry.get("kinds", {}).get(name, "") for name in names)
        given = {
            phrase: (LABELS[label], quote) for phrase, label, quote, *_ in entry.get("labels", ())
        }
        names_as_said = {
            each[0]: len(each) > 3 and bool(each[3]) for each in entry.get("labels", ())
        }
        labels = [
            given[name][0]
            if name in given
            else float(kind in SAID_KINDS) + 0.5 * (kind == "half")
            if kind
            else np.nan
            for name, kind in zip(names, kinds, strict=True)
        ]
        timed = tuple(
            Word(text=text, confidence=sure)
            for text, sure in zip(words, entry.get("confidences", ()), strict=False)
        )
        denied = tuple(
            1.0 if kind in DENIED_KINDS else 0.0 if kind in ("literal", "inflected") else np.nan
            for kind in kinds
        )
        style = (
            entry.get("style", "") if entry.get("quality") == "strong" else entry.get("quality", "")
        )
        cases.append(
            Case(
                question,
                question.key_phrases,
                words,
                np.array(labels),
                tuple(place_of(given.get(name, (0, ""))[1], words) for name in names),
                path.stem,
                style,
                weight,
                timed,
                denied,
                kinds,
                tuple(names_as_said.get(name, False) for name in names),
            )
        )
    return cases


def judgments(name: str) -> list[Case]:
    """Single answers held against phrases alone, without a question."""
    cases: list[Case] = []
    for entry in yaml.safe_load((JUDGMENTS / f"{name}.yaml").read_text("utf-8")):
        phrases = tuple(
            KeyPhrase.model_validate(each if isinstance(each, dict) else {"phrase": each})
            for each in entry["phrases"]
        )
        values = {"covered": 1.0, "partial": 0.5, "missing": 0.0}
        negated = set(entry.get("negated", ()))
        names = [each.phrase for each in phrases]
        expected = entry["expect"]
        labels = [0.0 if n in negated else values.get(expected.get(n), np.nan) for n in names]
        denied = [
            1.0 if n in negated else 0.0 if expected.get(n) == "covered" else np.nan for n in names
        ]
        words = tuple(entry["transcript"].split())
        none = (None,) * len(phrases)
        cases.append(
            Case(
                None,
                phrases,
                words,
                np.array(labels),
                none,
                name,
                "judgment",
                1.0,
                (),
                tuple(denied),
            )
        )
    return cases


def traps(name: str, *, weight: float = 1.0) -> list[Case]:
    """Sentences that only look like a phrase of a question, or do say it."""
    cases: list[Case] = []
    for entry in yaml.safe_load((JUDGMENTS / f"{name}.yaml").read_text("utf-8")):
        question = questions_of(None).get(entry["id"])
        if question is None:
            continue
        labels = np.full(len(question.key_phrases), np.nan)
        for at, key in enumerate(question.key_phrases):
            if key.phrase == entry["phrase"]:
                labels[at] = float(entry["said"])
        if not np.isnan(labels).all():
            none = (None,) * len(labels)
            words = tuple(entry["text"].split())
            cases.append(
                Case(
                    question,
                    question.key_phrases,
                    words,
                    labels,
                    none,
                    name,
                    str(entry["kind"]),
                    weight,
                )
            )
    return cases


def sentences_of_one_phrase(*, weight: float = 2.0) -> list[Case]:
    """Single sentences held against one phrase: ``sentences.yaml`` and ``traps.yaml``."""
    keys = {key.phrase: key for each in questions_of(None).values() for key in each.key_phrases}
    cases: list[Case] = []
    for entry in yaml.safe_load((JUDGMENTS / "sentences.yaml").read_text("utf-8")):
        said, denied = entry["is"] in ("covered", "affirmed"), entry["is"] == "denied"
        if entry["is"] == "missed":
            continue
        known = 1.0 if denied else 0.0 if entry["is"] == "affirmed" else np.nan
        key = KeyPhrase(phrase=entry["phrase"])
        words = tuple(entry["said"].split())
        cases.append(
            Case(None, (key,), words, np.array([float(said)]), (None,), "sentences", entry["is"],
                 weight, (), (known,))
        )  # fmt: skip
    for entry in yaml.safe_load((JUDGMENTS / "traps.yaml").read_text("utf-8")):
        key = keys.get(entry["phrase"], KeyPhrase(phrase=entry["phrase"]))
        said = np.array([float(entry.get("says", False))])
        words = tuple(entry["said"].split())
        cases.append(Case(None, (key,), words, said, (None,), "sentences", "trap", weight))
    return cases


def mistranscribed() -> list[Case]:
    """Sentences in which a transcriber misspelled a phrase."""
    return [
        Case(None, (KeyPhrase(phrase=each["phrase"]),), tuple(each["said"].split()), np.ones(1), (None,),
             "mistranscribed", "garbled")
        for each in yaml.safe_load((JUDGMENTS / "mistranscribed.yaml").read_text("utf-8"))
    ]  # fmt: skip


def plain(case: Case) -> Case:
    """The same against a bank without ways, near misses and follow-up questions."""
    assert case.question is not None
    bare = tuple(
        key.model_copy(update={"ways": (), "not_": (), "follow_up": ""}) for key in case.phrases
    )
    question = case.question.model_copy(update={"key_phrases": bare})
    labels = case.labels.copy()
    for at, named in enumerate(case.named):
        if named and labels[at] == 0.0:
            labels[at] = np.nan  # without ways nobody can tell a false claim
    return replace(
        case,
        question=question,
        phrases=bare,
        labels=labels,
        file=case.file,
        style=f"plain {case.style}",
    )


def garbled(case: Case) -> Case:
    """The answer as a transcriber writes it that misunderstands many words; the same each time."""
    seed = crc32(" ".join(case.words).encode())
    share = LEAST_GARBLED + (MOST_GARBLED - LEAST_GARBLED) * seed / 2**32
    written = garble(case.words, share, seed)
    begins = np.searchsorted(written.source, np.arange(len(case.words) + 1)).tolist()
    quotes = [quote and (begins[quote[0]], begins[quote[1]]) for quote in case.quotes]
    return replace(
        case,
        words=written.words,
        quotes=tuple(quote if quote and quote[0] < quote[1] else None for quote in quotes),
        style="garbled",
        named=(),
        kinds=(),
        denied=(),
    )


def excerpts(case: Case) -> list[Case]:
    """Single sentences of an answer, as answers of their own."""
    random = np.random.RandomState(len(case.words))
    ends = [at + 1 for at, word in enumerate(case.words) if re.search(r"[.?!]\W*$", word)]
    bounds = sorted({0, *ends, len(case.words)})
    found: list[Case] = []
    for count in (1, 2):
        starts = len(bounds) - 1 - count
        if starts < 1:
            continue
        first = int(random.randint(starts + 1))
        start, end = bounds[first], bounds[first + count]
        if end - start < 5:
            continue
        labels = case.labels.copy()
        quotes: list[Span | None] = []
        for at, quote in enumerate(case.quotes):
            inside = quote is not None and start <= quote[0] and quote[1] <= end
            apart = quote is not None and (quote[1] <= start or end <= quote[0])
            if labels[at] > 0 and not inside:
                labels[at] = 0.0 if apart else np.nan
            quotes.append((quote[0] - start, quote[1] - start) if quote and inside else None)
        found.append(
            replace(
                case, words=case.words[start:end], labels=labels, quotes=tuple(quotes), style="excerpt",
                weight=case.weight * 0.5, timed=(), kinds=(), denied=(),
            )
        )  # fmt: skip
    return found


def half_of(question: Question) -> int:
    """0 or 1: a network that learned from the other half reads the sentences of this one."""
    return crc32(question.id.encode()) % 2


def off_topic(cases: Sequence[Case], *, weight: float = 0.2) -> list[Case]:
    """Each answer held against a question of another role, and talk of other things."""
    random = np.random.RandomState(2)
    found: list[Case] = []
    questions = [case.question for case in cases if case.question is not None]
    texts = [(case.question, case.words, case.file) for case in cases]
    files = sorted({case.file for case in cases}) or ["off_topic"]
    for at, line in enumerate((ANSWERS / "off_topic.txt").read_text("utf-8").splitlines()):
        texts += [(None, tuple(line.split()), files[at % len(files)])] * 6
    for asked, words, file in texts:
        strangers = [each for each in questions if asked is None or each.role != asked.role]
        if not strangers:
            continue
        question = strangers[random.randint(len(strangers))]
        labels = np.zeros(len(question.key_phrases))
        none = (None,) * len(labels)
        found.append(Case(question, question.key_phrases, words, labels, none, file, "off", weight))
    return found


def place_of(quote: str, words: Sequence[str]) -> Span | None:
    """The words that are this quote; ``None`` if it does not stand there."""
    said = [re.sub(r"\W", "", word.casefold()) for word in words]
    wanted = [bare for word in quote.split() if (bare := re.sub(r"\W", "", word.casefold()))]
    places = [at for at, word in enumerate(said) if word]
    spoken = [said[at] for at in places]
    for at in range(len(spoken) - len(wanted) + 1 if wanted else 0):
        if spoken[at : at + len(wanted)] == wanted:
            return places[at], places[at + len(wanted) - 1] + 1
    return None


def frames(*, each: int = 4) -> list[Case]:
    """Sentences in which phrases of the bank are denied or affirmed, from ``stances.yaml``."""
    told = yaml.safe_load((ANSWERS / "stances.yaml").read_text("utf-8"))
    keys = [key for question in questions_of(None).values() for key in question.key_phrases]
    random = np.random.RandomState(5)
    cases: list[Case] = []
    for denied, groups in ((1.0, told["disclaimed"]), (0.0, told["stood_by"])):
        for group, own in groups.items():
            for number, frame in enumerate(own):
                for _ in range(each):
                    key = keys[random.randint(len(keys))]
                    said = frame.replace("{x}", key.phrase)
                    if random.rand() < 0.5:
                        said = said[0].upper() + said[1:] + ("" if said[-1] in ".?!" else ".")
                    if random.rand() < 0.4:
                        said += " The rest was the same in every region and took two weeks."
                    cases.append(
                        Case(None, (key,), tuple(said.split()), np.array([1.0 - denied]), (None,),
                             f"frame{number % 4}", group, 0.3, (), (denied,))
                    )  # fmt: skip
    return cases


def stances(name: str = "stances", *, around: bool = False) -> list[Case]:
    """Sentences by writers who were asked for mentions that are credited or denied.

    With ``around``, each stands between sentences of a model answer: what is said there tells
    nothing about the mention.
    """
    random = np.random.RandomState(7)
    answers = [re.split(r"(?<=[.?!]) ", q.model_answer) for q in questions_of(None).values()]
    cases: list[Case] = []
    for told in lines(name):
        text, denied = told["text"], float(told["denied"])
        if around:
            other = answers[random.randint(len(answers))]
            at = random.randint(len(other))
            end = "" if text[-1] in ".?!" else "."
            text = " ".join((*other[:at][-1:], text + end, *other[at:][:2]))
        key = KeyPhrase(phrase=told["phrase"])
        cases.append(
            Case(None, (key,), tuple(text.split()), np.array([1.0 - denied]), (None,), name, "",
                 1.0, (), (denied,))
        )  # fmt: skip
    return cases


AFFIRMING: Final = (
    "We use {x}.", "We rely on {x} for that.", "I'd start with {x}.", "The first thing is {x}.",
    "{X} is what I look at first.", "For that there is {x}.", "What helps here is {x}.",
    "You need {x} to do this well.", "In my last team we had {x} and it worked.",
    "I would mention {x}, because it matters most here.", "The key is {x}, everything else follows.",
    "Then comes {x}, and after that we check the result.", "We set up {x} in the second week.",
    "It comes down to {x}.", "My answer is {x}.", "That is done with {x}.", "{X}, of course.",
    "So {x} first, and then the rest.", "I always explain {x} to new people.",
    "The important part for me is {x}.",
)  # fmt: skip
"""What a listener credits on any bank: the phrase said and affirmed in its own clause."""
SCATTERED: Final = (
    "We had {a} on Monday, and on Friday somebody asked about the {b} of the building.",
    "I like {a}. My brother works with {b} in another city.",
    "The {a} was late again, so I called the office, where they have a {b}.",
    "There was a lot of {b} in that year and hardly any {a} later on.",
)
HALVES: Final = (
    "We looked at the {a}.",
    "I'd mention {b} here.",
    "It has to do with {a}, I think.",
)


def templates(*, count: int, weight: float) -> list[Case]:
    """Phrases of all banks in plain sentences, said whole, in halves, or scattered."""
    random = np.random.RandomState(9)
    banks = [None, *(ANSWERS / f"{name}_bank.yaml" for name in (*FIELDS, *BARE))]
    questions = [
        question
        for bank in banks
        for question in questions_of(bank).values()
        if bank is None or question.id not in questions_of(None)
    ]
    talk = (ANSWERS / "off_topic.txt").read_text("utf-8").splitlines()
    cases: list[Case] = []
    for number in range(count):
        question = questions[random.randint(len(questions))]
        if random.rand() < 0.4:
            bare = tuple(
                key.model_copy(update={"ways": (), "not_": (), "follow_up": ""})
                for key in question.key_phrases
            )
            question = question.model_copy(update={"key_phrases": bare})
        at = random.randint(len(question.key_phrases))
        names = question.key_phrases[at]
        name = [names.phrase, *names.aliases][random.randint(1 + len(names.aliases))]
        parts = name.split()
        label, frames_ = 1.0, AFFIRMING
        if len(parts) > 1 and random.rand() < 0.35:
            label, frames_ = (0.0, SCATTERED) if random.rand() < 0.5 else (0.25, HALVES)
        frame = frames_[random.randint(len(frames_))]
        said = frame.replace("{x}", name).replace("{X}", name[0].upper() + name[1:])
        said = said.replace("{a}", parts[0]).replace("{b}", parts[-1])
        beside = random.rand()
        if beside < 0.3:
            said = f"{said} {talk[random.randint(len(talk))]}"
        elif beside < 0.5:
            other = questions[random.randint(len(questions))].model_answer.split(". ")
            said = f"{other[random.randint(len(other))].rstrip('.')}. {said}"
        labels = np.full(len(question.key_phrases), np.nan)
        labels[at] = 0.0 if label < 0.5 else 1.0
        none = (None,) * len(labels)
        cases.append(
            Case(question, question.key_phrases, tuple(said.split()), labels, none,
                 f"template{number % 4}", "template", weight)
        )  # fmt: skip
    return cases


def sentences(case: Case) -> Case:
    """The same against a bank whose phrases are whole sentences, as from a reference answer."""
    assert case.question is not None
    random = np.random.RandomState(len(case.words))
    keys: list[KeyPhrase] = []
    for key in case.phrases:
        choice = [*key.ways, key.why] if key.ways else [key.why or key.phrase]
        keys.append(KeyPhrase(phrase=choice[random.randint(len(choice))][:190]))
    bare = tuple(keys)
    question = case.question.model_copy(update={"key_phrases": bare, "beats": ()})
    return replace(case, question=question, phrases=bare, style="sentence", denied=(), kinds=())


def introductions() -> list[Case]:
    """Introductions whose parts are labeled, held against the phrases of the bank's opener."""
    question = questions_of(None)["tell-me-about-yourself"]
    parts = {
        "current role": "who",
        "background": "path",
        "measurable result": "proof",
        "proud of": "proof",
        "this role": "why_here",
    }
    cases: list[Case] = []
    for entry in lines("introductions"):
        labels = [
            float(entry["parts"][parts[key.phrase]]) if key.phrase in parts else np.nan
            for key in question.key_phrases
        ]
        none = (None,) * len(labels)
        words = tuple(entry["text"].split())
        cases.append(
            Case(
                question,
                question.key_phrases,
                words,
                np.array(labels),
                none,
                "introductions",
                "own-words",
            )
        )
    return cases


FIELD_SHARES: Final = {"own": 0.4, "affirmed": 0.2, "denied": 0.15, "near": 0.15, "false": 0.1}
"""How often a phrase of an answer of ``fields`` has a sentence of each kind."""
FIELD_KINDS: Final = {
    "own": "own_words", "affirmed": "literal", "denied": "denied", "near": "neighbor",
    "false": "false_claim",
}  # fmt: skip


def field_question(told: dict[str, Any]) -> Question:
    """A question of other fields, as in a bank that has no ways."""
    phrases = [{"phrase": each["phrase"], "why": each["why"]} for each in told["phrases"]]
    return Question(
        id=told["id"], round="domain-deep-dive", kind=told["kind"], topic=told["field"],
        prompt=told["prompt"], model_answer=told["model_answer"], key_phrases=phrases,
    )  # fmt: skip


def fact_question(told: dict[str, Any], *, whole: bool = False) -> Question:
    """A short question of fact; its phrases are the parts or the sentences of the teacher's answer."""
    between = r"[.;]" if whole else r"[.;:,]|\band\b"
    parts = [each.strip(" .") for each in re.split(between, told["reference"])]
    phrases = dict.fromkeys(each[:190] for each in parts if len(each.split()) > 1)
    return Question(
        id=told["id"], round="domain-deep-dive", kind="explain", topic=told["subject"],
        prompt=told["prompt"], answer_seconds=20, model_answer=told["reference"],
        key_phrases=[{"phrase": each} for each in list(phrases)[:10] or [told["reference"][:190]]],
    )  # fmt: skip


def definitions(name: str = "definitions") -> Iterator[tuple[Question, list[dict[str, Any]]]]:
    """Terms to explain in a sentence, and what was said: by who knows (97), and who bluffs (10).

    ``definitions_unread`` is for measuring only.
    """
    bank = with_exercises(load_bank())
    exercises = {
        term: question
        for role in reversed(bank.roles)
        for term, question in exercises_of(bank, role).items()
    }
    for told in lines(name):
        score = 97 if told["kind"] == "right" else 10
        yield exercises[told["term"]], [{"text": told["text"], "score": score}]


def fields(*, each: int = 4, weight: float = 3.0) -> list[Case]:
    """Answers put together from sentences that say, affirm, deny or miss a phrase each."""
    random = np.random.RandomState(5)
    cases: list[Case] = []
    for told in lines("fields"):
        question = field_question(told)
        for _ in range(each):
            kinds = random.choice([*FIELD_SHARES], len(told["phrases"]), p=[*FIELD_SHARES.values()])
            chosen: list[tuple[int | None, str]] = []
            for at, (phrase, kind) in enumerate(zip(told["phrases"], kinds, strict=True)):
                chosen.append((at, phrase[kind][random.randint(len(phrase[kind]))]))
            beside = (*told["right"], *told["vague"])
            chosen += [(None, beside[random.randint(len(beside))])]
            words: list[str] = []
            quotes: list[Span | None] = [None] * len(kinds)
            for number in random.permutation(len(chosen)):
                at, sentence = chosen[number]
                if at is not None:
                    quotes[at] = (len(words), len(words) + len(sentence.split()))
                words += sentence.split()
            labels = np.array([float(kind in ("own", "affirmed")) for kind in kinds])
            denied = tuple(
                {"denied": 1.0, "affirmed": 0.0, "false": 0.0}.get(kind, np.nan) for kind in kinds
            )
            cases.append(
                Case(question, question.key_phrases, tuple(words), labels, tuple(quotes),
                     f"field{crc32(told['field'].encode()) % 4}", "field", weight, (), denied,
                     tuple(FIELD_KINDS[kind] for kind in kinds))
            )  # fmt: skip
    return cases


def model_answers() -> list[Case]:
    """The bank's model answers, which affirm what they name."""
    return [
        Case(question, question.key_phrases, tuple(question.model_answer.split()),
             np.ones(len(question.key_phrases)), (None,) * len(question.key_phrases), "model_answers",
             "model answer", 0.5, (), (0.0,) * len(question.key_phrases))
        for bank in (None, *(ANSWERS / f"{name}_bank.yaml" for name in BARE))
        for question in questions_of(bank).values()
        if bank is None or question.id not in questions_of(None)
    ]  # fmt: skip
