import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from client.answering.submission import Outcome, new_submission
from client.audio.take_file import TakeWriter
from client.core.settings import ClientSettings
from client.practice.interviews import InterviewPlan, InterviewRecord, InterviewReport, Interviews
from client.studio.app import create_studio
from client.studio.state.studio import Studio
from client.studio.state.takes import AnswerDone
from server.contract import Transcript
from tests.client.studio.studio_parts import ORIGIN, make_studio

HTML = {"Accept": "text/html"}
ROLE, ROUND = "ml-platform-engineer", "system-design"


def begin(client: TestClient, **form: str) -> str:
    """Starts an interview and gives its address."""
    fields = {"role": ROLE, "round": ROUND, "length": "10"} | form
    answer = client.post("/interview", data=fields, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def state(client: TestClient, address: str) -> Any:
    return client.get(f"{address}/state").json()


def question_id(client: TestClient, address: str) -> str:
    return str(state(client, address)["question"]["question_id"])


def submit(studio: Studio, question_id: str, text: str = "A queue before the store.") -> Outcome:
    transcript = Transcript(text=text, engine="fake")
    return studio.session.submit(new_submission(question_id, transcript), save=True)


def say(studio: Studio, client: TestClient, address: str) -> Outcome:
    """An answer to the open question, as the recording tells it."""
    asked = question_id(client, address)
    outcome = submit(studio, asked)
    interview_id = address.rpartition("/")[2]
    studio.takes.tell(AnswerDone(asked, interview_id, outcome))
    return outcome


def planted(studio: Studio, questions: int, *, left_s: float, minutes: int = 10) -> InterviewRecord:
    """An interview of so many questions with so much time left."""
    bank = studio.bank
    chosen = [each for each in bank.questions if each.role == ROLE][:questions]
    begun = datetime.now(UTC) - timedelta(minutes=minutes) + timedelta(seconds=left_s)
    kept = Interviews(studio.settings.home / "interviews", lambda: begun)
    role = bank.role(ROLE)
    assert role is not None
    guide = next(each for each in bank.rounds if each.id == ROUND)
    plan = InterviewPlan(tuple(chosen), questions, questions, 120.0 * questions)
    return kept.start(role, guide, minutes, plan)


def test_the_choice_shows_rounds_with_what_they_test_and_their_real_length(
    client: TestClient, studio: Studio
) -> None:
    page = client.get("/interview", params={"role": ROLE, "round": ROUND}, headers=HTML)
    assert page.status_code == 200
    for guide in studio.bank.rounds:
        assert guide.title in page.text
        assert f"{guide.minutes[0]} to {guide.minutes[1]} min" in page.text
    assert f'value="{ROLE}" selected' in page.text
    assert re.search(f'value="{ROUND}" required checked', page.text)
    assert "None yet" in page.text


@pytest.mark.parametrize(("length", "minutes"), [("real", 45), ("longest", 60), ("20", 20)])
def test_the_clock_runs_the_rounds_real_time_or_a_shorter_one(
    client: TestClient, length: str, minutes: int
) -> None:
    now = state(client, begin(client, length=length))
    assert now["minutes"] == minutes
    assert minutes * 60 - 60 < now["left_s"] <= minutes * 60
    assert now["question"]["number"] == 1


def test_question_follows_question_without_a_report_in_between(
    client: TestClient, studio: Studio
) -> None:
    address = begin(client)
    seen = []
    for number in range(1, 4):
        now = state(client, address)
        assert now["question"]["number"] == number
        seen.append(now["question"]["question_id"])
        say(studio, client, address)
    assert len(set(seen)) == 3
    answer = client.get(f"{address}/report", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, address)


def test_whoever_comes_back_finds_the_same_question_even_in_a_new_process(
    client: TestClient, studio: Studio, settings: ClientSettings
) -> None:
    address = begin(client)
    say(studio, client, address)
    before = state(client, address)["question"]
    other = make_studio(settings)
    with TestClient(create_studio(other), base_url=ORIGIN) as again:
        page = again.get(address, headers=HTML)
        assert before["prompt"] in page.text.replace("&#39;", "'")
        assert again.get(f"{address}/state").json()["question"] == before


def test_a_double_click_begins_one_interview(client: TestClient) -> None:
    assert begin(client) == begin(client)
    assert begin(client) != begin(client, length="20")


def test_passing_and_ending_name_the_questions_without_answer(
    client: TestClient, studio: Studio
) -> None:
    address = begin(client)
    said = say(studio, client, address)
    passed = state(client, address)["question"]
    now = client.post(f"{address}/skip", json={"question_id": passed["question_id"]}).json()
    assert now["question"]["question_id"] != passed["question_id"]
    again = client.post(f"{address}/skip", json={"question_id": passed["question_id"]}).json()
    assert again["question"] == now["question"], "the same pass twice passes one question"
    page = client.post(f"{address}/end", headers=HTML)
    assert page.url.path == f"{address}/report"
    assert "passed" in page.text
    assert "cut off by the end" in page.text
    assert f'href="/attempts/{said.attempt_id}"' in page.text
    assert client.get(address, follow_redirects=False).headers["location"] == f"{address}/report"


def test_an_answer_in_time_that_ends_after_it_is_the_last(
    client: TestClient, studio: Studio
) -> None:
    record = planted(studio, 3, left_s=-30)
    address = f"/interview/{record.id}"
    assert state(client, address)["left_s"] == 0
    listing = client.get("/interview", headers=HTML).text
    assert "The time is over." in listing
    say(studio, client, address)
    assert state(client, address)["question"] is None
    report = client.get(f"{address}/report.json").json()
    assert (report["asked"], report["answered"]) == (1, 1)


def test_the_report_is_exported_as_markdown_and_json(client: TestClient, studio: Studio) -> None:
    address = begin(client)
    say(studio, client, address)
    client.post(f"{address}/end")
    markdown = client.get(f"{address}/report.md")
    assert markdown.text.startswith("# Mock interview: ML Platform Engineer, System Design")
    assert "attachment" in markdown.headers["content-disposition"]
    report = InterviewReport.model_validate(client.get(f"{address}/report.json").json())
    assert (report.asked, report.answered) == (2, 1)
    assert report.answers[0].words == 5
    assert client.get(f"{address}/report.exe").status_code == 422


def test_an_answer_deleted_from_the_history_is_told(client: TestClient, studio: Studio) -> None:
    address = begin(client)
    said = say(studio, client, address)
    assert said.attempt_id is not None
    client.post(f"{address}/end")
    studio.backend.delete(said.attempt_id)
    page = client.get(f"{address}/report", headers=HTML)
    assert page.status_code == 200
    assert "This answer was deleted from the history." in page.text


def test_earlier_interviews_are_listed_and_can_be_forgotten(
    client: TestClient, studio: Studio
) -> None:
    address = begin(client)
    said = say(studio, client, address)
    client.post(f"{address}/end")
    page = client.get("/interview", headers=HTML).text
    assert f'href="{address}/report"' in page
    assert "1 of 2 questions answered" in page
    page = client.post(f"{address}/delete", headers=HTML).text
    assert "None yet" in page
    assert said.attempt_id is not None
    assert studio.backend.attempt(said.attempt_id).id == said.attempt_id
    assert client.get(address, headers=HTML).status_code == 404


@pytest.mark.parametrize("interview_id", ["nothing", "0" * 32, "..%2F..%2Faloud"])
def test_an_interview_that_is_not_there_is_told(client: TestClient, interview_id: str) -> None:
    for path in ("", "/state", "/report", "/report.md", "/interrupted"):
        assert client.get(f"/interview/{interview_id}{path}").status_code == 404
    body = {"question_id": "a"}
    for path in ("/skip", "/claim", "/end", "/delete"):
        assert client.post(f"/interview/{interview_id}{path}", json=body).status_code == 404


@pytest.mark.parametrize(
    "form",
    [{"role": "nobody"}, {"round": "lunch"}, {"length": "0"}, {"length": "-1"}, {"role": ""}],
)
def test_nonsense_begins_nothing(
    client: TestClient, settings: ClientSettings, form: dict[str, str]
) -> None:
    fields = {"role": ROLE, "round": ROUND, "length": "10"} | form
    assert client.post("/interview", data=fields).status_code in (404, 422)
    assert Interviews.of(settings).all().records == ()


def test_what_was_not_asked_is_refused(client: TestClient) -> None:
    address = begin(client)
    answer = client.post(f"{address}/skip", json={"question_id": "somebody-elses"})
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "this interview has not asked that question",
    )
    assert client.post(f"{address}/skip", json={"question": "a"}).status_code == 422


def test_an_answer_the_studio_could_not_note_can_be_noted_by_the_page(
    client: TestClient, studio: Studio
) -> None:
    address = begin(client)
    asked = question_id(client, address)
    outcome = submit(studio, asked)
    body = {
        "question_id": asked,
        "submission_id": outcome.submission.submission_id,
        "attempt_id": outcome.attempt_id,
    }
    now = client.post(f"{address}/answers", json=body).json()
    assert now["question"]["number"] == 2
    assert client.post(f"{address}/answers", json=body).json()["question"]["number"] == 2
    other = body | {"submission_id": "f" * 32}
    assert "has an answer already" in client.post(f"{address}/answers", json=other).json()["detail"]


def test_practice_of_the_same_question_is_not_taken_for_an_answer(
    client: TestClient, studio: Studio
) -> None:
    address = begin(client)
    asked = question_id(client, address)
    studio.takes.tell(AnswerDone(asked, "", submit(studio, asked)))
    assert question_id(client, address) == asked
    assert client.post(f"{address}/claim", json={"question_id": asked}).status_code == 204
    studio.takes.tell(AnswerDone(asked, "", submit(studio, asked)))
    assert question_id(client, address) != asked


def interrupted_take(settings: ClientSettings, question_id: str) -> Path:
    writer = TakeWriter(settings.recordings, 16_000, question_id)
    writer.append(np.full(48_000, 0.1, np.float32))
    writer.abandon()
    return writer.part_path


def test_only_a_recording_begun_since_the_question_was_asked_is_offered(
    client: TestClient, studio: Studio, settings: ClientSettings
) -> None:
    first = next(each.id for each in studio.bank.questions if each.role == ROLE)
    old = interrupted_take(settings, first)
    address = f"/interview/{planted(studio, 2, left_s=600).id}"
    assert question_id(client, address) == first
    assert client.get(f"{address}/interrupted").json() == {"recording": False, "take": None}
    assert old.exists()
    new = interrupted_take(settings, first)
    found = client.get(f"{address}/interrupted").json()["take"]
    assert (found["name"], found["length"]) == (new.name, "0:03")


def test_a_broken_file_is_named_and_hides_nothing(
    client: TestClient, settings: ClientSettings
) -> None:
    address = begin(client)
    (settings.home / "interviews" / f"{'a' * 32}.json").write_text(json.dumps({"id": 1}))
    page = client.get("/interview", headers=HTML).text
    assert f"{'a' * 32}.json" in page
    assert address in page
