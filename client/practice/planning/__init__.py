"""The plan until the interview: what to practice on which day."""
