"""The file of results: what is there stays, what was cut goes, and nothing foreign is touched."""

import json
from pathlib import Path
from typing import Any

import pytest

from client.bulk.results import ResultsError, open_results


def good(name: str, **changes: str) -> dict[str, Any]:
    report = {
        "transcript": {"engine": "faster-whisper", "model": changes.get("model", "tiny.en")},
        "grader_version": changes.get("grader_version", "2.0.0"),
        "bank_version": "1",
    }
    return {"id": name, "audio": name, "question": "q", "report": report}


def bad(name: str) -> dict[str, Any]:
    return {"id": name, "audio": name, "question": "q", "error": "is empty"}


def ids(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text().splitlines()]


def test_a_second_run_knows_what_the_first_has_done(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with open_results(path) as results:
        results.add(good("a"))
        results.add(bad("b"))
    with open_results(path) as results:
        assert (results.done, results.failed) == ({"a", "b"}, {"b"})
        results.add(good("c"))
    assert ids(path) == ["a", "b", "c"]


@pytest.mark.parametrize("torn", ['{"i', '{"id": "b", "report": {"x"'])
def test_a_line_that_was_cut_is_done_again(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "r.jsonl"
    with open_results(path) as results:
        results.add(good("a"))
    with path.open("a") as file:
        file.write(torn)
    with open_results(path) as results:
        assert results.done == {"a"}
        results.add(good("b"))
    assert ids(path) == ["a", "b"]


def test_failed_ones_are_done_again_if_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with open_results(path) as results:
        for line in (bad("a"), good("b"), bad("c")):
            results.add(line)
    with open_results(path, retry_failed=True) as results:
        assert results.done == {"b"}
    assert ids(path) == ["b"]


@pytest.mark.parametrize(
    "content", [b"my diary", b"my diary\n", b'{"id": 3}\n', b"RIFF\x00\x01", b'{"id": "a"}\n']
)
@pytest.mark.parametrize("retry_failed", [False, True])
def test_a_file_of_something_else_is_left_as_it_is(
    tmp_path: Path, content: bytes, retry_failed: bool
) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with (
        pytest.raises(ResultsError, match="something other than results"),
        open_results(path, retry_failed=retry_failed),
    ):
        pass
    assert path.read_bytes() == content


def test_one_run_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with open_results(path), pytest.raises(ResultsError, match="another run"), open_results(path):
        pass
