"""The engine's process: loads an engine, recognizes clips, ends when its parent ends.

Parent and child send each other pickles through the child's standard input and output; a request is
answered by tuples whose first item says what they are.
"""

import contextlib
import os
import pickle
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from client.core.errors import ClientError, EngineError
from client.engines.base import Transcriber
from client.engines.engines import EngineOptions, imported
from pronunciation.clip import Clip


def serve(loader: str, idle_s: float) -> None:
    """What the child does: load an engine, then recognize or decode. Ends the process.

    Args:
        loader: import string of what loads the engine.
        idle_s: how long it waits for a request.
    """
    try:
        replies = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what libraries print is no reply

        def send(kind: str, *values: object) -> None:
            pickle.dump((kind, *values), replies)
            replies.flush()

        requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(requests,), daemon=True).start()
        try:
            _work(loader, idle_s, requests, send)
        except ClientError as error:
            send("failed", error)
        except Exception as error:
            traceback.print_exc()
            send("failed", EngineError(f"the engine failed ({type(error).__name__}: {error})"))
    finally:
        os._exit(0)  # at once: a library's last rites take long, and nothing is left to save


def _listen(requests: queue.SimpleQueue[Any]) -> None:
    """Take requests until the parent closes the pipe or ends."""
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(0)


def _work(
    loader: str, idle_s: float, requests: queue.SimpleQueue[Any], send: Callable[..., None]
) -> None:
    name, model, offline, is_taught = requests.get()

    def vocabulary() -> Any:
        send("vocabulary", None)
        return requests.get()

    options = EngineOptions(
        model,
        offline=offline,
        notify=lambda line: send("note", line),
        on_download=lambda done, total: send("download", done, total),
        vocabulary=vocabulary if is_taught else None,
    )
    engine: Transcriber = imported(loader)(name, options)
    send("done", (engine.name, engine.model, engine.max_segment_s))
    with contextlib.suppress(queue.Empty):
        while True:
            request = requests.get(timeout=idle_s)
            if isinstance(request, Clip):
                send("done", tuple(engine.recognize(request)))
            else:
                send("done", engine.decode(request))
