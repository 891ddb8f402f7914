"""Logs as JSON, one object per line, without a word of an answer and without secrets.

Nothing that could contain one is logged: a request is logged by its route, not its address (which
may contain a link's secret), a library's exception by its type and location, not its text (which
may quote its input), and a library's message by its pattern without its values.
"""

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, TextIO

from pronunciation.errors import PronunciationError
from question_bank.errors import BankError
from server.core.errors import InvalidInputError, ServerError, UnreadableError

REQUEST_ID: Final[ContextVar[str | None]] = ContextVar("aloud_request_id", default=None)
"""The current request."""

FIELDS: Final = "aloud_fields"
"""The name in ``extra`` under which our own records carry a dict of more fields."""

_WORDED_BY_US: Final = ("server", "client", "question_bank", "pronunciation", "uvicorn")
_FRAMES: Final = 12


class JsonFormatter(logging.Formatter):
    """A record as one JSON object: time, level, logger, message, request and further fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        request_id = REQUEST_ID.get()
        if request_id is not None:
            line["request_id"] = request_id
        fields = getattr(record, FIELDS, None)
        if isinstance(fields, dict):
            line.update(fields)
        if record.exc_info and record.exc_info[1] is not None:
            line["errors"] = [_description(error) for error in _chain(record.exc_info[1])]
        return json.dumps(line, ensure_ascii=True, default=str)


def set_up_logs(level: str = "INFO", stream: TextIO | None = None) -> logging.Handler:
    """Sends every log of this process to standard error, as JSON."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    for former in [each for each in root.handlers if isinstance(each.formatter, JsonFormatter)]:
        root.removeHandler(former)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("server").setLevel(level.upper())
    logging.captureWarnings(True)
    # ours logs each request, without the address
    logging.getLogger("uvicorn.access").disabled = True
    return handler


def _message(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] not in _WORDED_BY_US:
        return str(record.msg).partition("\n")[0]
    shown = logging.makeLogRecord({"msg": record.msg, "args": _without_quotes(record.args)})
    return shown.getMessage().strip()


def _without_quotes(args: Any) -> Any:
    """A message's values; exceptions that may quote an answer are reduced to their type."""
    if isinstance(args, Mapping):
        return {name: _unquoted(value) for name, value in args.items()}
    return tuple(_unquoted(value) for value in args or ())


def _unquoted(value: object) -> object:
    if isinstance(value, BaseException) and not _is_worded_by_us(value):
        return type(value).__name__
    return value


def _is_worded_by_us(error: BaseException) -> bool:
    # these two repeat the message of a database or of an unreadable row
    return isinstance(error, ServerError | BankError | PronunciationError) and not isinstance(
        error, UnreadableError | InvalidInputError
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, the last one first."""
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)


def _description(error: BaseException) -> dict[str, Any]:
    described: dict[str, Any] = {"type": f"{type(error).__module__}.{type(error).__qualname__}"}
    if _is_worded_by_us(error):
        described["text"] = str(error)
    described["at"] = list(_places(error.__traceback__))[-_FRAMES:]
    return described


def _places(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        code = trace.tb_frame.f_code
        yield f"{code.co_filename}:{trace.tb_lineno} {code.co_qualname}"
        trace = trace.tb_next
