import random
from datetime import UTC, date, datetime, timedelta, timezone
from statistics import fmean
from types import SimpleNamespace

import pytest

from client.practice.progress_over_time import (
    DayScore,
    TermTake,
    day_deliveries,
    day_scores,
    graded_before,
    kind_lines,
    mastered,
    own_ranges,
    spread_of,
    term_takes,
)
from server.contract import (
    AttemptSummary,
    Coverage,
    Delivery,
    Filler,
    Language,
    LanguageNote,
    Pronunciation,
    Report,
    TermVerdict,
    Transcript,
)

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


def test_first_answers_are_apart_from_repeats_from_the_first_day_on() -> None:
    attempts = [
        attempt("one", 0.9, SUNDAY_EVENING + timedelta(days=3)),
        attempt("two", 0.5, SUNDAY_EVENING + timedelta(days=3)),
        attempt("one", 0.75, SUNDAY_EVENING + timedelta(hours=0.5)),
        attempt("one", 0.1, SUNDAY_EVENING),
    ]
    assert day_scores(attempts[-1:], UTC) == [DayScore(date(2026, 3, 1), (0.1,), ())]
    assert day_scores(attempts, UTC) == [
        DayScore(date(2026, 3, 1), (0.1,), (0.75,)),
        DayScore(date(2026, 3, 4), (0.5,), (0.9,)),
    ]
    assert day_scores([]) == []


def test_the_day_is_that_of_the_calendar_on_the_wall() -> None:
    (day,) = day_scores([attempt("one", 0.5, SUNDAY_EVENING)], timezone(timedelta(hours=2)))
    assert day.day == date(2026, 3, 2)


def test_only_one_grading_is_compared() -> None:
    old = attempt("one", 0.9, SUNDAY_EVENING).model_copy(update={"grader_version": "1.3.0"})
    new = attempt("one", 0.4, SUNDAY_EVENING + timedelta(days=1))
    new = new.model_copy(update={"grader_version": "2.0.0"})
    assert graded_before([new, old]) == 1
    assert day_scores([new, old], UTC) == [DayScore(date(2026, 3, 2), (), (0.4,))]


def test_the_spread_of_an_unchanged_speaker_is_found_and_progress_does_not_widen_it() -> None:
    chance = random.Random(1)
    monday = date(2026, 3, 2)

    def days(rise: float) -> list[DayScore]:
        return [
            DayScore(
                monday + timedelta(days=number),
                tuple(0.4 + rise * number + chance.gauss(0, 0.1) for _ in range(4)),
                (1.0,),
            )
            for number in range(50)
        ]

    unchanged = days(0)
    band = spread_of(unchanged)
    assert band is not None and band.answers == 200
    assert band.high - band.low == pytest.approx(4 * 0.1 / 4**0.5, rel=0.15)
    inside = [band.low <= fmean(day.firsts) <= band.high for day in unchanged]
    assert sum(inside) >= 0.9 * len(inside)
    rising = spread_of(days(0.005))
    assert rising is not None
    assert rising.high - rising.low == pytest.approx(band.high - band.low, rel=0.2)
    assert spread_of(unchanged[:0]) is None


def test_pace_fillers_and_language_are_those_of_the_day(make: SimpleNamespace) -> None:
    report: Report = make.report(make.submission(created_at=SUNDAY_EVENING))
    filler = Filler(text="um", word_index=0)
    delivery = Delivery(words=50, words_per_minute=100, answer_s=30, target_s=60, fillers=(filler,))
    note = LanguageNote(kind="tense", said="I have went", better="I went", why="")
    said = {"delivery": delivery, "language": Language(notes=(note,))}
    (day,) = day_deliveries([report.model_copy(update=said)], UTC)
    assert (day.words_per_minute, day.fillers, day.notes) == (100, 2, 2)
    typed = {"delivery": Delivery(words=50, target_s=60), "language": Language()}
    (day,) = day_deliveries([report.model_copy(update=typed)], UTC)
    assert (day.words_per_minute, day.fillers, day.notes) == (None, None, 0)


def test_ones_own_median_and_range_from_five_answers_on(make: SimpleNamespace) -> None:
    base: Report = make.report(make.submission(created_at=SUNDAY_EVENING))

    def paced(rate: float, day: int) -> Report:
        delivery = Delivery(words=50, words_per_minute=rate, target_s=60)
        when = SUNDAY_EVENING + timedelta(days=day)
        return base.model_copy(update={"delivery": delivery, "created_at": when})

    reports = [paced(rate, day) for day, rate in enumerate((150, 120, 180, 140, 130))]
    assert own_ranges(reports[:4]) == []
    (pace,) = own_ranges([*reversed(reports)])
    assert (pace.median, pace.low, pace.high, pace.latest, pace.answers) == (140, 120, 180, 130, 5)
    assert pace.text(pace.median) == "140" and pace.name == "Pace, words per minute"


def test_remarks_are_counted_by_kind_and_mastered_or_not(make: SimpleNamespace) -> None:
    base: Report = make.report(make.submission(created_at=SUNDAY_EVENING))

    def noted(day: int, *kinds: str) -> Report:
        notes = [
            {"kind": kind, "said": "x of", "better": "x on", "why": "", "sentence": "x on."}
            for kind in kinds
        ]
        changed = {
            "created_at": SUNDAY_EVENING + timedelta(days=day),
            "delivery": Delivery(words=50, target_s=60),
            "language": Language.model_validate({"notes": notes}),
        }
        return base.model_copy(update=changed)

    lines = kind_lines([noted(0, "tense"), *(noted(day) for day in range(1, 5))])
    assert [(line.kind, line.mastered, line.before, line.now) for line in lines] == [
        ("tense", False, None, pytest.approx(0.4))
    ]
    (tense, article) = kind_lines(
        [noted(0, "article"), *(noted(d) for d in range(1, 6)), noted(6, "tense")]
    )
    assert (tense.kind, tense.mastered, tense.open) == ("tense", False, 1)
    assert (article.kind, article.mastered, article.now) == ("article", True, 0.0)
    assert article.before == pytest.approx(1.0)
    rough = Transcript(text="we was late", engine="pocketsphinx")
    for unjudged in ({"language": Language(pending=True)}, {"transcript": rough}):
        after = [noted(day).model_copy(update=unjudged) for day in range(1, 9)]
        (line,) = kind_lines([noted(0, "tense"), *after])
        assert (line.mastered, line.before, line.now) == (False, None, pytest.approx(2))
        assert mastered([noted(0, "tense"), *after]).errors == ()
        days = day_deliveries([noted(0, "tense"), *after], UTC)
        assert [day.notes for day in days] == [pytest.approx(2), *[None] * 8]


def test_what_went_wrong_once_and_does_not_any_more_is_mastered(make: SimpleNamespace) -> None:
    base: Report = make.report(make.submission(created_at=SUNDAY_EVENING))

    def report(number: int, verdict: str, status: str, note: bool) -> Report:
        term = {"term": "RoCE", "verdict": verdict, "source": "acoustic"}
        phrase = {"phrase": "quota", "status": status}
        notes = [{"kind": "tense", "said": "a", "better": "b", "why": ""}] if note else []
        return base.model_copy(
            update={
                "created_at": SUNDAY_EVENING + timedelta(days=number),
                "pronunciation": Pronunciation(terms=(TermVerdict.model_validate(term),)),
                "coverage": Coverage.model_validate({"score": 0, "phrases": [phrase]}),
                "language": Language.model_validate({"notes": notes}),
            }
        )

    wrong = report(0, "mispronounced", "missing", True)
    right = [report(number, "correct", "covered", False) for number in range(1, 6)]
    assert mastered([wrong]).terms == mastered([wrong, right[0]]).terms == ()
    done = mastered([*reversed(right), wrong])
    assert done.terms == ("RoCE",)
    assert done.phrases == (("quota", base.question_id),) and done.phrases_missed == 1
    assert done.errors == ("tense",)
    again = report(9, "mispronounced", "missing", True)
    lost = mastered([wrong, *right, again])
    assert (lost.terms, lost.phrases, lost.phrases_missed, lost.errors) == ((), (), 1, ())


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
