"""The history: past answers with filters, comparison, export and deletion."""

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Form, HTTPException, Query, Request, UploadFile
from pydantic import ValidationError
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from client.backend.outbox import AnswerOutbox, OutboxError, Waiting
from client.data.deleting import KEPT, delete_answers, delete_everything, discard_refused
from client.data.exports import (
    ArchiveError,
    ImportedArchive,
    export_attempts,
    import_archive,
    read_archive,
)
from client.data.whole_archive import is_whole, own_files, read_whole, write_archive
from client.practice.progress import all_attempts
from client.studio.routes.bodies import download, export_format
from client.studio.state.studio import Studio
from question_bank.models import Bank
from server.contract import AttemptId, AttemptSummary, HistoryPage, HistoryQuery, Submission

SEND_SHOWN_WITHIN_S: Final = 3.0
"""What takes longer to send continues while the page is shown, which shows the progress."""
PAGE_SIZE: Final = 15
_EXPORTS: Final = ("json", "csv", "markdown")
Ids = Annotated[list[AttemptId], Form(min_length=1, max_length=500)]
Confirmed = Annotated[str, Form(pattern="^yes$")]


@dataclass(frozen=True)
class Filters:
    """What the form says, as it was typed; an empty text is no filter."""

    role: str = ""
    round: str = ""
    question: str = ""
    since: str = ""
    until: str = ""

    @property
    def any(self) -> bool:
        """Whether anything is filtered at all."""
        return any(getattr(self, each.name) for each in fields(self))

    def link(self, page: int = 1) -> str:
        """The address of a page of what matches."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        values = {name: value for name, value in values.items() if value}
        if page > 1:
            values["page"] = str(page)
        return "/history" + (f"?{urlencode(values)}" if values else "")

    def query(self, page: int) -> HistoryQuery:
        """The question for the server.

        Raises:
            _FilterError: for every field that cannot be used, what is wrong with it.
        """
        problems: dict[str, str] = {}
        since = _midnight(self.since, "since", problems)
        until = _midnight(self.until, "until", problems, days_later=1)
        if since and until and until <= since:
            problems["until"] = "This date is before the “From” date."
        try:
            query = HistoryQuery.model_validate(
                {
                    "role": self.role or None,
                    "round": self.round or None,
                    "question_id": self.question or None,
                    "since": since,
                    "until": until,
                    "limit": PAGE_SIZE,
                    "offset": (page - 1) * PAGE_SIZE,
                }
            )
        except ValidationError as error:
            for each in error.errors():
                field = str(each["loc"][0]).removesuffix("_id")
                problems[field] = "Nothing has this name."
            raise _FilterError(problems) from error
        if problems:
            raise _FilterError(problems)
        return query


@dataclass(frozen=True)
class WaitingAnswer:
    """An answer that the server does not have yet; ``reason``: why it refused it, if it did."""

    submission_id: str
    prompt: str
    answered_at: datetime | None
    reason: str


class _FilterError(Exception):
    """Fields of the form that cannot be used, by name."""

    def __init__(self, problems: dict[str, str]) -> None:
        super().__init__("; ".join(problems.values()))
        self.problems = problems


def router(studio: Studio) -> APIRouter:
    """The page and what its buttons do."""
    routes = APIRouter(prefix="/history")

    @routes.get("")
    def history(
        request: Request,
        role: str = "",
        in_round: Annotated[str, Query(alias="round")] = "",
        question: str = "",
        since: str = "",
        until: str = "",
        page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
        deleted: Annotated[int | None, Query(ge=0)] = None,
        sent: Annotated[int | None, Query(ge=0)] = None,
        imported: Annotated[int | None, Query(ge=0)] = None,
        there: Annotated[int, Query(ge=0)] = 0,
        conflicts: Annotated[int, Query(ge=0)] = 0,
    ) -> HTMLResponse:
        """One page of the answers that match, the newest first."""
        return _page(
            studio,
            request,
            Filters(role, in_round, question, since, until),
            page,
            deleted=deleted,
            sent=sent,
            imported=imported,
            there=there,
            conflicts=conflicts,
        )

    @routes.get("/compare")
    def compare(attempt: Annotated[list[AttemptId], Query(min_length=1)]) -> RedirectResponse:
        """Leads to two answers side by side, the newer one first."""
        if len(set(attempt)) != 2:
            raise HTTPException(422, "select exactly two answers to compare them")
        one, other = (studio.backend.attempt(each) for each in sorted(set(attempt)))
        if one.report.question_id != other.report.question_id:
            raise HTTPException(422, "only answers to the same question can be compared")
        if one.report.created_at > other.report.created_at:
            one, other = other, one
        return RedirectResponse(f"/attempts/{other.id}/compare/{one.id}", 303)

    @routes.get("/export.zip")
    def export_everything(recordings: bool = False) -> FileResponse:
        folder = tempfile.mkdtemp(prefix="aloud-")
        path = Path(folder) / "aloud.zip"
        write_archive(studio.backend, studio.settings, path, recordings=recordings)
        return FileResponse(
            path,
            media_type="application/zip",
            filename=f"aloud-{date.today().isoformat()}.zip",
            background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
        )

    @routes.get("/export.{suffix}")
    def export(suffix: str) -> Response:
        """All answers as one file."""
        format = export_format(suffix, _EXPORTS)
        name = f"aloud-{date.today().isoformat()}.{suffix}"
        return download(name, export_attempts(studio.backend, format))

    @routes.post("/import", response_model=None)
    async def import_(request: Request, file: UploadFile) -> Response:
        """Takes in an archive, as ``aloud import`` does."""
        try:
            done = await run_in_threadpool(_import, studio, file)
        except ArchiveError as error:
            # shown on the page itself, where neither our copy's folder nor the command-line remedy
            # means anything
            problem = f"{error.path.name} {error.problem}"
            return await run_in_threadpool(
                _page, studio, request, Filters(), 1, status=422, import_problem=problem
            )
        query = {
            "imported": done.attempts.imported + done.drills.imported,
            "there": done.attempts.skipped + done.drills.skipped,
            "conflicts": len(done.conflicts),
        }
        return RedirectResponse(f"/history?{urlencode(query)}#restore", 303)

    @routes.post("/delete")
    def delete(
        attempt: Ids, confirmed: Confirmed, back: Annotated[str, Form(max_length=2000)] = ""
    ) -> RedirectResponse:
        """Deletes the selected answers and their recordings."""
        result = delete_answers(studio.backend, studio.settings, attempt)
        joined = f"{back}&deleted={result.deleted}" if back else f"deleted={result.deleted}"
        return RedirectResponse(f"/history?{joined}", 303)

    @routes.post("/delete-everything")
    def delete_all(confirmed: Confirmed) -> RedirectResponse:
        """Deletes all data of this person."""
        result = delete_everything(studio.backend, studio.settings)
        return RedirectResponse(f"/history?deleted={result.deleted}", 303)

    @routes.post("/discard")
    def discard(
        answer: Annotated[str, Form(pattern="^[0-9a-f]{32}$")], confirmed: Confirmed
    ) -> RedirectResponse:
        """Deletes one answer that the server refused, and its recording."""
        gone = discard_refused(studio.backend.outbox, studio.settings, answer)
        return RedirectResponse(f"/history?deleted={int(gone)}", 303)

    @routes.post("/send")
    def send() -> RedirectResponse:
        """Sends what waits, those that were refused too."""
        for each in studio.backend.outbox.rejected():
            studio.backend.outbox.retry(each)
        sending = studio.backend.send_waiting(within_s=SEND_SHOWN_WITHIN_S)
        return RedirectResponse(
            "/history" if sending.running else f"/history?sent={sending.sent}", 303
        )

    return routes


def _page(
    studio: Studio,
    request: Request,
    filters: Filters,
    page: int,
    *,
    status: int = 200,
    import_problem: str = "",
    **done: int | None,
) -> HTMLResponse:
    """One page of the answers that match; ``done``: what was deleted, sent or imported just now."""
    everything = all_attempts(studio.backend)
    problems: dict[str, str] = {}
    found = HistoryPage(total=0, attempts=())
    try:
        found = studio.backend.history(filters.query(page))
        last = max(1, -(-found.total // PAGE_SIZE))
        if page > last:  # answers were deleted, or the address was typed
            page, found = last, studio.backend.history(filters.query(last))
    except _FilterError as error:
        problems, last, page = error.problems, 1, 1
    bank = studio.bank
    return studio.page(
        request,
        "history.html",
        status=422 if problems else status,
        bank=bank,
        filters=filters,
        problems=problems,
        found=found,
        page_number=page,
        last_page=last,
        total=len(everything),
        prompts={each.id: each.prompt for each in bank.questions},
        role_titles=_roles(bank, everything),
        round_titles={each.id: each.title for each in bank.rounds},
        answered=_answered(bank, everything),
        waiting=_waiting(studio.backend.outbox, bank),
        sending=studio.backend.sending(),
        import_problem=import_problem,
        kept=KEPT,
        owned=any(True for _ in own_files(studio.settings.home)),
        recorded=any(studio.settings.recordings.glob("*.wav")),
        **({"deleted": None, "sent": None, "imported": None} | done),
    )


def _import(studio: Studio, file: UploadFile) -> ImportedArchive:
    with tempfile.TemporaryDirectory(prefix="aloud-") as folder:
        path = Path(folder) / Path(file.filename or "archive.json").name
        with path.open("wb") as copy:
            shutil.copyfileobj(file.file, copy)
        if is_whole(path):
            found = read_whole(studio.backend, studio.settings, path)
            if found.files:  # own readings may be among them
                studio.learn_readings()
            return found.answers
        return import_archive(studio.backend, read_archive(path))


def _midnight(
    text: str, field: str, problems: dict[str, str], days_later: int = 0
) -> datetime | None:
    """Where a day begins on this machine's clock."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text) + timedelta(days=days_later)
        return datetime.combine(day, time.min).astimezone()
    except (ValueError, OverflowError, OSError):
        problems[field] = "This is not a date; write it like 2026-03-31."
        return None


def _roles(bank: Bank, attempts: Iterable[AttemptSummary]) -> dict[str, str]:
    """The titles of the bank's roles, and the names of those that have gone from it."""
    titles = {role.id: role.title for role in bank.roles}
    return titles | {
        each.role: each.role for each in attempts if each.role and each.role not in titles
    }


def _answered(bank: Bank, attempts: Iterable[AttemptSummary]) -> list[tuple[str, str]]:
    """The answered questions with their prompts, by prompt; those gone from the bank by id."""
    prompts = {each.id: each.prompt for each in bank.questions}
    ids = {each.question_id for each in attempts}
    return sorted(((each, prompts.get(each, each)) for each in ids), key=lambda pair: pair[1])


def _waiting(outbox: AnswerOutbox, bank: Bank) -> list[WaitingAnswer]:
    prompts = {each.id: each.prompt for each in bank.questions}
    return [_waiting_answer(each, prompts) for each in (*outbox.pending(), *outbox.rejected())]


def _waiting_answer(waiting: Waiting[Submission], prompts: dict[str, str]) -> WaitingAnswer:
    try:
        submission = waiting.read()
    except OutboxError as error:
        return WaitingAnswer(
            waiting.item_id, "An answer that cannot be read", None, waiting.reason or str(error)
        )
    prompt = prompts.get(submission.question_id, submission.question_id)
    return WaitingAnswer(waiting.item_id, prompt, submission.created_at, waiting.reason)
