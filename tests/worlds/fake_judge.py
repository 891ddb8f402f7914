"""A chat API on loopback that says what a test wants, hostile replies included."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from client.core.settings import JudgeSettings

Reply = Callable[[BaseHTTPRequestHandler], None]


class FakeJudge:
    """Answers each request with the next of ``replies``, the last one for ever.

    Attributes:
        replies: what it answers with.
        requests: the bodies it got, as JSON, with path and headers.
    """

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.requests: list[dict[str, Any]] = []
        judge = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                judge.requests.append(
                    {"path": self.path, "headers": dict(self.headers), **json.loads(body)}
                )
                last = len(judge.replies) == 1
                reply = judge.replies[0] if last else judge.replies.pop(0)
                with suppress(ConnectionError):  # the client has gone
                    reply(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def settings(self) -> JudgeSettings:
        return JudgeSettings(self.address, "small")

    def says(self, content: object) -> None:
        """From now on the model writes this: a text, or a document as JSON."""
        text = content if isinstance(content, str) else json.dumps(content)
        self.replies = [completion(text)]

    def judges(self, **quotes: str) -> None:
        """From now on it holds these phrases for said (``_`` stands for a space)."""
        self.says({"phrases": [verdict(p.replace("_", " "), q) for p, q in quotes.items()]})

    def asked(self, index: int = 0) -> dict[str, Any]:
        """The document that a request put to the model."""
        return dict(json.loads(self.requests[index]["messages"][1]["content"]))

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def verdict(phrase: str, quote: str, said: object = True) -> dict[str, object]:
    return {"phrase": phrase, "said": said, "quote": quote}


def completion(text: str) -> Reply:
    """A chat completion with this message."""
    message = {"role": "assistant", "content": text}
    return sends(200, json.dumps({"choices": [{"message": message}]}).encode())


def sends(status: int, body: bytes = b"", **headers: str) -> Reply:
    """A reply with this status and body."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def drips(piece: bytes, every_s: float, *, head: bytes = b"") -> Reply:
    """Never comes to an end: a piece now, and another one every so often."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(head)
        stop = threading.Event()
        for _ in range(1000):
            handler.wfile.write(piece)
            stop.wait(every_s)

    return reply
