"""The mock interview: the form, question after question, and one report at the end."""

import random
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.answer.answer import Outcome
from client.backend.protocol import UnavailableError
from client.core.errors import NoSpeech
from client.practice.drills.phrases import error_id
from client.practice.interviews import (
    CLOSING_ASK,
    CLOSING_MOST_S,
    InterviewNotFound,
    InterviewRecord,
    InterviewReport,
    Interviews,
    KeptAnswer,
    find_answers,
    interview_to_markdown,
    last_practiced,
    plan_interview,
    report_interview,
    topic_scores,
)
from client.practice.interviews.debrief import first_lines, moment_line
from client.practice.interviews.interview_report import STRONG_SCORE, WEAK_SCORE
from client.practice.progress import all_attempts
from client.studio.routes.bodies import clip_of_pcm, download, read_body
from client.studio.state.page_recording import asked_in_page
from client.studio.state.studio import Studio
from client.studio.views.interview import (
    InterruptedAnswer,
    InterviewState,
    earlier,
    place_href,
    point_links,
    state_of,
)
from question_bank.models import FieldOfWork, RoundGuide, RoundName
from server.contract import LanguageRequest, duration
from server.ui.rendering import when
from server.ui.report_view import note_rows
from server.ui.verdict_words import note_lines, notices_text

SHORT_MINUTES: Final = (10, 20)
"""For practice between two other things; a real round takes three quarters of an hour."""

DOUBLE_CLICK_S: Final = 5.0
FOLLOW_UP_WITHIN_S: Final = 6.0
"""An answer that takes longer to transcribe gets no follow-up: nobody waits in silence for one."""

Id = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str | None, Query(max_length=200)]
Length = Literal["real", "longest", "10", "20"]


class _Asked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    question_id: Id


class _Timed(_Asked):
    runs: bool
    ran_s: Annotated[float, Field(ge=0)] | None = None


def router(studio: Studio) -> APIRouter:
    """The pages and what they ask for."""
    routes = APIRouter(prefix="/interview")
    interviews = studio.interviews.kept

    @routes.get("")
    def choose(
        request: Request, role: Text = None, round: Text = None, length: Text = None
    ) -> HTMLResponse:
        bank, kept = studio.bank, interviews.all()
        fields = {each.id: bank.field_of(each.id) for each in bank.roles}
        attempts = all_attempts(studio.backend)
        scores = {each.id: each.score for each in attempts}
        lines = [earlier(record, scores, interviews.now()) for record in kept.records]
        latest = kept.records[0] if kept.records else None
        wanted = (role, *(each.role for each in attempts))
        chosen = next((each for each in wanted if each in fields), next(iter(fields), ""))
        return studio.page(
            request,
            "interview.html",
            groups=bank.roles_by_field(),
            rounds=_rounds(fields),
            chosen_role=chosen,
            chosen_length=length or str(SHORT_MINUTES[0]),
            chosen_round=round or (latest.round if latest else ""),
            open=[line for line in lines if line.state != "ended"],
            ended=[line for line in lines if line.state == "ended"],
            unreadable=kept.unreadable,
            short_minutes=SHORT_MINUTES,
        )

    @routes.post("")
    def start(
        role: Annotated[Id, Form()],
        round: Annotated[Id, Form()],
        length: Annotated[Length, Form()] = "10",
        follow_ups: Annotated[bool, Form()] = False,
    ) -> RedirectResponse:
        bank = studio.bank
        found = bank.role(role)
        if found is None:
            raise HTTPException(404, f"the bank has no role {role!r}")
        guide = next((each for each in bank.field_of(role).rounds if each.id == round), None)
        if guide is None:
            raise HTTPException(404, f"interviews for {found.title} have no round {round!r}")
        minutes = {"real": guide.minutes[0], "longest": guide.minutes[1]}.get(length) or int(length)
        begun = _begun_just_now(interviews, found.id, guide.id, minutes)
        if begun is not None:
            return RedirectResponse(f"/interview/{begun.id}", 303)
        practiced = last_practiced(studio.backend)
        plan = plan_interview(
            bank,
            found.id,
            guide.id,
            minutes,
            practiced,
            random.Random(),
            topic_scores(studio.backend),
        )
        record = interviews.start(found, guide, minutes, plan, follow_ups=follow_ups)
        return RedirectResponse(f"/interview/{record.id}", 303)

    @routes.get("/{interview_id}")
    def interview(request: Request, interview_id: str) -> Response:
        """The open question; a candidate who left and comes back continues here."""
        record = studio.interviews.resume(_get(interviews, interview_id))
        if record.ended_at is not None:
            return RedirectResponse(f"/interview/{record.id}/report", 303)
        studio.warm_up()
        if record.current is not None:
            studio.speak_ahead(record.current.prompt)
        return studio.page(
            request,
            "interview_question.html",
            record=record,
            state=asdict(_state(studio, record)),
            closing_ask=CLOSING_ASK,
        )

    @routes.get("/{interview_id}/state")
    def state(interview_id: str) -> InterviewState:
        """The state; answers that a crash left without a transcript are transcribed now."""
        return _state(studio, studio.interviews.resume(_get(interviews, interview_id)))

    @routes.get("/{interview_id}/follow-up")
    def follow_up(interview_id: str, question_id: Text) -> dict[str, Any]:
        """What is asked after the answer just given, as soon as it is graded; or nothing."""
        return {"follow_up": _follow_up(studio, interview_id, question_id or "")}

    @routes.post("/{interview_id}/skip")
    def skip(interview_id: str, asked: _Asked) -> InterviewState:
        _get(interviews, interview_id)
        return _state(studio, interviews.skip(interview_id, asked.question_id))

    @routes.post("/{interview_id}/time")
    def clock(interview_id: str, at: _Timed) -> InterviewState:
        """Let the clock run or stand; the page repeats it while the clock runs."""
        _get(interviews, interview_id)
        timed = interviews.time(interview_id, at.question_id, runs=at.runs, ran_s=at.ran_s)
        return _state(studio, timed)

    @routes.post("/{interview_id}/use")
    def use(interview_id: str, asked: _Asked) -> InterviewState:
        """The recording of the open question that broke off is the answer."""
        _get(interviews, interview_id)
        return _state(studio, studio.interviews.use_interrupted(interview_id, asked.question_id))

    @routes.post("/{interview_id}/end")
    def end(interview_id: str, shown: Annotated[bool, Form()] = True) -> RedirectResponse:
        """End it now, or confirm that time is up; ``shown``: the open question was seen."""
        record = _get(interviews, interview_id)
        interviews.end(record.id, shown=shown)
        return RedirectResponse(f"/interview/{record.id}/report", 303)

    @routes.post("/{interview_id}/closing", status_code=204)
    def closing(interview_id: str, pcm: Annotated[bytes, Depends(_pcm)]) -> None:
        """What the candidate asks at the end, written down; nothing else of it is kept."""
        _get(interviews, interview_id)
        text = ""
        if pcm:
            with suppress(NoSpeech):
                text = studio.session.transcribe(clip_of_pcm(pcm)).text
        interviews.close(interview_id, text)

    @routes.post("/{interview_id}/delete")
    def delete(interview_id: str) -> RedirectResponse:
        """Forget it; its answers stay in the history."""
        interviews.delete(_get(interviews, interview_id).id)
        return RedirectResponse("/interview", 303)

    @routes.get("/{interview_id}/report")
    def report(request: Request, interview_id: str) -> Response:
        record = studio.interviews.resume(_get(interviews, interview_id))
        if record.ended_at is None:
            return RedirectResponse(f"/interview/{record.id}", 303)
        answers = find_answers(studio.backend, record)
        made = report_interview(record, answers)
        strongest, weakest = point_links(made)
        return studio.page(
            request,
            "interview_report.html",
            report=made,
            language_follows=_language_follows(studio, answers),
            notices=notices_text(made.notices, to_owner=True),
            strongest=strongest,
            weakest=weakest,
            good_score=STRONG_SCORE,
            weak_score=WEAK_SCORE,
            place_href=place_href,
            notes=note_rows(made.language),
            note_places={f"note-{at}": each for at, each in enumerate(made.note_places, 1)},
            error_id=error_id,
            drilled={each.id for each in studio.drill_items.errors()},
            first_line=first_lines(made.debrief.first) if made.debrief.first else "",
            recorded=[
                each.attempt_id
                for each in record.asked
                if each.submission_id and studio.recordings.path_of(each.submission_id).is_file()
            ],
            used_s=record.spent_s,
            spoken_share=made.answer_s / (record.spent_s or record.minutes * 60),
        )

    @routes.post("/{interview_id}/language")
    def language(interview_id: str) -> dict[str, bool]:
        """Look at the English of the answers; the page asks for it once the report stands."""
        asked = LanguageRequest(mother_tongue=studio.settings.preferences.mother_tongue)
        answers = find_answers(studio.backend, _get(interviews, interview_id), asked)
        for each in answers.values():
            if each.attempt is not None:
                studio.reports.forget(each.attempt.id)
        return {"follows": _language_follows(studio, answers)}

    @routes.get("/{interview_id}/page")
    def page(request: Request, interview_id: str) -> Response:
        """The debrief on one page, to print or to send to a coach."""
        made = _report(studio, _get(interviews, interview_id))
        return studio.page(
            request,
            "interview_page.html",
            report=made,
            debrief=made.debrief,
            first_line=first_lines(made.debrief.first) if made.debrief.first else "",
            moments=[moment_line(each) for each in made.debrief.moments],
            notes=note_lines(made.language, made.note_questions) if made.language.notes else (),
            groups=made.language.groups(),
        )

    @routes.get("/{interview_id}/report.{suffix}")
    def export(interview_id: str, suffix: Literal["md", "json"]) -> Response:
        record = _get(interviews, interview_id)
        made = _report(studio, record)
        name = f"aloud-interview-{record.started_at:%Y-%m-%d}-{record.round}.{suffix}"
        return download(
            name, made.model_dump_json() if suffix == "json" else interview_to_markdown(made)
        )

    return routes


def _rounds(fields: Mapping[str, FieldOfWork]) -> dict[tuple[RoundGuide, ...], list[str]]:
    """The lists of rounds to choose from, each with the roles that have it."""
    lists: dict[tuple[RoundGuide, ...], list[str]] = {}
    for role, field in fields.items():
        lists.setdefault(field.rounds, []).append(role)
    return lists


async def _pcm(request: Request) -> bytes:
    return await read_body(request, CLOSING_MOST_S)


def _follow_up(studio: Studio, interview_id: str, question_id: str) -> dict[str, Any] | None:
    until_s = time.monotonic() + FOLLOW_UP_WITHIN_S
    while time.monotonic() < until_s:
        record = _get(studio.interviews.kept, interview_id)
        asked = next((each for each in record.asked if each.question_id == question_id), None)
        if asked is None or asked.problem or asked.state not in ("given", "answered"):
            return None
        early = studio.microphone.asked_early(asked.take or "", probes=True) if asked.take else None
        if early is not None:
            return early
        if asked.state == "answered":
            if asked.attempt_id is None:
                return None
            attempt = studio.backend.attempt(asked.attempt_id)
            outcome = Outcome(attempt.submission, attempt.report, attempt.id)
            following = studio.session.next_follow_up(outcome, probes=True)
            if following is None:
                return None
            studio.speak_ahead(following.ask)
            return asked_in_page(following, question_id, attempt.id, probes=True)
        time.sleep(0.05)
    return None


def _get(interviews: Interviews, interview_id: str) -> InterviewRecord:
    try:
        return interviews.get(interview_id)
    except InterviewNotFound as error:
        raise HTTPException(404, str(error)) from error


def _begun_just_now(
    interviews: Interviews, role: str, round: RoundName, minutes: int
) -> InterviewRecord | None:
    """The interview that a first click of a double click has begun."""
    for record in interviews.all().records:
        age_s = (interviews.now() - record.started_at).total_seconds()
        same = (record.role, record.round, record.minutes) == (role, round, minutes)
        if same and age_s < DOUBLE_CLICK_S and record.questions[0].state == "open":
            return record
    return None


def _state(studio: Studio, record: InterviewRecord) -> InterviewState:
    try:
        bank = studio.bank
    except UnavailableError:
        bank = None  # the questions are in the record; only other roles' titles are missing
    take = studio.interviews.interrupted(record)
    return state_of(
        record,
        bank,
        studio.interviews.kept.now(),
        recording=studio.interviews.is_recording(record),
        interrupted=InterruptedAnswer(take.name, when(take.spoken_at), duration(take.duration_s))
        if take is not None
        else None,
    )


def _language_follows(studio: Studio, answers: Mapping[str, KeptAnswer]) -> bool:
    known = [each.attempt.report.language for each in answers.values() if each.attempt]
    return any(each.waits_for(studio.settings.preferences.mother_tongue) for each in known)


def _report(studio: Studio, record: InterviewRecord) -> InterviewReport:
    return report_interview(record, find_answers(studio.backend, record))
