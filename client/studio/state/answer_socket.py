"""An answer over a WebSocket: sound and commands in, captions and the result out.

The page begins with ``{"type": "start", "question_id": …}`` (and ``"interview": ID`` where the
answer belongs to one, ``"follow_up"`` with ``"follows"`` or ``"after"`` where it is one to a
follow-up, ``"asks"`` where one is wanted as soon as it is chosen), then sends sound as binary
messages (16 bits, little-endian, mono, 16 kHz) and
``{"type": "pause" | "resume" | "stop" | "discard"}``. It receives ``recording``, ``caption``,
``working``, ``asked`` (a follow-up, while the report is made), and at the end one of ``done``,
``given`` (the interview has the answer and continues while it is transcribed), ``discarded`` and
``problem``.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, Literal

from anyio import CancelScope
from fastapi import WebSocket
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocketDisconnect, WebSocketState

from client.answer.answers import Answers
from client.answer.live import Caption
from client.backend.protocol import RejectedError
from client.core.errors import ClientError, EngineError, NoSpeech, RecordingError, WeightsError
from client.practice.interviews import InterviewError, Interviews
from client.studio.state.page_recording import (
    Microphone,
    PageRecording,
    TakeBusyError,
    TakeProtocolError,
)
from server.contract import AttemptId, FollowUp

logger = logging.getLogger(__name__)

START_WITHIN_S: Final = 10.0
SILENT_LIMIT_S: Final = 30.0
"""Sound comes 20 times a second: a page that is silent for this long is frozen or gone, although
its connection still stands."""
PAUSE_LIMIT_S: Final = 1800.0
MAX_TEXT_CHARS: Final = 4096
_NORMAL_CLOSURE: Final = 1000


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Start(_Message):
    """The first message."""

    type: Literal["start"]
    question_id: Annotated[str, Field(min_length=1, max_length=200)]
    interview: Annotated[str, Field(pattern=r"^[0-9a-f]*$", max_length=64)] = ""
    follow_up: FollowUp | None = None
    follows: AttemptId | None = None
    after: Annotated[str, Field(max_length=200)] = ""
    asks: bool = False
    probes: bool = False


class Command(_Message):
    """Each other message that is text."""

    type: Literal["pause", "resume", "stop", "discard"]


_start: TypeAdapter[Start] = TypeAdapter(Start)
_command: TypeAdapter[Command] = TypeAdapter(Command)


@dataclass(frozen=True)
class Problem:
    """Why there is no report.

    Attributes:
        code: what kind of problem it is, for the page's script.
        detail: what is wrong, one line.
        remedy: what to do about it; empty if the detail says it.
        kept: the recording is there and can be finished or discarded.
    """

    code: str
    detail: str
    remedy: str = ""
    kept: bool = False


class _Gone(Exception):
    """The page closed the connection."""


class AnswerSocket:
    """One connection, from start to end; ``serve`` never raises what a page can cause."""

    def __init__(
        self,
        socket: WebSocket,
        microphone: Microphone,
        answers: Answers,
        interviews: Interviews,
        speak_ahead: Callable[[str], None],
    ) -> None:
        self._socket = socket
        self._microphone = microphone
        self._answers = answers
        self._interviews = interviews
        self._speak_ahead = speak_ahead
        self._outgoing: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    async def serve(self) -> None:
        """Record one answer and have it graded."""
        await self._socket.accept()
        sender = asyncio.create_task(self._send_all())
        try:
            with contextlib.suppress(_Gone):
                await self._converse()
        finally:
            self._outgoing.put_nowait(None)
            await sender

    async def _converse(self) -> None:
        try:
            start = await self._first()
            recording = await run_in_threadpool(
                self._begin, start, self._caption_sender(), asyncio.get_running_loop()
            )
        except Exception as error:
            if isinstance(error, _Gone):
                raise
            self._say_problem(_problem(error, kept=False))
            return
        why, name = _PAGE_GONE, recording.answer.name
        try:
            if start.interview:
                await run_in_threadpool(
                    self._interviews.change,
                    start.interview,
                    lambda record: record.recorded(start.question_id, name),
                )
            self._say(
                "recording", take=name, target_s=recording.target_s, limit_s=recording.limit_s
            )
            stopped_by = await self._record(recording)
            if stopped_by is None:
                await run_in_threadpool(recording.discard)
                await run_in_threadpool(self._answers.tell, recording.answer)
                self._say("discarded")
            else:
                await self._finish(recording, start, stopped_by)
        except (_Gone, asyncio.CancelledError):  # the latter where the studio ends
            if start.interview:
                # it may have been deleted meanwhile; what cancels us must not keep the clock going
                with CancelScope(shield=True), contextlib.suppress(InterviewError):
                    await run_in_threadpool(
                        self._interviews.time, start.interview, start.question_id, runs=False
                    )
            raise
        except Exception as error:
            problem = _problem(error, kept=recording.is_there)
            why = problem.detail
            self._say_problem(problem)
        finally:
            # After finish and discard this does nothing. In every other case (connection lost,
            # nonsense received, the studio ends) what was said is left to be finished later.
            recording.abandon(why)

    def _begin(
        self, start: Start, on_caption: Any, loop: asyncio.AbstractEventLoop
    ) -> PageRecording:
        follow_up = None
        if start.follow_up is not None:
            follows = start.follows
            if follows is None and start.after:
                follows = self._microphone.number_of(start.after)
            follow_up = (start.follow_up, follows)
        name = ""

        def asked(what: FollowUp) -> None:
            self._speak_ahead(what.ask)  # before terms are heard, which takes the processor
            early = self._microphone.asked_early(name, probes=False)
            if early is not None and not start.interview:
                with contextlib.suppress(RuntimeError):  # the studio has ended meanwhile
                    loop.call_soon_threadsafe(lambda: self._say("asked", follow_up=early))

        recording = self._microphone.begin(
            start.question_id,
            on_caption,
            follow_up,
            asked if start.asks else None,
            probes=bool(start.interview),
        )
        name = recording.answer.name
        return recording

    async def _record(self, recording: PageRecording) -> Literal["person", "time_limit"] | None:
        """Take in sound until a person or the time limit ends it; ``None``: it is discarded."""
        while True:
            message = await self._receive(PAUSE_LIMIT_S if recording.paused else SILENT_LIMIT_S)
            if isinstance(message, bytes):
                await run_in_threadpool(recording.take_in, message)
                if recording.is_full:
                    return "time_limit"
                continue
            command = _command.validate_json(message).type
            if command == "stop":
                return "person"
            if command == "discard":
                return None
            recording.paused = command == "pause"

    async def _finish(self, recording: PageRecording, start: Start, stopped_by: str) -> None:
        self._say("working", stopped_by=stopped_by, share=recording.captioned_share)
        await run_in_threadpool(self._stop_and_finish, recording, start)
        if start.interview:
            self._say("given")
            return
        answer = recording.answer
        following = await run_in_threadpool(
            partial(self._microphone.next_follow_up, answer, probes=start.probes)
        )
        self._say(
            "done",
            url=None if answer.attempt_id is None else f"/attempts/{answer.attempt_id}",
            attempt_id=answer.attempt_id,
            submission_id=answer.submission_id,
            waiting=answer.waiting,
            notice=answer.notice,
            follow_up=following,
        )

    def _stop_and_finish(self, recording: PageRecording, start: Start) -> None:
        """One piece of work on a thread; it continues even if the page is closed meanwhile.

        An answer of an interview is finished later, while the next question is asked.
        """
        answer, words = recording.answer, recording.live.result
        recording.stop()
        if not start.interview:
            self._answers.finish(answer, words)
            return
        try:
            self._interviews.give(start.interview, start.question_id, answer.name)
        except InterviewError as error:
            recording.live.cancel()
            answer.leave(str(error))
            raise
        self._answers.finish_later(answer, words)

    async def _first(self) -> Start:
        message = await self._receive(START_WITHIN_S)
        if isinstance(message, bytes):
            raise TakeProtocolError("sound came before the question was named")
        return _start.validate_json(message)

    async def _receive(self, within_s: float) -> str | bytes:
        try:
            message = await asyncio.wait_for(self._socket.receive(), within_s)
        except TimeoutError:
            raise TakeProtocolError(f"the page sent nothing for {within_s:.0f} s") from None
        if message["type"] == "websocket.disconnect":
            raise _Gone
        content: bytes | None = message.get("bytes")
        if content is not None:
            return content
        text: str = message.get("text") or ""
        if len(text) > MAX_TEXT_CHARS:
            raise TakeProtocolError(f"a message has {len(text)} characters")
        return text

    def _caption_sender(self) -> Any:
        """What the worker thread calls with each caption."""
        loop = asyncio.get_running_loop()

        def send(caption: Caption) -> None:
            with contextlib.suppress(RuntimeError):  # the studio has ended meanwhile
                loop.call_soon_threadsafe(
                    lambda: self._say(
                        "caption", text=caption.text, start_s=caption.start_s, end_s=caption.end_s
                    )
                )

        return send

    def _say(self, type_: str, **values: object) -> None:
        self._outgoing.put_nowait({"type": type_, **values})

    def _say_problem(self, problem: Problem) -> None:
        self._say(
            "problem",
            code=problem.code,
            detail=problem.detail,
            remedy=problem.remedy,
            kept=problem.kept,
        )

    async def _send_all(self) -> None:
        """Sends messages in order; once the page is gone, it only empties the queue."""
        listening = True
        while (message := await self._outgoing.get()) is not None:
            if listening:
                try:
                    await self._socket.send_json(message)
                except (WebSocketDisconnect, RuntimeError, OSError):
                    listening = False
        if listening and self._socket.application_state is not WebSocketState.DISCONNECTED:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
                await self._socket.close(_NORMAL_CLOSURE)


def _problem(error: Exception, *, kept: bool) -> Problem:
    """What to say of an error; one that nobody expected goes to the log as well."""
    match error:
        case ValidationError():
            return Problem(
                "protocol", "the page sent something that the studio cannot read", _RELOAD, kept
            )
        case TakeProtocolError():
            return Problem("protocol", str(error), _RELOAD, kept)
        case TakeBusyError():
            return Problem("busy", str(error), kept=kept)
        case RecordingError():
            # raised at the end for a take without sound, which is deleted; else the disk failed
            return Problem("recording", error.problem, error.remedy, kept)
        case NoSpeech():
            return Problem("no-speech", str(error), kept=kept)
        case EngineError() | WeightsError():
            return Problem("engine", str(error), kept=kept)
        case InterviewError():
            return Problem("moved", str(error), kept=kept)
        case RejectedError():
            return Problem("rejected", str(error), kept=kept)
        case ClientError():
            return Problem("failure", str(error), kept=kept)
        case _:
            logger.error("an answer failed", exc_info=error)
            return Problem("failure", f"that failed ({type(error).__name__}: {error})", kept=kept)


_RELOAD: Final = "reload the page"
_PAGE_GONE: Final = "the page was closed or lost its connection"
