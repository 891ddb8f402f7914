"""Grading: pure functions from a transcript and its evidence to a Report."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server.grading.grader import (
        GRADER_VERSION,
        answer_vectors,
        cover,
        cover_question,
        grade,
        prepare,
    )

__all__ = ["GRADER_VERSION", "answer_vectors", "cover", "cover_question", "grade", "prepare"]


def __getattr__(name: str) -> Any:
    """Loads the grader at first use: `aloud history` starts without the encoder."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("server.grading.grader"), name)
