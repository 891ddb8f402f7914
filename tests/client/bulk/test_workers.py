"""The run that keeps workers busy, with workers that do as the test says."""

from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from client.bulk.recordings import Recording, Unusable
from client.bulk.results import open_results
from client.bulk.workers import LostWorker, WorkersError, assess_all


def recording(name: str) -> Recording:
    return Recording(name, name, Path(name), "q")


class Fakes:
    """``count`` workers; the ids in ``fatal`` end the worker so many times."""

    def __init__(self, count: int, fatal: dict[str, int] | None = None) -> None:
        self.count = count
        self._fatal = Counter(fatal)
        self._at_work: deque[Recording] = deque()
        self.given: list[str] = []
        self.most = 0

    def give(self, recording: Recording) -> None:
        assert len(self._at_work) < self.count
        self.given.append(recording.id)
        self._at_work.append(recording)
        self.most = max(self.most, len(self._at_work))

    def take(self) -> tuple[Recording, dict[str, Any] | LostWorker]:
        recording = self._at_work.pop()
        if self._fatal[recording.id]:
            self._fatal[recording.id] -= 1
            return recording, LostWorker("signal 9")
        return recording, {"id": recording.id, "error": "is empty"}

    def close(self) -> None:
        raise AssertionError("whoever opened them closes them")


def run(path: Path, names: str, workers: Fakes) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = []
    with open_results(path) as results:
        assess_all(map(recording, names), workers, results, written.append)
    return written


def test_each_recording_is_given_once_and_no_worker_is_left_idle(tmp_path: Path) -> None:
    workers = Fakes(3)
    written = run(tmp_path / "r", "abcdefgh", workers)
    assert sorted(workers.given) == sorted(line["id"] for line in written) == list("abcdefgh")
    assert workers.most == 3


def test_a_second_run_gives_only_what_is_left(tmp_path: Path) -> None:
    run(tmp_path / "r", "abc", Fakes(1))
    workers = Fakes(1)
    run(tmp_path / "r", "abcd", workers)
    assert workers.given == ["d"]


def test_a_recording_whose_worker_was_lost_goes_to_another(tmp_path: Path) -> None:
    workers = Fakes(2, {"b": 1})
    written = run(tmp_path / "r", "abc", workers)
    assert sorted(workers.given) == ["a", "b", "b", "c"]
    assert {line["id"]: line["error"] for line in written}["b"] == "is empty"


def test_a_recording_that_ends_every_worker_is_a_line_and_stops_nothing(tmp_path: Path) -> None:
    written = run(tmp_path / "r", "abc", Fakes(1, {"b": 9}))
    errors = {line["id"]: line["error"] for line in written}
    assert errors["b"] == "two workers failed on this recording (signal 9)"
    assert errors["a"] == errors["c"] == "is empty"


def test_an_entry_that_names_no_recording_is_a_line(tmp_path: Path) -> None:
    with open_results(tmp_path / "r") as results:
        assess_all([Unusable("line 1", "`audio` is missing")], Fakes(1), results)
    assert "`audio` is missing" in (tmp_path / "r").read_text()


def test_recordings_are_read_as_workers_become_free(tmp_path: Path) -> None:
    read: list[str] = []

    def endless() -> Iterator[Recording]:
        for number in range(1_000_000):
            read.append(str(number))
            yield recording(str(number))

    class Ends(Fakes):
        def take(self) -> tuple[Recording, dict[str, Any] | LostWorker]:
            if len(self.given) == 5:
                raise WorkersError("the server is away")
            return super().take()

    with open_results(tmp_path / "r") as results, pytest.raises(WorkersError):
        assess_all(endless(), Ends(2), results)
    assert len(read) == 5
