"""The pages of your own stories."""

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.core.wording import sentence
from client.data.stories import (
    KnownStory,
    StoryError,
    forget_story,
    keep_story,
    known_stories,
    nothing_yet_for,
    stories_to_markdown,
)
from client.studio.routes.bodies import download
from client.studio.state.studio import Studio
from question_bank.stories import PARTS, SECONDS, THEMES

Title = Annotated[str, Form(max_length=200)]
HINTS = {
    "situation": "When and where was that, and what was at stake?",
    "task": "What did you have to achieve?",
    "action": "What did you yourself do, step by step?",
    "result": "What came of it? A number is best.",
    "lesson": "What do you do differently since then?",
}


def router(studio: Studio) -> APIRouter:
    """The pages."""
    routes = APIRouter(prefix="/stories")

    @routes.get("")
    def stories(request: Request) -> HTMLResponse:
        """All stories, and the themes that none is about."""
        return _all(studio, request)

    @routes.post("")
    def add(request: Request, title: Title = "", do: Annotated[str, Form()] = "write") -> Response:
        """A new story, to be told now or to be written."""
        try:
            story = keep_story(studio.backend, studio.settings, {"title": title})
        except StoryError as error:
            return _all(studio, request, problem=sentence(str(error)), typed=title, status=422)
        tell = f"/practice/{story.question_id(SECONDS[0])}"
        return RedirectResponse(tell if do == "tell" else f"/stories/{story.id}", 303)

    @routes.get("/file.md")
    def file() -> Response:
        """All stories as one text."""
        known = known_stories(studio.backend, studio.settings, studio.bank, matched=False)
        return download("aloud-stories.md", stories_to_markdown(known))

    @routes.get("/{story_id}")
    def story(request: Request, story_id: str, saved: bool = False) -> HTMLResponse:
        """One story: its parts, its tellings, what differs and what is weak."""
        return _one(studio, request, _found(studio, story_id), saved=saved)

    @routes.post("/{story_id}")
    async def save(request: Request, story_id: str) -> Response:
        """Keep what was typed."""
        form = await request.form(max_files=0)
        typed: dict[str, object] = {name: str(form.get(name) or "") for name in ("title", *PARTS)}
        points = str(form.get("points") or "").splitlines()
        typed["points"] = [each.strip() for each in points if each.strip()]
        typed["themes"] = [str(each) for each in form.getlist("themes") if each in THEMES]
        try:
            keep_story(studio.backend, studio.settings, {**typed, "id": story_id})
        except StoryError as error:
            known = _found(studio, story_id)
            return _one(studio, request, known, problem=sentence(str(error)), status=422)
        return RedirectResponse(f"/stories/{story_id}?saved=true", 303)

    @routes.post("/{story_id}/take")
    def take(story_id: str) -> RedirectResponse:
        """Take the parts of the latest telling into the text, where nothing is written."""
        known = _found(studio, story_id)
        said = known.tellings[0].said if known.tellings else {}
        written = {name: getattr(known.story, name) or said.get(name, "") for name in PARTS}
        values = known.story.model_dump() | written
        keep_story(studio.backend, studio.settings, values)
        return RedirectResponse(f"/stories/{story_id}?saved=true", 303)

    @routes.post("/{story_id}/delete")
    def delete(story_id: str) -> RedirectResponse:
        """Delete it; its tellings stay in the history."""
        forget_story(studio.backend, studio.settings, story_id)
        return RedirectResponse("/stories", 303)

    return routes


def _found(studio: Studio, story_id: str) -> KnownStory:
    known = known_stories(studio.backend, studio.settings, studio.bank)
    for each in known:
        if each.story.id == story_id:
            return each
    raise HTTPException(404, f"you have no story {story_id!r}")


def _all(
    studio: Studio, request: Request, *, problem: str = "", typed: str = "", status: int = 200
) -> HTMLResponse:
    known = known_stories(studio.backend, studio.settings, studio.bank)
    return studio.page(
        request,
        "stories.html",
        status,
        stories=known,
        missing=nothing_yet_for(known),
        problem=problem,
        typed=typed,
        shared=studio.settings.server is not None,
    )


def _one(
    studio: Studio,
    request: Request,
    known: KnownStory,
    *,
    saved: bool = False,
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    return studio.page(
        request,
        "story.html",
        status,
        known=known,
        story=known.story,
        parts=[(name, HINTS[name]) for name in PARTS],
        said=known.tellings[0].said if known.tellings else {},
        seconds=SECONDS,
        themes=tuple(THEMES),
        saved=saved,
        problem=problem,
    )
