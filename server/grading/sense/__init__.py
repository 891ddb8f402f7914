"""Sense: whether an answer says a key phrase in other words."""
