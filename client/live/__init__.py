"""Answers that are worked on while they are spoken."""

from client.live.answer import AnswerCancelledError, LiveAnswer
from client.live.worker import Caption, Crew

__all__ = ["AnswerCancelledError", "Caption", "Crew", "LiveAnswer"]
