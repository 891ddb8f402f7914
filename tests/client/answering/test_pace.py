from collections.abc import Callable

import pytest

from client.answering.pace import Pace

LIMIT_S = 28.0
Cost = Callable[[float], float]


def ask(pace: Pace, waiting_s: float, **changes: float) -> bool:
    asked = {"covered_s": waiting_s + 1.0, "silence_s": 0.4, "phrase_s": 0.0}
    return pace.is_due(waiting_s=waiting_s, **{**asked, **changes})


def test_nothing_waits_and_nothing_is_due() -> None:
    assert not ask(Pace(LIMIT_S), 0.0, silence_s=60.0, covered_s=27.9)


def test_some_seconds_of_speech_are_due_at_a_pause() -> None:
    assert ask(Pace(LIMIT_S), 4.5)
    assert not ask(Pace(LIMIT_S), 2.0)


def test_who_falls_silent_is_transcribed_whatever_it_is() -> None:
    assert ask(Pace(LIMIT_S), 0.4, silence_s=1.1)


def test_what_just_fits_one_segment_is_due_in_the_middle_of_a_phrase() -> None:
    pace = Pace(LIMIT_S)
    pace.ran(5.0, 6.0)

    assert ask(pace, 12.0, covered_s=26.5, silence_s=0.0, phrase_s=9.0)
    assert not ask(pace, 12.0, covered_s=20.0, silence_s=0.0, phrase_s=9.0)


def test_an_engine_that_costs_the_same_for_any_length_waits_for_more_speech() -> None:
    pace = Pace(LIMIT_S)
    for sound_s in (5.0, 9.0, 12.0):
        pace.ran(sound_s, 2.0)

    assert pace.fixed_cost_s == pytest.approx(2.0)
    assert not ask(pace, 5.0)
    assert ask(pace, 6.5)
    assert not ask(pace, 6.5, silence_s=0.0, phrase_s=2.0)


def test_an_engine_that_costs_by_the_second_takes_every_piece() -> None:
    pace = Pace(LIMIT_S)
    for sound_s in (5.0, 9.0, 12.0):
        pace.ran(sound_s, 0.5 * sound_s)

    assert pace.fixed_cost_s == pytest.approx(0.0, abs=1e-9)
    assert ask(pace, 4.5)


@pytest.mark.parametrize(
    "runs", [[(5.0, 2.0)], [(5.0, 2.0), (5.1, 9.0)], [(4.0, 8.0), (20.0, 2.0)]]
)
def test_the_fixed_cost_is_never_more_than_the_cheapest_run(
    runs: list[tuple[float, float]],
) -> None:
    pace = Pace(LIMIT_S)
    for run in runs:
        pace.ran(*run)

    assert 0.0 <= pace.fixed_cost_s <= 2.0
