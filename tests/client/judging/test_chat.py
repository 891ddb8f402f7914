"""Whatever a chat API sends, there is a text or a clear error, and soon."""

import json
import socket
import time

import pytest

from client.core.settings import JudgeSettings
from client.judging.judge import Chat, ChatError
from tests.worlds.fake_judge import FakeJudge, drips, sends

MESSAGES = [{"role": "user", "content": "Well?"}]
LIMIT_S = 1.5
PATIENCE_S = 20.0
"""Where the limit does not matter: a busy machine answers late."""


def ask(judge: FakeJudge, key: str | None = None, limit_s: float = PATIENCE_S) -> str:
    return Chat(JudgeSettings(judge.address, "small", key), limit_s=limit_s).ask(MESSAGES)


def problem(judge: FakeJudge, key: str | None = None, limit_s: float = PATIENCE_S) -> str:
    with pytest.raises(ChatError) as raised:
        ask(judge, key, limit_s)
    assert raised.value.sent
    return str(raised.value)


def test_what_is_asked(fake_judge: FakeJudge) -> None:
    fake_judge.says("Well.")

    assert ask(fake_judge) == "Well."
    [request] = fake_judge.requests
    assert request["path"] == "/v1/chat/completions"
    assert (request["model"], request["temperature"], request["stream"]) == ("small", 0, False)
    assert request["messages"] == MESSAGES
    assert "Authorization" not in request["headers"]


def test_the_key_goes_into_a_header(fake_judge: FakeJudge) -> None:
    fake_judge.says("Well.")
    ask(fake_judge, key="sk-1")

    assert fake_judge.requests[0]["headers"]["Authorization"] == "Bearer sk-1"


def test_a_proxy_never_sees_what_stays_on_this_machine(
    fake_judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    fake_judge.says("Well.")

    assert ask(fake_judge) == "Well."


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>not found</html>",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": {}}',
        b'{"choices": [{"message": {"content": null}}]}',
        b'{"choices": [{"message": {"content": ["text"]}}]}',
        b'{"choices": [{"message": {"content": "x"}}], "usage": NaN}',
        b'{"choices": [{"message": {"content": "\xff\xfe"}}]}',
        '{"choices": [{"message": {"content": "x"}}]}'.encode("utf-16"),
        b"[" * 100_000,
        b'{"choices": ' * 20_000,
        b'{"choices": 1' + b"0" * 50_000 + b"}",
    ],
    ids=lambda body: repr(body[:30]),
)
def test_replies_of_no_chat_api(fake_judge: FakeJudge, body: bytes) -> None:
    fake_judge.replies = [sends(200, body)]

    assert problem(fake_judge) == "its reply is not that of a chat API"


@pytest.mark.parametrize(
    ("piece", "head"),
    [(b"", b""), (b" ", b"HTTP/1.1 200 OK\r\n\r\n"), (b"x", b"HTTP/1.1 200 OK\r\nX-Slow: ")],
    ids=["silence", "a slow body", "slow headers"],
)
def test_the_time_limit_holds_for_the_whole(
    fake_judge: FakeJudge, piece: bytes, head: bytes
) -> None:
    fake_judge.replies = [drips(piece, 0.1, head=head)]
    began_s = time.monotonic()

    assert problem(fake_judge, limit_s=LIMIT_S) == "it did not answer within 1.5 s"
    assert time.monotonic() - began_s < LIMIT_S + 20, "it would come without end"
    assert len(fake_judge.requests) == 1


def test_a_redirect_is_not_followed(fake_judge: FakeJudge) -> None:
    other = FakeJudge()
    other.says("Gotcha.")
    try:
        for status in (301, 302, 307, 308):
            fake_judge.replies = [sends(status, Location=f"{other.address}/chat/completions")]
            assert "not followed" in problem(fake_judge, key="sk-1")
    finally:
        other.close()
    assert other.requests == []


def test_a_failure_of_the_server_is_told(fake_judge: FakeJudge) -> None:
    fake_judge.replies = [sends(500, b'{"error": {"message": "out of\\u0007 memory"}}')]
    assert problem(fake_judge) == "it failed (500): out of memory"


def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens
        settings = JudgeSettings(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", "small")
        with pytest.raises(ChatError, match="it cannot be reached") as raised:
            Chat(settings, limit_s=LIMIT_S).ask(MESSAGES)
    assert not raised.value.sent


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        ({"message": "no model 'small'"}, ": no model 'small'"),
        ("no model", ": no model"),
        ({"message": "a\n\x1b[31mb" + "c" * 1000}, ": a [31mb" + "c" * 143),
        ({"message": {"deep": 1}}, ""),
        ([], ""),
    ],
)
def test_what_an_error_says_about_itself_is_one_short_line(
    fake_judge: FakeJudge, error: object, detail: str
) -> None:
    fake_judge.replies = [sends(400, json.dumps({"error": error}).encode())]

    assert problem(fake_judge) == f"it refused the question (400){detail}"
