import json
from pathlib import Path

from client.answer.session import new_submission
from client.backend.opening import open_backend
from client.core.settings import load_settings
from question_bank.loader import load_bank
from server.contract import Transcript
from tests.client.cli.conftest import ANSWER, Run
from tests.client.cli.test_drill import said

QUESTION = "what-the-kv-cache-costs"


def answer(text: str) -> None:
    with open_backend(load_settings()) as backend:
        backend.submit(new_submission(QUESTION, Transcript(text=text)))


def test_nothing_practiced_yet(run: Run) -> None:
    done = run("progress")
    assert done.exit_code == 0, done.stderr
    assert "Nothing practiced yet" in done.stdout
    assert json.loads(run("progress", "--json").stdout) == {
        "roles": [],
        "topics": [],
        "terms": [],
        "drills": [],
    }


def test_first_against_now_and_the_terms(run: Run) -> None:
    answer("I do not know much about it")
    answer(load_bank().question(QUESTION).model_answer)
    said("acronyms-roce")
    document = json.loads(run("progress", "--json").stdout)
    [role] = document["roles"]
    assert (role["attempts"], role["questions"]) == (2, 1)
    assert role["first"] == 0 < role["now"]
    assert document["terms"] == [{"term": "RoCE", "mispronounced": 1, "said": 1}]
    assert document["drills"][0]["due"] == 1
    shown = run("progress").stdout
    assert role["name"] in shown
    assert "Terms most often mispronounced" in shown
    assert f"+{round(role['now'] * 100)}" in shown
    assert "\x1b[" not in shown


def test_only_one_role(run: Run) -> None:
    answer(ANSWER)
    assert json.loads(run("progress", "--role", "nobody", "--json").stdout)["roles"] == []
    assert run("progress", "--role", "Not A Slug").exit_code == 2


def test_the_plan_ticks_practiced_rounds(run: Run) -> None:
    before = run("plan")
    assert before.exit_code == 0, before.stderr
    assert "Week 1:" in before.stdout and "Week 3:" in before.stdout
    assert "✓" not in before.stdout
    answer(ANSWER)
    with open_backend(load_settings()) as backend:
        practiced = backend.question(QUESTION).round
        titles = {each.id: each.title for each in backend.bank().rounds}
    weeks = json.loads(run("plan", "--json").stdout)
    ticks = {each["round"]: each["attempts"] for week in weeks for each in week["rounds"]}
    assert ticks.pop(practiced) == 1
    assert set(ticks.values()) == {0}
    lines = run("plan").stdout.splitlines()
    assert all(titles[practiced] in line for line in lines if "✓" in line)
    assert any("✓" in line for line in lines)


def test_an_unreachable_server_is_one_line(run: Run, tmp_path: Path) -> None:
    for command in ("progress", "plan"):
        done = run(command, "--server", "http://127.0.0.1:9")
        assert done.exit_code == 1
        assert "cannot be reached" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
