from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from client.progress import drill_lines, planned_rounds, score_lines, term_lines
from question_bank.models import PlanWeek
from server.contract import AttemptSummary, Pronunciation, TermVerdict
from server.drill_contract import DrillCard

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def attempt(number: int, question: str, score: float, **changes: object) -> AttemptSummary:
    values: dict[str, object] = {
        "id": number,
        "question_id": question,
        "created_at": START + timedelta(days=number),
        "role": "architect",
        "round": "coding",
        "topic": "Caches",
        "score": score,
        "words": 10,
        "answer_s": 5.0,
        "engine": "fake",
    }
    return AttemptSummary.model_validate(values | changes)


def card(item: str, reps: int, misses: int, due_day: int, drill_set: str = "acronyms") -> DrillCard:
    return DrillCard(
        item_id=item,
        drill_set=drill_set,
        due=START + timedelta(days=due_day),
        stability=1,
        difficulty=5,
        reps=reps,
        lapses=0,
        misses=misses,
        last_verdict="correct",
        first_reviewed_at=START,
        last_reviewed_at=START + timedelta(hours=reps),
    )


def test_first_and_now_are_means_over_the_questions() -> None:
    attempts = [  # newest first, as the history gives them
        attempt(5, "two", 0.9, topic="Schedulers"),
        attempt(4, "one", 0.8),
        attempt(3, "other", 0.5, role="engineer", topic=None),
        attempt(2, "one", 0.1),
        attempt(1, "one", 0.4),
    ]
    architect, engineer = score_lines(attempts, lambda each: each.role)
    assert (architect.name, architect.questions, architect.attempts) == ("architect", 2, 4)
    assert abs(architect.first - (0.4 + 0.9) / 2) < 1e-9
    assert abs(architect.now - (0.8 + 0.9) / 2) < 1e-9
    assert architect.last_at == START + timedelta(days=5)
    assert (engineer.first, engineer.now) == (0.5, 0.5)
    assert [line.name for line in score_lines(attempts, lambda each: each.topic)] == [
        "Schedulers",
        "Caches",
    ]


def test_terms_count_what_was_heard_clearly_and_the_drills(make: SimpleNamespace) -> None:
    def report(*terms: tuple[str, str, str]) -> object:
        verdicts = tuple(
            TermVerdict(term=term, verdict=verdict, source=source)  # type: ignore[arg-type]
            for term, verdict, source in terms
        )
        made = make.report(make.submission())
        return made.model_copy(update={"pronunciation": Pronunciation(terms=verdicts)})

    reports = [
        report(("RoCE", "mispronounced", "acoustic"), ("Ceph", "correct", "acoustic")),
        report(("RoCE", "correct", "acoustic"), ("Ceph", "mispronounced", "transcript")),
        report(("NCCL", "unclear", "acoustic")),
    ]
    lines = term_lines(reports, [("GPU", card("gpu", 4, 3, 0)), ("RoCE", card("roce", 2, 1, 0))])  # type: ignore[arg-type]
    assert [(line.term, line.mispronounced, line.said) for line in lines] == [
        ("GPU", 3, 4),
        ("RoCE", 2, 4),
    ]


def test_drills_by_set() -> None:
    cards = [card("a", 1, 0, 5), card("b", 3, 2, 1), card("c", 1, 1, 0, "own")]
    acronyms, own = drill_lines(cards, START + timedelta(days=1))
    assert (acronyms.name, acronyms.items, acronyms.due) == ("acronyms", 2, 1)
    assert (acronyms.takes, acronyms.misses) == (4, 2)
    assert acronyms.last_at == START + timedelta(hours=3)
    assert (own.name, own.due) == ("own", 1)


def test_the_plans_rounds_are_ticked_from_the_history() -> None:
    plan = [
        PlanWeek(week=1, title="A", focus="B", tasks=("C",), rounds=("coding", "behavioral")),
        PlanWeek(week=2, title="A", focus="B", tasks=("C",)),
    ]
    rounds = planned_rounds(plan, [attempt(1, "one", 0.5), attempt(2, "one", 0.5)])
    assert [(each.round, each.attempts) for each in rounds[1]] == [("coding", 2), ("behavioral", 0)]
    assert rounds[2] == ()
