"""The parts that an answer of each kind needs, from data files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from question_bank.models import Beat, Kind
from server.grading.by_meaning import Floats, vectors_of
from server.grading.encoder import Vectors
from server.grading.structure_facts import FACTS, Fact, read_data, whole_words

KINDS: Final[tuple[Kind, ...]] = ("explain", "story", "design", "code", "introduction")
FITTED: Final = KINDS[:-1]
"""Kinds with a regression for each part; the parts of others are judged like a question's beats."""
_BEAT_NEEDS: Final[tuple[Fact, ...]] = ("person", "number", "name")


class Part(BaseModel):
    """One part of a rubric.

    ``needs``: a passage says the part only if it holds one of these facts or a cue of the part
    (none: always). ``cues``: regular expressions over the plain words (numbers as ``#``) that mark
    the part. ``says``: examples as people say it; ``not_``: what looks like it but is empty.
    ``count``: how many separate passages say all of it. ``lists``: whether bare words in a row may
    say it ("insurance company, Minneapolis").
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    name: str
    weight: float = Field(default=1.0, gt=0)
    count: int = Field(default=1, ge=1)
    needs: tuple[Fact | Literal["cue"], ...] = ()
    ask: str
    lists: bool = False
    cues: tuple[str, ...] = ()
    says: tuple[str, ...] = Field(min_length=1)
    not_: tuple[str, ...] = Field(default=(), alias="not")


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
        parts: of the kind, then the question's beats.
        vectors: ``empty``, then ``says`` and ``not_`` of each part.
        empty: rows of ``vectors``.
        own_from: the number of the first part that is judged by closeness alone, as beats are.
        starts: where each of these groups of rows begins, if it has any.
        says_at: the number of the group that a part says, for each part.
        not_at: the number of the group that only looks like it, for each part of the kind.
        says_rows: (parts of the kind, most examples of one), the rows of ``says``; -1 where a part
            has fewer.
        needs: (parts, facts), 1 where the fact is one of those that the part needs.
        needs_nothing: for each part, whether any passage may say it.
        takes_cue: for each part, whether one of its cues may replace a fact.
        takes_lists: for each part, whether bare words in a row may say it.
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
        """The highest value of each group of rows, shape (groups, spans); the first is ``empty``.

        Args:
            near: cosines of each sentence of the rubric with each span, shape (n, spans).
        """
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
        Part(name=beat.name, needs=_BEAT_NEEDS, ask=beat.ask, says=beat.ways) for beat in beats
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
