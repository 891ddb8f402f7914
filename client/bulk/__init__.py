"""Many recordings at once: which ones, on which workers, into one file of results."""
