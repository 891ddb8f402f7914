"""Attempts as files: what the client's own exports and the server's have in common."""
