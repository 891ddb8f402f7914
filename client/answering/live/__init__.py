"""Answers that are worked on while they are spoken."""

from client.answering.live.answer import AnswerCancelledError, LiveAnswer
from client.answering.live.worker import Caption, Crew

__all__ = ["AnswerCancelledError", "Caption", "Crew", "LiveAnswer"]
