"""The page of your own questions: from a posting, a list or a blank form, edited and then kept."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request, UploadFile
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, RedirectResponse, Response

from client.backend.embedded import read_posting
from client.core.errors import ClientError
from client.core.wording import sentence
from client.data.own_questions import (
    MAX_FILE_BYTES,
    NOTHING_FOUND,
    OwnQuestionError,
    QuestionForm,
    faults_of,
    forget_question,
    is_table,
    keep_questions,
    kept_questions,
    plain_text,
    read_text,
    rounds_of,
)
from client.data.proposing import propose
from client.studio.routes.downloads import download
from client.studio.state.studio import Studio
from pronunciation.respelling.for_people import respell_phrase
from question_bank.models import Bank

MAX_FORMS = 40

_FIELDS = (
    "prompt",
    "key_phrases",
    "model_answer",
    "topic",
    "round",
    "answer_seconds",
    "id",
    "line",
)


def router(studio: Studio) -> APIRouter:
    """The pages."""
    routes = APIRouter(prefix="/questions/own")

    @routes.get("")
    def show(request: Request, kept: int = 0) -> HTMLResponse:
        """Those that are kept, and where more come from."""
        return _start(studio, request, kept=kept)

    @routes.get("/file.yaml")
    def file() -> Response:
        """The questions as a bank of one file."""
        path = studio.settings.own_questions
        if not path.exists():
            raise HTTPException(404, "there are no questions of your own yet")
        return download("aloud-questions.yaml", path.read_text("utf-8"))

    @routes.post("/read")
    def read(
        request: Request,
        text: Annotated[str, Form()] = "",
        file: UploadFile | None = None,
        model: Annotated[bool, Form()] = False,
    ) -> Response:
        """What a posting or a list asks for, and the questions it suggests."""
        try:
            named = (file.filename or "") if file is not None else ""
            if file is not None and named:
                text = read_text(named, file.file.read(MAX_FILE_BYTES + 1))
            elif text.strip():
                text = plain_text("the text", text)
            else:
                raise OwnQuestionError("paste a posting, or choose a file")
        except OwnQuestionError as error:
            return _start(studio, request, problem=sentence(str(error)), text=text, status=422)
        bank, lexicon = studio.bank, studio.lexicon
        posting = read_posting(text, bank, lexicon, is_table=is_table(named))
        role = posting.role.id if posting.role else ""
        rounds = rounds_of(bank, role)
        forms = [QuestionForm.of(each, role, rounds) for each in posting.proposals]
        problem = ""
        if model and studio.settings.judge is not None:
            try:
                forms = [*propose(studio.settings.judge, text, role, rounds), *forms]
            except ClientError as error:
                problem = f"The language model proposed nothing: {error}"
        if not forms:
            problem = problem or sentence(NOTHING_FOUND)
            return _start(studio, request, problem=problem, text=text, status=422)
        return _review(
            studio,
            request,
            bank,
            forms,
            role,
            posting=posting,
            terms=[(each.term, respell_phrase(each.term, lexicon)) for each in posting.terms],
            problem=problem,
        )

    @routes.get("/new")
    def new(request: Request) -> HTMLResponse:
        """A blank form."""
        return _review(studio, request, studio.bank, [], "")

    @routes.post("")
    async def keep(request: Request) -> Response:
        """Keep the ticked questions, unless one of them has a fault."""
        forms, ticked, role = _forms(await request.form(max_files=0, max_fields=1000))
        bank = studio.bank
        wanted = [form for form, chosen in zip(forms, ticked, strict=True) if chosen]
        wrong = {at: faults_of(each, bank) for at, each in enumerate(forms) if ticked[at]}
        if not wanted or any(wrong.values()):
            problem = "" if wanted else "Tick the questions that you want to keep."
            return _review(
                studio,
                request,
                bank,
                forms,
                role,
                ticked=ticked,
                wrong=wrong,
                problem=problem,
                status=422,
            )
        keep_questions(studio.backend, studio.settings, wanted)
        return RedirectResponse(f"/questions/own?kept={len(wanted)}", 303)

    @routes.get("/{question_id}")
    def edit(request: Request, question_id: str) -> HTMLResponse:
        """The form of a question that is kept."""
        bank = studio.bank
        found = {each.id: each for each in kept_questions(studio.settings, bank)}.get(question_id)
        if found is None:
            raise HTTPException(404, f"you have no question {question_id!r} of your own")
        form = QuestionForm.of_kept(found, bank)
        return _review(studio, request, bank, [form], form.role, ticked=[True], blank=False)

    @routes.post("/{question_id}/delete")
    def delete(question_id: str) -> RedirectResponse:
        """Delete it; answers to it stay in the history."""
        forget_question(studio.backend, studio.settings, question_id)
        return RedirectResponse("/questions/own", 303)

    return routes


def _start(
    studio: Studio,
    request: Request,
    *,
    kept: int = 0,
    problem: str = "",
    text: str = "",
    status: int = 200,
) -> HTMLResponse:
    return studio.page(
        request,
        "own_questions.html",
        status,
        own=kept_questions(studio.settings, studio.bank),
        kept=kept,
        problem=problem,
        text=text,
        judge=studio.settings.judge,
        shared=studio.settings.server is not None,
    )


def _review(
    studio: Studio,
    request: Request,
    bank: Bank,
    forms: list[QuestionForm],
    role: str,
    *,
    ticked: list[bool] | None = None,
    wrong: dict[int, list[str]] | None = None,
    blank: bool = True,
    status: int = 200,
    **values: Any,
) -> HTMLResponse:
    if blank and not any(each == QuestionForm(role=each.role) for each in forms):
        forms = [*forms, QuestionForm(role=role)]
    ticked = [*(ticked or []), *(False for _ in forms)][: len(forms)]
    guides = bank.field_of(role).rounds if bank.role(role) else bank.rounds
    return studio.page(
        request,
        "own_question_forms.html",
        status,
        forms=list(zip(forms, ticked, strict=True)),
        wrong=wrong or {},
        role=role,
        groups=bank.roles_by_field(),
        guides=guides,
        editing=not blank,
        **{"posting": None, "terms": (), "problem": "", **values},
    )


def _forms(sent: FormData) -> tuple[list[QuestionForm], list[bool], str]:
    """The forms as sent, which of them are ticked, and the role of all of them."""
    role = str(sent.get("role") or "")
    forms, ticked = [], []
    for at in range(MAX_FORMS):
        if f"{at}-prompt" not in sent:
            break
        texts = {name: str(sent.get(f"{at}-{name}") or "") for name in _FIELDS}
        form = replace(QuestionForm(**texts), role=role)
        empty = not (form.prompt.strip() or form.key_phrases.strip())
        forms.append(form)
        ticked.append(f"{at}-keep" in sent and not empty)
    return forms, ticked, role
