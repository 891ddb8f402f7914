"""Keeps the messages of sound libraries off the screen."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Send what C libraries write to standard error nowhere; Python's own text still comes out.

    ALSA and PortAudio write lines of their own when a microphone is pulled out: over the level
    meter, and nothing that the recorder does not say itself.
    """
    try:
        kept = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    python_errors = sys.stderr
    with open(kept, "w", encoding="utf-8", errors="replace", buffering=1) as ours:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        if python_errors is not None and _is_descriptor_2(python_errors):
            sys.stderr = ours
        try:
            yield
        finally:
            sys.stderr = python_errors
            os.dup2(kept, 2)


def _is_descriptor_2(stream: object) -> bool:
    try:
        return bool(stream.fileno() == 2)  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return False
