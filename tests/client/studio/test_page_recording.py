"""The limits of an answer that a page records."""

from pathlib import Path
from typing import Any

import numpy as np

from client.answer.journal import Journal
from client.studio.state.page_recording import MAX_BLOCK_BYTES, PageRecording, limit_s_for
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


def make_take(folder: Path, target_s: float) -> PageRecording:
    answer = Journal(folder).answer("a-question")
    answer.open(SAMPLE_RATE_HZ)
    return PageRecording(
        answer,
        _Live(),  # type: ignore[arg-type]
        target_s,
        on_end=lambda: None,
    )


def test_a_recording_ends_at_its_limit_to_the_sample(tmp_path: Path) -> None:
    take = make_take(tmp_path, target_s=120)
    block = bytes(MAX_BLOCK_BYTES)
    while not take.is_full:
        take.take_in(block)
    take.take_in(block)

    assert take.recorded_s == take.limit_s == 600.0
    take.discard()


def test_the_limit_is_twice_the_target_but_never_below_ten_minutes() -> None:
    assert (limit_s_for(60), limit_s_for(300), limit_s_for(420)) == (600, 600, 840)
