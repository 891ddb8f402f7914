"""The settings page: voice, speed, theme, microphone, engine and the other choices."""

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.core.errors import SettingsError
from client.core.preferences import (
    ENGINES,
    MAX_THINKING_S,
    MINUTES,
    NAMES,
    SPEEDS,
    THEMES,
    VOICES,
    source_of,
    variable,
    written,
)
from client.practice.doubtful_choices import MOTHER_TONGUES, doubts_of
from client.speaking import TRIAL_SENTENCE
from client.studio.state.studio import Studio

Value = Annotated[str, Body(embed=True, max_length=1000)]


def router(studio: Studio) -> APIRouter:
    """The page, and what other pages store."""
    routes = APIRouter(prefix="/settings")

    @routes.get("")
    def show(request: Request, saved: bool = False) -> HTMLResponse:
        """All choices."""
        return _page(studio, request, saved=saved)

    @routes.post("")
    async def save(request: Request) -> Response:
        """Store what was changed in the form; what was changed elsewhere since it was opened stays.

        What the environment decides is not in the form.
        """
        form = await request.form()
        wrong: dict[str, str] = {}
        for name, text in _changed(form).items():
            try:
                studio.choose({name: text})
            except SettingsError as error:
                wrong[name] = str(error)
        if wrong:
            return _page(studio, request, status=422, wrong=wrong, typed=_given(form))
        return RedirectResponse("/settings?saved=true", 303)

    @routes.post("/reset")
    def reset() -> RedirectResponse:
        """Every default again."""
        studio.choose(dict.fromkeys(NAMES))
        return RedirectResponse("/settings?saved=true", 303)

    @routes.post("/{name}")
    def choose(name: str, value: Value) -> dict[str, Any]:
        """Store one choice, made on another page."""
        if name not in NAMES:
            raise HTTPException(404, f"there is no setting {name!r}")
        studio.choose({name: value or None})
        return {"value": written(studio.settings.preferences, name)}

    return routes


def _given(form: FormData) -> dict[str, str | None]:
    """The form's texts by name; an empty one takes the choice back."""
    given = {name: form.get(name) for name in NAMES}
    return {name: text.strip() or None for name, text in given.items() if isinstance(text, str)}


def _pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


def _changed(form: FormData) -> dict[str, str | None]:
    """The texts of ``_given`` that are not what the page was opened with."""
    return {
        name: text
        for name, text in _given(form).items()
        if (was := form.get(f"was-{name}")) is None or was != (text or "")
    }


def _page(
    studio: Studio,
    request: Request,
    *,
    status: int = 200,
    saved: bool = False,
    wrong: dict[str, str] | None = None,
    typed: dict[str, str | None] | None = None,
) -> HTMLResponse:
    studio.catch_up()
    preferences, home = studio.settings.preferences, studio.settings.home
    values = {name: written(preferences, name) for name in NAMES}
    values |= {name: (typed or {}).get(name) or "" for name in wrong or ()}
    fixed = {name: variable(name) for name in NAMES if source_of(home, name) == "environment"}
    return studio.page(
        request,
        "settings.html",
        status,
        values=values,
        stored={name: written(preferences, name) for name in NAMES},
        doubts=doubts_of(preferences),
        fixed=fixed,
        wrong=wrong or {},
        saved=saved,
        voices=VOICES,
        themes=THEMES,
        engines=ENGINES,
        models=_pairs(each.weights.name for each in studio.engine.models() if each.folder),
        speeds=SPEEDS,
        max_thinking_s=MAX_THINKING_S,
        mother_tongues=_pairs(MOTHER_TONGUES),
        roles=[(each.id, each.title) for each in studio.bank.roles],
        minutes=MINUTES,
        trial=TRIAL_SENTENCE,
    )
