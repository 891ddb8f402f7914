"""Attempts as files: what the exports of client and server share."""
