"""What is wrong in a speaker's English: a table of wordings, and a language model as referee."""

from server.language.patterns import Example, Group, Hit, find, groups
from server.language.referee import Referee, RefereeMissing, is_available

__all__ = ["Example", "Group", "Hit", "Referee", "RefereeMissing", "find", "groups", "is_available"]
