"""The journal of answers: every answer is in it from its first sample until it is stored."""

from client.journal.entry import Entry
from client.journal.journal import Journal, Unfinished
from client.journal.kept_answer import KeptAnswer

__all__ = ["Entry", "Journal", "KeptAnswer", "Unfinished"]
