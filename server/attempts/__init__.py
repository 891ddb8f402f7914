"""Attempts, their reports and drills: stored, graded, graded again."""
