"""Mock interviews: planned, kept on disk while they run, with one report at the end."""

from client.practice.interviews.debrief import CLOSING_ASK as CLOSING_ASK
from client.practice.interviews.debrief import CLOSING_MOST_S as CLOSING_MOST_S
from client.practice.interviews.interview_report import KeptAnswer as KeptAnswer
from client.practice.interviews.interview_report import find_answers as find_answers
from client.practice.interviews.interview_report import (
    interview_to_markdown as interview_to_markdown,
)
from client.practice.interviews.interview_report import report_interview as report_interview
from client.practice.interviews.models import AnswerLine as AnswerLine
from client.practice.interviews.models import InterviewReport as InterviewReport
from client.practice.interviews.models import Place as Place
from client.practice.interviews.plan import ALL_ROUNDS as ALL_ROUNDS
from client.practice.interviews.plan import InterviewPlan as InterviewPlan
from client.practice.interviews.plan import first_of as first_of
from client.practice.interviews.plan import last_practiced as last_practiced
from client.practice.interviews.plan import loop_of as loop_of
from client.practice.interviews.plan import plan_interview as plan_interview
from client.practice.interviews.plan import topic_scores as topic_scores
from client.practice.interviews.record import MAX_MINUTES as MAX_MINUTES
from client.practice.interviews.record import InterviewError as InterviewError
from client.practice.interviews.record import InterviewRecord as InterviewRecord
from client.practice.interviews.store import InterviewNotFound as InterviewNotFound
from client.practice.interviews.store import Interviews as Interviews
