"""Mock interviews: planned, kept on disk while they run, with one report at the end."""

from client.practice.interviews.debrief import CLOSING_ASK, CLOSING_MOST_S
from client.practice.interviews.interview_report import (
    KeptAnswer,
    find_answers,
    interview_to_markdown,
    report_interview,
)
from client.practice.interviews.models import AnswerLine, InterviewReport, TermOverAll, TermPlace
from client.practice.interviews.plan import (
    ALL_ROUNDS,
    InterviewPlan,
    first_of,
    last_practiced,
    loop_of,
    plan_interview,
    topic_scores,
)
from client.practice.interviews.record import (
    MAX_MINUTES,
    AskedQuestion,
    InterviewError,
    InterviewRecord,
)
from client.practice.interviews.store import InterviewNotFound, Interviews, KeptInterviews

__all__ = [
    "ALL_ROUNDS",
    "CLOSING_ASK",
    "CLOSING_MOST_S",
    "MAX_MINUTES",
    "AnswerLine",
    "AskedQuestion",
    "InterviewError",
    "InterviewNotFound",
    "InterviewPlan",
    "InterviewRecord",
    "InterviewReport",
    "Interviews",
    "KeptAnswer",
    "KeptInterviews",
    "TermOverAll",
    "TermPlace",
    "find_answers",
    "first_of",
    "interview_to_markdown",
    "last_practiced",
    "loop_of",
    "plan_interview",
    "report_interview",
    "topic_scores",
]
