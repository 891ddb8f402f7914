"""Jobs: work that takes longer than a request, queued and run by any server process."""
