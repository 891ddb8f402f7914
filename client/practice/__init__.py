"""What to practice: questions, interviews, drills, progress."""
