from datetime import UTC, date, datetime, timedelta, timezone
from types import SimpleNamespace

from client.practice.progress_over_time import TermTake, WeekScore, term_takes, week_scores
from server.contract import AttemptSummary, Pronunciation, Report, TermVerdict

SUNDAY_EVENING = datetime(2026, 3, 1, 23, tzinfo=UTC)


def attempt(question: str, score: float, created_at: datetime) -> AttemptSummary:
    return AttemptSummary(
        id=1,
        question_id=question,
        created_at=created_at,
        role=None,
        round=None,
        topic=None,
        score=score,
        words=10,
        answer_s=None,
        engine="fake",
    )


def test_weeks_begin_on_monday_and_those_without_answers_are_left_out() -> None:
    attempts = [
        attempt("one", 0.9, SUNDAY_EVENING + timedelta(days=20)),
        attempt("one", 0.25, SUNDAY_EVENING + timedelta(hours=2)),
        attempt("two", 0.5, SUNDAY_EVENING + timedelta(days=3)),
        attempt("one", 0.75, SUNDAY_EVENING + timedelta(days=6)),
        attempt("one", 0.1, SUNDAY_EVENING),
    ]
    assert week_scores(attempts, UTC) == [
        WeekScore(date(2026, 2, 23), answers=1, questions=1, score=0.1),
        WeekScore(date(2026, 3, 2), answers=3, questions=2, score=0.5),
        WeekScore(date(2026, 3, 16), answers=1, questions=1, score=0.9),
    ]


def test_the_week_is_that_of_the_calendar_on_the_wall() -> None:
    (week,) = week_scores([attempt("one", 0.5, SUNDAY_EVENING)], timezone(timedelta(hours=2)))
    assert week.monday == date(2026, 3, 2)


def test_no_answers_make_no_weeks() -> None:
    assert week_scores([]) == []


def test_takes_of_a_term_run_from_the_oldest_and_leave_out_what_was_not_heard_clearly(
    make: SimpleNamespace,
) -> None:
    def report(at: datetime, *terms: TermVerdict) -> Report:
        made: Report = make.report(make.submission(created_at=at))
        return made.model_copy(update={"pronunciation": Pronunciation(terms=terms)})

    def said(term: str, verdict: str, start_s: float, source: str = "acoustic") -> TermVerdict:
        return TermVerdict.model_validate(
            {"term": term, "verdict": verdict, "start_s": start_s, "source": source}
        )

    first, second = SUNDAY_EVENING, SUNDAY_EVENING + timedelta(days=1)
    newest_first = [
        report(second, said("RoCE", "mispronounced", 9), said("RoCE", "correct", 2)),
        report(
            first,
            said("RoCE", "mispronounced", 1),
            said("RoCE", "unclear", 2),
            said("Ceph", "mispronounced", 3, source="transcript"),
        ),
    ]
    assert term_takes(newest_first) == {
        "RoCE": (TermTake(first, False), TermTake(second, True), TermTake(second, False))
    }
