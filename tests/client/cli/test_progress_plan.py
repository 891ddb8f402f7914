import json
from datetime import date, timedelta
from pathlib import Path

from client.answer.session import new_submission
from client.backend.opening import open_backend
from client.core.settings import load_settings
from question_bank.loader import load_bank
from server.contract import Transcript
from tests.client.cli.conftest import Run
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
        "days": [],
        "spread": None,
        "delivery": [],
        "mastered": {"terms": [], "phrases": [], "phrases_missed": 0, "errors": []},
        "ranges": [],
        "language": [],
        "roles": [],
        "topics": [],
        "terms": [],
        "drills": [],
    }


def test_first_against_now_and_the_terms(run: Run) -> None:
    answer("I do not know much about it")
    answer(load_bank().known_question(QUESTION).model_answer)
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
    (day,) = document["days"]
    assert (len(day["firsts"]), len(day["repeats"])) == (1, 1)
    assert document["mastered"]["phrases_missed"] == len(document["mastered"]["phrases"]) > 0
    assert "Day by day" in shown and "What to do next: aloud today" in shown
    assert f"+{round(role['now'] * 100)}" in shown
    assert "\x1b[" not in shown


def test_a_plan_without_a_role_says_how_to_name_one(run: Run) -> None:
    for command in ("plan", "today"):
        done = run(command)
        assert done.exit_code == 1
        assert "aloud plan --role ROLE --interview DATE" in done.stderr


def test_a_plan_counts_back_from_the_interview_and_ticks_what_is_done(run: Run) -> None:
    interview = date.today() + timedelta(days=12)
    role = "ml-platform-engineer"
    made = run("plan", "--interview", str(interview), "--minutes", "17", "--role", role)
    assert made.exit_code == 0, made.stderr
    assert "Interview in 12 days" in made.stdout
    assert made.stdout.count("A full mock interview") == 2
    plan = json.loads(run("plan", "--json").stdout)  # it is remembered
    assert [each["date"] for each in plan["days"]] == [
        str(date.today() + timedelta(days=number)) for number in range(12)
    ]
    assert plan["tried"] == plan["questions"] == len(load_bank().asked(role=role))
    today = json.loads(run("today", "--json").stdout)["today"]
    assert len(today["items"]) > 1
    shown = run("today").stdout
    for item in today["items"]:
        assert item["done"] is False
        assert f"aloud interview --question {item['name']}" in shown
        question = load_bank().known_question(item["name"])
        with open_backend(load_settings()) as backend:
            said = Transcript(text=question.model_answer)
            backend.submit(new_submission(question.id, said))
    done = run("today").stdout
    assert "☐" not in done
    assert "Done for today" in done and "One step ahead" in done
    names = [each["name"] for each in json.loads(run("today", "--json").stdout)["today"]["items"]]
    assert names == [each["name"] for each in today["items"]]


def test_a_day_that_is_over_or_comes_too_late_is_refused(run: Run) -> None:
    yesterday, tomorrow = (date.today() + timedelta(days=each) for each in (-1, 1))
    past = run("plan", "--role", "ml-platform-engineer", "--interview", str(yesterday))
    assert past.exit_code == 1 and "is over" in past.stderr
    late = run("plan", "--interview", str(tomorrow), "--start", str(tomorrow))
    assert late.exit_code == 1 and "not before" in late.stderr
    assert run("settings", "get", "interview_date").stdout.strip() == ""
    assert run("plan", "--role", "nobody").exit_code == 1


def test_an_interview_needs_a_role_or_a_question(run: Run) -> None:
    done = run("interview")
    assert done.exit_code == 2 and "name the role, or the question" in done.stderr
    unknown = run("interview", "--question", "no-such-question", "--no-speak")
    assert unknown.exit_code == 1 and "no-such-question" in unknown.stderr


def test_an_unreachable_server_is_one_line(run: Run, tmp_path: Path) -> None:
    for command in ("progress", "plan"):
        done = run(command, "--server", "http://127.0.0.1:9")
        assert done.exit_code == 1
        assert "cannot be reached" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
