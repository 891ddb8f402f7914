"""Phrases to say, each against what learners say instead; and the drill of collocations.

They are heard as terms are: the phones of the phrase against those of the wrong one.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice, product
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from pronunciation.g2p import pronunciations
from question_bank.strict_yaml import parse_yaml

LANGUAGE_SET: Final = "language"
"""The set of a person's own errors of language."""
COLLOCATIONS: Final = "collocations"
PHRASE_SETS: Final = frozenset({LANGUAGE_SET, COLLOCATIONS})
"""Sets of phrases, not of terms."""
MOST_READINGS: Final = 4
"""Of one phrase, from the ways its words may be said; the usual way of each comes first."""


class _Collocation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    verb: str
    noun: str
    wrong: tuple[str, ...] = Field(min_length=1)
    sentence: str


@dataclass(frozen=True)
class Phrase:
    """A phrase to say.

    Attributes:
        id: of its drill item.
        set: the set it belongs to.
        prompt: the sentence around it.
        right: the words that matter.
        wrong: what is said instead, with a tip each.
        about: a line beside it.
        is_mastered: it need not come back.
        ask: shown instead of the prompt until it is said; empty: the prompt.
    """

    id: str
    set: str
    prompt: str
    right: str
    wrong: tuple[tuple[str, str], ...]
    about: str = ""
    is_mastered: bool = False
    ask: str = ""


def readings_of(words: str) -> tuple[str, ...]:
    """How words may be said, in ARPAbet, the usual way first; empty if nothing is.

    Raises:
        HearingError: one is in no dictionary, and no voice can read it.
    """
    ways = [found for word in words.split() if (found := pronunciations(word))]
    said = (" ".join(phone for word in each for phone in word) for each in product(*ways))
    return tuple(filter(None, islice(dict.fromkeys(said), MOST_READINGS)))


@cache
def collocations() -> tuple[Phrase, ...]:
    """The collocations of code review, incidents, deployment and planning, to be recalled."""
    text = resources.files(__package__).joinpath("collocations.yaml").read_text("utf-8")
    phrases = []
    for entry in parse_yaml(text, "collocations.yaml").data:
        each = _Collocation.model_validate(entry)
        right = f"{each.verb} {each.noun}"
        tip = f"The usual verb is “{each.verb}”."
        wrong = tuple((f"{verb} {each.noun}", tip) for verb in each.wrong)
        ask = each.sentence.replace(right, f"… {each.noun}", 1)
        name = f"{COLLOCATIONS}-{right.replace(' ', '-').casefold()}"
        phrases.append(Phrase(name, COLLOCATIONS, each.sentence, right, wrong, ask=ask))
    return tuple(phrases)
