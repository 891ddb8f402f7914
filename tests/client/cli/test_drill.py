from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from client.backend.opening import open_backend
from client.core.settings import load_settings
from server.contract import DrillReview
from tests.client.cli.conftest import Run

NOW = datetime.now(UTC)


def said(item: str, verdict: str = "mispronounced", drill_set: str = "acronyms") -> None:
    with open_backend(load_settings()) as backend:
        backend.drills.review(
            DrillReview.model_validate(
                {
                    "review_id": uuid4().hex,
                    "item_id": item,
                    "drill_set": drill_set,
                    "reviewed_at": NOW - timedelta(hours=1),
                    "verdict": verdict,
                }
            )
        )


def test_the_list_shows_what_is_due(run: Run) -> None:
    assert "0 due" in run("drill", "--list").stdout
    said("acronyms-gpu")
    said("acronyms-llm", "correct")
    listed = run("drill", "acronyms", "--list")
    assert listed.exit_code == 0, listed.stderr
    assert "jee-pee-YOU" in listed.stdout
    assert "✗ mispronounced" in listed.stdout
    assert "ell-ell-EM" not in listed.stdout
    assert "1 due" in listed.stdout
    assert "0 due" in run("drill", "silent-letters", "--list").stdout


def test_one_term_is_drilled_in_a_set_or_not(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    drilled: list[str] = []
    monkeypatch.setattr("client.cli.drill._check_terminal", lambda: None)
    monkeypatch.setattr(
        "client.cli.drill._practice", lambda *given: drilled.extend(each.term for each in given[-1])
    )
    assert run("drill", "--term", "gpu").exit_code == 0
    assert run("drill", "--term", "dpu").exit_code == 0
    assert drilled == ["GPU", "DPU"]
    assert "own: 0 due, 1 new" in run("drill", "--list").stdout, "no set has it: it joined one"
    unknown = run("drill", "--term", "Foobarix")
    assert unknown.exit_code == 1
    assert "the lexicon does not know how 'Foobarix' is said" in unknown.stderr
    assert run("drill", "acronyms", "--term", "GPU").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "needs a terminal"),
        (("nope",), "no drill set 'nope'"),
        (("nope", "--list"), "there are language, acronyms"),
        (("--import", "/nowhere/own.csv"), "No such file"),
        (("--list", "--server", "http://127.0.0.1:9"), "cannot be reached"),
    ],
)
def test_expected_failures_are_one_line_and_status_1(
    run: Run, arguments: tuple[str, ...], says: str
) -> None:
    done = run("drill", *arguments)
    assert done.exit_code == 1
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
