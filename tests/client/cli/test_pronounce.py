"""``aloud pronounce`` on the spoken answer that comes with Aloud."""

import json
import re
from pathlib import Path

import pytest

from client.audio.files import read_audio
from client.audio.wav import write_wav
from client.data import demo
from tests.client.cli.conftest import Run

SAID_RIGHT = "On the other hand RoCE runs over ordinary"
SAID_WRONG = "then I would take RoCE"


@pytest.fixture
def right(tmp_path: Path) -> Path:
    """The stretch of the sample with "rocky"."""
    path = tmp_path / "right.wav"
    write_wav(read_audio(demo.AUDIO).slice(23.1, 25.9), path)
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """The stretch of the sample with R OW CH."""
    path = tmp_path / "wrong.wav"
    write_wav(read_audio(demo.AUDIO).slice(40.3, 42.0), path)
    return path


def test_a_term_said_right_and_one_said_wrong(run: Run, right: Path, wrong: Path) -> None:
    for path, text, verdict, phones in (
        # two readings that are taught; which of them is heard here is a near tie
        (right, SAID_RIGHT, "correct", ("R AA1 K IY0", "R AO1 K IY0")),
        (wrong, SAID_WRONG, "mispronounced", ("R OW1 CH",)),
    ):
        result = run("pronounce", str(path), "--text", text, "--json")
        assert result.exit_code == 0, result.stderr
        [term] = json.loads(result.stdout)["terms"]
        assert (term["term"], term["verdict"]) == ("RoCE", verdict)
        assert term["phones"] in phones
        assert text.split()[term["word_index"]] == "RoCE"
        assert 0 <= term["start_s"] < term["end_s"]


def test_what_a_person_sees(run: Run, wrong: Path) -> None:
    result = run("pronounce", str(wrong), "--text", SAID_WRONG)
    assert "✗ mispronounced" in result.stdout
    assert re.search(r" 0:00\.[6-9] ", result.stdout)  # where "RoCE" follows "take"
    assert "ROCK-ee" in result.stdout
    assert "/ˈɹoʊtʃ/" in result.stdout


def test_in_bulk_one_bad_line_never_stops_the_rest(run: Run, right: Path, wrong: Path) -> None:
    term = {"term": "RoCE", "readings": ["R AA1 K IY0"], "mistakes": ["R OW1 S"]}
    lines = [
        {"audio": right.name, "text": SAID_RIGHT, "terms": [term]},
        {"audio": "missing.flac", "text": SAID_RIGHT, "terms": [term]},
        {"audio": right.name, "text": "no such term here", "terms": [term]},
        {"audio": right.name, "text": SAID_RIGHT, "terms": [{**term, "readings": ["XX"]}]},
        {"audio": wrong.name, "text": SAID_WRONG},
    ]
    manifest = right.parent / "manifest.jsonl"
    text = "\n".join([*(json.dumps(line) for line in lines), "no json", ""])
    manifest.write_text(text, encoding="utf-8")
    result = run("pronounce", "--manifest", str(manifest))
    assert result.exit_code == 0, result.stderr
    out = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["audio"] for line in out] == [*(line["audio"] for line in lines), None]
    assert [("error" in line) for line in out] == [False, True, True, True, False, True]
    assert out[0]["terms"][0]["verdict"] == "correct"
    assert out[4]["terms"][0]["phones"] == "R OW1 CH"
    assert "4 of 6 lines could not be judged" in result.stderr


def test_a_manifest_of_which_no_line_can_be_judged_is_a_failure(run: Run, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.jsonl"
    lines = [json.dumps({"audio": "gone.wav", "text": SAID_RIGHT}), "no json"]
    manifest.write_text("\n".join(lines), encoding="utf-8")
    result = run("pronounce", "--manifest", str(manifest))
    assert result.exit_code == 1
    assert ["error" in json.loads(line) for line in result.stdout.splitlines()] == [True, True]
    assert "no line could be judged" in result.stderr


def test_other_words_than_those_said_give_no_verdict(run: Run, right: Path) -> None:
    text = "Kubernetes schedules several pods whenever the autoscaler asks politely for RoCE"
    result = run("pronounce", str(right), "--text", text, "--json")
    assert result.exit_code == 1
    assert "does not fit" in result.stderr


def test_an_own_lexicon_is_heard(run: Run, right: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "- {term: ordinary, kind: word, say: OR-di-nair-ee, readings: [AO1 R D AH0 N EH2 R IY0],\n"
        "   mistakes: [{phones: AO0 R D IH0 N AA1 L, tip: The end is weak.}]}\n",
        encoding="utf-8",
    )
    result = run("pronounce", str(right), "--text", SAID_RIGHT, "--lexicon", str(own), "--json")
    heard = {term["term"]: term["verdict"] for term in json.loads(result.stdout)["terms"]}
    assert heard["ordinary"] in ("correct", "unclear")


def test_usage(run: Run, right: Path) -> None:
    assert run("pronounce").exit_code == 2
    assert run("pronounce", str(right)).exit_code == 2
    assert run("pronounce", str(right), "--text", "x", "--manifest", "y").exit_code == 2
    result = run("pronounce", str(right), "--text", "nothing known")
    assert result.exit_code == 1
    assert "no term of the lexicon" in result.stderr
