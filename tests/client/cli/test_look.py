"""``bank`` and ``lexicon``: looking and checking."""

import json
from pathlib import Path

import pytest

from client.cli.common import _console
from tests.client.cli.conftest import Run

PROJECT = Path(__file__).resolve().parents[3]


def test_bank_list_and_show(run: Run) -> None:
    listed = json.loads(run("bank", "list", "--json").stdout)
    assert len({each["role"] for each in listed} - {None}) == 15
    role = next(each["role"] for each in listed if each["role"])
    shown = json.loads(run("bank", "show", listed[0]["id"], "--json").stdout)
    assert shown["model_answer"]
    text = run("bank", "show", listed[0]["id"]).stdout
    assert "Key phrases" in text and shown["probes"][0]["ask"][:40] in text
    assert "Spotlight terms" in run("bank", "show", role).stdout


ROLE = """\
id: shop-developer
title: Shop Developer
summary: Runs a shop.
topics: [Queues]
questions:
  - id: own
    round: coding
    topic: Queues
    prompt: Well?
    model_answer: I would measure the queue depth.
    key_phrases: [{phrase: queue depth}]
"""


def test_a_role_needs_four_fields_and_shows_nothing_that_it_lacks(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(ROLE, encoding="utf-8")

    result = run("bank", "validate", str(tmp_path))
    assert "1 question, no faults" in " ".join(result.stdout.split()), result.stderr
    shown = run("bank", "show", "shop-developer", "--bank", str(tmp_path)).stdout
    assert shown.splitlines() == ["Shop Developer", "Runs a shop.", "", "Topics", "  Queues"]


def test_the_role_in_the_docs_is_valid(run: Run, tmp_path: Path) -> None:
    text = (PROJECT / "docs" / "bank.md").read_text("utf-8").partition("\n## A role\n")[2]
    parts = text.split("```")[1:4:2]
    role, optional = (part.removeprefix("yaml\n").replace("  - …\n", "") for part in parts)
    questions = ROLE.partition("questions:\n")[2].replace("Queues", "Message Queues")
    (tmp_path / "role.yaml").write_text(role + questions + optional, encoding="utf-8")

    result = run("bank", "validate", "--fast", str(tmp_path))
    assert result.exit_code == 0, result.stderr
    shown = run("bank", "show", "backend-developer", "--bank", str(tmp_path)).stdout
    assert "Pay in 2026, thousands of US dollars a year" in shown and "idempotency" in shown


def test_the_story_in_the_docs_passes_every_check(run: Run, tmp_path: Path) -> None:
    text = (PROJECT / "docs" / "bank.md").read_text("utf-8").partition("\n### A story\n")[2]
    (tmp_path / "story.yaml").write_text(text.split("```yaml\n")[1].split("```")[0], "utf-8")
    result = run("bank", "validate", str(tmp_path))
    assert result.exit_code == 0, result.stderr
    assert "1 question, no faults" in " ".join(result.stdout.split())


def test_lexicon_list_show_validate(run: Run) -> None:
    assert len(json.loads(run("lexicon", "list", "--json").stdout)) >= 220
    shown = run("lexicon", "show", "roce").stdout
    assert "ROCK-ee" in shown and "ˈɹɑki" in shown
    assert run("lexicon", "show", "no such term").exit_code == 1
    assert run("lexicon", "validate", str(PROJECT / "pronunciation/lexicon")).exit_code == 0


def test_a_line_number_is_not_printed_as_an_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    _console(stderr=False).print("own.yaml:100: it is empty", markup=False)
    assert capsys.readouterr().out == "own.yaml:100: it is empty\n"


def test_a_check_of_a_bank_as_json(run: Run, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(ROLE, encoding="utf-8")
    result = run("bank", "validate", str(own), "--json", "--fast")
    found = json.loads(result.stdout)
    assert (found["path"], found["questions"]) == (str(own), 1)
    assert found["valid"] is (result.exit_code == 0) is (not found["faults"])
    own.write_text(ROLE.replace("round: coding", "round: nothing"), encoding="utf-8")
    result = run("bank", "validate", str(own), "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1 and not found["valid"] and found["questions"] is None
    assert "round" in found["faults"][0]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("history --limit 0", "'--limit': must be 1 or more"),
        ("history --limit 501", "'--limit': must be 500 or less"),
        ("history --limit many", "'--limit': must be a whole number"),
        ("history 1.5", "'ID': must be a whole number"),
        ("--port 70000", "'--port': must be 65535 or less"),
        ("purge --before yesterday", "must be a date such as 2027-03-01, not 'yesterday'"),
        ("history --role A_B", "--role: 'A_B' must be lower-case words joined by hyphens"),
        ("export --format pdf", "'--format': 'pdf' is not one of"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_in_plain_words(
    run: Run, command: str, says: str
) -> None:
    done = run(*command.split())
    assert done.exit_code == 2
    assert says in done.stderr
    assert "Input should" not in done.stderr and "Value error" not in done.stderr


def test_usage_shows_what_can_be_left_out_in_brackets_once(run: Run) -> None:
    assert "aloud history [OPTIONS] [ID]\n" in run("history", "--help").stdout
    assert "[[" not in "".join(
        run(command, "--help").stdout for command in ("correct", "drill", "retranscribe")
    )


def test_nothing_to_delete_is_one_line(run: Run) -> None:
    done = run("purge", "--attempt", "99", "--yes")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "aloud: there is no attempt 99; `aloud history` lists them\n"


def test_an_empty_file_is_no_export(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "export.json"
    empty.write_text(" \n")
    done = run("import", str(empty))
    assert done.exit_code == 1
    assert "is empty; make one with `aloud export --format json`" in done.stderr
