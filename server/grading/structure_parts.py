"""How an answer is organized: which parts of its kind's rubric it says, and where.

The rubrics, with the parts that an answer of each kind needs, are data files.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from question_bank.models import Beat, Kind, Probe, Question
from server.contract import Structure, StructurePart, Word, evidence_of
from server.grading.answer import MAX_CLAUSE_WORDS, Span
from server.grading.by_meaning import AnswerVectors, Floats, best_of_others, vectors_of
from server.grading.encoder import Vectors
from server.grading.english import FUNCTION_WORDS, word_set
from server.grading.model import shipped_linear
from server.grading.structure_facts import (
    FACTS,
    Fact,
    JoinedText,
    ends_sentence,
    names_in,
    pattern_of,
    plain_words,
    read_data,
    whole_words,
)

KINDS: Final[tuple[Kind, ...]] = ("explain", "story", "design", "code", "introduction")
FITTED: Final = KINDS[:-1]
"""Kinds with a regression for each part; the parts of others are judged like a question's beats."""
_STORY: Final = ("situation", "own actions")
"""Parts of which a story has one, before anybody asks how it went on."""
_BEAT_NEEDS: Final[tuple[Fact, ...]] = ("person", "number", "name")
FULL_WORDS: Final = 60
"""In a shorter answer, the position of a passage says less: one sentence has no opening or end."""
BEAT_BAR: Final = 0.087
"""How much closer a passage must be to one of a beat's ways than to any empty sentence. The ways
are about the beat's subject, and so is weak talk."""
BEAT_SCALE: Final = 0.05
BEAT_LEAST: Final = 0.25
"""What of this is one in log odds, and the least chance: of 64 labeled parts of introductions, a
third of those between -0.08 and 0 were said, a quarter of those below."""
PROBE_SAID_FROM: Final = 0.77
"""Cosine of a span with what a good reply has from which a probe was answered at once: 18 of 20
spoken paraphrases reach it, 6 of 153 pairs in blind answers, and 30 of 270 in model answers."""
_BEFORE: Final = ", "
_OF_SENTENCES: Final = FUNCTION_WORDS - word_set("and or nor & /")
"""Words that every sentence has one of, in any kind of English, and a list of names has not."""


class Ask(BaseModel):
    """An interviewer's question, and when it fits.

    Expressions are like cues, over the prompt and the answer. ``after``: one of these was said.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    ask: str
    only_if_asked: tuple[str, ...] = ()
    not_if_asked: tuple[str, ...] = ()
    not_if_said: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    not_after: tuple[str, ...] = ()

    def fits(self, prompt: JoinedText, told: JoinedText, said: AbstractSet[str]) -> bool:
        wanted = not self.only_if_asked or _has(prompt, self.only_if_asked)
        given = _has(prompt, self.not_if_asked) or _has(told, self.not_if_said)
        early = bool(self.after) and said.isdisjoint(self.after)
        return wanted and not given and not early and said.isdisjoint(self.not_after)


_pattern = cache(whole_words)


def _has(text: JoinedText, expressions: tuple[str, ...]) -> bool:
    return bool(expressions) and bool(text.holding(_pattern(expressions)))


class Part(Ask):
    """One part of a rubric.

    ``needs``: a passage says the part only if it holds one of these facts or a cue of the part
    (none: always). ``cues``: regular expressions over the plain words (numbers as ``#``) that mark
    the part. ``says``: examples as people say it; ``not_``: what looks like it but is empty.
    ``count``: how many separate passages say all of it. ``lists``: whether bare words in a row may
    say it ("insurance company, Minneapolis").
    ``other_ask``: what is asked instead, where it fits.
    """

    name: str
    weight: float = Field(default=1.0, gt=0)
    count: int = Field(default=1, ge=1)
    needs: tuple[Fact | Literal["cue"], ...] = ()
    lists: bool = False
    cues: tuple[str, ...] = ()
    says: tuple[str, ...] = Field(min_length=1)
    not_: tuple[str, ...] = Field(default=(), alias="not")
    other_ask: tuple[Ask, ...] = ()


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class CompiledPart:
    """A part to judge by: its cues as one pattern, and its rows of the rubric's vectors."""

    part: Part
    cues: re.Pattern[str] | None
    says: slice
    not_: slice


@dataclass(frozen=True, eq=False)
class Rubric:
    """The parts of a kind and of a question, and all their examples as unit vectors (n, 384).

    They form one matrix, so that an answer is compared with all of them at once. Its first rows,
    ``empty``, are sentences that say nothing.

    Attributes:
        own_from: the number of the first part that is judged by closeness alone, as beats are.
        starts: where each of these groups of rows begins, if it has any.
        says_at: the number of the group that a part says, for each part.
        not_at: the number of the group that only looks like it, for each part of the kind.
        says_rows: (parts of the kind, most examples of one), the rows of ``says``; -1 where a part
            has fewer.
        needs: (parts, facts), 1 where the fact is one of those that the part needs.
    """

    parts: tuple[CompiledPart, ...]
    vectors: Vectors
    empty: slice
    own_from: int
    starts: list[int]
    says_at: list[int]
    not_at: list[int]
    says_rows: npt.NDArray[np.int64]
    needs: Floats
    needs_nothing: npt.NDArray[np.bool_]
    takes_cue: npt.NDArray[np.bool_]
    takes_lists: npt.NDArray[np.bool_]

    def closest(self, near: Vectors) -> Vectors:
        """The highest cosine in each group of rows, shape (groups, spans); first in ``empty``."""
        best: Vectors = np.maximum.reduceat(near, self.starts, axis=0)
        return best


@cache
def parts_of(kind: Kind) -> tuple[Part, ...]:
    """The parts of a kind's rubric."""
    return _File.model_validate(read_data(f"{kind}.yaml")).parts


@lru_cache(maxsize=512)
def rubric_of(kind: Kind, beats: tuple[Beat, ...] = ()) -> Rubric:
    """The parts of a kind, then the question's own beats, prepared for judging."""
    own = tuple(
        Part(
            name=beat.name,
            needs=_BEAT_NEEDS,
            ask=beat.ask,
            says=beat.ways,
            after=_STORY if kind == "story" else (),
        )
        for beat in beats
    )
    examples = list(empty_sentences())
    empty = slice(0, len(examples))
    parts: list[CompiledPart] = []
    for part in (*parts_of(kind), *own):
        says = slice(len(examples), len(examples) + len(part.says))
        not_ = slice(says.stop, says.stop + len(part.not_))
        examples += [*part.says, *part.not_]
        parts.append(CompiledPart(part, whole_words(part.cues) if part.cues else None, says, not_))
    starts = [empty.start]
    for group in (group for each in parts for group in (each.says, each.not_)):
        if group.stop > group.start:
            starts.append(group.start)
    kind_parts = parts[: len(parts_of(kind))]
    rows = np.full((len(kind_parts), max(len(each.part.says) for each in kind_parts)), -1)
    for row, each in zip(rows, kind_parts, strict=True):
        row[: len(each.part.says)] = np.arange(each.says.start, each.says.stop)
    return Rubric(
        tuple(parts),
        vectors_of(examples),
        empty,
        len(kind_parts) if kind in FITTED else 0,
        starts,
        says_at=[starts.index(each.says.start) for each in parts],
        not_at=[starts.index(each.not_.start) for each in kind_parts],
        says_rows=rows,
        needs=np.array([[fact in each.part.needs for fact in FACTS] for each in parts], np.float64),
        needs_nothing=np.array([not each.part.needs for each in parts]),
        takes_cue=np.array(["cue" in each.part.needs for each in parts]),
        takes_lists=np.array([each.part.lists for each in parts]),
    )


def sentences() -> list[str]:
    """Every sentence of the rubrics that needs a vector."""
    parts: Sequence[Part] = [part for kind in KINDS for part in parts_of(kind)]
    return [*empty_sentences(), *(each for part in parts for each in (*part.says, *part.not_))]


@cache
def empty_sentences() -> tuple[str, ...]:
    """Sentences that say nothing."""
    sentences = read_data("empty.yaml")["sentences"]
    return tuple(str(each) for each in sentences)


def best_three(near: Vectors, rows: npt.NDArray[np.int64]) -> Vectors:
    """The mean cosine with the three closest sentences of each group, shape (groups, spans).

    ``near``: cosines, shape (sentences, spans); ``rows``: the sentences of each group, filled with
    -1, shape (groups, largest group).
    """
    return np.stack([np.sort(near[own[own >= 0]], axis=0)[-3:].mean(axis=0) for own in rows])


class SpanFacts:
    """The facts and cues in the spans of an answer, searched for once per clause.

    Attributes:
        facts: shape (spans, facts), 1 where the span holds the fact.
        cues: shape (spans, parts of the rubric), 1 where the span holds a cue of the part.
    """

    def __init__(self, texts: Sequence[str], sense: AnswerVectors, rubric: Rubric) -> None:
        starts, ends = np.array(sense.spans, np.int64).reshape(-1, 2).T
        holds = (starts[:, None] <= starts) & (ends[:, None] >= ends)
        clauses = np.flatnonzero(holds.sum(axis=1) == 1)  # spans that contain no other span
        plain, names = plain_words(texts), names_in(texts)
        own = [sense.spans[at] for at in clauses]
        lines = JoinedText(
            # with a comma unless a sentence begins, so that "so" is a reason and not a filler
            f"{_BEFORE if start and not ends_sentence(texts[start - 1]) else ''}"
            f"{' '.join(plain[start:end])}"
            for start, end in own
        )
        patterns = [None if fact == "name" else pattern_of(fact) for fact in FACTS]
        patterns += [part.cues for part in rubric.parts]
        table = np.zeros((len(own), len(patterns)))
        table[:, FACTS.index("name")] = [True in names[start:end] for start, end in own]
        width = len(patterns)
        found = [
            line * width + column
            for column, pattern in enumerate(patterns)
            if pattern is not None
            for line in lines.holding(pattern)
        ]
        table.ravel()[found] = 1.0
        table = np.minimum(holds[:, clauses].astype(np.float64) @ table, 1.0)
        self.facts: Floats = table[:, : len(FACTS)]
        sums = np.cumsum([0, *[word in _OF_SENTENCES for word in plain]])
        self._is_list = sums[ends] == sums[starts]
        self.cues: Floats = table[:, len(FACTS) :]

    def may_say(self, rubric: Rubric) -> npt.NDArray[np.bool_]:
        """Whether each span has any of the facts that a part needs, shape (parts, spans).

        Bare words in a row ("cache, queue, cost") say only parts that consist of names.
        """
        found: npt.NDArray[np.bool_] = rubric.needs @ self.facts.T > 0.0
        found |= rubric.takes_cue[:, None] & (self.cues.T > 0.0)
        found |= rubric.needs_nothing[:, None]
        found &= rubric.takes_lists[:, None] | ~self._is_list
        return found


@dataclass(frozen=True, eq=False)
class PartFeatures:
    """The evidence for and against each span saying each part.

    Attributes:
        of_part: what differs from part to part, shape (parts, spans, features).
        of_span: what is the same for all parts, shape (spans, features).
    """

    of_part: Floats
    of_span: Floats

    def joined(self) -> Floats:
        """All features of each part, shape (parts, spans, features); its own come first."""
        shared = np.broadcast_to(self.of_span, (len(self.of_part), *self.of_span.shape))
        found: Floats = np.concatenate((self.of_part, shared), axis=2)
        return found

    def logits(self, weights: Floats) -> Floats:
        """``joined() @ weights`` for each part, shape (parts, spans), but much faster."""
        own = self.of_part.shape[2]
        found: Floats = np.einsum("psf,pf->ps", self.of_part, weights[:, :own])
        return found + weights[:, own:] @ self.of_span.T


def part_features(
    texts: Sequence[str], sense: AnswerVectors, rubric: Rubric, near: Vectors, found: SpanFacts
) -> PartFeatures:
    """The features of every span for each part of the kind.

    ``near``: cosines of each sentence of the rubric with each span, (sentences, spans).
    """
    count = rubric.own_from
    closest = rubric.closest(near)
    empty = closest[0]
    says, denies = closest[rubric.says_at[:count]], closest[rubric.not_at]
    says3 = best_three(near, rubric.says_rows)
    starts, ends = np.array(sense.spans, np.int64).reshape(-1, 2).T
    place = (starts + ends) / 2 / len(texts) - 0.5
    place *= min(1.0, len(texts) / FULL_WORDS)
    cues = found.cues[:, :count]
    shape = np.stack((np.log(ends - starts), place, place**2, np.abs(place)), axis=1)
    of_span = np.concatenate((empty[:, None], cues, found.facts, shape, sense.vectors), axis=1)
    of_part = np.stack(
        (
            says,
            says3,
            denies,
            says - np.maximum(denies, empty),
            says - best_of_others(says),
            says3 - best_of_others(says3),
            cues.T,
        ),
        axis=2,
    )
    return PartFeatures(of_part, of_span)


def judge_structure(
    question: Question, texts: Sequence[str], words: Sequence[Word], sense: AnswerVectors
) -> Structure:
    """Which parts of the rubric of the question's kind an answer says.

    A part is said if a passage holds a fact that the part needs and a regression over its sense,
    facts and position says so. A beat of the question is said if a passage is closer to one of its
    ways than to any empty sentence. If fewer passages say a part than it takes ("own actions":
    two), it counts in proportion.
    ``words``: with their times; empty for a typed answer.
    """
    rubric = rubric_of(question.kind, question.beats)
    values = part_logits(question.kind, rubric, texts, sense)
    parts: list[StructurePart] = []
    gained = total = 0.0
    for compiled, own in zip(rubric.parts, values, strict=True):
        part = compiled.part
        said = min(passages(sense.spans, own), part.count)
        total += part.weight
        gained += part.weight * said / part.count
        is_own = len(parts) >= rubric.own_from
        chance = 1.0 / (1.0 + np.exp(-own.max(initial=-np.inf) / (BEAT_SCALE if is_own else 1.0)))
        evidence = (
            evidence_of(texts, words, range(*sense.spans[int(own.argmax())])) if said else None
        )
        parts.append(
            StructurePart(
                name=part.name,
                status="said" if said else "missing",
                evidence=evidence,
                confidence=None if said else round(max(chance, BEAT_LEAST * is_own), 3),
                ask="" if said else part.ask,
                weight=part.weight,
            )
        )
    return Structure(kind=question.kind, parts=tuple(parts), score=min(1.0, gained / total))


def open_probes(question: Question, sense: AnswerVectors) -> tuple[Probe, ...]:
    """The probes that the answer does not answer already."""
    near = vectors_of([each.expects for each in question.probes]) @ sense.vectors.T
    said = near.max(axis=1, initial=-1.0) >= PROBE_SAID_FROM
    return tuple(each for each, told in zip(question.probes, said, strict=True) if not told)


def with_fitting_asks(structure: Structure, question: Question, words: Sequence[str]) -> Structure:
    """Leaves out what the prompt or the words said already give: nobody asks for that."""
    prompt, told = (
        JoinedText([" ".join(plain_words(each))]) for each in (question.prompt.split(), words)
    )
    said = {each.name for each in structure.parts if each.status == "said" or each.when_asked}
    parts = list(structure.parts)
    for at, compiled in enumerate(rubric_of(question.kind, question.beats).parts[: len(parts)]):
        if parts[at].status != "said":
            asks = (*compiled.part.other_ask, compiled.part)
            ask = next((each.ask for each in asks if each.fits(prompt, told, said)), "")
            parts[at] = parts[at].model_copy(update={"ask": ask})
    return structure.model_copy(update={"parts": tuple(parts)})


def part_logits(kind: Kind, rubric: Rubric, texts: Sequence[str], sense: AnswerVectors) -> Floats:
    """How surely each span says each part, shape (parts, spans); it does from 0 on.

    Minus infinity if the span has no fact that the part needs. For a beat, the cosine above its
    bar.
    """
    found = np.full((len(rubric.parts), len(sense.spans)), -np.inf)
    if not sense.spans:
        return found
    # In this order because it takes a third of the time: fewer and larger blocks
    near = rubric.vectors @ sense.vectors.T
    facts = SpanFacts(texts, sense, rubric)
    if rubric.own_from:
        features = part_features(texts, sense, rubric, near, facts)
        fitted = shipped_linear(f"structure.{kind}")
        found[: rubric.own_from] = features.logits(fitted.weights) + fitted.bias[:, None]
    if len(rubric.parts) > rubric.own_from:
        closest = rubric.closest(near)
        found[rubric.own_from :] = (
            closest[rubric.says_at[rubric.own_from :]] - closest[0] - BEAT_BAR
        )
    found[~facts.may_say(rubric)] = -np.inf
    return found


def passages(spans: Sequence[Span], values: Floats) -> int:
    """The largest number of spans with a value from 0 on that share no word.

    A span longer than a clause can be counts as two, because people say several things in one
    sentence.
    """
    count = reached = 0
    good = [spans[at] for at in np.flatnonzero(values >= 0.0).tolist()]
    for start, end in sorted(good, key=lambda span: span[1]):
        if start >= reached:
            count, reached = count + 1, end
    return max(count, 2) if any(end - start > MAX_CLAUSE_WORDS for start, end in good) else count
