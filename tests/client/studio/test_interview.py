import re
import threading
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from client.answer.answer import Answer, Entry, Outcome
from client.answer.session import new_submission
from client.audio.take_file import PART_SUFFIX, TakeWriter, read_take
from client.core.errors import EngineError
from client.core.settings import ClientSettings
from client.practice.interviews import InterviewPlan, InterviewRecord, InterviewReport, Interviews
from client.studio.app import create_studio
from client.studio.state.studio import Studio
from pronunciation.clip import SAMPLE_RATE_HZ, Clip
from server.contract import HistoryQuery, PurgeRequest, Transcript
from tests.client.studio.test_drills import ERRORS
from tests.worlds.studio_answering import begin as begin_answer
from tests.worlds.studio_answering import send_all, until, wait_for, with_engine
from tests.worlds.studio_parts import ORIGIN, SOCKET, ScriptedTranscriber, make_studio

HTML = {"Accept": "text/html"}
ROLE, ROUND = "ml-platform-engineer", "domain-deep-dive"


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


def tell(studio: Studio, take: str, outcome: Outcome) -> None:
    """The answer of this recording has got its report."""
    sent = outcome.submission
    entry = Entry(asked=sent.question_id, submission_id=sent.submission_id)
    answer = Answer(studio.settings.recordings, entry, take.removesuffix(PART_SUFFIX))
    answer.outcome = outcome
    studio.answers.tell(answer)


def say(studio: Studio, client: TestClient, address: str, *text: str) -> Outcome:
    """An answer to the open question, as the recording tells it."""
    asked = question_id(client, address)
    outcome = submit(studio, asked, *text)
    take = give(studio, address, asked)
    tell(studio, take, outcome)
    return outcome


def give(studio: Studio, address: str, asked: str) -> str:
    """The answer is spoken, and gives the name of its recording."""
    take = f"{asked}.wav.part"
    studio.interviews.kept.give(address.rpartition("/")[2], asked, take)
    return take


def planted(studio: Studio, questions: int, *, left_s: float, minutes: int = 10) -> InterviewRecord:
    """An interview of so many questions with so much time left."""
    bank = studio.bank
    chosen = [each for each in bank.questions if each.role == ROLE][:questions]
    kept = studio.interviews.kept
    role = bank.role(ROLE)
    assert role is not None
    guide = next(each for each in bank.rounds if each.id == ROUND)
    plan = InterviewPlan(tuple(chosen), questions, 120.0 * questions)
    record = kept.start(role, guide, minutes, plan)
    spent = {"spent_s": minutes * 60 - left_s}
    return kept.change(record.id, lambda record: record.model_copy(update=spent))


def test_the_choice_shows_rounds_with_what_they_test_and_their_real_length(
    client: TestClient, studio: Studio
) -> None:
    page = client.get("/interview", params={"role": ROLE, "round": ROUND}, headers=HTML)
    assert page.status_code == 200
    for guide in studio.bank.field_of(ROLE).rounds:
        assert guide.title in page.text
        assert f"{guide.minutes[0]} to {guide.minutes[1]} min" in page.text
    assert f'value="{ROLE}" selected' in page.text
    assert re.search(f'value="{ROUND}" required checked', page.text)
    assert "None yet" in page.text


def test_the_choice_starts_with_ten_minutes_and_the_role_practiced_last(
    client: TestClient, studio: Studio
) -> None:
    for role in ("ml-platform-engineer", "ai-infrastructure-architect"):
        submit(studio, next(each.id for each in studio.bank.questions if each.role == role))
    page = client.get("/interview", headers=HTML).text
    assert 'value="ai-infrastructure-architect" selected' in page
    assert 'name="length" value="10" checked' in page
    sent = client.post("/interview", data={"role": ROLE, "round": ROUND}, follow_redirects=False)
    assert state(client, str(sent.headers["location"]))["minutes"] == 10


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
    assert "skipped" in page.text
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
    assert "Time is up." in listing
    say(studio, client, address)
    assert state(client, address)["question"] is None
    report = client.get(f"{address}/report.json").json()
    assert (report["asked"], report["answered"]) == (1, 1)
    page = client.get(f"{address}/report", headers=HTML).text
    assert "10:30 of 10 min used" in page


def test_the_report_and_its_exports_show_the_worst_remarks_on_all_answers(
    client: TestClient, studio: Studio
) -> None:
    address = begin(client)
    said = [say(studio, client, address, ERRORS).attempt_id for _ in range(2)]
    client.post(f"{address}/end")
    client.post(f"{address}/language")
    page = client.get(f"{address}/report", headers=HTML).text
    section = page[page.index('id="language"') : page.index('id="terms"')]
    assert section.count('<span class="muted">(') == 5, "kinds, each with its reason"
    assert section.count("How it is said") == section.count("Say it right") >= 10
    assert all(f'href="/attempts/{each}#note-' in section for each in said)
    assert "2 times" in section and "more remarks, of less weight" in section
    markdown = client.get(f"{address}/report.md")
    assert markdown.text.startswith("# Mock interview: ML Platform Engineer, Domain deep dive")
    sheet = client.get(f"{address}/page").text
    assert all("2 times)" in each and "Question 1: “" in each for each in (markdown.text, sheet))
    assert "Not shown: " in sheet and sheet.count('data-sound="/sound/text') == 5
    assert "attachment" in markdown.headers["content-disposition"]
    report = InterviewReport.model_validate(client.get(f"{address}/report.json").json())
    assert (report.asked, report.answered) == (3, 2)
    assert report.answers[0].words == len(ERRORS.split())
    assert client.get(f"{address}/report.exe").status_code == 422


def test_an_answer_deleted_from_the_history_is_told(client: TestClient, studio: Studio) -> None:
    address = begin(client)
    said = say(studio, client, address)
    assert said.attempt_id is not None
    client.post(f"{address}/end")
    studio.backend.purge(PurgeRequest(attempt_ids=(said.attempt_id,)))
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
    for path in ("", "/state", "/report", "/report.md"):
        assert client.get(f"/interview/{interview_id}{path}").status_code == 404
    body = {"question_id": "a"}
    timed = body | {"runs": True}
    for path in ("skip", "use", "end", "delete", "time"):
        sent = timed if path == "time" else body
        assert client.post(f"/interview/{interview_id}/{path}", json=sent).status_code == 404


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


def test_the_clock_runs_while_the_page_says_so(client: TestClient) -> None:
    address = begin(client)
    now = state(client, address)
    assert now["left_s"] == 600
    body = {"question_id": now["question"]["question_id"], "runs": True}
    client.post(f"{address}/time", json=body)
    client.post(f"{address}/time", json=body)
    held = client.post(f"{address}/time", json=body | {"runs": False}).json()
    assert 590 < held["left_s"] <= 600
    assert client.post(f"{address}/time", json={"question_id": "a"}).status_code == 422


# ------------------------------------------------ spoken over the socket


def speak(client: TestClient, address: str, clip: Clip) -> dict[str, Any]:
    """Answers the open question; gives what the page hears after "stop"."""
    asked, interview = question_id(client, address), address.rpartition("/")[2]
    with client.websocket_connect(SOCKET) as socket:
        assert begin_answer(socket, asked, interview=interview)["type"] == "recording"
        send_all(socket, clip)
        assert state(client, address)["recording"]
        socket.send_json({"type": "stop"})
        return until(socket, "given", "problem")


def break_off(client: TestClient, studio: Studio, address: str, clip: Clip) -> str:
    """An answer to the open question whose page is lost; gives its recording's name."""
    asked, interview = question_id(client, address), address.rpartition("/")[2]
    with client.websocket_connect(SOCKET) as socket:
        name = str(begin_answer(socket, asked, interview=interview)["take"])
        send_all(socket, clip)
        path = studio.settings.recordings / name
        wait_for(lambda: read_take(path)[0].size == clip.samples.size)
    wait_for(lambda: state(client, address)["interrupted"])
    return name


def all_transcribed(client: TestClient, address: str) -> bool:
    return state(client, address)["transcribing"] == 0


def test_the_next_question_is_asked_while_the_last_answer_is_transcribed(
    settings: ClientSettings, speech: Clip
) -> None:
    gate = threading.Event()
    with with_engine(settings, ScriptedTranscriber(gate=gate)) as client:
        address = begin(client)
        for number in (1, 2):
            assert speak(client, address, speech)["type"] == "given"
            now = state(client, address)
            assert (now["question"]["number"], now["transcribing"]) == (number + 1, number)
        page = client.post(f"{address}/end", headers=HTML).text
        assert "2 answers are still being transcribed" in page
        assert page.count("being transcribed</span>") == 2
        assert "being transcribed" in client.get(f"{address}/report.md").text
        assert "Question 3 got no answer" in page, "the first two have one"
        gate.set()
        wait_for(lambda: all_transcribed(client, address))
        report = client.get(f"{address}/report.json").json()
    assert (report["asked"], report["answered"], report["transcribing"]) == (3, 2, 0)
    assert [line["score"] is not None for line in report["answers"]] == [True, True, False]


def test_a_tab_left_behind_records_no_second_answer(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    address = begin(client)
    first = question_id(client, address)
    speak(client, address, speech)
    with client.websocket_connect(SOCKET) as socket:
        problem = begin_answer(socket, first, interview=address.rpartition("/")[2])
    assert (problem["code"], problem["kept"]) == ("moved", False)
    wait_for(lambda: all_transcribed(client, address))
    assert studio.backend.history(HistoryQuery(question_id=first)).total == 1
    assert not studio.microphone.recording


def test_an_answer_without_sound_leaves_the_question_open(
    client: TestClient, studio: Studio
) -> None:
    address = begin(client)
    before = state(client, address)["question"]
    problem = speak(client, address, Clip(np.zeros(16_000, np.float32)))
    assert problem["code"] == "recording"
    assert state(client, address)["question"] == before


def test_an_answer_that_broke_off_can_be_used_or_discarded(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    address = begin(client)
    asked = question_id(client, address)
    client.post(f"{address}/time", json={"question_id": asked, "runs": True})
    name = break_off(client, studio, address, speech)
    wait_for(lambda: studio.interviews.kept.get(address.rpartition("/")[2]).seen_at is None)
    found = state(client, address)["interrupted"]
    assert (found["name"], found["length"]) == (name, "0:03")
    assert client.post(f"/takes/{name}/discard").status_code == 204
    assert state(client, address)["interrupted"] is None
    assert client.post(f"{address}/use", json={"question_id": asked}).status_code == 422
    break_off(client, studio, address, speech)
    now = client.post(f"{address}/use", json={"question_id": asked}).json()
    assert now["question"]["number"] == 2
    wait_for(lambda: all_transcribed(client, address))
    client.post(f"{address}/end")
    assert client.get(f"{address}/report.json").json()["answers"][0]["score"] is not None


def given_before_a_crash(client: TestClient, studio: Studio, speech: Clip) -> tuple[str, str]:
    """An interview whose first answer was given and is transcribed by nobody: address, question."""
    address = begin(client)
    asked = question_id(client, address)
    writer = TakeWriter(studio.settings.recordings, SAMPLE_RATE_HZ, asked)
    writer.append(speech.samples)
    writer.abandon()
    studio.interviews.kept.give(address.rpartition("/")[2], asked, writer.part_path.name)
    return address, asked


def test_an_answer_that_a_crash_left_is_transcribed_when_its_interview_is_seen(
    client: TestClient, studio: Studio, speech: Clip
) -> None:
    address, asked = given_before_a_crash(client, studio, speech)
    assert state(client, address)["transcribing"] == 1
    client.get(address)
    wait_for(lambda: all_transcribed(client, address))
    assert studio.backend.history(HistoryQuery(question_id=asked)).total == 1
    assert state(client, address)["problems"] == []


def test_who_ends_it_while_answering_was_asked_nothing_more(
    client: TestClient, studio: Studio
) -> None:
    address = begin(client)
    say(studio, client, address)
    client.post(f"{address}/end", data={"shown": "false"})
    report = client.get(f"{address}/report.json").json()
    assert (report["asked"], report["answered"]) == (1, 1)


def test_the_first_page_leads_back_into_an_open_interview(client: TestClient) -> None:
    assert "Mock interview:" not in client.get("/", headers=HTML).text
    address = begin(client)
    page = client.get("/", headers=HTML).text
    assert f'href="{address}">Continue' in page
    assert "0 answered, 10:00 left" in page
    client.post(f"{address}/end")
    assert address not in client.get("/", headers=HTML).text


def test_an_answer_without_a_report_is_told_and_can_be_tried_again(
    settings: ClientSettings, speech: Clip
) -> None:
    engine = ScriptedTranscriber(failure=EngineError("the engine is out of order"))
    with with_engine(settings, engine) as client:
        address = begin(client)
        speak(client, address, speech)
        wait_for(lambda: state(client, address)["problems"])
        assert state(client, address)["problems"] == [
            "Question 1 has no report: the engine is out of order. Its recording is kept."
        ]
        client.get(address)
        assert len(engine.clips) == 1, "it is not tried by itself"
        page = client.post(f"{address}/end", headers=HTML).text
        assert "The engine is out of order." in page
        assert 'id="takes-notice"' in page
        engine.failure = None
        (name,) = [each["name"] for each in client.get("/takes").json()["interrupted"]]
        client.post(f"/takes/{name}/finish")
        wait_for(lambda: not state(client, address)["problems"])
        report = client.get(f"{address}/report.json").json()
    assert report["answers"][0]["score"] is not None


def test_a_recording_that_is_gone_is_told(client: TestClient, studio: Studio) -> None:
    address = begin(client)
    give(studio, address, question_id(client, address))
    client.get(address)
    (problem,) = state(client, address)["problems"]
    assert "no longer on this machine" in problem
    assert state(client, address)["question"]["number"] == 2
