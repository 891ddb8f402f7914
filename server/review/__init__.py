"""Coaching: comments on answers, scores by a programme's rubric, corrected verdicts, the queue."""
