"""The journal of answers: every answer is in it from its first sample until it is stored."""
