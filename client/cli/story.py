"""``aloud story``: your own stories, listed, written, shown and exported."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from client.cli.commands import command_group, commands
from client.cli.common import command, fail, out, print_file, print_json, writing
from client.cli.loading import open_server
from client.cli.options import JsonOption
from client.core.settings import ClientSettings
from client.data.stories import (
    KnownStory,
    forget_story,
    keep_story,
    known_stories,
    nothing_yet_for,
    stories_to_markdown,
)
from question_bank.stories import PARTS, SECONDS

StoryId = Annotated[
    str, typer.Argument(metavar="ID", help="The story's ID; see `aloud story list`.")
]

app = commands()
group = command_group(app, "story")


@command(group, "list")
def list_stories(
    settings: ClientSettings,
    as_json: JsonOption = False,
) -> None:
    """List your stories, and what interviewers ask about that none is for."""
    with open_server(settings, reading=True) as backend:
        known = known_stories(backend, settings, backend.bank(), matched=False)
    if as_json:
        print_json(
            {
                "stories": [
                    each.story.model_dump(mode="json")
                    | {"themes": each.themes, "told": len(each.tellings)}
                    | {"weak_part": each.weak_part, "differing": each.differing}
                    for each in known
                ],
                "nothing_yet_for": nothing_yet_for(known),
            }
        )
        return
    for each in known:
        out().print(Text.assemble((each.story.id, "bold"), f"  {each.story.title}"))
        told = f"told {len(each.tellings)} times" if each.tellings else "not told yet"
        weak = f" · weak: {each.weak_part}" if each.weak_part else ""
        out().print(Text(f"  {', '.join(each.themes) or 'no theme'} · {told}{weak}", "dim"))
        for fact in each.differing:
            out().print(Text(f"  differs: {fact}", "yellow"))
    out().print(f"Nothing yet for: {', '.join(nothing_yet_for(known)) or '–'}")
    if not known:
        out().print('Begin with: aloud story add "The migration that slipped"')


@command(group, "add")
def add(
    settings: ClientSettings,
    title: Annotated[str, typer.Argument(help="What it is about, in a few words.")],
    situation: Annotated[str, typer.Option(help="When and where, and what was at stake.")] = "",
    task: Annotated[str, typer.Option(help="What you had to achieve.")] = "",
    action: Annotated[str, typer.Option(help="What you yourself did.")] = "",
    result: Annotated[str, typer.Option(help="What came of it.")] = "",
    lesson: Annotated[str, typer.Option(help="What you do differently since then.")] = "",
) -> None:
    """Keep a story, written here or told afterwards."""
    values = dict(zip(PARTS, (situation, task, action, result, lesson), strict=True))
    with open_server(settings, reading=True) as backend:
        story = keep_story(backend, settings, {"title": title, **values})
    out().print(f"Kept as {story.id}. Tell it in two minutes, or in one:", markup=False)
    for seconds in SECONDS:
        out().print(f"  aloud interview --question {story.question_id(seconds)}", markup=False)


@command(group, "show")
def show(settings: ClientSettings, story_id: StoryId) -> None:
    """Show a story: its parts, tellings, what differs, and the questions it answers."""
    with open_server(settings, reading=True) as backend:
        known = _found(known_stories(backend, settings, backend.bank()), story_id)
    print_file(stories_to_markdown([known]).removeprefix("# My stories\n\n"))
    for telling in known.tellings:
        said = ", ".join(telling.said) or "no part"
        out().print(f"Told {telling.told_at.astimezone():%Y-%m-%d %H:%M}: {said}")
    if known.weak_part:
        out().print(f"Weak part: {known.weak_part}")
    for question in known.answers:
        out().print(Text.assemble("Answers ", (question.id, "bold"), f"  {question.prompt}"))
    out().print(f"Tell it: aloud interview --question {known.story.question_id(SECONDS[0])}")


@command(group, "export")
def export(
    settings: ClientSettings,
    out_file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.md", help="Write here, not to the screen.")
    ] = None,
) -> None:
    """All stories as one Markdown text."""
    with open_server(settings, reading=True) as backend:
        known = known_stories(backend, settings, backend.bank(), matched=False)
    text = stories_to_markdown(known)
    if out_file is None:
        print_file(text)
    else:
        with writing(out_file):
            out_file.write_text(text, encoding="utf-8")


@command(group, "delete")
def delete(settings: ClientSettings, story_id: StoryId) -> None:
    """Delete a story; its tellings stay in the history."""
    with open_server(settings, reading=True) as backend:
        _found(known_stories(backend, settings, backend.bank(), matched=False), story_id)
        forget_story(backend, settings, story_id)
    out().print(f"Deleted {story_id}.", markup=False)


def _found(known: list[KnownStory], story_id: str) -> KnownStory:
    for each in known:
        if each.story.id == story_id:
            return each
    raise fail(f"there is no story {story_id!r}; `aloud story list` lists them")
