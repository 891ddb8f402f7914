"""Your own stories, and the questions that practice them, on top of a bank.

The file is a list of stories with their parts. Each is told in two minutes and in one.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from question_bank.errors import BankError, FileError, field_faults
from question_bank.files import version_of
from question_bank.models import Bank, FieldOfWork, KeyPhrase, Question, RoundGuide, Slug
from question_bank.strict_yaml import read_yaml

MAX_STORIES: Final = 50
SECONDS: Final = (120, 60)
"""The lengths in which a story is practiced."""
PARTS: Final = ("situation", "task", "action", "result", "lesson")
FIELD: Final = "my-stories"
THEMES: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "conflict": r"disagre|conflict|argu(ed|ment)|push(ed)? back|tension|quarrel|objected",
        "failure": r"fail|mistake|my fault|went wrong|regret|slipped|missed the|broke (it|the)",
        "leadership": r"\bI (led|lead|coordinated|ran the)|mentor|delegat|my team|took charge",
        "pressure": r"deadline|at night|\b\d ?a\.?m\b|urgent|pressure|incident|outage|emergency",
        "initiative": r"\bI (proposed|suggested|volunteered|started)|on my own|my idea",
        "ambiguity": r"unclear|nobody knew|no documentation|vague|ambig|uncertain|did not know",
        "customer": r"customer|client|patient|relatives|\busers?\b|stakeholder",
        "achievement": r"proud|improved|saved|halved|doubled|reduced|fell from|award|faster",
        "learning": r"taught myself|learned (a new|how)|for the first time|new to me",
    }.items()
}
"""What interviewers of any field ask stories about, and words that tell one of them."""
_ROUND: Final = RoundGuide(id="story", title="My stories", minutes=(1, 2), kind="story")

_Part = Annotated[str, StringConstraints(strip_whitespace=True, max_length=3000)]
_Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


def themes_of(text: str) -> tuple[str, ...]:
    """The themes that a story names, a first guess."""
    return tuple(name for name, words in THEMES.items() if words.search(text))


class Story(BaseModel):
    """Something that you did, in the parts that an interviewer listens for.

    Attributes:
        themes: what questions it answers: ``conflict``, ``failure`` and so on.
        points: what every telling must name; its key phrases.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Slug
    title: _Line
    situation: _Part = ""
    task: _Part = ""
    action: _Part = ""
    result: _Part = ""
    lesson: _Part = ""
    themes: tuple[Slug, ...] = ()
    points: tuple[_Line, ...] = ()

    @property
    def text(self) -> str:
        """All parts that are written."""
        return " ".join(part for name in PARTS if (part := getattr(self, name)))

    def question_id(self, seconds: int) -> str:
        """The id of the question that practices it in so many seconds."""
        return f"story-{self.id}-{seconds}"

    def questions(self) -> tuple[Question, ...]:
        """The questions that practice it."""
        told = {120: "two minutes", 60: "one minute"}
        points = dict.fromkeys(self.points or (self.title,))
        return tuple(
            Question(
                id=self.question_id(seconds),
                field=FIELD,
                round=_ROUND.id,
                kind="story",
                topic=_ROUND.title,
                prompt=f"Tell your story “{self.title}” in {told[seconds]}.",
                answer_seconds=seconds,
                model_answer=self.text or f"My story is about {self.title}.",
                key_phrases=tuple(KeyPhrase(phrase=point) for point in points),
            )
            for seconds in SECONDS
        )


_FILE: Final = TypeAdapter(Annotated[tuple[Story, ...], Field(max_length=MAX_STORIES)])


def read_stories(path: Path) -> tuple[Story, ...]:
    """The stories in a file; none if there is no such file.

    Raises:
        BankError: the file is not valid; with every fault found.
    """
    if not path.exists():
        return ()
    try:
        document = read_yaml(path)
        return _FILE.validate_python(document.data or ())
    except FileError as error:
        raise BankError(*error.faults) from error
    except ValidationError as error:
        raise BankError(*(document.fault(says, *at) for at, says in field_faults(error))) from error


def stories_to_yaml(stories: Sequence[Story]) -> str:
    """The content of the file."""
    plain = [each.model_dump(mode="json", exclude_defaults=True) for each in stories]
    text: str = yaml.safe_dump(plain, allow_unicode=True, sort_keys=False, width=100)
    return text


def with_stories(bank: Bank, stories: Sequence[Story]) -> Bank:
    """The bank with the questions that practice the stories; its version changes with them."""
    if not stories:
        return bank
    return bank.model_copy(
        update={
            "version": version_of(bank.version + stories_to_yaml(stories)),
            "fields": (*bank.fields, FieldOfWork(id=FIELD, title=_ROUND.title, rounds=(_ROUND,))),
            "rounds": (*bank.rounds, _ROUND),
            "questions": (*bank.questions, *(q for each in stories for q in each.questions())),
        }
    )
