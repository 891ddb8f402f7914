"""What the bank holds, with your progress in it; and your own questions: made, edited, kept."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Form, HTTPException, Query, Request, UploadFile
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
    propose,
    read_text,
    rounds_of,
)
from client.practice.choosing import find_questions, in_order
from client.practice.progress import ScoreLine, all_attempts, latest_answers, score_lines
from client.studio.routes.bodies import download
from client.studio.state.studio import Studio
from pronunciation.respelling.for_people import respell_phrase
from question_bank.exercises import definitions, told_scenarios
from question_bank.models import Bank, Question, Role, RoundGuide
from server.contract import AttemptSummary

PAGE: Final = 20

Text = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True)
class SpokenTerm:
    """A term of the role's vocabulary.

    Attributes:
        say: how it is said, in plain letters.
        exercise: the one in which it is explained in a sentence.
    """

    name: str
    say: str
    exercise: Question | None


@dataclass(frozen=True)
class RoundProgress:
    """A round of a role: its questions, and the candidate's score (``None``: no answer yet)."""

    guide: RoundGuide
    questions: tuple[Question, ...]
    score: ScoreLine | None


def router(studio: Studio) -> APIRouter:
    """The pages."""
    routes = APIRouter()

    @routes.get("/questions")
    def questions(
        request: Request,
        q: Text = "",
        role: Text = "",
        round: Text = "",
        level: Annotated[str, Query(pattern="^[1-5]?$")] = "",
        page: Annotated[int, Query(ge=1, le=1000)] = 1,
    ) -> HTMLResponse:
        """Those that fit, the easiest untried first."""
        bank = studio.bank
        latest = latest_answers(all_attempts(studio.backend))
        found = [
            each
            for each in find_questions(bank.asked(role=role or None, round=round or None), q)
            if not level or each.difficulty == int(level)
        ]
        ordered = in_order(found, {name: each.score for name, each in latest.items()})
        chosen = {"q": q, "role": role, "round": round, "level": level}
        return studio.page(
            request,
            "questions.html",
            questions=ordered[(page - 1) * PAGE : page * PAGE],
            total=len(ordered),
            page=page,
            pages=max(1, -(-len(ordered) // PAGE)),
            query=urlencode({name: value for name, value in chosen.items() if value}),
            latest=latest,
            groups=bank.roles_by_field(),
            role_titles={each.id: each.title for each in bank.roles},
            round_titles={each.id: each.title for each in bank.rounds},
            chosen=chosen,
        )

    @routes.get("/roles/{role_id}")
    def role(request: Request, role_id: str) -> HTMLResponse:
        bank, lexicon = studio.bank, studio.lexicon
        found = bank.role(role_id)
        if found is None:
            raise HTTPException(404, f"the bank has no role {role_id!r}")
        attempts = all_attempts(studio.backend, role_id)
        latest = latest_answers(attempts)
        topics = {line.name: line for line in score_lines(attempts, lambda each: [each.topic])}
        by_round = {line.name: line for line in score_lines(attempts, lambda each: [each.round])}
        explained = definitions(bank, found)

        def term_of(term: str) -> SpokenTerm:
            return SpokenTerm(term, respell_phrase(term, lexicon), explained.get(term))

        return studio.page(
            request,
            "role.html",
            role=found,
            topics=[(topic, topics.get(topic)) for topic in found.topics],
            opening=[each for each in bank.asked(role=role_id) if each.role is None],
            by_topic=_by_topic(bank, found, latest),
            latest=latest,
            rounds=_rounds(bank, found, by_round),
            spotlight=[(each, term_of(each.term)) for each in found.spotlight],
            vocabulary=[
                (group.category, [*map(term_of, group.terms)]) for group in found.vocabulary
            ],
            scenarios=told_scenarios(bank, found),
            attempts=len(attempts),
        )

    return routes


def _by_topic(
    bank: Bank, role: Role, latest: Mapping[str, AttemptSummary]
) -> dict[str, list[Question]]:
    scores = {name: answer.score for name, answer in latest.items()}
    questions: dict[str, list[Question]] = defaultdict(list)
    for question in in_order(bank.questions, scores):
        if question.role == role.id:
            questions[question.topic].append(question)
    return questions


def _rounds(bank: Bank, role: Role, scores: dict[str, ScoreLine]) -> list[RoundProgress]:
    return [
        RoundProgress(guide, bank.asked(role=role.id, round=guide.id), scores.get(guide.id))
        for guide in bank.field_of(role.id).rounds
    ]


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


def own_questions_router(studio: Studio) -> APIRouter:
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
