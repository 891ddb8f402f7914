"""Your own stories: written or told, matched to questions, compared between tellings.

Only if the server runs in this process: a shared server has no questions of your own.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import ValidationError

from client.backend.embedded import answered_by, differing_facts, phrases_of
from client.backend.protocol import Backend
from client.core.durable_file import change_own, free_name
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.practice.progress import all_attempts
from question_bank.errors import BankError, field_faults
from question_bank.models import Bank, Question
from question_bank.stories import (
    FIELD,
    MAX_STORIES,
    PARTS,
    SECONDS,
    THEMES,
    Story,
    read_stories,
    stories_to_yaml,
    themes_of,
)
from server.contract import Report

_COMPARED: Final = 3
"""Tellings before the latest one whose facts are compared with it."""
_PART_OF: Final = {"own actions": "action"}
"""The grader's name of a part, where it is another."""


class StoryError(ClientError):
    """A story cannot be found or kept; the text says why."""


@dataclass(frozen=True)
class Telling:
    """One answer that told a story."""

    attempt_id: int
    told_at: datetime
    seconds: int
    report: Report

    @property
    def said(self) -> Mapping[str, str]:
        """The words that say each part."""
        parts = self.report.structure.parts if self.report.structure else ()
        return {
            _PART_OF.get(part.name, part.name): part.evidence.text
            for part in parts
            if part.evidence is not None and part.status == "said"
        }

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts that it lacks, the weightiest first."""
        parts = self.report.structure.parts if self.report.structure else ()
        lacking = [part for part in parts if part.status == "missing"]
        ordered = sorted(lacking, key=lambda part: -part.weight)
        return tuple(_PART_OF.get(part.name, part.name) for part in ordered)


@dataclass(frozen=True)
class KnownStory:
    """A story with everything that is known about it.

    Attributes:
        tellings: the newest first.
        answers: questions of the bank that it answers.
        differing: facts that differ between the latest telling and earlier ones, or its text.
    """

    story: Story
    tellings: tuple[Telling, ...] = ()
    answers: tuple[Question, ...] = ()
    differing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As it is written, or else as it was told last."""
        return self.story.text or (self.tellings[0].report.transcript.text if self.tellings else "")

    @property
    def weak_part(self) -> str:
        """The part to work on: one that the latest telling lacks, or that is not written."""
        if self.tellings:
            return next(iter(self.tellings[0].missing), "")
        return next((name for name in PARTS if not getattr(self.story, name)), "")

    @property
    def themes(self) -> tuple[str, ...]:
        """What it is about: as chosen, or else as its words say."""
        return self.story.themes or themes_of(f"{self.story.title}. {self.text}")


def known_stories(
    backend: Backend, settings: ClientSettings, bank: Bank, *, matched: bool = True
) -> list[KnownStory]:
    """All stories, with their tellings.

    Args:
        backend: has the tellings.
        settings: name the file.
        bank: whose behavioral questions are matched.
        matched: also find the questions that each answers, which takes the encoder.
    """
    try:
        stories = read_stories(settings.stories)
    except BankError as error:
        raise StoryError(str(error)) from error
    names = {
        each.question_id(seconds): (each.id, seconds) for each in stories for seconds in SECONDS
    }
    told: dict[str, list[Telling]] = {each.id: [] for each in stories}
    for attempt in all_attempts(backend) if stories else ():
        if attempt.question_id in names:
            story_id, seconds = names[attempt.question_id]
            if len(told[story_id]) <= _COMPARED:
                report = backend.attempt(attempt.id).report
                told[story_id].append(Telling(attempt.id, attempt.created_at, seconds, report))
    known = [
        KnownStory(each, tuple(told[each.id]), (), _differing(each, told[each.id]))
        for each in stories
    ]
    if not matched or not known:
        return known
    asked = [each for each in bank.questions if each.kind == "story" and each.field != FIELD]
    found = answered_by([each.text for each in known], asked)
    return [
        KnownStory(each.story, each.tellings, answers, each.differing)
        for each, answers in zip(known, found, strict=True)
    ]


def nothing_yet_for(stories: Sequence[KnownStory]) -> tuple[str, ...]:
    """The themes that no story is about."""
    covered = {theme for each in stories for theme in each.themes}
    return tuple(theme for theme in THEMES if theme not in covered)


def keep_story(backend: Backend, settings: ClientSettings, values: Mapping[str, object]) -> Story:
    """Keep a story; one with the id of a kept story replaces it.

    Args:
        backend: reads the bank again.
        settings: name the file.
        values: the fields of ``Story``; without an id it is a new one.

    Raises:
        StoryError: a field is not valid, there are too many stories, or the file is not writable.
    """
    kept: list[Story] = []

    def changed(stories: tuple[Story, ...]) -> tuple[Story, ...]:
        title = str(values.get("title") or "").strip()
        story_id = values.get("id") or _new_id(title, {each.id for each in stories})
        try:
            story = Story.model_validate({**values, "id": story_id})
        except ValidationError as error:
            place, says = next(field_faults(error))
            raise StoryError(f"{place[0] if place else 'the story'}: {says}") from error
        if not story.points:
            points = phrases_of(f"{story.title}. {story.result}")[:5]
            story = story.model_copy(update={"points": points})
        kept.append(story)
        if story.id in {each.id for each in stories}:
            return tuple(story if each.id == story.id else each for each in stories)
        if len(stories) >= MAX_STORIES:
            raise StoryError(f"there are {MAX_STORIES} stories; delete one first")
        return (*stories, story)

    _change(backend, settings, changed)
    return kept[-1]


def forget_story(backend: Backend, settings: ClientSettings, story_id: str) -> None:
    """Delete a story; its tellings stay in the history."""
    _change(backend, settings, lambda stories: tuple(s for s in stories if s.id != story_id))


def stories_to_markdown(stories: Sequence[KnownStory]) -> str:
    """All stories as one text, to read before the interview."""
    lines = ["# My stories", ""]
    for each in stories:
        lines += [f"## {each.story.title}", ""]
        if each.themes:
            lines += [f"For: {', '.join(each.themes)}", ""]
        for name in PARTS:
            if text := getattr(each.story, name):
                lines += [f"**{name.capitalize()}.** {text}", ""]
        if not each.story.text and each.text:
            lines += [each.text, ""]
        if each.story.points:
            lines += [f"Name: {', '.join(each.story.points)}", ""]
        if each.differing:
            lines += [f"Facts that differ: {'; '.join(each.differing)}", ""]
    return "\n".join(lines)


def _differing(story: Story, tellings: Sequence[Telling]) -> tuple[str, ...]:
    if not tellings:
        return ()
    now = tellings[0].report.transcript.text
    earlier = [each.report.transcript.text for each in tellings[1 : _COMPARED + 1]]
    found = [fact for text in (*earlier, story.text) for fact in differing_facts(text, now)]
    return tuple(dict.fromkeys(found))


def _new_id(title: str, taken: set[str]) -> str:
    name = "-".join(re.findall(r"[a-z0-9]+", title.casefold())[:6])[:50].strip("-") or "story"
    return free_name(name, taken)


def _change(
    backend: Backend,
    settings: ClientSettings,
    change: Callable[[tuple[Story, ...]], tuple[Story, ...]],
) -> None:
    path = settings.stories
    if settings.server is not None:
        raise StoryError("stories are kept on this machine: leave out --server")

    def changed() -> bytes:
        return stories_to_yaml(change(read_stories(path))).encode("utf-8")

    change_own(path, changed, StoryError, "stories", BankError)
    backend.regrade(question_id="story")  # reads the bank again; no question has this id
