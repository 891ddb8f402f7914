"""One past answer: report with sound, comparison, exports, corrections, deletion, transcripts."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Body, Form, HTTPException, Path, Query, Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from client.backend.opening import count_written
from client.backend.protocol import RejectedError
from client.core.own_lexicon import own_readings
from client.data.corrections import (
    AliasError,
    add_own_alias,
    add_own_readings,
    take_back_alias,
    take_back_readings,
)
from client.data.deleting import delete_answers
from client.data.exports import EXPORT_FORMATS, SUBTITLES, export_attempts
from client.data.repair import correct_words, earlier_version, restore_words, rough_answers
from client.practice.drills.phrases import error_id
from client.practice.progress import all_attempts
from client.practice.progress_over_time import own_ranges
from client.studio.routes.bodies import download, export_format
from client.studio.state.studio import Studio
from client.studio.views.ways import Ways, reading_url, ways_of
from pronunciation.terms import Lexicon
from question_bank.errors import BankError
from question_bank.own_aliases import OwnAliases, read_own_aliases
from server.contract import (
    MAX_TEXT_CHARS,
    Attempt,
    AttemptId,
    AttemptSummary,
    HistoryQuery,
    LanguageRequest,
    MeantAnswer,
    SaidRight,
    TermVerdict,
    again_s,
    aim_result,
)
from server.ui.charts import Chart, ScorePoint, score_chart
from server.ui.compare_view import view_comparison
from server.ui.exports import ending_of
from server.ui.report_view import ReportView, Sounds, view_report

SHOWN_ATTEMPTS: Final = 5
"""Other attempts at the question that the page lists; the history has them all."""
CHARTED_ATTEMPTS: Final = 21

Id = Annotated[AttemptId, Path()]
Confirmed = Annotated[str, Form(pattern="^yes$")]


@dataclass(frozen=True)
class AliasTrial:
    """Words that were to count for a phrase, and why they do not."""

    phrase: str
    words: str
    problem: str


def router(studio: Studio) -> APIRouter:
    """The report and what can be done with it."""
    routes = APIRouter(prefix="/attempts")

    @routes.get("/{attempt_id}")
    def report(
        request: Request, attempt_id: Id, counted: Annotated[int | None, Query(ge=1)] = None
    ) -> HTMLResponse:
        return _report(studio, request, studio.backend.attempt(attempt_id), counted=counted)

    @routes.get("/{attempt_id}/audio")
    def audio(
        attempt_id: Id, follow_up: Annotated[int | None, Query(ge=0, le=9)] = None
    ) -> FileResponse:
        """The candidate's own recording; whole or by ranges, as a player asks for it."""
        submission = studio.backend.attempt(attempt_id).submission
        ids = [submission.submission_id, *(each.submission_id for each in submission.follow_ups)]
        number = 0 if follow_up is None else follow_up + 1
        if number >= len(ids):
            raise HTTPException(404, "there is no such follow-up")
        path = studio.recordings.path_of(ids[number])
        if not path.is_file():
            raise HTTPException(404, "there is no recording of this answer")
        return FileResponse(
            path, media_type="audio/wav", headers={"Cache-Control": "private, no-cache"}
        )

    @routes.get("/{attempt_id}/compare/{other_id}")
    def compare(request: Request, attempt_id: Id, other_id: Id) -> HTMLResponse:
        """Two answers to the same question, the earlier one first."""
        if attempt_id == other_id:
            raise HTTPException(422, "choose two different answers")
        pair = sorted(
            (studio.backend.attempt(each) for each in (attempt_id, other_id)),
            key=lambda each: (each.report.created_at, each.id),
        )
        before, after = pair
        if before.report.question_id != after.report.question_id:
            raise HTTPException(422, "only answers to the same question can be compared")
        view = view_comparison(before.report, after.report, to_owner=True)
        return studio.page(
            request,
            "compare.html",
            question=studio.question_of(after)[0],
            aim=before.report.aim,
            aim_result=None
            if before.report.aim is None
            else aim_result(before.report.aim, after.report),
            before=before,
            after=after,
            view=view,
            before_sounds=_sounds(studio, before, view.before),
            after_sounds=_sounds(studio, after, view.after),
        )

    @routes.get("/{attempt_id}/export.{suffix}")
    def export(attempt_id: Id, suffix: str) -> Response:
        """One answer as a file."""
        format = export_format(suffix, EXPORT_FORMATS)
        attempt = studio.backend.attempt(attempt_id)
        name = f"aloud-{attempt.report.question_id}-{attempt_id}.{suffix}"
        return download(name, export_attempts(studio.backend, format, attempt_id))

    @routes.post("/{attempt_id}/meant", response_model=None)
    def meant(
        request: Request,
        attempt_id: Id,
        phrase: Annotated[str, Form(min_length=1, max_length=200)],
        meant: Annotated[Literal["yes", "no", "back"], Form()],
        words: Annotated[str, Form(max_length=500)] = "",
    ) -> Response:
        """“Did you mean …?”: yes, no, or taken back. “I did say it”: yes, in these words."""
        said = None if meant == "back" else meant == "yes"
        try:
            answer = MeantAnswer(phrase=phrase, meant=said, words=words)
            report = studio.backend.confirm(attempt_id, answer).report
        except RejectedError as error:
            if not words:
                raise
            trial = AliasTrial(phrase, words, str(error))
            return _report(studio, request, studio.backend.attempt(attempt_id), trial=trial)
        number = 1 + [each.phrase for each in report.coverage.phrases].index(phrase)
        return RedirectResponse(f"/attempts/{attempt_id}#phrase-{number}", 303)

    @routes.post("/{attempt_id}/language")
    def language(attempt_id: Id) -> RedirectResponse:
        """Look at the English of the answer; the page asks for it once the report stands."""
        tongue = studio.settings.preferences.mother_tongue
        studio.backend.language(attempt_id, LanguageRequest(mother_tongue=tongue))
        studio.reports.forget(attempt_id)
        return RedirectResponse(f"/attempts/{attempt_id}#language", 303)

    @routes.post("/{attempt_id}/alias", response_model=None)
    def alias(
        request: Request,
        attempt_id: Id,
        phrase: Annotated[str, Form(min_length=1, max_length=500)],
        words: Annotated[str, Form(max_length=500)] = "",
    ) -> Response:
        """“I did say it”: words of the answer count for a key phrase from now on."""
        attempt = studio.backend.attempt(attempt_id)
        try:
            add_own_alias(studio.backend, studio.settings, attempt, phrase, words)
        except AliasError as error:
            trial = AliasTrial(phrase, words, str(error))
            return _report(studio, request, attempt, trial=trial)
        phrases = [each.phrase for each in attempt.report.coverage.phrases]
        if phrase not in phrases:  # the bank has got it since this answer was graded
            return RedirectResponse(f"/attempts/{attempt_id}", 303)
        number = phrases.index(phrase) + 1
        return RedirectResponse(f"/attempts/{attempt_id}?counted={number}#phrase-{number}", 303)

    @routes.post("/{attempt_id}/alias/take-back")
    def take_back(
        attempt_id: Id,
        phrase: Annotated[str, Form(min_length=1, max_length=500)],
        words: Annotated[str, Form(min_length=1, max_length=500)],
    ) -> RedirectResponse:
        """The candidate's own words no longer count."""
        question_id = studio.backend.attempt(attempt_id).report.question_id
        take_back_alias(studio.backend, studio.settings, question_id, phrase, words)
        return RedirectResponse(f"/attempts/{attempt_id}#phrases", 303)

    @routes.post("/{attempt_id}/said-right")
    def said_right(
        attempt_id: Id,
        term: Annotated[str, Form(min_length=1, max_length=200)],
        counts: Annotated[Literal["here", "always", "back"], Form()],
    ) -> RedirectResponse:
        """“I said it right”: in this answer, or always as it was heard in it; or taken back."""
        if counts == "always":
            attempt = studio.backend.attempt(attempt_id)
            add_own_readings(studio.backend, studio.settings, attempt, term)
        else:
            studio.backend.said_right(attempt_id, SaidRight(term=term, right=counts == "here"))
            if counts == "back" and term in own_readings(studio.settings):
                take_back_readings(studio.settings, term)
                counts = "always"
        if counts == "always":
            studio.learn_readings()
        return RedirectResponse(f"/attempts/{attempt_id}#terms", 303)

    @routes.post("/{attempt_id}/delete")
    def delete(attempt_id: Id, confirmed: Confirmed) -> RedirectResponse:
        """Deletes the answer and its recording for good."""
        result = delete_answers(studio.backend, studio.settings, [attempt_id])
        return RedirectResponse(f"/history?deleted={result.deleted}", 303)

    return routes


def _report(
    studio: Studio,
    request: Request,
    attempt: Attempt,
    *,
    counted: int | None = None,
    trial: AliasTrial | None = None,
) -> HTMLResponse:
    view = view_report(attempt.report, to_owner=True)
    question, in_bank = studio.question_of(attempt)
    others = studio.backend.history(
        HistoryQuery(question_id=attempt.report.question_id, limit=CHARTED_ATTEMPTS)
    )
    role = studio.bank.role(attempt.role or "")
    return studio.page(
        request,
        "report.html",
        422 if trial else 200,
        attempt=attempt,
        view=view,
        question=question,
        again_s=again_s(question.answer_seconds),
        in_bank=in_bank,
        role=role,
        sounds=_sounds(studio, attempt, view),
        error_id=error_id,
        drilled={each.id for each in studio.drill_items.errors()},
        known_ways=_ways(studio.lexicon, attempt.report.pronunciation.terms),
        others=[each for each in others.attempts if each.id != attempt.id][:SHOWN_ATTEMPTS],
        other_count=others.total - 1,
        scores=_scores(others.attempts),
        next_url=f"/practice?{_next(attempt)}",
        exports=tuple(
            ending_of(each) for each in EXPORT_FORMATS if view.timed or each not in SUBTITLES
        ),
        shared_bank=studio.settings.server is not None,
        written=count_written(studio.settings, attempt.id),
        counted=view.phrases[counted - 1]
        if counted is not None and counted <= len(view.phrases)
        else None,
        own=_own_aliases(studio),
        own_said=own_readings(studio.settings),
        own_ranges={each.name: each for each in own_ranges(studio.reports.recent())},
        trial=trial,
        rough=len(rough_answers(all_attempts(studio.backend), studio.recordings))
        if attempt.report.transcript.is_rough
        else 0,
        earlier_aim=_earlier_aim(studio, attempt, others.attempts),
        follow_up_recordings=[
            f"/attempts/{attempt.id}/audio?follow_up={number}"
            if studio.recordings.path_of(each.submission_id).is_file()
            else ""
            for number, each in enumerate(attempt.report.follow_ups)
        ],
        is_first=studio.backend.history(HistoryQuery(limit=2)).total == 1,
    )


def _earlier_aim(
    studio: Studio, attempt: Attempt, others: Sequence[AttemptSummary]
) -> dict[str, object] | None:
    """What became of the aim of the take before this one, which is compared on it first."""
    made_at = attempt.submission.created_at
    before = next((each for each in others if each.created_at < made_at), None)
    aim = None if before is None else studio.backend.attempt(before.id).report.aim
    if before is None or aim is None:
        return None
    result = aim_result(aim, attempt.report)
    return {"attempt_id": before.id, "aim": aim.text, "met": result.met, "text": result.text}


def _own_aliases(studio: Studio) -> OwnAliases:
    if studio.settings.server is not None:  # they do not count there
        return OwnAliases()
    try:
        return read_own_aliases(studio.settings.own_aliases)
    except (
        BankError
    ):  # broken by hand: reported when an alias is added, and no reason to hide the report
        return OwnAliases()


def _sounds(studio: Studio, attempt: Attempt, view: ReportView) -> Sounds:
    recorded = studio.recordings.path_of(attempt.submission.submission_id).is_file()
    return Sounds(
        recording_url=f"/attempts/{attempt.id}/audio" if recorded else None,
        say=True,
        taught_urls=_taught(studio.lexicon, view.report.pronunciation.terms),
        taught_phones={
            each.term: known.readings[0]
            for each in view.report.pronunciation.terms
            if (known := studio.lexicon.get(each.term)) is not None
        },
        mistake_urls={
            each.phones: reading_url(each.term, each.phones)
            for each in view.report.pronunciation.terms
            if each.verdict == "mispronounced" and each.phones
        },
    )


def _taught(lexicon: Lexicon, terms: Iterable[TermVerdict]) -> dict[str, str]:
    """The address of each lexicon term's sound; other terms have none."""
    return {
        each.term: "/sound/term?" + urlencode({"term": each.term})
        for each in terms
        if lexicon.get(each.term) is not None
    }


def _ways(lexicon: Lexicon, terms: Iterable[TermVerdict]) -> dict[str, Ways]:
    known = {each.term: lexicon.get(each.term) for each in terms}
    return {
        name: ways_of(term.term, term.say, term.readings, term.mistakes)
        for name, term in known.items()
        if term is not None
    }


def _scores(attempts: Iterable[AttemptSummary]) -> Chart | None:
    points = [ScorePoint(each.created_at, each.score, each.grader_version) for each in attempts]
    return score_chart(points, title="Scores for this question", id_prefix="scores")


def _next(attempt: Attempt) -> str:
    given = {"role": attempt.role, "round": attempt.round, "after": attempt.report.question_id}
    return urlencode({name: value for name, value in given.items() if value})


def repair_router(studio: Studio) -> APIRouter:
    """What the engine's panel and the report's buttons ask for."""
    routes = APIRouter()

    @routes.get("/engine")
    def engine() -> dict[str, Any]:
        """What the engine is doing, and how far a download is."""
        return asdict(studio.engine.status())

    @routes.post("/engine/fetch")
    def fetch(model: Annotated[str, Body(embed=True, max_length=100)]) -> dict[str, Any]:
        """Begin to download weights."""
        studio.engine.fetch(model)
        return asdict(studio.engine.status())

    @routes.get("/repairs")
    def status() -> dict[str, Any]:
        """How far the work is, and how many rough answers are left."""
        found = studio.repairs.status()
        rough = len(rough_answers(all_attempts(studio.backend), studio.recordings))
        return asdict(found) | {"total": found.total, "rough": rough}

    @routes.post("/repairs")
    def all_rough() -> dict[str, Any]:
        """Begin to transcribe all rough answers again."""
        rough = rough_answers(all_attempts(studio.backend), studio.recordings)
        studio.repairs.start(each.id for each in rough)
        return status()

    @routes.post("/attempts/{attempt_id}/transcribe")
    def one(attempt_id: Id) -> dict[str, Any]:
        """Begin to transcribe one answer again."""
        studio.repairs.start([studio.backend.attempt(attempt_id).id])
        return status()

    @routes.post("/attempts/{attempt_id}/words")
    def words(
        attempt_id: Id, text: Annotated[str, Form(max_length=MAX_TEXT_CHARS)] = ""
    ) -> RedirectResponse:
        """The candidate's words in place of the engine's."""
        correct_words(studio.backend, studio.session, studio.recordings, attempt_id, text)
        return RedirectResponse(f"/attempts/{attempt_id}#answer-title", 303)

    @routes.post("/attempts/{attempt_id}/words/restore")
    def restore(attempt_id: Id) -> RedirectResponse:
        """The engine's words again."""
        restore_words(studio.backend, attempt_id)
        return RedirectResponse(f"/attempts/{attempt_id}#answer-title", 303)

    @routes.get("/attempts/{attempt_id}/versions/{version}")
    def version(
        request: Request, attempt_id: Id, version: Annotated[int, Path(ge=1)]
    ) -> HTMLResponse:
        """An earlier report of an answer, as the grader wrote it."""
        newest = studio.backend.attempt(attempt_id)
        shown = earlier_version(studio.backend, attempt_id, version)
        return studio.page(
            request,
            "version.html",
            attempt=shown,
            newest=newest,
            question=studio.question_of(newest)[0],
            view=view_report(shown.report, to_owner=True),
            sounds=Sounds(),
        )

    return routes
