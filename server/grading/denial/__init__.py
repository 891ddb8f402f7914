"""Denial: whether the speaker does not do, know, use or believe in what a phrase names.

By rules on the words (``rules``: a cue ``before`` the phrase, or a denial ``behind`` it); with the
answer's vectors also by how the speaker stands to it (``stance``).
"""

from server.grading.denial.rules import Denies, is_denied
from server.grading.denial.stance import denies_with

__all__ = ["Denies", "denies_with", "is_denied"]
