"""“Did you mean …?” on the report page, without a script."""

import pytest
from starlette.testclient import TestClient

from client.core.settings import ClientSettings
from client.studio.state.studio import Studio
from question_bank.own_aliases import read_own_aliases
from tests.worlds.planted_report import CLAUSE, planted_attempt

FORM = {"phrase": "credit-based flow control"}


@pytest.fixture
def number(studio: Studio) -> int:
    question = studio.backend.question("infiniband-or-roce")
    names = ("one", "two", "three", "four", FORM["phrase"], "another")
    studio.backend.import_attempts([planted_attempt(question, "a" * 32, names)])
    return studio.backend.history().attempts[0].id


def test_yes_no_and_back(client: TestClient, number: int) -> None:
    page = client.get(f"/attempts/{number}").text
    assert "Did you mean “credit-based flow control”?" in page
    assert "They may ask: Can you give a number?" in page
    path = f"/attempts/{number}/meant"
    answer = client.post(path, data=FORM | {"meant": "yes"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/attempts/{number}#phrase-5")
    page = client.get(f"/attempts/{number}").text
    assert "Did you mean “credit-based" not in page
    assert "answered by you, graded “perhaps said”" in page
    assert "Count this way of saying it from now on" in page
    page = client.post(path, data=FORM | {"meant": "no"}).text
    assert "Count this way of saying it" not in page
    assert "Did you mean “credit-based" in client.post(path, data=FORM | {"meant": "back"}).text
    assert client.post(path, data=FORM | {"meant": "perhaps"}).status_code == 422
    assert client.post(path, data={"phrase": "another", "meant": "yes"}).status_code == 422


def test_a_yes_can_count_in_every_answer_from_now_on(
    client: TestClient, settings: ClientSettings, number: int
) -> None:
    client.post(f"/attempts/{number}/meant", data=FORM | {"meant": "yes"})
    kept = client.post(f"/attempts/{number}/alias", data=FORM | {"words": CLAUSE})
    assert kept.status_code == 200
    own = read_own_aliases(settings.own_aliases)
    assert own.of("infiniband-or-roce", FORM["phrase"]) == (CLAUSE,)
    assert "Count this way of saying it" not in kept.text


def test_answers_graded_in_different_ways_say_so_when_compared(
    client: TestClient, studio: Studio, number: int
) -> None:
    question = studio.backend.question("infiniband-or-roce")
    names = tuple(f"phrase {number}" for number in range(6))
    earlier = planted_attempt(question, "b" * 32, names, version="1.3.0")
    studio.backend.import_attempts([earlier])
    page = client.get(f"/attempts/{number}/compare/{number + 1}").text
    assert "their scores cannot be compared" in page
    assert page.count("<h3>Language</h3>") == 2
    assert "Structure" in page
