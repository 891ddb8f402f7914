"""``aloud bundle`` and ``aloud share`` as one types them."""

import zipfile
from pathlib import Path

import pytest

from client.backend.opening import open_backend
from client.core.settings import load_settings
from server.contract import Attempt, Comment, ReviewDocument
from tests.client.cli.conftest import Run
from tests.server.conftest import START, make_submission


@pytest.fixture
def attempt() -> Attempt:
    with open_backend(load_settings()) as backend:
        question = backend.bank().questions[0].id
        return backend.submit(make_submission("hello there", question_id=question))


def test_a_bundle_goes_out_and_its_comments_come_back_once(
    run: Run, attempt: Attempt, tmp_path: Path
) -> None:
    path = tmp_path / "answer.zip"
    assert run("bundle", "export", "1", "--out", str(path)).exit_code == 0
    with zipfile.ZipFile(path) as bundle:
        assert "answer.html" in bundle.namelist()
    comment = Comment(external_id="a" * 32, text="Slower", author="Dr. Who", created_at=START)
    back = tmp_path / "back.json"
    document = ReviewDocument(submission_id=attempt.submission.submission_id, comments=(comment,))
    back.write_text(document.model_dump_json(), encoding="utf-8")
    first, again = (run("bundle", "merge", str(back)) for _ in range(2))
    assert "1 new comment on attempt 1, 0 already known" in first.stdout
    assert "Dr. Who: Slower" in first.stdout
    assert "0 new comments on attempt 1, 1 already known" in again.stdout
    report = run("history", "1").stdout
    assert "Dr. Who on the whole answer" in report and "Slower" in report
    refused = run("bundle", "export", "1", "--out", str(path))
    assert refused.exit_code == 1
    assert "already exists; name another file with --out, or --replace it" in " ".join(
        refused.stderr.split()
    )
    with zipfile.ZipFile(path) as bundle:
        assert b"Dr. Who" not in bundle.read("comments.json")
    assert run("bundle", "export", "1", "--out", str(path), "--replace").exit_code == 0
    with zipfile.ZipFile(path) as bundle:
        assert b"Dr. Who" in bundle.read("comments.json")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bundle", "export", "7"), "no attempt 7"),
        (("bundle", "export", "1", "--audio"), "no recording of this answer"),
        (("share", "1"), "aloud bundle export"),
        (("bundle", "merge", "/no/such/file"), "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    run: Run, attempt: Attempt, arguments: tuple[str, ...], message: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert message in " ".join(result.stderr.split())


def test_options_that_do_not_go_together_are_a_usage_error(run: Run, attempt: Attempt) -> None:
    assert run("share", "1", "--stop", "--cohort", "spring").exit_code == 2
    assert run("share", "1", "--audio").exit_code == 2
    assert run("share", "1", "--cohort", "spring", "--link", "x").exit_code == 2
