"""Drills: what is due, and one card at a time."""

import logging
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.answer.journal import Journal
from client.core.errors import DrillError
from client.practice.drills.drill_session import DrillSession, drill_hearing
from client.practice.drills.item_files import MAX_FILE_BYTES, Imported, import_items, items_to_csv
from client.practice.drills.items import Item, ItemSets, item_for
from client.practice.progress import is_learned
from client.studio.routes.bodies import clip_of_pcm, download, read_body
from client.studio.state.open_drills import (
    DrillGoneError,
    DrillSounds,
    DrillView,
    OpenDrill,
    OpenDrills,
    TakeView,
)
from client.studio.state.studio import Studio
from client.studio.views.drill import coming
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from question_bank.exercises import DEFINITIONS, definitions
from question_bank.exercises import FIELD as EXERCISES
from question_bank.models import Question
from server.contract import DrillCard

logger = logging.getLogger(__name__)

ALL: Final = "all"
"""Stands for every set in an address."""
COUNTS: Final = (5, 10, 20, 40)
MAX_TAKE_S: Final = 20.0
"""The page stops at 12 s at most; a longer take is none of its, and the hearing refuses it."""

Count = Annotated[int, Query(ge=1, le=200)]
Name = Annotated[str, Query(min_length=1, max_length=200)]
Number = Annotated[int | None, Query(ge=0)]
At = Annotated[int, Query(ge=0)]


@dataclass(frozen=True)
class SetLine:
    """One set, or all together.

    Attributes:
        name: as in the address.
        title: for people.
        total: how many items it has.
        due: how many of them are due now.
        new: how many were never said.
        learned: how many are learned.
        next_at: when one is due again; ``None``: nothing was said yet, or something is due now.
    """

    name: str
    title: str
    total: int
    due: int
    new: int
    learned: int
    next_at: datetime | None

    @property
    def ready(self) -> bool:
        """Whether there is anything to say now."""
        return bool(self.due or self.new)


def router(studio: Studio) -> APIRouter:
    """The pages and what they ask for."""
    routes = APIRouter()
    open_drills = OpenDrills(lambda clip, item: drill_hearing()(clip, item))
    sounds = DrillSounds(Journal.of(studio.settings))

    @routes.get("/drills")
    def drills(request: Request, added: Number = None, changed: Number = None) -> HTMLResponse:
        """The sets with what is due."""
        return _drills_page(studio, request, added=added, changed=changed)

    @routes.post("/drills/term")
    def drill_term(term: Annotated[str, Form(min_length=1, max_length=200)]) -> Response:
        """Drill one term now, in a set or not; one that no set has joins your own items."""
        item = item_for(studio.drill_items.sets(), studio.lexicon, studio.settings, term)
        sets = studio.drill_items.sets()
        session = DrillSession(studio.backend, open_drills.hear, sets, only=[item])
        return _begin(open_drills, session, term, item.set, 1)

    @routes.post("/drills/item")
    def drill_item(name: Annotated[str, Form(min_length=1, max_length=200)]) -> Response:
        """Drill one item now, such as an own error of language."""
        item = studio.drill_items.item(name)
        if item is None:
            raise HTTPException(404, "this is no longer practiced: its answer is gone, or old")
        sets = studio.drill_items.sets()
        session = DrillSession(studio.backend, open_drills.hear, sets, only=[item])
        return _begin(open_drills, session, sets.titles[item.set], item.set, 1)

    @routes.post("/drills/import", response_model=None)
    async def import_items_of(request: Request, file: UploadFile) -> Response:
        """Add items of your own from a CSV file, as ``aloud drill --import`` does."""
        content = await file.read(MAX_FILE_BYTES + 1)
        try:
            done = await run_in_threadpool(_import, studio, file.filename or "items.csv", content)
        except DrillError as error:
            return await run_in_threadpool(
                _drills_page, studio, request, problems=str(error).splitlines()
            )
        return RedirectResponse(f"/drills?added={done.added}&changed={done.replaced}", 303)

    @routes.get("/drills/items.csv")
    def export_items() -> Response:
        """All items as the file that the import takes."""
        items = [item for each in studio.drill_items.sets().sets.values() for item in each]
        return download("aloud-drills.csv", items_to_csv(items))

    @routes.get("/drills/{name}")
    def drill(request: Request, name: str, items: Count = 10, drill: str | None = None) -> Response:
        """One drill; without ``drill``, a new one of this set is opened."""
        sets = studio.drill_items.sets()
        if name != ALL and name not in sets.sets:
            raise HTTPException(404, f"there is no drill set {name!r}")
        again = f"/drills/{name}?{urlencode({'items': items})}"
        if drill is None:
            return _open(studio, open_drills, sets, name, items) or _nothing_due(
                studio, request, sets, name
            )
        try:
            found = open_drills.get(drill)
        except DrillGoneError as error:
            return _notice(studio, request, "Drill", str(error), status=404, again=again)
        return studio.page(
            request,
            "drill.html",
            title=found.title,
            problem="",
            again=again,
            drill=asdict(found.view()),
        )

    @routes.post("/drills/open/{drill_id}/takes")
    def take(
        drill_id: str, item: Name, take: Name, pcm: Annotated[bytes, Depends(_pcm)]
    ) -> TakeView:
        """Hear a take of the card that is up. Nothing of its sound is kept once it is stored."""
        drill = _found(open_drills, drill_id)
        clip = clip_of_pcm(pcm)
        return drill.take(take, item, clip, lambda said: sounds.complete(take, said, pcm))

    @routes.post("/drills/open/{drill_id}/sound", status_code=204)
    def sound(
        drill_id: str, item: Name, take: Name, at: At, pcm: Annotated[bytes, Depends(_pcm)]
    ) -> None:
        """Keep the next piece of a take that is being spoken."""
        said = _found(open_drills, drill_id).spoken(item)
        clip_of_pcm(pcm)
        sounds.take_in(take, said, at, pcm)

    @routes.post("/drills/open/{drill_id}/drop", status_code=204)
    def drop(drill_id: str, take: Name) -> None:
        """Forget a take that has nothing to be heard."""
        sounds.drop(take)

    @routes.post("/drills/open/{drill_id}/skip")
    def skip(drill_id: str, item: Name) -> DrillView:
        """Leave the card that is up for another day."""
        return _found(open_drills, drill_id).skip(item)

    return routes


def _drills_page(
    studio: Studio,
    request: Request,
    *,
    added: int | None = None,
    changed: int | None = None,
    problems: Sequence[str] = (),
) -> HTMLResponse:
    now = datetime.now(UTC)
    lines = set_lines(studio.drill_items.sets(), studio.backend.drills.cards(), now)
    everything = _together(lines)
    return studio.page(
        request,
        "drills.html",
        422 if problems else 200,
        sets=[line for line in lines if line.total],
        everything=everything,
        counts=COUNTS,
        next_text=coming(everything.next_at, now) if everything.next_at else "",
        coming={line.name: coming(line.next_at, now) for line in lines if line.next_at},
        exercises=_exercises(studio),
        explained=[each for each in studio.bank.roles if definitions(studio.bank, each)],
        added=added,
        changed=changed or 0,
        problems=problems,
    )


def _exercises(studio: Studio) -> dict[str, list[Question]]:
    """The tasks of a working day by topic; none where the server's bank has none."""
    found: dict[str, list[Question]] = {}
    for question in studio.bank.questions:
        if question.field == EXERCISES and question.round != DEFINITIONS:
            found.setdefault(question.topic, []).append(question)
    return found


def _import(studio: Studio, name: str, content: bytes) -> Imported:
    with tempfile.TemporaryDirectory(prefix="aloud-") as folder:
        path = Path(folder) / Path(name).name  # faults name it as the person does
        path.write_bytes(content)
        return import_items(studio.settings, path)


def set_lines(sets: ItemSets, cards: tuple[DrillCard, ...], now: datetime) -> list[SetLine]:
    """The sets as the page lists them; cards of items that are gone do not count."""
    by_id = {card.item_id: card for card in cards}
    lines = []
    for name, items in sets.sets.items():
        known = [by_id[item.id] for item in items if item.id in by_id]
        due = sum(card.due <= now for card in known)
        lines.append(
            SetLine(
                name=name,
                title=sets.titles[name],
                total=len(items),
                due=due,
                new=len(items) - len(known),
                learned=sum(map(is_learned, known)),
                next_at=None if due else min((card.due for card in known), default=None),
            )
        )
    return lines


def _together(lines: list[SetLine]) -> SetLine:
    due = sum(line.due for line in lines)
    times = [line.next_at for line in lines if line.next_at]
    return SetLine(
        name=ALL,
        title="All sets",
        total=sum(line.total for line in lines),
        due=due,
        new=sum(line.new for line in lines),
        learned=sum(line.learned for line in lines),
        next_at=None if due else min(times, default=None),
    )


def _open(
    studio: Studio, open_drills: OpenDrills, sets: ItemSets, name: str, count: int
) -> Response | None:
    """Redirects to a new drill; ``None``: nothing is due and nothing is new."""
    drill_set = None if name == ALL else name
    title = "All sets" if drill_set is None else sets.titles[name]
    try:
        session = DrillSession(
            studio.backend, open_drills.hear, sets, drill_set=drill_set, count=count
        )
    except DrillError:
        return None
    return _begin(open_drills, session, title, name, count)


def _begin(
    open_drills: OpenDrills, session: DrillSession, title: str, name: str, count: int
) -> Response:
    """Redirects to a new drill; the hearing loads meanwhile."""
    drill = open_drills.add(session, title)
    first = session.current
    if first is not None:
        warm = threading.Thread(
            target=_warm, args=(open_drills.hear, first), name="aloud-drill-warm", daemon=True
        )
        warm.start()
    return RedirectResponse(f"/drills/{name}?{urlencode({'items': count, 'drill': drill.id})}", 303)


def _nothing_due(studio: Studio, request: Request, sets: ItemSets, name: str) -> Response:
    now = datetime.now(UTC)
    lines = set_lines(sets, studio.backend.drills.cards(), now)
    line = next((each for each in lines if each.name == name), _together(lines))
    when = f" The next one is due {coming(line.next_at, now)}." if line.next_at else ""
    text = f"Nothing is due and nothing is new here.{when}"
    return _notice(studio, request, line.title, text)


def _notice(
    studio: Studio, request: Request, title: str, text: str, *, status: int = 200, again: str = ""
) -> Response:
    """The page without a drill: why there is none, and where to go instead."""
    return studio.page(
        request, "drill.html", status, title=title, problem=text, again=again, drill=None
    )


def _warm(hear: Callable[[Clip, Item], object], item: Item) -> None:
    """Load the hearing while the first card is read, so that the first verdict is quick too."""
    try:
        noise = np.random.default_rng(0).standard_normal(SAMPLE_RATE_HZ // 2) * 1e-3
        hear(Clip(noise.astype(np.float32)), item)
    except Exception as error:  # the first take shows it to the person
        logger.info("the hearing could not be loaded ahead: %s", error)


async def _pcm(request: Request) -> bytes:
    return await read_body(request, MAX_TAKE_S)


def _found(open_drills: OpenDrills, drill_id: str) -> OpenDrill:
    try:
        return open_drills.get(drill_id)
    except DrillGoneError as error:
        raise HTTPException(404, str(error)) from error
