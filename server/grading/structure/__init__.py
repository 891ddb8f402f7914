"""Structure: which parts of a story, a design, an explanation or code an answer says."""

from server.grading.structure.judge import judge_structure
from server.grading.structure.rubrics import parts_of, sentences

__all__ = ["judge_structure", "parts_of", "sentences"]
