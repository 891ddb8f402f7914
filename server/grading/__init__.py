"""Grading: pure functions from a transcript and its evidence to a Report."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from server.grading.answer_vectors import make_sense
    from server.grading.grader import GRADER_VERSION, cover, cover_question, grade, prepare

__all__ = [
    "GRADER_VERSION",
    "cover",
    "cover_question",
    "grade",
    "make_sense",
    "prepare",
]
_OF_VECTORS: Final = ("make_sense",)


def __getattr__(name: str) -> Any:
    """Loads the grader at first use, so that importing a small module of the package is cheap."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "answer_vectors" if name in _OF_VECTORS else "grader"
    return getattr(import_module(f"server.grading.{module}"), name)
