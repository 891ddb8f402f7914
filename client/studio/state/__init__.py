"""What the studio holds while it runs: takes, drills, engine, microphone."""
