"""The plan in the studio: made on the first page, ticked by answers, in the calendar."""

import re
from datetime import UTC, date, datetime, timedelta
from html import unescape

import pytest
from starlette.testclient import TestClient

from client.core.preferences import change_preferences
from client.studio.state.studio import Studio
from server.contract import DrillReview, Report
from tests.client.conftest import make_submission

TODAY = date.today()
ROLE = "ml-platform-engineer"


def make(client: TestClient, **changes: str) -> str:
    form = {"role": ROLE, "interview": str(TODAY + timedelta(days=12)), "minutes": "18"}
    return unescape(client.post("/plan", data=form | changes).text)


def answer(studio: Studio, question: str, days_ago: int = 0) -> Report:
    at = datetime.now(UTC) - timedelta(days=days_ago)
    said = make_submission("nothing much", question_id=question, created_at=at)
    return studio.backend.submit(said).report


def test_one_form_on_the_first_page_makes_the_plan(client: TestClient, studio: Studio) -> None:
    home = client.get("/").text
    assert 'action="/plan"' in home and "When is your interview?" in home
    page = make(client)
    assert "Interview in 12 days" in page
    assert "Today: 18 minutes" in page
    assert page.count("A full mock interview") == 2
    home = unescape(client.get("/").text)
    assert "Today: 18 minutes" in home and "Interview in 12 days" in home
    assert "When is your interview?" not in home
    for item in ("Plan", "Questions"):
        assert f">{item}</a>" in home
    assert studio.settings.preferences.plan_start == TODAY


def test_practice_ticks_the_day_and_a_step_ahead_follows(
    client: TestClient, studio: Studio
) -> None:
    make(client, minutes="30")
    page = client.get("/plan").text
    questions = re.findall(r'<a href="/practice/([a-z0-9-]+)\?role=', page)
    steps = page.count("To do:")
    assert "Done:" not in page and steps >= len(questions) > 1
    answer(studio, questions[0])
    page = client.get("/plan").text
    assert (page.count("Done:"), page.count("To do:")) == (1, steps - 1)
    for each in questions[1:]:
        answer(studio, each)
    for number in range(5):
        review = {
            "review_id": f"{number:032x}",
            "item_id": f"item-{number}",
            "drill_set": "acronyms",
            "reviewed_at": datetime.now(UTC),
            "verdict": "correct",
        }
        studio.backend.drills.review(DrillReview.model_validate(review))
    page = client.get("/plan").text
    assert (page.count("Done:"), page.count("To do:")) == (steps, 0)
    assert "Done for today" in page and "One step ahead" in page
    assert "Done for today" in client.get("/").text


def test_what_was_missing_is_named_when_a_question_comes_again(
    client: TestClient, studio: Studio
) -> None:
    report = answer(studio, "tell-me-about-yourself", days_ago=1)
    make(client)
    page = unescape(client.get("/plan").text)
    assert "was missing" in page
    (said,) = re.findall("<li>say: ([^<]+)<", page)
    assert set(said.split(", ")) <= {each.phrase for each in report.coverage.phrases}


def test_what_a_terminal_changed_meanwhile_survives_a_change_of_the_plan(
    client: TestClient, studio: Studio
) -> None:
    make(client)
    opened = dict(re.findall(r'name="(was-[a-z]+)" value="([^"]*)"', client.get("/plan").text))
    later = TODAY + timedelta(days=30)
    change_preferences(studio.settings.home, {"plan_minutes": "40", "interview_date": str(later)})
    make(client, **opened, role="site-reliability-engineer")
    preferences = studio.settings.preferences
    assert (preferences.plan_minutes, preferences.interview_date) == (40, later)
    assert preferences.role == "site-reliability-engineer"
    opened = dict(re.findall(r'name="(was-[a-z]+)" value="([^"]*)"', client.get("/plan").text))
    assert "Interview in" not in make(client, **opened, interview="", minutes="18")
    assert studio.settings.preferences.plan_minutes == 18


def test_the_calendar_and_what_is_not_possible(client: TestClient) -> None:
    assert client.get("/plan/aloud-plan.ics").status_code == 404
    assert "is over" in make(client, interview=str(TODAY - timedelta(days=1)))
    assert "must be a date" in make(client, interview="soon")
    assert "whole minutes" in make(client, minutes="2")
    make(client)
    file = client.get("/plan/aloud-plan.ics")
    assert file.headers["content-type"].startswith("text/calendar")
    assert file.text.count("BEGIN:VEVENT") == 13


def test_without_a_date_the_plan_lasts_three_weeks(client: TestClient) -> None:
    page = make(client, interview="", start=str(TODAY - timedelta(days=2)))
    assert "Interview in" not in page
    assert "not practiced; spread over the days to come" in page


def test_terms_of_another_field_are_no_part_of_a_plan(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "new term" in make(client, minutes="60")
    bank = studio.bank
    roles = tuple(each.model_copy(update={"spotlight": ()}) for each in bank.roles)
    monkeypatch.setattr(studio.backend, "bank", lambda: bank.model_copy(update={"roles": roles}))
    assert "new term" not in client.get("/plan").text


def test_an_own_story_comes_until_it_is_told(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = studio.bank
    for question in bank.asked(role=ROLE):  # what is tried leaves room
        answer(studio, question.id, days_ago=3)
    story = bank.questions[0].model_copy(
        update={"id": "story-outage-60", "role": None, "field": "my-stories", "prompt": "My outage"}
    )
    longer = story.model_copy(update={"id": "story-outage-120"})
    told = bank.model_copy(update={"questions": (*bank.questions, story, longer)})
    monkeypatch.setattr(studio.backend, "bank", lambda: told)
    page = make(client, minutes="60")
    assert 'href="/practice/story-outage-60?' in page and "your story" in page


def test_a_whole_round_in_the_last_week_ticks_the_mock_interview(
    client: TestClient, studio: Studio
) -> None:
    page = make(client, interview=str(TODAY + timedelta(days=5)))
    (round,) = set(re.findall(r'href="/interview\?role=[a-z-]+&round=([a-z-]+)&length=real"', page))
    assert 'value="real" checked' in client.get(f"/interview?round={round}&length=real").text
    for length, answers, done in (("10", 9, 0), ("real", 0, 0), ("real", 9, 1)):
        form = {"role": ROLE, "round": round, "length": length}
        address = client.post("/interview", data=form, follow_redirects=False).headers["location"]
        interviews, number = studio.interviews.kept, address.rpartition("/")[2]
        for _ in range(answers):
            if (current := interviews.get(number).current) is not None:
                interviews.answer(number, current.question_id, "a" * 32, None)
        interviews.end(number)
        assert client.get("/plan").text.count("Done:") == done


def test_a_plan_of_months_shows_every_day_until_the_interview(client: TestClient) -> None:
    page = make(client, interview=str(TODAY + timedelta(days=90)))
    assert "90 days" in page and "days are shown" not in page
    rows = page.split('id="days"')[1].split("</table>")[0].count('<th scope="row"')
    assert rows == 91, "with that of the interview"
    assert "366 days are shown" in make(client, interview=str(TODAY + timedelta(days=500)))
