"""The question bank over HTTP, and the pages of its editors: versions, text editor, activation."""

from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Form, Path, Query
from starlette.responses import RedirectResponse, Response

from question_bank.models import (
    Bank,
    Faq,
    PlanWeek,
    Question,
    Role,
    RoundGuide,
    RoundName,
    Signal,
    Slug,
)
from server.attempts.regrading import REGRADE, RegradeOrder
from server.bank_versions.service import CHECK_BANK, CHECKED_AT_ONCE, MAX_NOTE_CHARS, DraftOrder
from server.bank_versions.text import Draft, DraftError, Fault
from server.contract import use_cases
from server.core.access import Action, Actor
from server.core.errors import NotFoundError
from server.jobs.job import MadeFile
from server.web.http.context import AppContext, BackgroundWork, PageVisit, Visit, served
from server.web.http.gate import needs
from server.web.http.responses import file_response
from server.web.routes.attempt_review import lines_of

SHOWN_QUESTIONS: Final = 30
SHOWN_FAULTS: Final = 100

Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
MaybeNumber = Annotated[int | None, Query(ge=1, le=2**31 - 1)]
Typed = Annotated[str, Form()]


@dataclass(frozen=True)
class _Typed:
    """The content of the editor's form."""

    yaml: str
    lexicon_yaml: str
    note: str = ""
    based_on: int = 0


@dataclass(frozen=True)
class _Checked:
    """What checking it found. ``checked`` says how far it got."""

    faults: list[Fault] = field(default_factory=list)
    draft: Draft | None = None
    checked: Literal["", "form", "all"] = ""
    overtaken: bool = False


@cache
def bank_router() -> APIRouter:
    """The routes under ``/bank``."""
    router = APIRouter(prefix="/bank", tags=["bank"], dependencies=[needs(Action.READ_BANK)])

    @served(router, use_cases.BANK)
    def whole_bank(context: AppContext) -> Bank:
        """Return everything in the bank, with its version."""
        return context.service.bank()

    @router.get("/roles")
    def roles(context: AppContext) -> tuple[Role, ...]:
        """Return the roles that people can practice for."""
        return context.service.bank().roles

    @router.get("/roles/{role_id}")
    def role(role_id: Annotated[Slug, Path()], context: AppContext) -> Role:
        """Return one role."""
        found = context.service.bank().role(role_id)
        if found is None:
            raise NotFoundError(f"the bank has no role {role_id!r}")
        return found

    @served(router, use_cases.QUESTIONS)
    def questions(
        context: AppContext,
        role: Slug | None = None,
        round: RoundName | None = None,
        topic: Annotated[str | None, Query(max_length=200)] = None,
    ) -> tuple[Question, ...]:
        """Return the questions of a role, a round or a topic, or all."""
        return context.service.questions(role=role, round=round, topic=topic)

    @served(router, use_cases.QUESTION)
    def question(question_id: Annotated[Slug, Path()], context: AppContext) -> Question:
        """Return one question with its model answer and key phrases."""
        return context.service.question(question_id)

    @router.get("/rounds")
    def rounds(context: AppContext) -> tuple[RoundGuide, ...]:
        """Return the interview rounds of all fields."""
        return context.service.bank().rounds

    @router.get("/signals")
    def signals(context: AppContext) -> tuple[Signal, ...]:
        """Return the signals that interviewers of all fields look for."""
        return context.service.bank().signals

    @router.get("/plan")
    def plan(context: AppContext) -> tuple[PlanWeek, ...]:
        """Return the study plan of fields without their own, week by week."""
        return context.service.bank().plan

    @router.get("/help")
    def help_texts(context: AppContext) -> tuple[Faq, ...]:
        """Return the answers to frequent questions."""
        return context.service.bank().help

    return router


@cache
def bank_pages_router() -> APIRouter:
    """The pages under ``/coach/bank``."""
    router = APIRouter(
        prefix="/coach/bank", include_in_schema=False, dependencies=[needs(Action.EDIT_BANK)]
    )

    @router.get("")
    def overview(visit: PageVisit) -> Response:
        versions = visit.context.background.versions
        bank = versions.grading_data.bank
        return visit.page(
            "bank/versions.html",
            versions=versions.store.listed(),
            activations=versions.store.activations(),
            questions=len(bank.questions),
            bank_version=bank.version,
            problem=versions.grading_data.problem,
        )

    @router.get("/edit")
    def edit(
        visit: PageVisit,
        version: MaybeNumber = None,
        job: Annotated[int | None, Query(ge=1, le=2**63 - 1)] = None,
    ) -> Response:
        """Open the editor with a version, with a text that a job faulted, or the newest one."""
        if job is not None:
            return _editor(visit, *_of_job(visit.context.background, job, visit.actor))
        store = visit.context.background.versions.store
        latest = store.latest_number()
        number = version or latest
        if number == 0:
            return _editor(visit, _Typed("", ""), _Checked())
        text = store.get(number)
        typed = _Typed(text.yaml, text.lexicon_yaml, based_on=latest)
        return _editor(visit, typed, _Checked())

    @router.post("/edit")
    def check_or_save(
        visit: PageVisit,
        do: Typed = "check",
        yaml: Typed = "",
        lexicon_yaml: Typed = "",
        note: Annotated[str, Form(max_length=MAX_NOTE_CHARS)] = "",
        based_on: Annotated[int, Form(ge=0, le=2**31 - 1)] = 0,
    ) -> Response:
        """Check what was typed, and store it if requested and nothing is wrong."""
        versions = visit.context.background.versions
        typed = _Typed(lines_of(yaml), lines_of(lexicon_yaml), _one_line(note), based_on)
        order = DraftOrder(yaml=typed.yaml, lexicon_yaml=typed.lexicon_yaml, note=typed.note)
        try:
            draft = versions.read(typed.yaml, typed.lexicon_yaml)
        except DraftError as error:
            return _editor(visit, typed, _Checked(error.faults), 422)
        latest = versions.store.latest_number()
        if do == "save" and latest != based_on:
            newer = _Typed(typed.yaml, typed.lexicon_yaml, typed.note, latest)
            found = _Checked(draft=draft, checked="form", overtaken=True)
            return _editor(visit, newer, found, 409)
        if len(draft.questions) > CHECKED_AT_ONCE:
            if do != "save":
                return _editor(visit, typed, _Checked(draft=draft, checked="form"))
            return visit.enqueued(CHECK_BANK, order)
        try:
            versions.check(draft)
        except DraftError as error:
            return _editor(visit, typed, _Checked(error.faults, draft), 422)
        if do != "save":
            return _editor(visit, typed, _Checked(draft=draft, checked="all"))
        number = versions.save(order, visit.actor.account_id)
        return RedirectResponse(f"/coach/bank/{number}", 303)

    @router.post("/none/activate")
    def deactivate(visit: PageVisit) -> Response:
        """Use only the bank that the server was started with."""
        visit.context.background.versions.activate(None, visit.actor.account_id)
        return RedirectResponse("/coach/bank", 303)

    @router.post("/regrade")
    def regrade(visit: PageVisit, trial: Annotated[bool, Form()] = False) -> Response:
        """Grade everybody's answers again with the bank in use, in the background."""
        return visit.enqueued(REGRADE, RegradeOrder(scope="everybody", dry_run=trial))

    @router.get("/{number}")
    def version(visit: PageVisit, number: Number, since: MaybeNumber = None) -> Response:
        """Show a version: its questions, and how it differs from the active or another one."""
        versions = visit.context.background.versions
        text = versions.store.get(number)
        other = since if since is not None else versions.store.active_number()
        try:
            draft, problem = versions.read(text.yaml, text.lexicon_yaml), None
        except DraftError as error:
            draft, problem = None, str(error.faults[0].text)
        return visit.page(
            "bank/version.html",
            text=text,
            version=text.version,
            since=other,
            changes=versions.changes(number, other),
            draft=draft,
            problem=problem,
            shown=SHOWN_QUESTIONS,
        )

    @router.post("/{number}/activate")
    def activate(visit: PageVisit, number: Number) -> Response:
        visit.context.background.versions.activate(number, visit.actor.account_id)
        return RedirectResponse(f"/coach/bank/{number}", 303)

    @router.get("/{number}/{part}.yaml")
    def download(number: Number, part: Literal["bank", "lexicon"], context: AppContext) -> Response:
        text = context.background.versions.store.get(number)
        content = text.yaml if part == "bank" else text.lexicon_yaml
        name = f"{part}-version-{number}.yaml"
        return file_response(MadeFile(name, content.encode()))

    return router


def _editor(visit: Visit, typed: _Typed, found: _Checked, status: int = 200) -> Response:
    return visit.page(
        "bank/edit.html",
        status,
        typed=typed,
        found=found,
        faults=found.faults[:SHOWN_FAULTS],
        more_faults=max(0, len(found.faults) - SHOWN_FAULTS),
        excerpt=lambda fault: _excerpt(typed, fault),
        max_note=MAX_NOTE_CHARS,
        at_once=CHECKED_AT_ONCE,
        shown=SHOWN_QUESTIONS,
    )


def _of_job(background: BackgroundWork, job_id: int, actor: Actor) -> tuple[_Typed, _Checked]:
    """The input of a background check, and the faults it found."""
    job = background.queue.status(job_id, actor.account_id)
    if job.kind != CHECK_BANK:
        raise NotFoundError(f"job {job_id} is not a check of a version of the bank")
    order = DraftOrder.model_validate(background.queue.payload(job_id, actor.account_id))
    faults: list[dict[str, Any]] = (job.result or {}).get("faults", [])
    typed = _Typed(
        order.yaml, order.lexicon_yaml, order.note, background.versions.store.latest_number()
    )
    return typed, _Checked([Fault(**each) for each in faults])


def _excerpt(typed: _Typed, fault: Fault) -> str:
    """The line with the fault."""
    lines = (typed.yaml if fault.part == "bank" else typed.lexicon_yaml).split("\n")
    if fault.line is None or not 1 <= fault.line <= len(lines):
        return ""
    return lines[fault.line - 1].strip()[:200]


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
