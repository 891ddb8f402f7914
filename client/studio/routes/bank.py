"""What the bank holds: each role with your progress in it, and all questions to choose from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import HTMLResponse

from client.practice.choosing import find_questions, in_order
from client.practice.progress import ScoreLine, all_attempts, latest_answers, score_lines
from client.studio.state.studio import Studio
from pronunciation.respelling.for_people import respell_phrase
from pronunciation.terms import Lexicon
from question_bank.exercises import told_scenarios
from question_bank.models import Bank, Question, Role, RoundGuide
from server.contract import AttemptSummary

PAGE: Final = 20

Text = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True)
class SpokenTerm:
    """A term of the role's vocabulary, and how it is said in plain letters."""

    name: str
    say: str


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
        topics = {line.name: line for line in score_lines(attempts, lambda each: each.topic)}
        by_round = {line.name: line for line in score_lines(attempts, lambda each: each.round)}
        return studio.page(
            request,
            "role.html",
            role=found,
            topics=[(topic, topics.get(topic)) for topic in found.topics],
            opening=[each for each in bank.asked(role=role_id) if each.role is None],
            by_topic=_by_topic(bank, found, latest),
            latest=latest,
            rounds=_rounds(bank, found, by_round),
            spotlight=[(each, respell_phrase(each.term, lexicon)) for each in found.spotlight],
            vocabulary=[
                (group.category, _spoken(group.terms, lexicon)) for group in found.vocabulary
            ],
            scenarios=told_scenarios(bank, found),
            attempts=len(attempts),
        )

    return routes


def _spoken(terms: Iterable[str], lexicon: Lexicon) -> list[SpokenTerm]:
    return [SpokenTerm(term, respell_phrase(term, lexicon)) for term in terms]


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
        RoundProgress(
            guide,
            bank.asked(role=role.id, round=guide.id),
            scores.get(guide.id),
        )
        for guide in bank.field_of(role.id).rounds
    ]
