"""What the HTTP client makes of a server's answers; the network is replaced by a function."""

from types import SimpleNamespace

import httpx
import pytest

from client.backend.protocol import RejectedError, SignInNeededError, UnavailableError
from client.backend.remote import RemoteBackend
from server.contract import Problem, PurgeRequest


class Network:
    """Answers each request with the next of the given replies and notes what was asked."""

    def __init__(self, *replies: httpx.Response | Exception) -> None:
        self.replies = list(replies)
        self.requests: list[httpx.Request] = []
        self.slept_s: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def backend(
        self, server: str = "http://aloud.example/base", token: str | None = None
    ) -> RemoteBackend:
        return RemoteBackend(
            server, token=token, transport=httpx.MockTransport(self), sleep=self.slept_s.append
        )


def problem(status: int, code: str, detail: str = "told") -> httpx.Response:
    document = Problem(title="T", status=status, detail=detail, code=code).model_dump_json()
    return httpx.Response(
        status, content=document, headers={"Content-Type": "application/problem+json"}
    )


REFUSED = httpx.ConnectError("refused")


def test_the_address_keeps_its_path(make: SimpleNamespace) -> None:
    network = Network(httpx.Response(200, json={"total": 0, "attempts": []}))
    with network.backend() as backend:
        assert backend.history().total == 0
    url = network.requests[0].url
    assert str(url).split("?")[0] == "http://aloud.example/base/api/v1/attempts"
    assert dict(url.params) == {"limit": "50", "offset": "0"}


def test_a_question_id_cannot_leave_its_path() -> None:
    network = Network(problem(404, "not-found"))
    with network.backend() as backend, pytest.raises(RejectedError):
        backend.question("../../healthz?x")
    assert network.requests[0].url.raw_path.endswith(b"/bank/questions/..%2F..%2Fhealthz%3Fx")


def test_a_short_absence_is_bridged(make: SimpleNamespace) -> None:
    submission = make.submission()
    document = make.attempt(submission).model_dump(mode="json")
    network = Network(REFUSED, REFUSED, httpx.Response(201, json=document))
    with network.backend() as backend:
        assert backend.submit(submission) == make.attempt(submission)
    assert network.slept_s == [0.2, 0.8]
    assert len({request.content for request in network.requests}) == 1


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (REFUSED, "cannot be reached"),
        (httpx.ConnectTimeout("slow"), "cannot be reached"),
        (httpx.RemoteProtocolError("cut"), "broke the connection"),
        (httpx.ReadError(""), "broke the connection"),
    ],
)
def test_a_long_absence_is_told(failure: Exception, words: str) -> None:
    network = Network(failure, failure, failure)
    with network.backend() as backend, pytest.raises(UnavailableError, match=words) as caught:
        backend.history()
    assert "http://aloud.example/base" in str(caught.value)
    assert network.replies == []


@pytest.mark.parametrize("status", [403, 405, 408, 421, 425, 429, 500, 502, 503])
def test_refused_for_now_is_unavailable(make: SimpleNamespace, status: int) -> None:
    network = Network(*[problem(status, "some-code", "come back later")] * 3)
    with network.backend() as backend, pytest.raises(UnavailableError, match="come back later"):
        backend.submit(make.submission())


def busy(wait_s: str) -> httpx.Response:
    reply = problem(429, "too-many-requests", "too many requests")
    reply.headers["Retry-After"] = wait_s
    return reply


def test_a_server_that_asks_for_a_short_pause_gets_it(make: SimpleNamespace) -> None:
    good = httpx.Response(200, json={"total": 0, "attempts": []})
    network = Network(busy("2"), busy("1"), good)
    with network.backend() as backend:
        assert backend.history().total == 0
    assert network.slept_s == [2.0, 1.0]


def test_a_server_that_wants_a_sign_in_says_how_and_loses_no_answer(make: SimpleNamespace) -> None:
    for token, words in [(None, "requires you to sign in"), ("aloud_old", "refuses this client's")]:
        network = Network(problem(401, "not-signed-in", "sign in first"))
        with network.backend(token=token) as backend:
            with pytest.raises(SignInNeededError, match=words) as caught:
                backend.submit(make.submission())
            assert isinstance(caught.value, UnavailableError)  # the answer waits in the outbox
        assert "`aloud login http://aloud.example/base`" in str(caught.value)
        assert len(network.requests) == 1


def test_the_token_goes_along_and_nowhere_else() -> None:
    good = httpx.Response(200, json={"total": 0, "attempts": []})
    away = httpx.Response(307, headers={"Location": "https://elsewhere.example"})
    network = Network(good, *[away] * 3)
    with network.backend(token="aloud_mine") as backend:
        backend.history()
        with pytest.raises(UnavailableError):
            backend.history()
    assert {request.headers["Authorization"] for request in network.requests} == {
        "Bearer aloud_mine"
    }
    assert {request.url.host for request in network.requests} == {"aloud.example"}
    network = Network(good)
    with network.backend() as backend:
        backend.history()
    assert "Authorization" not in network.requests[0].headers


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "to",
    ["https://elsewhere.example/", "http://aloud.example:8080/", "http://169.254.169.254/latest/"],
)
def test_a_redirect_is_followed_nowhere(make: SimpleNamespace, status: int, to: str) -> None:
    """Neither the token nor the answer goes there, and the answer waits."""
    network = Network(*[httpx.Response(status, headers={"Location": to}) for _ in range(6)])
    with network.backend(token="aloud_mine") as backend:
        with pytest.raises(UnavailableError, match=f"answered {status}"):
            backend.submit(make.submission())
        with pytest.raises(UnavailableError, match=f"answered {status}"):
            backend.history()
    assert {(request.url.host, request.url.port) for request in network.requests} == {
        ("aloud.example", None)
    }


@pytest.mark.parametrize(
    ("status", "code"),
    [(404, "not-found"), (409, "conflict"), (413, "too-large"), (422, "x"), (500, "grader-failed")],
)
def test_refused_for_good_is_rejected_and_not_repeated(
    make: SimpleNamespace, status: int, code: str
) -> None:
    network = Network(problem(status, code, "no such question"))
    with network.backend() as backend, pytest.raises(RejectedError) as caught:
        backend.submit(make.submission())
    assert str(caught.value) == "no such question"
    assert caught.value.code == code
    assert len(network.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(404, text="<h1>nginx</h1>"),
        httpx.Response(404, json={"detail": "Not Found"}),
        httpx.Response(502, text="bad gateway"),
        httpx.Response(307, headers={"Location": "http://elsewhere"}),
        problem(404, "no-such-address"),
    ],
)
def test_what_is_no_aloud_server_loses_no_answer(
    make: SimpleNamespace, reply: httpx.Response
) -> None:
    network = Network(reply, reply, reply)
    with network.backend() as backend, pytest.raises(UnavailableError):
        backend.submit(make.submission())


@pytest.mark.parametrize("content", [b"", b"<html>", b'{"id": 1}', b"[]"])
def test_an_answer_that_makes_no_sense_is_told(content: bytes) -> None:
    network = Network(httpx.Response(200, content=content))
    with network.backend() as backend, pytest.raises(UnavailableError, match="check the address"):
        backend.attempt(1)


def test_a_purge_is_not_repeated() -> None:
    network = Network(httpx.ReadError("cut"))
    with network.backend() as backend, pytest.raises(UnavailableError):
        backend.purge(PurgeRequest(attempt_ids=(3,)))
    assert len(network.requests) == 1
