"""What a wrong value is answered with: plain words, and what to do."""

from pathlib import Path

import pytest

from tests.client.cli.conftest import Run


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
