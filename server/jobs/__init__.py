"""Work that outlasts a request: queued, run by every server process, seen through to its end."""
