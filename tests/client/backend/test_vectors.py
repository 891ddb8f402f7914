"""The client sends an answer's vectors, so that a shared server need not make them."""

from types import SimpleNamespace

import httpx
import pytest

from client.backend.remote import RemoteBackend, sent_answer
from server.contract import SentAnswer, Transcript
from server.core.errors import GraderFailedError
from server.grading import make_sense

TEXT = "We page the cache in small blocks, so nothing is wasted, and requests share what they can."


def test_an_answer_is_sent_with_its_vectors(make: SimpleNamespace) -> None:
    sent: list[SentAnswer] = []

    def server(request: httpx.Request) -> httpx.Response:
        sent.append(SentAnswer.model_validate_json(request.read()))
        return httpx.Response(500)

    submission = make.submission(TEXT)
    with (
        RemoteBackend("http://aloud", transport=httpx.MockTransport(server)) as backend,
        pytest.raises(Exception, match="500"),
    ):
        backend.submit(submission)
    assert sent[0].submission == submission
    assert sent[0].sense is not None
    _, expected = make_sense(submission, None)
    assert sent[0].sense.model_dump(mode="json") == expected


def test_it_says_that_it_prepares_and_not_that_it_waits(
    make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    def server(_: httpx.Request) -> httpx.Response:
        seen.append(backend.is_preparing())
        return httpx.Response(500)

    monkeypatch.setattr(
        "server.grading.vectors_to_send", lambda _: seen.append(backend.is_preparing())
    )
    with (
        RemoteBackend("http://aloud", transport=httpx.MockTransport(server)) as backend,
        pytest.raises(Exception, match="500"),
    ):
        backend.submit(make.submission(TEXT))
    assert seen[:2] == [True, False]


@pytest.mark.parametrize(
    "transcript",
    [Transcript(text="paged attention"), Transcript(text=TEXT, engine="pocketsphinx")],
    ids=["short", "rough"],
)
def test_what_needs_no_vectors_is_sent_without(
    make: SimpleNamespace, transcript: Transcript
) -> None:
    assert sent_answer(make.submission(transcript=transcript)).sense is None


def test_without_an_encoder_the_server_makes_them(
    make: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise GraderFailedError("the sentence encoder is missing")

    monkeypatch.setattr("server.grading.answer_vectors.make_sense", fails)
    assert sent_answer(make.submission(TEXT)).sense is None
