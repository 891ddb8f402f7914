from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from client.backend.protocol import RejectedError
from client.practice.progress import (
    ReportReader,
    drill_lines,
    question_lines,
    score_lines,
    term_lines,
)
from server.contract import Attempt, AttemptSummary, DrillCard, Pronunciation, TermVerdict, Word

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


def card(
    item: str, reps: int, misses: int, due_day: int, drill_set: str = "acronyms", **changes: object
) -> DrillCard:
    values: dict[str, object] = {
        "item_id": item,
        "drill_set": drill_set,
        "due": START + timedelta(days=due_day),
        "stability": 1,
        "difficulty": 5,
        "reps": reps,
        "lapses": 0,
        "misses": misses,
        "last_verdict": "correct",
        "first_reviewed_at": START,
        "last_reviewed_at": START + timedelta(hours=reps),
    }
    return DrillCard.model_validate(values | changes)


def test_first_and_now_are_means_over_the_questions() -> None:
    attempts = [  # newest first, as the history gives them
        attempt(5, "two", 0.9, topic="Schedulers"),
        attempt(4, "one", 0.8),
        attempt(3, "other", 0.5, role="engineer", topic=None),
        attempt(2, "one", 0.1),
        attempt(1, "one", 0.4),
    ]
    architect, engineer = score_lines(attempts, lambda each: [each.role])
    assert (architect.name, architect.questions, architect.attempts) == ("architect", 2, 4)
    assert abs(architect.first - (0.4 + 0.9) / 2) < 1e-9
    assert abs(architect.now - (0.8 + 0.9) / 2) < 1e-9
    assert architect.last_at == START + timedelta(days=5)
    assert (engineer.first, engineer.now) == (0.5, 0.5)
    assert [line.name for line in score_lines(attempts, lambda each: [each.topic])] == [
        "Schedulers",
        "Caches",
    ]


def test_an_answer_may_stand_under_several_headings() -> None:
    signals = {"one": ("debugging", "kubernetes"), "two": ("kubernetes",), "three": ()}
    attempts = [attempt(1, "one", 0.2), attempt(2, "two", 0.6), attempt(3, "three", 0.9)]
    lines = score_lines(attempts, lambda each: signals[each.question_id])
    assert [(line.name, line.questions, line.now) for line in lines] == [
        ("kubernetes", 2, 0.4),
        ("debugging", 1, 0.2),
    ]


def test_a_question_has_its_first_and_its_latest_answer() -> None:
    attempts = [attempt(number, question, 0.1 * number) for number, question in enumerate("abaa")]
    line, other = question_lines(reversed(attempts))
    assert (line.question_id, line.answers) == ("a", 3)
    assert (line.first.id, line.latest.id) == (0, 3)
    assert (other.question_id, other.first) == ("b", other.latest)


def test_terms_count_what_was_heard_clearly_and_the_drills(make: SimpleNamespace) -> None:
    def report(*terms: tuple[str, str, str]) -> object:
        verdicts = tuple(
            TermVerdict(term=term, verdict=verdict, source=source)
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


def test_a_report_is_read_once_and_again_when_it_has_changed(make: SimpleNamespace) -> None:
    class Counting:
        def __init__(self) -> None:
            self.asked: list[int] = []

        def attempt(self, attempt_id: int) -> Attempt:
            self.asked.append(attempt_id)
            if attempt_id == 3:
                raise RejectedError("it is damaged", "unreadable")
            said = make.submission().transcript.model_copy(
                update={"engine": "pocketsphinx", "words": (Word(text="a"),)}
            )
            found: Attempt = make.attempt(make.submission(transcript=said), attempt_id)
            return found

    backend = Counting()
    reader = ReportReader(backend)  # type: ignore[arg-type]
    history = [attempt(number, "one", 0.5) for number in (3, 2, 1)]
    assert len(reader.recent(history)) == 2
    assert len(reader.recent(history[1:])) == 2
    assert backend.asked == [3, 2, 1]
    regraded = [history[1], attempt(1, "one", 0.75)]
    assert len(reader.recent(regraded)) == 2
    assert backend.asked == [3, 2, 1, 1]
    kept = reader.recent(regraded)[0].transcript
    assert (kept.words, kept.is_rough) == ((), True)
    reader.forget(1)
    assert len(reader.recent(regraded)) == 2
    assert backend.asked == [3, 2, 1, 1, 1]
    corrected = [history[1], attempt(1, "one", 0.75, report_tag="7-a")]
    assert len(reader.recent(corrected)) == 2
    assert backend.asked == [3, 2, 1, 1, 1, 1]


def test_drills_by_set() -> None:
    cards = [card("a", 1, 0, 5), card("b", 3, 2, 1), card("c", 1, 1, 0, "own")]
    acronyms, own = drill_lines(cards, START + timedelta(days=1))
    assert (acronyms.name, acronyms.items, acronyms.due) == ("acronyms", 2, 1)
    assert (acronyms.takes, acronyms.misses) == (4, 2)
    assert acronyms.last_at == START + timedelta(hours=3)
    assert (own.name, own.due) == ("own", 1)


def test_an_item_is_learned_when_it_was_said_right_last_and_holds_for_three_weeks() -> None:
    cards = [
        card("a", 4, 0, 30, stability=21),
        card("b", 4, 0, 20, stability=20.9),
        card("c", 4, 1, 1, stability=50, last_verdict="mispronounced"),
    ]
    (line,) = drill_lines(cards, START)
    assert line.learned == 1


def test_first_and_latest_are_graded_in_the_same_way() -> None:
    answers = [
        attempt(1, "a", 0.9, grader_version="1.9.0"),
        attempt(2, "a", 0.2, grader_version="2.0.0"),
        attempt(3, "a", 0.5, grader_version="2.0.1"),
    ]
    (line,) = question_lines(answers)
    assert (line.answers, line.first.score, line.latest.score) == (3, 0.2, 0.5)
    (role,) = score_lines(answers, lambda each: [each.role])
    assert (role.attempts, role.first, role.now) == (3, 0.2, 0.5)
