"""An answer reaches a server that is older than the client: what it does not know is left out."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from client.backend.protocol import RejectedError
from client.backend.remote import RemoteBackend
from server.contract import CorrectedWords, Evidence, Stretch, Submission, Transcript, Word

TEXT = "I use paged attention and size the blocks so that nothing is wasted"
SAID = json.loads(
    (Path(__file__).parents[2] / "data" / "v0_1_0" / "http.json").read_text(encoding="utf-8")
)


def unknown_to(known: Any, sent: Any, place: str = "body") -> Iterator[str]:
    """What is sent beyond what a client of 0.1.0 sent; a list holds more than it showed."""
    for name, value in sent.items():
        if name not in known:
            yield f"{place}.{name}: Extra inputs are not permitted"
        elif isinstance(value, dict):
            yield from unknown_to(known[name], value, f"{place}.{name}")


class ServerOf010:
    """Strict about the fields that a client of 0.1.0 sent; answers what it answered then."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        sent = json.loads(request.read())
        self.sent.append(sent)
        (known,) = (
            each
            for each in SAID
            if (each["method"], each["target"]) == (request.method, request.url.path)
        )
        errors = list(unknown_to(known["sent"], sent))
        if errors:
            return refusal(*errors)
        return httpx.Response(known["status"], json=known["answer"])

    def backend(self) -> RemoteBackend:
        return RemoteBackend("http://aloud", transport=httpx.MockTransport(self))


def refusal(*errors: str) -> httpx.Response:
    document = {
        "type": "about:blank",
        "title": "Unprocessable Content",
        "status": 422,
        "detail": errors[0],
        "code": "invalid-request",
        "errors": errors,
    }
    return httpx.Response(
        422, content=json.dumps(document), headers={"content-type": "application/problem+json"}
    )


@pytest.fixture
def spoken(make: SimpleNamespace) -> Submission:
    """An answer with something in each field that 0.1.0 did not have, or most of them."""
    words = tuple(
        Word(text=text, start_s=index, end_s=index + 0.5) for index, text in enumerate(TEXT.split())
    )
    corrected = (CorrectedWords(word_index=2, word_count=1, was="page"),)
    answer: Submission = make.submission(
        transcript=Transcript(text=TEXT, engine="fw", words=words, corrected=corrected),
        evidence=Evidence(answer_end_s=13.0, unintelligible=(Stretch(start_s=0, end_s=1),)),
    )
    return answer


def test_what_an_older_server_does_not_know_is_left_out(spoken: Submission) -> None:
    server = ServerOf010()
    with server.backend() as backend:
        assert backend.submit(spoken).id == 1
        backend.grade(spoken)
    first, second, third = server.sent
    assert first["evidence"]["unintelligible"], "a server of today gets them"
    for sent in (second, third):
        assert "unintelligible" not in sent["evidence"]
        assert "corrected" not in sent["transcript"]
        assert sent["transcript"]["words"] == first["transcript"]["words"]
        assert sent["evidence"]["answer_end_s"] == 13.0
        assert sent["submission_id"] == spoken.submission_id


@pytest.mark.parametrize(
    ("errors", "asked"),
    [
        (["body.question_id: Field required"], 1),
        (
            [
                "body.transcript.corrected: Extra inputs are not permitted",
                "body.transcript: Input is wrong",
            ],
            1,
        ),
        (["body.transcript.corrected: Extra inputs are not permitted"], 2),
        (["body.no_such_field: Extra inputs are not permitted"], 2),
    ],
)
def test_whatever_else_is_refused_stays_refused(
    make: SimpleNamespace, errors: list[str], asked: int
) -> None:
    sent = []

    def server(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return refusal(*errors)

    with (
        RemoteBackend("http://aloud", transport=httpx.MockTransport(server)) as backend,
        pytest.raises(RejectedError) as refused,
    ):
        backend.submit(make.submission(TEXT))
    assert refused.value.code == "invalid-request"
    assert len(sent) == asked
