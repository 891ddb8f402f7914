"""Grading: pure functions from a transcript and its evidence to a Report."""

from server.grading.grader import GRADER_VERSION, cover, cover_question, grade, make_sense

__all__ = ["GRADER_VERSION", "cover", "cover_question", "grade", "make_sense"]
