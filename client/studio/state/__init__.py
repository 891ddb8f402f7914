"""The state of a running studio: takes, drills, engine, microphone."""
