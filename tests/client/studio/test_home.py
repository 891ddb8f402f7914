"""The first page and the roles: what they show, and what they say where there is nothing yet."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from client.backend.protocol import UnavailableError
from client.core.settings import ClientSettings
from client.studio.routes.bank import PAGE
from client.studio.state.studio import Studio
from question_bank.exercises import told_scenarios
from tests.client.conftest import make_submission
from tests.worlds.studio_parts import make_studio


def test_a_new_home_leads_from_the_microphone_to_the_first_report(
    client: TestClient, studio: Studio
) -> None:
    page = client.get("/").text
    assert "Nothing recorded yet" in page
    (first,) = re.findall(r'href="/practice/([a-z0-9-]+)">Answer it</a>', page)
    question = studio.backend.question(first)
    assert question.id == "tell-me-about-yourself"
    assert f'href="/practice/{first}">Answer your first question' in client.get("/microphone").text
    assert 'primary" href="/microphone">Check the microphone' in page
    client.post("/microphone/passed")
    page = client.get("/").text
    assert 'href="/microphone">Check the microphone' not in page
    assert f'primary" href="/practice/{first}">Answer it' in page

    said = make_submission(question.model_answer, question_id=first)
    report = client.get(f"/attempts/{studio.backend.submit(said).id}").text
    assert "Your first report" in report
    assert "answer the question once more" in report
    assert "Answer your first question" not in client.get("/microphone").text
    again = studio.backend.submit(make_submission(question.model_answer, question_id=first))
    assert "Your first report" not in client.get(f"/attempts/{again.id}").text


def test_a_new_home_has_its_database_after_the_first_page(
    client: TestClient, studio: Studio
) -> None:
    assert not studio.shown.is_set()
    assert client.get("/").status_code == 200
    assert studio.shown.is_set()
    studio.get_ready()
    assert studio.settings.database.stat().st_size > 0


def test_a_damaged_database_is_said_before_the_first_page(settings: ClientSettings) -> None:
    settings.home.mkdir()
    settings.database.write_bytes(b"damaged" * 1000)
    with pytest.raises(UnavailableError, match=r"aloud\.db is damaged"):
        make_studio(settings)


def test_a_folder_that_cannot_be_used_is_said_before_the_first_page(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match="ALOUD_HOME"):
        make_studio(ClientSettings(home=tmp_path / "file" / "home"))


def test_every_role_is_a_card(client: TestClient, studio: Studio) -> None:
    page = client.get("/").text
    for role in studio.bank.roles:
        assert f'href="/roles/{role.id}"' in page


def test_answers_are_listed_with_their_score(client: TestClient, studio: Studio) -> None:
    question = studio.bank.questions[0]
    said = make_submission(question.model_answer, question_id=question.id)
    attempt = studio.backend.submit(said)
    page = client.get("/").text
    assert f'href="/attempts/{attempt.id}"' in page
    assert attempt.report.overall > 0.9
    assert f"score {attempt.report.overall:.0%}" in page
    assert "Nothing recorded yet" not in page


def test_a_role_shows_all_of_the_bank_about_it(client: TestClient, studio: Studio) -> None:
    for role in studio.bank.roles:
        page = client.get(f"/roles/{role.id}").text
        shown = [*role.topics, *(each.title for each in studio.bank.field_of(role.id).rounds)]
        shown += [term for group in role.vocabulary for term in group.terms]
        shown += [each.term for each in role.spotlight]
        tasks = [task for _, task in told_scenarios(studio.bank, role) if task]
        assert len(tasks) == (4 if role.field == "ai-infrastructure" else 0)
        assert all(f'href="/practice/{each.id}"' in page for each in tasks)
        for text in shown:
            assert text.replace("&", "&amp;").replace("'", "&#39;") in page
        assert page.count("data-sound=") >= len(role.spotlight)


def test_a_role_lists_its_questions_with_level_round_and_last_score(
    client: TestClient, studio: Studio
) -> None:
    own = [q for q in studio.bank.questions if q.role == "ml-platform-engineer"]
    attempt = studio.backend.submit(make_submission(own[3].model_answer, question_id=own[3].id))
    page = client.get("/roles/ml-platform-engineer").text
    for question in own:
        assert f'href="/practice/{question.id}?role=ml-platform-engineer"' in page
    assert 'href="/practice/tell-me-about-yourself?role=ml-platform-engineer"' in page
    for level in {question.difficulty for question in own}:
        assert f"level {level} of 5" in page
    score = f"{attempt.report.score:.0%}"  # the grader's own, whatever it gives a model answer
    assert f'<a href="/attempts/{attempt.id}">last {score}</a>' in page


def listed(page: str) -> list[str]:
    return re.findall(r'<a href="/practice/([a-z0-9-]+)[?"]', page)


def test_all_questions_are_found_by_word_role_round_and_level(
    client: TestClient, studio: Studio
) -> None:
    questions = studio.bank.questions
    everything = []
    for page in range(1, len(questions) // PAGE + 2):
        everything += listed(client.get(f"/questions?page={page}").text)
    assert sorted(everything) == sorted(each.id for each in questions)
    levels = {each.id: each.difficulty for each in questions}
    assert [levels[each] for each in everything] == sorted(levels.values()), "the easiest first"
    wanted = next(each for each in questions if each.role is not None)
    query = {"role": wanted.role, "round": wanted.round, "level": wanted.difficulty}
    found = listed(client.get("/questions", params=query | {"q": wanted.topic.upper()}).text)
    assert wanted.id in found
    by_id = {each.id: each for each in questions}
    for each in found:
        assert by_id[each] in studio.bank.asked(role=wanted.role, round=wanted.round)
        assert by_id[each].difficulty == wanted.difficulty
    assert "No question matches" in client.get("/questions?q=zzz%3Cb%3E").text
    assert client.get("/questions?level=6").status_code == 422


def test_ones_own_progress_stands_beside_topic_and_round(
    client: TestClient, studio: Studio
) -> None:
    question = next(q for q in studio.bank.questions if q.role is not None)
    before = client.get(f"/roles/{question.role}").text
    studio.backend.submit(make_submission(question.model_answer, question_id=question.id))
    after = client.get(f"/roles/{question.role}").text
    assert before.count("not practiced yet") - after.count("not practiced yet") == 2


def test_an_unknown_role_is_a_page_that_says_so(client: TestClient) -> None:
    answer = client.get("/roles/wizard", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert "no role" in answer.text


@pytest.mark.parametrize("path", ["/roles/%3Cscript%3E", "/sound/question/%3Cscript%3E"])
def test_what_comes_in_is_never_markup(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert "<script>" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/sound/term?term=RoCE",
        "/sound/text?text=Hello",
        "/sound/reading?phones=R AA1 K IY0&term=RoCE",
    ],
)
def test_what_can_be_said_is_a_sound(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "audio/wav"
    assert answer.content[:4] == b"RIFF"


def test_each_question_can_be_heard(client: TestClient, studio: Studio) -> None:
    answer = client.get(f"/sound/question/{studio.bank.questions[0].id}")
    assert answer.content[:4] == b"RIFF"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/sound/text?text=...", "no words"),
        ("/sound/text?text=" + "a" * 501, "text"),
        ("/sound/reading?phones=XX1", "XX1"),
        ("/sound/question/none", "no question"),
    ],
)
def test_what_cannot_be_said_says_why(client: TestClient, path: str, why: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (404, 422)
    assert why in answer.json()["detail"]
