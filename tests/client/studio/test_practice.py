"""The practice pages without a browser: which question comes, and what the page says."""

import queue
import random
import re
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from client.audio.files import read_audio
from client.backend.outbox import OutboxError
from client.core.settings import ClientSettings
from client.data import demo
from client.engines.base import Transcriber
from client.studio.app import create_studio
from client.studio.routes.practice import next_question
from client.studio.state.studio import Studio
from pronunciation.clip import Clip
from question_bank.models import Question
from server.contract import Submission, Transcript
from tests.worlds.studio_answering import wait_for
from tests.worlds.studio_parts import ORIGIN, ReadyEngine, ScriptedTranscriber, make_studio

ROLE = "ai-infrastructure-architect"


def answered(studio: Studio, question_id: str, day: int = 1) -> None:
    studio.backend.submit(
        Submission(
            submission_id=uuid4().hex,
            question_id=question_id,
            created_at=datetime(2026, 3, day, tzinfo=UTC),
            transcript=Transcript(text="RDMA", engine="fake"),
        )
    )


def of_one_topic(studio: Studio) -> tuple[Question, ...]:
    first = next(each for each in studio.backend.questions(role=ROLE) if each.role == ROLE)
    return studio.backend.questions(role=ROLE, topic=first.topic)


def test_the_next_question_is_one_never_answered(studio: Studio) -> None:
    questions = of_one_topic(studio)
    for question in questions[1:]:
        answered(studio, question.id)

    chosen = next_question(studio.backend, random.Random(1), role=ROLE, topic=questions[0].topic)

    assert chosen is not None
    assert chosen.id == questions[0].id


def test_the_question_just_asked_does_not_come_again(studio: Studio) -> None:
    questions = of_one_topic(studio)
    for question in questions[1:]:
        answered(studio, question.id)

    chosen = next_question(
        studio.backend, random.Random(1), role=ROLE, topic=questions[0].topic, after=questions[0].id
    )

    assert chosen is not None
    assert chosen.id != questions[0].id


def test_next_keeps_role_round_and_topic(client: TestClient, studio: Studio) -> None:
    question = of_one_topic(studio)[0]
    wanted = {"role": ROLE, "round": question.round, "topic": question.topic}

    sent = client.get("/practice", params=wanted, follow_redirects=False)

    assert sent.status_code == 303
    page = client.get(sent.headers["location"], headers={"Accept": "text/html"})
    following = re.search(r'href="(/practice\?[^"]+)" data-next', page.text)
    assert following is not None
    again = client.get(following[1].replace("&amp;", "&"), follow_redirects=False)
    assert again.status_code == 303
    for part in (f"role={ROLE}", f"round={question.round}", "topic="):
        assert part in again.headers["location"]


@pytest.mark.parametrize(
    "query", ["role=nobody", "role=Not%20A%20Slug", "topic=Cooking", "role=%00"]
)
def test_nothing_to_ask_is_said(client: TestClient, query: str) -> None:
    page = client.get(f"/practice?{query}", headers={"Accept": "text/html"})

    assert page.status_code == 404
    assert re.search("no (question|role)", page.text)


def test_the_page_shows_the_question_and_what_there_is_to_know(
    client: TestClient, studio: Studio
) -> None:
    answered(studio, "infiniband-or-roce")

    page = client.get("/practice/infiniband-or-roce").text

    assert "You&#39;re choosing the network" in page
    assert 'data-target-s="100"' in page
    assert "aim for 1:40" in page
    assert "answered once" in page
    assert "<script>" not in page
    assert "style=" not in page


def test_an_engine_that_cannot_be_loaded_does_not_keep_the_page_from_coming(
    settings: ClientSettings,
) -> None:
    class Broken(ReadyEngine):
        def load(self) -> Transcriber:
            from client.core.errors import EngineError

            raise EngineError("no engine")

    studio = make_studio(settings)
    studio.engine = Broken(settings, ScriptedTranscriber())
    with TestClient(create_studio(studio), base_url=ORIGIN) as client:
        assert client.get("/practice/infiniband-or-roce").status_code == 200


def test_a_typed_answer_is_graded_and_kept(client: TestClient, studio: Studio) -> None:
    sent = client.post(
        "/practice/infiniband-or-roce/typed", data={"text": " RDMA "}, follow_redirects=False
    )
    assert sent.status_code == 303
    attempt = studio.backend.attempt(int(sent.headers["location"].rpartition("/")[2]))
    assert attempt.submission.transcript.text == "RDMA"
    assert "it was typed" in client.get(sent.headers["location"]).text
    for text, status in ((" ", 422), ("a" * 200_001, 422)):
        refused = client.post("/practice/infiniband-or-roce/typed", data={"text": text})
        assert refused.status_code == status
    assert client.post("/practice/nothing/typed", data={"text": "a"}).status_code == 404


def test_a_typed_answer_that_cannot_be_stored_says_so(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(submission: Submission) -> None:
        raise OutboxError("No space left on device")

    monkeypatch.setattr(studio.backend, "submit", full)
    refused = client.post("/practice/infiniband-or-roce/typed", data={"text": "RDMA"})
    assert refused.status_code == 507
    assert "graded but not stored: No space left on device" in refused.text


def test_a_recording_made_elsewhere_is_finished_like_any_other(
    client: TestClient, studio: Studio
) -> None:
    sent = client.post("/practice/infiniband-or-roce/file", content=demo.AUDIO.read_bytes())
    assert sent.status_code == 201, sent.text
    address = f"/takes/{sent.json()['name']}"
    client.post(f"{address}/finish")
    wait_for(lambda: client.get(address).json()["state"] == "done")
    attempt = studio.backend.attempt(int(client.get(address).json()["url"].rpartition("/")[2]))
    assert attempt.report.question_id == "infiniband-or-roce"
    kept = read_audio(studio.recordings.path_of(attempt.submission.submission_id))
    assert kept.duration_s == pytest.approx(read_audio(demo.AUDIO).duration_s, abs=0.01)


def test_a_file_that_is_no_sound_is_told_without_a_path(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = client.post("/practice/infiniband-or-roce/file", content=b"no sound at all")
    assert sent.status_code == 422
    assert sent.json()["detail"].startswith("the file cannot be read as audio")
    assert "/" not in sent.json()["detail"]
    monkeypatch.setattr("client.studio.routes.practice.MOST_FILE_BYTES", 1 << 20)
    large = client.post("/practice/infiniband-or-roce/file", content=bytes((1 << 20) + 1))
    assert (large.status_code, large.json()["detail"]) == (413, "the file is larger than 1 MB")
    assert client.get("/takes").json()["interrupted"] == []
    assert client.post("/practice/nothing/file", content=b"a").status_code == 404


def test_a_question_is_said_before_the_page_asks_for_its_sound(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    speaker, said = studio.speaker(), queue.Queue[str]()

    class Noting:
        def clip(self, text: str) -> Clip:
            said.put(text)
            return speaker.clip(text)

    monkeypatch.setattr(studio, "speaker", lambda lexicon=None: Noting())
    question = studio.backend.questions(role=ROLE)[0]
    client.get(f"/practice/{question.id}")
    assert said.get(timeout=60) == question.prompt
    studio.get_ready()
    assert said.get(timeout=60) == studio.backend.question("tell-me-about-yourself").prompt
