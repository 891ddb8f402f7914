import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.cli.conftest import ANSWER, Run
from tests.worlds.ports import free_port

QUESTION = "what-the-kv-cache-costs"


@pytest.fixture
def transcript(tmp_path: Path) -> str:
    path = tmp_path / "answer.txt"
    path.write_text(ANSWER, encoding="utf-8")
    return str(path)


def statuses(stdout: str) -> dict[str, str]:
    return {each["phrase"]: each["status"] for each in json.loads(stdout)["coverage"]["phrases"]}


def test_json_is_one_document_with_the_contracts_fields(run: Run, transcript: str) -> None:
    result = run("grade", "--question", QUESTION, "--transcript", transcript, "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["question_id"] == QUESTION
    assert report["schema_version"] == 1
    assert {"transcript", "coverage", "pronunciation", "delivery", "language", "summary"} <= set(
        report
    )
    found = statuses(result.stdout)
    assert found["autoregressive decoding"] == "covered"
    assert found["number of layers"] == "covered"
    assert found["concurrent requests"] == "missing"


def test_a_typed_answer_waits_for_a_server_that_is_away(run: Run, tmp_path: Path) -> None:
    outbox = Path(os.environ["ALOUD_HOME"]) / "outbox"
    path = tmp_path / "short.txt"
    path.write_text("We page the cache.", encoding="utf-8")
    away = ("--server", f"http://127.0.0.1:{free_port()}")

    kept = run("grade", "--question", QUESTION, "--transcript", str(path), "--save", *away)
    assert kept.exit_code == 1
    assert "your answer is kept and will be sent later (1 waiting)" in kept.stderr
    assert len(list(outbox.glob("*/pending/*.json"))) == 1

    looked = run("grade", "--question", QUESTION, "--transcript", str(path), *away)
    assert looked.exit_code == 1
    assert "cannot be reached" in looked.stderr
    assert "kept" not in looked.stderr
    assert len(list(outbox.glob("*/pending/*.json"))) == 1


def test_a_typed_answer_is_kept_on_request_only(run: Run, transcript: str) -> None:
    run("grade", "--question", QUESTION, "--transcript", transcript)
    assert json.loads(run("history", "--json").stdout)["total"] == 0
    result = run("grade", "--question", QUESTION, "--transcript", transcript, "--save")
    assert "stored as attempt 1" in result.stderr
    page = json.loads(run("history", "--json").stdout)
    assert [each["question_id"] for each in page["attempts"]] == [QUESTION]


def test_a_transcript_from_standard_input(run: Run) -> None:
    result = run(
        "grade", "--question", QUESTION, "--transcript", "-", "--json", input="only KV heads"
    )
    assert statuses(result.stdout)["KV heads"] == "covered"


def test_a_json_transcript_keeps_its_times(run: Run, tmp_path: Path) -> None:
    words = [
        {"text": text, "start_s": float(index), "end_s": index + 0.5}
        for index, text in enumerate(["the", "number", "of", "layers"])
    ]
    path = tmp_path / "transcript.json"
    path.write_text(json.dumps({"text": "the number of layers", "words": words}), "utf-8")
    result = run("grade", "--question", QUESTION, "--transcript", str(path), "--json")
    phrases = json.loads(result.stdout)["coverage"]["phrases"]
    evidence = next(p["evidence"] for p in phrases if p["phrase"] == "number of layers")
    assert (evidence["text"], evidence["start_s"], evidence["end_s"]) == (
        "number of layers",
        1.0,
        3.5,
    )


def test_what_a_person_sees(run: Run, transcript: str) -> None:
    result = run("grade", "--question", QUESTION, "--transcript", transcript)
    assert "✓ said" in result.stdout
    assert "✗ missing" in result.stdout
    assert "They may ask:" in result.stdout
    assert "\x1b[" not in result.stdout, "colors in a pipe"


def test_an_own_bank_adds_a_question(run: Run, tmp_path: Path, transcript: str) -> None:
    (tmp_path / "own.yaml").write_text(
        """
- id: own-question
  round: coding
  topic: My topic
  prompt: What makes decoding affordable?
  model_answer: Autoregressive decoding with a cache.
  key_phrases:
    - phrase: autoregressive decoding
    - phrase: write barrier
""",
        encoding="utf-8",
    )
    result = run(
        *("grade", "--question", "own-question", "--transcript", transcript),
        *("--bank", str(tmp_path / "own.yaml"), "--json"),
    )
    assert statuses(result.stdout) == {
        "autoregressive decoding": "covered",
        "write barrier": "missing",
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--question", "nope", "--transcript", "-"), "no question 'nope'"),
        (("--question", QUESTION, "--transcript", "/nowhere/x.txt"), "No such file"),
        (("--question", QUESTION, "--transcript", "-", "--bank", "/nowhere"), "/nowhere"),
        (("--question", QUESTION, "--transcript", "-", "--lexicon", "/nowhere"), "/nowhere"),
    ],
)
def test_expected_failures_are_one_line_and_status_1(
    run: Run, arguments: tuple[str, ...], says: str
) -> None:
    result = run("grade", *arguments, input="some words")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert says in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"   \n", b"\xff\xfe\xff", b'{"no": "transcript"}'])
def test_what_is_no_transcript_is_never_graded(run: Run, content: bytes) -> None:
    result = run("grade", "--question", QUESTION, "--transcript", "-", input=content)
    assert result.exit_code == 1
    assert "standard input" in result.stderr


def test_usage_errors_are_status_2(run: Run) -> None:
    assert run("grade").exit_code == 2
    assert run("bank", "list", "--rounds", "coding").exit_code == 2


def test_a_round_that_the_bank_lacks_is_named_with_those_it_has(run: Run) -> None:
    result = run("bank", "list", "--round", "lunch")
    assert result.exit_code == 1
    assert "no round 'lunch'" in result.stderr and "phone-screen" in result.stderr


def test_no_letter_of_a_report_stops_it_in_a_poor_encoding(tmp_path: Path, transcript: str) -> None:
    poor = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    program = [sys.executable, "-c", "from client.cli import main; main()"]
    done = subprocess.run(
        [*program, "grade", "--question", QUESTION, "--transcript", transcript],
        env={**os.environ, **poor, "ALOUD_HOME": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    assert b"autoregressive decoding" in done.stdout
    assert "✓" not in done.stdout.decode("ascii")


@pytest.mark.skipif(os.name != "posix", reason="locales are those of POSIX")
def test_a_data_folder_with_other_letters_works_in_the_poorest_locale(tmp_path: Path) -> None:
    poor = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    home = tmp_path / "żółw-данные"
    program = [sys.executable, "-c", "from client.cli import main; main()"]
    done = subprocess.run(
        [*program, "user", "add", "ana"],
        env={**os.environ, **poor, "ALOUD_HOME": str(home)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert (home / "aloud.db").exists()
