"""Question bank: roles, rounds, questions and study plan as frozen models and YAML data."""
