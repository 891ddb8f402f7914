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
from server.grading.sense.encoder import Vectors
from server.grading.sense.thresholds import BEAT_BAR, CUE_WORTH
from server.grading.sense.vectors import vectors_of
from server.grading.structure.data_files import read_data, whole_words
from server.grading.structure.facts import Fact

KINDS: Final[tuple[Kind, ...]] = ("explain", "story", "design", "code")
_BEAT_NEEDS: Final[tuple[Fact, ...]] = ("person", "number", "name")


class Part(BaseModel):
    """One part of a rubric.

    ``needs``: a stretch of speech says the part only with one of these facts in it (any: always).
    ``cues``: regular expressions over the plain words (numbers as ``#``) that mark the part.
    ``says`` are examples as people say it, ``not_`` what looks like it and is empty; ``bar`` is how
    much closer to the former a stretch has to be, in cosines.
    ``count``: how many stretches apart from each other have to say it. ``where``: "opening" is
    the first half of the answer, "end" the second.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    name: str
    weight: float = Field(default=1.0, gt=0)
    bar: float = Field(ge=0, le=1)
    where: Literal["opening", "end", "anywhere"] = "anywhere"
    count: int = Field(default=1, ge=1)
    needs: tuple[Fact, ...] = ()
    ask: str
    cues: tuple[str, ...] = ()
    says: tuple[str, ...] = Field(min_length=1)
    not_: tuple[str, ...] = Field(default=(), alias="not")


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class CompiledPart:
    """A part ready for judging: its cues as one pattern."""

    part: Part
    cues: re.Pattern[str] | None


@dataclass(frozen=True, eq=False)
class Rubric:
    """The parts of a kind and of a question, and all their examples as unit vectors (n, 384).

    One matrix, so that an answer is compared with all of them at once. Its rows stand in groups:
    the sentences that say nothing at all, then for each part what says it and what looks like it.

    Attributes:
        parts: the kind's, then the question's.
        vectors: unit vectors (n, 384).
        groups: the numbers of the groups that hold any sentence.
        starts: the first row of each of these.
        bars: (parts,), of each part the margin from which a cue may help.
    """

    parts: tuple[CompiledPart, ...]
    vectors: Vectors
    groups: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]
    bars: npt.NDArray[np.float32]


@cache
def parts_of(kind: Kind) -> tuple[Part, ...]:
    """The parts of a kind's rubric."""
    return _File.model_validate(read_data(f"{kind}.yaml")).parts


@lru_cache(maxsize=512)
def rubric_of(kind: Kind, beats: tuple[Beat, ...] = ()) -> Rubric:
    """The parts of a kind, then the question's own beats, ready for judging."""
    own = tuple(
        Part(name=beat.name, bar=BEAT_BAR, needs=_BEAT_NEEDS, ask=beat.ask, says=beat.ways)
        for beat in beats
    )
    parts = (*parts_of(kind), *own)
    groups = [_empty(), *(sentences for part in parts for sentences in (part.says, part.not_))]
    sizes = np.array([len(each) for each in groups])
    return Rubric(
        parts=tuple(
            CompiledPart(part, whole_words(part.cues) if part.cues else None) for part in parts
        ),
        vectors=vectors_of([sentence for each in groups for sentence in each]),
        groups=np.flatnonzero(sizes),
        starts=(np.cumsum(sizes) - sizes)[sizes > 0],
        bars=np.array([part.bar - CUE_WORTH for part in parts], np.float32),
    )


def sentences() -> list[str]:
    """Every sentence of the rubrics whose vector is needed."""
    parts: Sequence[Part] = [part for kind in KINDS for part in parts_of(kind)]
    return [*_empty(), *(each for part in parts for each in (*part.says, *part.not_))]


@cache
def _empty() -> tuple[str, ...]:
    sentences = read_data("empty.yaml")["sentences"]
    return tuple(str(each) for each in sentences)
