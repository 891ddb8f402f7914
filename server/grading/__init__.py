"""Grading: pure functions from a transcript and its evidence to a Report."""

from server.grading.grader import (
    GRADER_VERSION,
    answer_vectors,
    cover,
    cover_question,
    grade,
    prepare,
)

__all__ = ["GRADER_VERSION", "answer_vectors", "cover", "cover_question", "grade", "prepare"]
