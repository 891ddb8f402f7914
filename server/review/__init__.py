"""Coaching: comments on answers, scores by a program's rubric, corrected verdicts, the queue."""
