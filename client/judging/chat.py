"""One question to an OpenAI-compatible chat API, and its answer as text.

Whatever the other side sends, the caller gets a text of limited size within a limited time, or a
``ChatError``.
"""

import json
import queue
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx

from client.core.errors import ClientError
from client.core.judge_settings import JudgeSettings

LIMIT_S: Final = 20.0
"""As long as a candidate may be kept waiting for a report."""

MAX_REPLY_BYTES: Final = 256 * 1024
"""Verdicts on nine phrases take about 3 KB; a model that thinks aloud first may write 50 KB."""

_MAX_DETAIL_CHARS: Final = 150


class ChatError(ClientError):
    """There is no answer; the text says why.

    Attributes:
        sent: whether the other side may have read the question.
    """

    def __init__(self, problem: str, *, sent: bool = True) -> None:
        super().__init__(problem)
        self.sent = sent


class Chat:
    """Asks one model at one address.

    Args:
        settings: the address, the model and the key.
        limit_s: how long an answer may take, in seconds.
    """

    def __init__(self, settings: JudgeSettings, *, limit_s: float = LIMIT_S) -> None:
        self._settings = settings
        self._limit_s = limit_s

    def ask(self, messages: Sequence[Mapping[str, str]]) -> str:
        """What the model answers.

        A separate thread does the work: looking up a name or a server that sends its headers
        letter by letter must not outlast the time limit.

        Raises:
            ChatError: there is no answer, or not one of this API.
        """
        answers: queue.SimpleQueue[str | Exception] = queue.SimpleQueue()
        deadline_s = time.monotonic() + self._limit_s

        def work() -> None:
            try:
                answers.put(self._ask(messages, deadline_s))
            except Exception as error:  # raised again below, in the caller's thread
                answers.put(error)

        threading.Thread(target=work, name="aloud-judge", daemon=True).start()
        try:
            answer = answers.get(timeout=self._limit_s)
        except queue.Empty:
            raise self._too_slow() from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _ask(self, messages: Sequence[Mapping[str, str]], deadline_s: float) -> str:
        # No response_format: LM Studio refuses json_object (lmstudio-bug-tracker#189).
        body = json.dumps(
            {
                "model": self._settings.model,
                "messages": list(messages),
                "temperature": 0,
                "stream": False,
            }
        ).encode()
        return _text_in(self._post(body, deadline_s))

    def _post(self, body: bytes, deadline_s: float) -> bytes:
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            raise self._too_slow()
        key = self._settings.key
        headers = {
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",  # the size limit then holds for what is unpacked, too
        } | ({"Authorization": f"Bearer {key}"} if key else {})
        url = self._settings.address + "/chat/completions"
        try:
            # A proxy from the environment is for the outside, never for this machine.
            with (
                httpx.Client(
                    timeout=left_s, trust_env=not self._settings.is_local, follow_redirects=False
                ) as client,
                client.stream("POST", url, content=body, headers=headers) as response,
            ):
                content = self._read(response, deadline_s)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise ChatError("it cannot be reached", sent=False) from error
        except httpx.TimeoutException as error:
            raise self._too_slow() from error
        except httpx.TransportError as error:
            raise ChatError("it broke the connection") from error
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise ChatError("it cannot be asked at this address", sent=False) from error
        if not response.is_success:
            raise self._refused(response.status_code, content)
        return content

    def _read(self, response: httpx.Response, deadline_s: float) -> bytes:
        content = bytearray()
        for chunk in response.iter_raw():
            content += chunk
            if len(content) > MAX_REPLY_BYTES:
                raise ChatError(f"its reply is longer than {MAX_REPLY_BYTES // 1024} KB")
            if time.monotonic() > deadline_s:
                raise self._too_slow()
        return bytes(content)

    def _refused(self, status: int, content: bytes) -> ChatError:
        if status >= 500:
            return ChatError(f"it failed ({status}){_detail_in(content)}")
        if 300 <= status < 400:
            return ChatError(f"it redirects to another address ({status}), which is not followed")
        if status in (401, 403):
            if self._settings.key:
                return ChatError(f"it refuses the key in ALOUD_JUDGE_KEY ({status})")
            return ChatError(f"it needs a key: set ALOUD_JUDGE_KEY ({status})")
        if status == 404:
            return ChatError(
                f"it has no such model, or no API at this address (404){_detail_in(content)}"
            )
        return ChatError(f"it refused the question ({status}){_detail_in(content)}")

    def _too_slow(self) -> ChatError:
        return ChatError(f"it did not answer within {self._limit_s:g} s")


def parse_json(text: str) -> Any:
    """A JSON document as Python values; what is not JSON is ``None``."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


def _text_in(content: bytes) -> str:
    """The message of a chat completion."""
    try:
        text = parse_json(content.decode("utf-8"))["choices"][0]["message"]["content"]
    except (UnicodeDecodeError, LookupError, TypeError):
        text = None
    if not isinstance(text, str):
        raise ChatError("its reply is not that of a chat API")
    return text


def _detail_in(content: bytes) -> str:
    """What an error says about itself, as one short printable line after a colon."""
    try:
        error = parse_json(content.decode("utf-8"))["error"]
        detail = error["message"] if isinstance(error, dict) else error
    except (UnicodeDecodeError, LookupError, TypeError):
        return ""
    if not isinstance(detail, str):
        return ""
    line = " ".join("".join(c if c.isprintable() else " " for c in detail).split())
    return f": {line[:_MAX_DETAIL_CHARS]}" if line else ""
