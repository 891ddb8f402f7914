"""The limits of an answer that a page records."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.answer.journal import Journal
from client.studio.state.page_recording import (
    MAX_BLOCK_BYTES,
    PageRecording,
    TakeProtocolError,
    limit_s_for,
)
from client.studio.state.studio import Studio
from pronunciation.clip import SAMPLE_RATE_HZ


class _Live:
    """A live answer that only counts."""

    captions = ()

    def __init__(self) -> None:
        self.samples = 0
        self.cancelled = False

    def feed(self, samples: np.ndarray[Any, Any]) -> None:
        self.samples += samples.size

    def cancel(self) -> None:
        self.cancelled = True


def make_take(folder: Path, studio: Studio, clock: list[float], target_s: float) -> PageRecording:
    answer = Journal(folder).answer("a-question")
    answer.open(SAMPLE_RATE_HZ)
    return PageRecording(
        answer,
        _Live(),  # type: ignore[arg-type]
        target_s,
        on_end=lambda: None,
        clock_s=lambda: clock[0],
    )


def test_a_recording_ends_at_its_limit_to_the_sample(tmp_path: Path, studio: Studio) -> None:
    clock = [0.0]
    take = make_take(tmp_path, studio, clock, target_s=120)
    block = bytes(MAX_BLOCK_BYTES)
    while not take.is_full:
        clock[0] += 2.048
        take.take_in(block)
    take.take_in(block)

    assert take.recorded_s == take.limit_s == 600.0
    take.discard()


def test_the_limit_is_twice_the_target_but_never_below_ten_minutes() -> None:
    assert (limit_s_for(60), limit_s_for(300), limit_s_for(420)) == (600, 600, 840)


def test_sound_that_comes_faster_than_anybody_speaks_is_refused(
    tmp_path: Path, studio: Studio
) -> None:
    clock = [0.0]
    take = make_take(tmp_path, studio, clock, target_s=120)
    second = bytes(2 * SAMPLE_RATE_HZ)
    for _ in range(30):
        take.take_in(second)
    with pytest.raises(TakeProtocolError, match="faster"):
        take.take_in(second)
    clock[0] += 1.0
    take.take_in(second)

    take.abandon("the page is gone")
    assert [
        (round(each.duration_s), each.entry.reason) for each in Journal(tmp_path).unfinished()
    ] == [(31, "the page is gone")]
