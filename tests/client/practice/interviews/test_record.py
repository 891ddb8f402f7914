import random
from pathlib import Path

import pytest

from client.practice.interviews import InterviewError, InterviewRecord, Interviews, plan_interview
from tests.client.practice.interviews.conftest import ROLE, ROUND, Clock, bank_of, question

ONE, TWO, THREE = ("1" * 32, "2" * 32, "3" * 32)


def start(interviews: Interviews, count: int = 3, minutes: int = 10) -> InterviewRecord:
    bank = [question(f"q-{n}") for n in range(count)]
    plan = plan_interview(bank_of(*bank), ROLE.id, ROUND.id, minutes, {}, random.Random(1))
    return interviews.start(ROLE, ROUND, minutes, plan)


def ids(record: InterviewRecord) -> list[str]:
    return [each.question_id for each in record.questions]


def current(record: InterviewRecord) -> str:
    assert record.current is not None
    return record.current.question_id


def think(interviews: Interviews, clock: Clock, record: InterviewRecord, seconds: int) -> None:
    """The candidate thinks or speaks for so long; the page says so every 5 s."""
    question_id = current(interviews.get(record.id))
    interviews.time(record.id, question_id, runs=True)
    for _ in range(seconds // 5):
        clock.go(5)
        interviews.time(record.id, question_id, runs=True)


def test_the_clock_runs_only_while_the_candidate_is_at_it(
    interviews: Interviews, clock: Clock
) -> None:
    record = start(interviews, minutes=10)
    clock.go(60)  # the question is being asked
    assert interviews.get(record.id).time_left_s(clock.now) == 600
    think(interviews, clock, record, 30)
    interviews.time(record.id, current(record), runs=False)
    clock.go(3600)
    assert interviews.get(record.id).time_left_s(clock.now) == 570
    think(interviews, clock, record, 10)
    clock.go(3600)  # the page was closed, or the machine slept
    assert interviews.get(record.id).time_left_s(clock.now) == 560
    think(interviews, clock, record, 5)
    record = interviews.get(record.id)
    clock.go(3)
    assert record.time_left_s(clock.now) == 552, "between two signs of life it runs on"
    record = interviews.skip(record.id, current(record))
    clock.go(15)
    assert record.time_left_s(clock.now) == 552, "it stands while the next one is asked"


def test_what_no_page_has_seen_pass_does_not_count(interviews: Interviews, clock: Clock) -> None:
    record = start(interviews, minutes=10)
    think(interviews, clock, record, 30)
    clock.go(15)  # the browser was killed; its page is opened again
    interviews.time(record.id, current(record), runs=True, ran_s=0.0)
    assert interviews.get(record.id).time_left_s(clock.now) == 570
    clock.go(5)
    record = interviews.time(record.id, current(record), runs=True, ran_s=5.0)
    assert record.time_left_s(clock.now) == 565
    clock.go(15)  # Aloud was killed
    assert record.left_behind().time_left_s(clock.now) == 565


def test_nothing_is_asked_in_the_last_half_minute(interviews: Interviews, clock: Clock) -> None:
    record = start(interviews, minutes=10)
    think(interviews, clock, record, 570)
    record = interviews.answer(record.id, current(record), ONE, 1)
    assert current(record) == ids(record)[1], "30 s are enough to begin"
    think(interviews, clock, record, 5)
    record = interviews.skip(record.id, current(record))
    assert (record.current, len(record.asked)) == (None, 2)
    assert record.ended_at == clock.now


def test_a_question_that_nobody_saw_was_not_asked(interviews: Interviews) -> None:
    record = start(interviews)
    interviews.answer(record.id, current(record), ONE, 1)
    record = interviews.end(record.id, shown=False)
    assert [each.state for each in record.questions] == ["answered", "waiting", "waiting"]
    assert record.ended_at is not None
    assert len(interviews.get(record.id).asked) == 1
    only = interviews.end(start(interviews).id, shown=False)
    assert [each.state for each in only.asked] == ["unanswered"]


def test_an_answer_that_was_being_worked_on_at_the_end_is_not_lost(interviews: Interviews) -> None:
    record = start(interviews)
    name = current(record)
    ended = interviews.end(record.id)
    record = interviews.answer(record.id, name, ONE, 4)
    assert (record.asked[0].state, record.asked[0].attempt_id) == ("answered", 4)
    assert record.ended_at == ended.ended_at


def test_the_same_answer_twice_counts_once_and_another_is_refused(interviews: Interviews) -> None:
    record = start(interviews)
    first = current(record)
    before = interviews.answer(record.id, first, ONE, None)
    after = interviews.answer(record.id, first, ONE, 9)
    assert current(after) == current(before)
    assert after.asked[0].attempt_id == 9
    with pytest.raises(InterviewError, match="has an answer already"):
        interviews.answer(record.id, first, TWO, 10)
    assert interviews.get(record.id) == after


def test_a_question_that_was_not_asked_takes_no_answer(interviews: Interviews) -> None:
    record = start(interviews)
    for name in (ids(record)[2], "unknown"):
        with pytest.raises(InterviewError, match="has not asked"):
            interviews.answer(record.id, name, THREE, 1)
        with pytest.raises(InterviewError, match="has not asked"):
            interviews.skip(record.id, name)


def test_the_latest_is_listed_first_and_a_broken_file_hides_no_other(
    interviews: Interviews, clock: Clock, tmp_path: Path
) -> None:
    old = start(interviews)
    clock.go(60)
    new = start(interviews)
    clock.go(60)
    broken = start(interviews)
    path = tmp_path / "interviews" / f"{broken.id}.json"
    path.write_text(path.read_text()[:100])
    kept = interviews.all()
    assert [each.id for each in kept.records] == [new.id, old.id]
    assert kept.unreadable == (path.name,)
    with pytest.raises(InterviewError, match="is not an interview"):
        interviews.get(broken.id)


def test_a_file_that_contradicts_itself_is_refused(interviews: Interviews, tmp_path: Path) -> None:
    record = start(interviews)
    path = tmp_path / "interviews" / f"{record.id}.json"
    path.write_text(path.read_text().replace('"open"', '"answered"'))
    with pytest.raises(InterviewError, match="names its answer"):
        interviews.get(record.id)
