"""The server: question bank API, grading, history."""
