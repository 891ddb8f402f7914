import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from client.backend.outbox import AnswerOutbox
from client.core.settings import ClientSettings
from client.studio.app import create_studio
from client.studio.routes.history import PAGE_SIZE
from client.studio.state.studio import Studio
from server.contract import DrillReview, HistoryQuery, Submission, Transcript
from tests.client.conftest import make_submission
from tests.worlds.studio_parts import ORIGIN, make_studio

FIRST = datetime(2026, 3, 1, 12, tzinfo=UTC)
HTML = {"Accept": "text/html"}

Answered = Callable[..., int]


@pytest.fixture
def answered(studio: Studio) -> Answered:
    """Stores an answer, a day after the one before, with a recording; gives its number."""
    count = 0

    def answer(question: str = "cloud-spot-or-on-demand", text: str = "spot instances") -> int:
        nonlocal count
        submission = make_submission(
            question_id=question,
            created_at=FIRST + timedelta(days=count),
            transcript=Transcript(text=text),
        )
        count += 1
        studio.settings.recordings.mkdir(parents=True, exist_ok=True)
        recording = studio.recordings.path_of(submission.submission_id)
        recording.write_bytes(b"RIFF")
        return studio.backend.submit(submission).id

    return answer


def listed(html: str) -> list[int]:
    return [int(each) for each in re.findall(r'href="/attempts/(\d+)"', html)]


def test_without_answers_the_page_says_what_to_do_next(client: TestClient) -> None:
    page = client.get("/history").text
    assert "No answers yet" in page
    assert 'href="/"' in page
    assert "Delete everything" not in page


def test_answers_are_listed_newest_first_with_their_scores(
    client: TestClient, answered: Answered, studio: Studio
) -> None:
    model_answer = studio.backend.question("infiniband-or-roce").model_answer
    older = answered("infiniband-or-roce", model_answer)
    newer = answered(text="nothing of the kind")
    page = client.get("/history").text
    assert listed(page) == [newer, older]
    scores = {each.id: each.score for each in studio.backend.history().attempts}
    assert scores[older] > scores[newer]
    assert f"{scores[older]:.0%}" in page


def test_filters_choose_and_are_kept_in_the_form(client: TestClient, answered: Answered) -> None:
    spot, managed = answered(), answered("cloud-managed-or-self-hosted", "managed service")
    one = client.get("/history", params={"question": "cloud-managed-or-self-hosted"}).text
    assert listed(one) == [managed]
    assert '<option value="cloud-managed-or-self-hosted" selected>' in one
    by_role = client.get("/history", params={"role": "ml-platform-engineer"}).text
    assert listed(by_role) == []
    assert "No answer matches" in by_role
    both = client.get("/history", params={"role": "", "round": "", "since": "", "until": ""}).text
    assert listed(both) == [managed, spot]


def test_the_last_day_of_a_filter_is_included(client: TestClient, answered: Answered) -> None:
    first, second, third = answered(), answered(), answered()
    days = {"since": "2026-03-02", "until": "2026-03-02"}
    assert listed(client.get("/history", params=days).text) == [second]
    assert listed(client.get("/history", params={"since": "2026-03-02"}).text) == [third, second]
    assert listed(client.get("/history", params={"until": "2026-03-01"}).text) == [first]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"since": "yesterday"}, "This is not a date"),
        ({"until": "9999-12-31"}, "This is not a date"),
        ({"since": "0001-01-01", "until": "0000-00-00"}, "This is not a date"),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "before the “From” date"),
        ({"role": "Not A Slug"}, "Nothing has this name"),
        ({"round": "Lunch Time"}, "Nothing has this name"),
        ({"question": "<script>"}, "Nothing has this name"),
    ],
)
def test_a_filter_that_cannot_be_used_is_named_at_its_field(
    client: TestClient, answered: Answered, params: dict[str, str], message: str
) -> None:
    answered()
    response = client.get("/history", params=params)
    assert response.status_code == 422
    assert message in response.text
    assert "<script>" not in response.text
    assert listed(response.text) == []


def test_long_histories_come_in_pages_and_one_beyond_the_end_is_the_last(
    client: TestClient, answered: Answered
) -> None:
    ids = [answered() for _ in range(PAGE_SIZE + 1)]
    first = client.get("/history").text
    assert listed(first) == ids[:0:-1]
    assert "Page 1 of 2" in first
    assert listed(client.get("/history?page=2").text) == ids[:1]
    assert listed(client.get("/history?page=99").text) == ids[:1]
    assert client.get("/history?page=0", headers=HTML).status_code == 422


def test_two_answers_to_one_question_are_compared_the_newer_one_first(
    client: TestClient, answered: Answered
) -> None:
    older, newer, other = answered(), answered(), answered("cloud-managed-or-self-hosted")

    def compare(*ids: int) -> tuple[int, str]:
        response = client.get(
            "/history/compare", params={"attempt": list(ids)}, follow_redirects=False
        )
        return response.status_code, response.headers.get("location", response.text)

    assert compare(older, newer) == (303, f"/attempts/{newer}/compare/{older}")
    assert compare(newer, older) == (303, f"/attempts/{newer}/compare/{older}")
    status, text = compare(older, other)
    assert status == 422
    assert "same question" in text
    assert compare(older)[0] == 422
    assert compare(older, older)[0] == 422
    assert compare(older, newer, other)[0] == 422
    assert compare(older, 999)[0] == 404


@pytest.mark.parametrize(
    ("suffix", "media_type", "sign"),
    [
        ("json", "application/json", '"format": "aloud-archive"'),
        ("csv", "text/csv", "created_at,question_id"),
        ("md", "text/markdown", "# "),
    ],
)
def test_everything_can_be_taken_away_as_a_file(
    client: TestClient, answered: Answered, suffix: str, media_type: str, sign: str
) -> None:
    answered(text="spot instances and an interruption notice")
    response = client.get(f"/history/export.{suffix}")
    assert response.headers["content-type"].startswith(media_type)
    assert f".{suffix}" in response.headers["content-disposition"]
    assert sign in response.text
    assert "interruption notice" in response.text


def test_selected_answers_are_deleted_with_their_recordings(
    client: TestClient, answered: Answered, studio: Studio
) -> None:
    first, second, kept = answered(), answered(), answered()
    response = client.post(
        "/history/delete",
        data={"attempt": [first, second], "confirmed": "yes", "back": "role=a-b&page=2"},
        follow_redirects=False,
    )
    assert response.status_code == 303
    assert response.headers["location"] == "/history?role=a-b&page=2&deleted=2"
    assert listed(client.get("/history").text) == [kept]
    left = studio.backend.attempt(kept).submission.submission_id
    assert list(studio.settings.recordings.iterdir()) == [studio.recordings.path_of(left)]
    assert "2 answers deleted" in client.get("/history?deleted=2").text


def test_nothing_is_deleted_without_a_confirmation_or_for_another_page(
    client: TestClient, answered: Answered
) -> None:
    only = answered()
    assert client.post("/history/delete", data={"attempt": only}).status_code == 422
    assert client.post("/history/delete", data={"confirmed": "yes"}).status_code == 422
    assert client.post("/history/delete-everything").status_code == 422
    foreign = {"Origin": "http://elsewhere.example"}
    confirmed = {"confirmed": "yes"}
    path = "/history/delete-everything"
    assert client.post(path, data=confirmed, headers=foreign).status_code == 403
    assert listed(client.get("/history").text) == [only]


def test_everything_means_everything(
    client: TestClient, answered: Answered, studio: Studio
) -> None:
    answered()
    settings = studio.settings
    own = [
        settings.own_drills,
        settings.home / "interviews" / "0.json",
        settings.recordings / "take.wav.part",
        settings.own_aliases,
        settings.speech_cache / "said.wav",
        settings.outbox / "embedded" / "pending" / "answer.json",
    ]
    for path in own:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    studio.backend.drills.review(
        DrillReview(
            review_id="0" * 32,
            item_id="roce",
            drill_set="acronyms",
            reviewed_at=datetime.now(UTC),
            verdict="correct",
        )
    )
    response = client.post("/history/delete-everything", data={"confirmed": "yes"})
    assert "1 answer deleted" in response.text
    assert studio.backend.history(HistoryQuery()).total == 0
    assert studio.backend.drills.cards() == ()
    assert [path for path in own if path.exists()] == []
    assert not settings.recordings.exists()


def test_answers_that_wait_are_shown_and_can_be_sent(settings: ClientSettings) -> None:
    waiting = make_submission(question_id="cloud-spot-or-on-demand", created_at=FIRST)
    refused: Submission = make_submission(question_id="unknown-question", created_at=FIRST)
    outbox = AnswerOutbox.for_server(settings.outbox, "embedded")
    outbox.add(refused)
    studio = make_studio(settings)
    with TestClient(create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        page = client.get("/history").text
        assert "unknown-question" in page
        assert "Refused" in page
        assert "has no question" in page
        outbox.add(waiting)
        response = client.post("/history/send")
        assert "1 answer sent" in response.text
        assert len(listed(response.text)) == 1
        assert "Refused" in response.text  # tried again, refused again, and still kept


def test_a_refused_answer_is_discarded_with_its_recording_and_no_other(
    settings: ClientSettings,
) -> None:
    refused = [make_submission(question_id=each, created_at=FIRST) for each in ("gone-1", "gone-2")]
    outbox = AnswerOutbox.for_server(settings.outbox, "embedded")
    for each in refused:
        outbox.add(each)
    studio = make_studio(settings)
    settings.recordings.mkdir(parents=True)
    sounds = [studio.recordings.path_of(each.submission_id) for each in refused]
    for sound in sounds:
        sound.write_bytes(b"RIFF")
    with TestClient(create_studio(studio), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        assert client.get("/history").text.count('action="/history/discard"') == 2
        answer = {"answer": refused[0].submission_id}
        assert client.post("/history/discard", data=answer).status_code == 422  # not confirmed
        page = client.post("/history/discard", data={**answer, "confirmed": "yes"}).text
        assert "1 answer deleted" in page
        assert "gone-1" not in page and "gone-2" in page
        again = client.post("/history/discard", data={**answer, "confirmed": "yes"}).text
        assert "0 answers deleted" in again
        other = {"answer": "../../x", "confirmed": "yes"}
        assert client.post("/history/discard", data=other).status_code == 422
    assert [sound.exists() for sound in sounds] == [False, True]
    assert [each.item_id for each in outbox.rejected()] == [refused[1].submission_id]
