"""Items, a scripted hearing and a backend in memory for the tests of the drills."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from client.practice.drills.items import DrillVerdict, Item, ItemSets
from pronunciation.clip import Clip
from pronunciation.terms import Mistake

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
RIGHT, WRONG = "R AA1 K IY0", "R OW1 S"


def item(name: str, drill_set: str = "acronyms") -> Item:
    return Item(
        id=name,
        set=drill_set,
        prompt=name,
        term=name,
        say="ROCK-ee",
        readings=(RIGHT,),
        mistakes=(Mistake(phones=WRONG, tip=f"Not like a rose, {name}."),),
        sentence=f"We use {name}.",
    )


def sets(*items: Item) -> ItemSets:
    names = dict.fromkeys(each.set for each in items)
    return ItemSets(
        sets={name: tuple(i for i in items if i.set == name) for name in names},
        titles={name: name.title() for name in names},
    )


class ScriptedHearing:
    """Gives these verdicts, one for each take."""

    def __init__(self, *verdicts: str) -> None:
        self.verdicts = list(verdicts)
        self.heard: list[str] = []

    def __call__(self, clip: Clip, wanted: Item) -> DrillVerdict:
        self.heard.append(wanted.id)
        verdict = self.verdicts.pop(0)
        if verdict == "nothing":
            return DrillVerdict("nothing", None, 1.0)
        phones = WRONG if verdict == "mispronounced" else RIGHT
        return DrillVerdict(verdict, phones, 0.97, 0.2, 0.7)  # type: ignore[arg-type]


class Clock:
    """Advances by a minute at each look."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture
def clip() -> Clip:
    rng = np.random.default_rng(1)
    return Clip((0.1 * rng.standard_normal(16_000)).astype(np.float32))
