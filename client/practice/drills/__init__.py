"""Drills: items, their order in a session, and the handling of a take."""
