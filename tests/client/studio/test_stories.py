"""Your own stories: told or written, kept, compared, matched and found again."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from client.studio.state.studio import Studio
from server.bank_versions.tellings import differing_facts
from server.contract import Submission, Transcript

TOLD = (
    "Last spring our billing service was down for two hours. My task was to bring it back and to "
    "make sure that it stays up. I rolled back the release, and I wrote a test for it. As a result "
    "our error rate fell by {} percent. I learned to roll out in steps."
)


def tell(studio: Studio, question_id: str, text: str) -> int:
    """An answer as if it were recorded; its number."""
    submission = Submission(
        submission_id=uuid4().hex,
        question_id=question_id,
        created_at=datetime.now(UTC),
        transcript=Transcript(text=text, engine="faster-whisper", model="base.en"),
    )
    return studio.backend.submit(submission).id


def test_a_story_is_told_kept_and_found_again(client: TestClient, studio: Studio) -> None:
    reply = client.post("/stories", data={"title": "The billing outage", "do": "tell"})
    assert str(reply.url).endswith("/practice/story-the-billing-outage-120")
    assert "Tell your story “The billing outage” in two minutes." in reply.text
    tell(studio, "story-the-billing-outage-120", TOLD.format(36))
    page = client.get("/stories/the-billing-outage").text
    assert "I rolled back the release" in page.split('id="written"')[0], "a part in their words"
    saved = client.post("/stories/the-billing-outage/take").text
    written = saved.split('id="written"')[1]
    assert "error rate fell by 36 percent" in written
    overview = client.get("/stories").text
    assert "The billing outage" in overview and "told" in overview
    assert "pressure" in overview and "Nothing yet for:" in overview
    assert "conflict" in overview.split("Nothing yet for:")[1].split("<")[0]
    assert "The billing outage" in client.get("/stories/file.md").text
    assert studio.bank.question("story-the-billing-outage-60") is not None, "one minute, too"


def test_facts_that_differ_between_tellings_are_noted(client: TestClient, studio: Studio) -> None:
    client.post("/stories", data={"title": "Outage"})
    tell(studio, "story-outage-120", TOLD.format(36))
    tell(studio, "story-outage-60", TOLD.format(30))
    assert "36 % then, 30 % now" in client.get("/stories/outage").text
    assert "36 % then, 30 % now" in client.get("/stories").text


def test_a_written_story_names_its_weak_part_and_the_questions_it_answers(
    client: TestClient, studio: Studio
) -> None:
    client.post("/stories", data={"title": "A night on call"})
    typed = {
        "title": "A difficult night on call",
        "situation": "Last year I was on call for a GPU cluster, and half of it went down.",
        "task": "I had to bring the training back.",
        "action": "I drained the nodes and called the network team.",
        "points": "drained the nodes\nnetwork team",
        "themes": ["pressure", "conflict"],
    }
    page = client.post("/stories/a-night-on-call", data=typed).text
    assert "Saved." in page and "The weak part is the result. What came of it?" in page
    assert "difficult night on call with a GPU cluster" in page.split('id="answers"')[1]
    overview = client.get("/stories").text
    assert "conflict" not in overview.split("Nothing yet for:")[1].split("<")[0]
    question = studio.bank.question("story-a-night-on-call-120")
    assert question is not None
    assert [each.phrase for each in question.key_phrases] == ["drained the nodes", "network team"]
    client.post("/stories/a-night-on-call/delete")
    assert studio.bank.question("story-a-night-on-call-120") is None
    assert client.get("/stories/a-night-on-call").status_code == 404


def test_interviews_of_a_role_do_not_ask_for_a_story_by_its_name(
    client: TestClient, studio: Studio
) -> None:
    client.post("/stories", data={"title": "Outage"})
    role = studio.bank.roles[0].id
    assert not any(each.id.startswith("story-") for each in studio.bank.related(role))


def test_a_story_without_a_title_is_refused(client: TestClient) -> None:
    reply = client.post("/stories", data={"title": "  "})
    assert reply.status_code == 422 and "must not be empty" in reply.text


@pytest.mark.parametrize(
    ("earlier", "now", "differing"),
    [
        ("We saved 36% of the cost.", "We saved 30% of the cost.", ("36 % then, 30 % now",)),
        ("we saved thirty six percent", "we saved 30 percent", ("36 % then, 30 % now",)),
        ("It took three weeks.", "It took four weeks.", ("3 weeks then, 4 weeks now",)),
        ("It took three weeks.", "We were five people.", ()),
        ("From 40 percent to 10 percent.", "From 10 percent to 40 percent.", ()),
        ("It took six weeks.", "It took three months.", ("6 weeks then, 3 months now",)),
        ("It lasted 45 minutes.", "It lasted two hours.", ("45 minutes then, 2 hours now",)),
        ("I led a team of five.", "I led nine engineers.", ("5 people then, 9 engineers now",)),
        ("a five-person team", "an eight-person team", ("5 people then, 8 people now",)),
        (
            "It saved $2M.",
            "It saved 900k dollars.",
            ("2 million dollars then, 900,000 dollars now",),
        ),
        ("We used 64 GPUs.", "We used forty-eight GPUs.", ("64 GPUs then, 48 GPUs now",)),
        ("It failed in March 2023.", "It failed in May 2023.", ("March then, May now",)),
        ("It was a Friday.", "It was a Monday.", ("Friday then, Monday now",)),
        ("We cut it in half.", "We cut it by a third.", ("half then, third now",)),
        ("A dozen users left.", "Twenty users left.", ("12 users then, 20 users now",)),
    ],
)
def test_facts_about_one_thing_are_compared(
    earlier: str, now: str, differing: tuple[str, ...]
) -> None:
    assert differing_facts(earlier, now) == differing


def test_a_story_told_again_differs_only_where_it_does() -> None:
    told = (
        "One night in December we were three nurses instead of five. A patient's saturation "
        "dropped to 82 percent within ten minutes. I gave oxygen, and after 15 minutes he was back "
        "at 94 percent. Since then we have had 40 percent fewer emergency calls."
    )
    again = (
        "It was December, and there were only three nurses where there should be five. In ten "
        "minutes one patient went down to {} percent saturation. I gave oxygen, a quarter of an "
        "hour later he had 94 percent again. Our emergency calls went down by {} percent."
    )
    assert differing_facts(told, again.format("82", "forty")) == ()
    changed = differing_facts(told, again.format("85", "thirty"))
    assert changed == ("82 % then, 85 % now", "40 % then, 30 % now")
