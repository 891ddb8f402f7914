"""Checks a bank beyond its form: whether the grader judges the texts as their authors intend.

A model answer covers the question's key phrases, a way says its phrase, and a near miss does not.
Answers are compared with both. So a way counts unless it names its phrase and sounds like a denial,
and a near miss counts only if a clause of it does: these are graded. Each way is also compared with
everything else that the bank says about its phrase.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from textwrap import shorten
from typing import Final

import numpy as np

from pronunciation.lexicon_loader import load_lexicon
from pronunciation.terms import Lexicon
from question_bank.errors import FieldPath
from question_bank.loader import load_bank, read_sources
from question_bank.models import ABOUT_ONESELF, Bank, KeyPhrase, Question, Role
from question_bank.source import Source
from server.bank_versions.text import Draft, Fault
from server.grading.answer import read_answer
from server.grading.by_meaning import content_stems, question_vectors
from server.grading.by_sound import by_sound
from server.grading.by_words import by_words
from server.grading.grader import cover, cover_question, structure_of, term_index
from server.grading.phrases import compile_phrase, compile_phrases
from server.grading.stance import denied
from server.grading.verdict import DENIED_FROM

MAX_UNRELATED_SHARE: Final = 0.5
"""If an answer covers this share of the phrases of a question with which it has none in common,
those phrases are too general."""

MIN_NAMED_SHARE: Final = 0.25
"""The share of a question's phrases of which an answer must have the words to be graded on it. Of
42 pairs of 80 answers and 487 questions in which half is covered, all have it; 40 questions an
answer do."""

MIN_LIKENESS: Final = 0.48
"""Cosine of a way with what else the bank says about its phrase: an everyday sentence is around
0.3. Of the built-in bank's ways one is below."""

SAME_SENTENCE: Final = 0.91
"""Cosine from which a near miss says what a way of its phrase says. The built-in bank's closest
pair, which means opposite things in much the same words, has 0.90."""

PARTS_EXPECTED: Final = ("story", "design")
"""Kinds whose model answers are expected to have every part: a strong answer often does."""

REVIEWED_WITHIN: Final = timedelta(days=365)
"""The field moves fast: after a year somebody should read a question again."""

_LONGEST_VALUE: Final = 40
_LONGEST_PROMPT: Final = 70
"""Characters of a question that are quoted."""

FRAME: Final = "That is a good question, and I have thought about it before."
"""The text before a way when it is tried inside an answer, because it must work there too."""


@dataclass(frozen=True)
class Checked:
    """What a check found.

    Attributes:
        questions: how many were checked.
        sentences: how many ways and near misses were checked.
        faults: what is wrong, one line each.
        notes: what the author should look at, one line each; it may be right.
    """

    questions: int
    sentences: int
    faults: list[str]
    notes: list[str]


def check_bank_path(
    path: Path,
    lexicon: Sequence[Path] = (),
    *,
    ways: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Checked:
    """Load a bank on top of the built-in one and check the questions that it adds.

    Args:
        path: a bank's folder or file.
        lexicon: files of terms on top of the built-in ones.
        ways: also check the ways and near misses, which takes about .2 seconds per question.
        progress: called with the number of questions done and the total.

    Raises:
        BankError, LexiconError: a file is not valid; the text names file, entry and field.
    """
    below = load_bank()
    built_in = {question.id: question for question in below.questions}
    bank, sources = load_bank((path,)), read_sources(path)
    entries = {each.value.id: each.entry for source in sources for each in source.questions}
    brought = [question for question in bank.questions if question.id in entries]
    # all of them if it is the built-in bank itself, or a copy of it
    own = [each for each in brought if built_in.get(each.id) != each] or brought
    terms = load_lexicon(lexicon)

    def placed(question: Question, found: dict[FieldPath, str]) -> list[str]:
        places = (entries[question.id].fault(says, *field) for field, says in found.items())
        return [f"{each.file}:{each.line}: {each.text}" for each in places]

    notes = [f"{place}: {says}" for place, says in replaced_parts(below, bank, sources)]
    for question in own:
        if built_in.get(question.id, question) != question:
            notes += placed(question, replaced_question(built_in[question.id]))
        notes += placed(question, old_review(question, date.today()))
    faults = [
        line
        for question, says in check_model_answers(bank, terms, own)
        for line in placed(question, {("model_answer",): says})
    ]
    if ways:
        for done, (question, found) in enumerate(check_ways(terms, own), start=1):
            faults += placed(question, found)
            notes += placed(question, unlike_ways(question))
            notes += placed(question, near_misses_like_ways(question))
            notes += placed(question, missing_parts(question))
            progress(done, len(own))
    phrases = [phrase for question in own for phrase in question.key_phrases] if ways else []
    sentences = sum(len(phrase.ways) + len(phrase.not_) for phrase in phrases)
    return Checked(len(own), sentences, faults, notes)


def replaced_question(built_in: Question) -> dict[FieldPath, str]:
    """By field, the built-in question that a question with its ID replaces."""
    prompt = shorten(built_in.prompt, _LONGEST_PROMPT, placeholder="…")
    return {("id",): f"replaces the built-in question {prompt!r}; another ID keeps both"}


def replaced_parts(below: Bank, bank: Bank, sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    """What replaced rounds, signals, weeks, fields and roles change, and for which roles.

    Yields:
        The place in the file, and what changes for whom.
    """
    for source in sources:
        for name in ("rounds", "signals", "plan", "fields", "roles"):
            for located in getattr(source, name):
                new, key = located.value, "week" if name == "plan" else "id"
                old = next(
                    (e for e in getattr(below, name) if getattr(e, key) == getattr(new, key)), None
                )
                if old is None or old == new:
                    continue
                changed = sorted(
                    _change(field, getattr(old, field), getattr(new, field))
                    for field in type(new).model_fields
                    if getattr(old, field) != getattr(new, field)
                )
                entry = located.entry
                yield (
                    f"{entry.file}:{entry.place()[0]}",
                    f"{entry.name}: replaces the built-in one ({', '.join(changed)}) for "
                    f"{_for_whom(bank, name, getattr(new, key))}",
                )


def _change(field: str, old: object, new: object) -> str:
    """A field that changes; a short value with what it was and is."""
    texts = [
        "–".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in (old, new)
    ]
    short = all(text and len(text) <= _LONGEST_VALUE for text in texts)
    return f"{field} {texts[0]} → {texts[1]}" if short else field


def _for_whom(bank: Bank, part: str, name: str | int) -> str:
    def has(role: Role) -> bool:
        field = bank.field_of(role.id)
        if part in ("roles", "fields"):
            return name == (role if part == "roles" else field).id
        found = map(vars, getattr(field, part))
        return any(name in (each.get("id"), each.get("week")) for each in found)

    round_ = str(name) if part == "rounds" else None
    asked = {r.id: len(bank.asked(role=r.id, round=round_)) for r in bank.roles if has(r)}
    total = sum(asked.values())
    questions = f"{total} question{'' if total == 1 else 's'}"
    return f"{', '.join(asked)}: {questions}" if asked else "no role yet"


def old_review(question: Question, today: date) -> dict[FieldPath, str]:
    """By field, the review of a question that is more than a year ago."""
    if question.reviewed is None or today - question.reviewed <= REVIEWED_WITHIN:
        return {}
    return {("reviewed",): f"was last reviewed on {question.reviewed}; is it still true?"}


def check_ways(
    lexicon: Lexicon, questions: Sequence[Question]
) -> Iterator[tuple[Question, dict[FieldPath, str]]]:
    """Grade ways, alone and after another sentence, and near misses (``not``), as far as needed.

    Yields:
        Each question, and by field what is wrong with its ways and near misses.
    """

    def faults_of(question: Question) -> dict[FieldPath, str]:
        faults = repeated_ways(question)
        for at, kind, number, text in _tried(question, lexicon):
            verdict = cover_question(question, text.split(), lexicon).phrases[at]
            counts = verdict.status != "missing" and not verdict.negated
            if (not counts) if kind == "ways" else verdict.is_said:
                how = "counts" if verdict.is_said else "does not count"
                says = f"{text!r} {how} as {verdict.phrase!r}"
                faults.setdefault(("key_phrases", at, kind, number), says)
        return faults

    with ThreadPoolExecutor() as pool:  # the networks run side by side
        yield from zip(questions, pool.map(faults_of, questions), strict=True)


def repeated_ways(question: Question) -> dict[FieldPath, str]:
    """By field, the ways that are also ways of another phrase, or near misses of their own."""
    faults: dict[FieldPath, str] = {}
    first: dict[str, KeyPhrase] = {}
    for at, phrase in enumerate(question.key_phrases):
        near_misses = {_plain(text) for text in phrase.not_}
        for number, text in enumerate(phrase.ways):
            other = first.setdefault(_plain(text), phrase)
            field = ("key_phrases", at, "ways", number)
            if other is not phrase:
                faults[field] = f"{text!r} is also a way of {other.phrase!r}; it can say only one"
            elif _plain(text) in near_misses:
                faults[field] = f"{text!r} is also under 'not' of the same phrase"
    return faults


def unlike_ways(question: Question) -> dict[FieldPath, str]:
    """By field, the ways that resemble nothing else that the bank says about their phrase."""
    vectors = question_vectors(question)
    notes: dict[FieldPath, str] = {}
    for at, (phrase, said) in enumerate(zip(question.key_phrases, vectors.groups, strict=True)):
        ways = vectors.vectors[said["ways"]]
        if len(phrase.ways) < 2 or len(ways) != len(phrase.ways):
            continue
        others = np.concatenate([vectors.vectors[said[kind]] for kind in ("ways", "names", "why")])
        near = ways @ others.T
        np.fill_diagonal(near, -1.0)  # not with itself
        for number in np.flatnonzero(near.max(axis=1) < MIN_LIKENESS).tolist():
            notes["key_phrases", at, "ways", number] = (
                f"{phrase.ways[number]!r} resembles nothing else that the bank says about "
                f"{phrase.phrase!r}; does it say that?"
            )
    return notes


def near_misses_like_ways(question: Question) -> dict[FieldPath, str]:
    """By field, the sentences under ``not`` that say nearly the same as a way of their phrase."""
    vectors = question_vectors(question)
    notes: dict[FieldPath, str] = {}
    for at, (phrase, said) in enumerate(zip(question.key_phrases, vectors.groups, strict=True)):
        if not phrase.ways or not phrase.not_:
            continue
        near = vectors.vectors[said["near_misses"]] @ vectors.vectors[said["ways"]].T
        for number in np.flatnonzero(near.max(axis=1) >= SAME_SENTENCE).tolist():
            way = phrase.ways[int(near[number].argmax())]
            notes["key_phrases", at, "not", number] = (
                f"{phrase.not_[number]!r} is nearly the same as the way {way!r}; answers like it "
                "do not count"
            )
    return notes


def missing_parts(question: Question) -> dict[FieldPath, str]:
    """By field, the parts of its kind, and beats of its own, that the model answer lacks.

    Only of stories and designs: a good explanation or solution rarely has every part.
    """
    if question.kind not in PARTS_EXPECTED:
        return {}
    parts = structure_of(question, question.model_answer.split()).parts
    names = ", ".join(repr(part.name) for part in parts if part.status == "missing")
    says = f"model_answer has no {names}, which a {question.kind} needs"
    return {("model_answer",): says} if names else {}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _tried(question: Question, lexicon: Lexicon) -> Iterator[tuple[int, str, int, str]]:
    """The ways that name their phrase as if they denied it, and near misses of several clauses.

    Yields:
        Number of the phrase, field, number in the field, and text.
    """
    terms = term_index(lexicon)
    phrases = compile_phrases(question.key_phrases, terms)
    for at, phrase in enumerate(phrases.phrases):
        for number, way in enumerate(phrase.source.ways):
            for text in (way, f"{FRAME} {way}"):
                answer = read_answer(text.split(), terms, phrases)
                named = [each.tokens for each in by_words(answer, phrase) if each.is_literal]
                if not named:
                    break
                if any(denied(answer, (each[0], each[-1] + 1)) >= DENIED_FROM for each in named):
                    yield at, "ways", number, text
        for number, text in enumerate(phrase.source.not_):
            if len(read_answer(text.split(), terms, phrases).spans) > 1:
                yield at, "not", number, text


def check_model_answers(
    bank: Bank, lexicon: Lexicon, questions: Sequence[Question] | None = None
) -> Iterator[tuple[Question, str]]:
    """Grade model answers against their own key phrases, and against unrelated questions'.

    Args:
        bank: where the unrelated questions come from.
        lexicon: the terms, for the grader.
        questions: the questions to check; ``None``: all of the bank.

    Yields:
        The question and what is wrong with its model answer, for each fault.
    """
    for question in bank.questions if questions is None else questions:
        unrelated = [each for each in _alike(bank, question) if not _related(question, each)]
        others = _may_cover(question.model_answer, unrelated, lexicon)
        asked = [question, *others]
        phrases = [phrase for each in asked for phrase in each.key_phrases]
        # all at once, because reading the answer takes as long as searching for several phrases
        judged = iter(cover(phrases, question.model_answer.split(), lexicon).phrases)
        for phrase in itertools.islice(judged, len(question.key_phrases)):
            if not phrase.is_said:
                how = "denies" if phrase.negated else "does not cover"
                yield question, f"{how} its own {phrase.phrase!r}"
        for other in others:
            coverage = list(itertools.islice(judged, len(other.key_phrases)))
            covered = [each.phrase for each in coverage if each.status == "covered"]
            if len(covered) >= MAX_UNRELATED_SHARE * len(other.key_phrases):
                named = ", ".join(map(repr, covered))
                yield question, f"also covers {named} of the unrelated question {other.id!r}"


def check_answers(
    draft: Draft, progress: Callable[[int, int], None] = lambda done, total: None
) -> Iterator[Fault]:
    """Grades the model answers of a draft's questions, as ``aloud bank validate`` does."""
    total = len(draft.questions)
    for done, question in enumerate(draft.questions, start=1):
        for _, says in check_model_answers(draft.bank, draft.lexicon, [question]):
            text = f"question {question.id!r}: model_answer {says}"
            line = draft.answer_lines.get(question.id)
            yield Fault("bank", line, text, ("model_answer",), says)
        progress(done, total)


def _alike(bank: Bank, question: Question) -> Iterator[Question]:
    """The other questions of which a model answer has the words for `MIN_NAMED_SHARE`.

    To grade it on every question would take time that grows with the square of the bank.
    """
    said = content_stems(question.model_answer)
    for other in bank.questions:
        named = sum(any(name <= said for name in _stems(each)) for each in other.key_phrases)
        if other.id != question.id and named >= MIN_NAMED_SHARE * len(other.key_phrases):
            yield other


def _may_cover(answer: str, questions: Sequence[Question], lexicon: Lexicon) -> list[Question]:
    """Those of which an answer names, or sounds like, `MAX_UNRELATED_SHARE` of the phrases."""
    terms = term_index(lexicon)
    read = read_answer(answer.split(), terms)

    def may_be_covered(question: Question) -> bool:
        phrases = [compile_phrase(each, terms) for each in question.key_phrases]
        said = [
            bool(sounds) or any(named.is_whole for named in by_words(read, phrase))
            for phrase, sounds in zip(phrases, by_sound(read, phrases), strict=True)
        ]
        return sum(said) >= MAX_UNRELATED_SHARE * len(said)

    return list(filter(may_be_covered, questions))


@lru_cache(maxsize=16384)
def _stems(phrase: KeyPhrase) -> tuple[frozenset[str], ...]:
    names = (phrase.phrase, *phrase.aliases, *phrase.any_of)
    return tuple(content_stems(name) for name in names)


def _related(one: Question, other: Question) -> bool:
    """The same question, two that share a phrase, or a story, whose points any answer may make."""
    if one.id == other.id or other.kind in ABOUT_ONESELF:
        return True
    return not _names(one.key_phrases).isdisjoint(_names(other.key_phrases))


def _names(phrases: Sequence[KeyPhrase]) -> set[str]:
    return {name.casefold() for p in phrases for name in (p.phrase, *p.aliases, *p.any_of)}
