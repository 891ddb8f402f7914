"""Drills: items, their order in a session, and what is done with one take."""
