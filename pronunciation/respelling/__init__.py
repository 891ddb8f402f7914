"""Respelling: how something is said, written for people and for voices."""
