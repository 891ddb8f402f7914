"""Questions, a clock that is set by hand, and attempts with planted numbers."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from client.practice.interviews import Interviews
from question_bank.models import Bank, FieldOfWork, KeyPhrase, Landscape, Question, Role, RoundGuide
from server.contract import (
    Attempt,
    Coverage,
    Delivery,
    PhraseCoverage,
    Pronunciation,
    Report,
    Submission,
    TermVerdict,
    Transcript,
)

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """Stands still until the test moves it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def go(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def question(
    name: str,
    *,
    role: str = "ml-engineer",
    round: str = "coding",
    topic: str = "Caches",
    answer_seconds: int = 120,
    words: int = 25,
    kind: str = "explain",
) -> Question:
    return Question(
        id=name,
        role=role,
        round=round,  # type: ignore[arg-type]
        kind=kind,  # type: ignore[arg-type]
        topic=topic,
        prompt=" ".join(["why"] * words),
        answer_seconds=answer_seconds,
        model_answer="Because.",
        key_phrases=(KeyPhrase(phrase="paged attention"),),
    )


ROLE = Role(
    id="ml-engineer", title="ML Engineer", summary="Engineers.", topics=("Caches",), spotlight=(),
    vocabulary=(), scenarios=(),
    landscape=Landscape(responsibilities=(), employers=(), salaries=(), salary_year=2026),
)  # fmt: skip
ROUND = RoundGuide(id="coding", title="Coding", minutes=(45, 60), tests="Code.", prepare="Write.")


def bank_of(*questions: Question) -> Bank:
    """A bank of these; all roles are of one field."""
    named = {each.role: each.topic for each in questions if each.role} | {"ml-engineer": "Caches"}
    roles = [ROLE.model_copy(update={"id": name, "field": "ml"}) for name in named]
    field = FieldOfWork(id="ml", title="Machine learning")
    rounds = [ROUND, ROUND.model_copy(update={"id": "behavioral"})]
    return Bank(
        version="1", fields=(field,), roles=tuple(roles), rounds=tuple(rounds), signals=(), plan=(),
        help=(), questions=questions,
    )  # fmt: skip


def verdict(term: str, verdict: str, source: str = "acoustic", heard: str = "ROHSS") -> TermVerdict:
    return TermVerdict(
        term=term,
        verdict=verdict,  # type: ignore[arg-type]
        source=source,  # type: ignore[arg-type]
        heard=heard,
        expected="ROCK-ee",
        tip="Like the boxer.",
        start_s=3.5,
    )


def attempt(
    number: int,
    question_id: str,
    submission_id: str,
    *,
    statuses: Sequence[str] = ("covered",),
    terms: Sequence[TermVerdict] = (),
    **delivery: object,
) -> Attempt:
    """A stored answer: ``statuses`` of its key phrases, named a, b, c …, weights rising."""
    phrases = tuple(
        PhraseCoverage(phrase="abcdefgh"[at], status=status, weight=at + 1)  # type: ignore[arg-type]
        for at, status in enumerate(statuses)
    )
    worth = {"covered": 1.0, "partial": 0.5, "missing": 0.0}
    score = sum(worth[each] for each in statuses) / len(statuses)
    spoken = dict.fromkeys(("words_per_minute", "answer_s", "target_s"), 120.0)
    spoken |= {"words": 240, "longest_pause_s": 1.0}
    said = Transcript(text="yes", engine="fake")
    submission = Submission(
        submission_id=submission_id, question_id=question_id, created_at=START, transcript=said
    )
    report = Report(
        question_id=question_id, created_at=START, grader_version="1", bank_version="1",
        transcript=said, coverage=Coverage(score=score, phrases=phrases),
        pronunciation=Pronunciation(terms=tuple(terms)),
        delivery=Delivery.model_validate(spoken | delivery),
    )  # fmt: skip
    return Attempt(id=number, submission=submission, report=report)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def interviews(tmp_path: Path, clock: Clock) -> Interviews:
    return Interviews(tmp_path / "interviews", clock)
