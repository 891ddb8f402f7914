"""Grading: pure functions from a transcript and its evidence to a Report."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server.grading.grader import (
        GRADER_VERSION,
        cover,
        cover_question,
        grade,
        is_honest,
        make_sense,
        prepare,
        vectors_to_send,
    )

__all__ = [
    "GRADER_VERSION",
    "cover",
    "cover_question",
    "grade",
    "is_honest",
    "make_sense",
    "prepare",
    "vectors_to_send",
]


def __getattr__(name: str) -> Any:
    """Loads the grader at first use: whoever needs one small module of this package need not."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from server.grading import grader

    return getattr(grader, name)
